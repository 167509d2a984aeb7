// SPDX-License-Identifier: BSD-3-Clause
// Matrices that come through a pipe, which rank 0 alone can read, and only once.

#include <fcntl.h>
#include <sys/stat.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_TextInput.hpp"

namespace {

using namespace TestTools;

const std::string banner = "%%MatrixMarket matrix coordinate ";

/// A pipe into which rank 0 writes, gone with the object. Collective.
class Pipe {
 public:
  /// \param text written so many times, unless its reader goes before
  Pipe(const std::string& name, const std::string& text, int times = 1) : path_(tempName(name)) {
    std::signal(SIGPIPE, SIG_IGN);
    const bool writes = world()->getRank() == 0;
    if (writes && mkfifo(path_.c_str(), 0600) != 0) std::perror(path_.c_str());
    if (writes) writer_ = std::thread([=] { write(text, times); });
    world()->barrier();
  }
  ~Pipe() {
    finish();
    if (world()->getRank() == 0) std::remove(path_.c_str());
    world()->barrier();
  }
  const std::string& path() const { return path_; }

  /// \return bytes that went into the pipe, on rank 0; no more will
  std::int64_t finish() {
    stop_ = true;
    if (writer_.joinable()) writer_.join();
    return written_;
  }

 private:
  void write(const std::string& text, int times) {
    int descriptor = -1;  // a pipe that nobody opens must not hold the test
    while (descriptor < 0 && !stop_) {
      descriptor = open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (descriptor < 0) return;
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    for (bool goes = true; goes && times > 0; --times)
      for (std::size_t at = 0; goes && at < text.size();) {
        const ssize_t bytes = ::write(descriptor, text.data() + at, text.size() - at);
        goes = bytes > 0;
        if (goes) at += static_cast<std::size_t>(bytes);
        if (goes) written_ += bytes;
      }
    close(descriptor);
  }

  std::string path_;
  std::atomic<bool> stop_{false};
  std::int64_t written_ = 0;
  std::thread writer_;
};

/// More text than the four pieces of four megabytes that may be on their way.
std::string largeText() {
  constexpr int n = 1000000;
  std::string text = banner + "real general\n% c\n1000000 1000000 1000000\n";
  for (int i = 1; i <= n; ++i)
    text += std::to_string(i) + " " + std::to_string((i * std::int64_t{7919}) % n + 1) + " " +
            std::to_string(i / 8.0) + "\n";
  return text;
}

TEUCHOS_UNIT_TEST(Pipes, AsFiles) {
  const std::string text = largeText();
  const std::int64_t expected = checksum(*readText(text).matrix);
  for (const bool zip : {false, true}) {
    const Pipe pipe("pipe", zip ? gzipped(text) : text);
    const ReadResult read = readMatrix(pipe.path(), world());
    TEST_EQUALITY(checksum(*read.matrix), expected);
    TEST_EQUALITY_CONST(read.report.entries, 1000000);
  }
}

TEUCHOS_UNIT_TEST(Pipes, Errors) {
  const auto fails = [](const std::string& name, const std::string& text, const std::string& part) {
    const Pipe pipe(name, text);
    return throwsEverywhere([&] { readMatrix(pipe.path(), world()); }, part);
  };
  const std::string good = banner + "real general\n2 2 2\n1 1 1\n2 2 2\n";
  TEST_ASSERT(fails("pipe", "", "is empty"));
  TEST_ASSERT(fails("pipe", good.substr(0, good.size() - 6), "truncated"));
  TEST_ASSERT(fails("pipe", good + "x", "pipe:5: "));
  const std::string packed = gzipped(good);
  TEST_ASSERT(fails("pipe", packed.substr(0, packed.size() - 9), "pipe: unexpected end of file"));
  TEST_ASSERT(fails("pipe.gz", good, "is not gzipped"));
  TEST_ASSERT(fails("pipe.csr", good, "is a pipe, and this format is read at many places"));
}

TEUCHOS_UNIT_TEST(Pipes, OnePipeForTwo) {
  const Comm comm(*world());
  const Pipe pipe("pipe", "");
  const TempFile file("a.mtx", "");
  requireInputsApart({pipe.path(), file.path(), file.path(), "-", "er:n=2", "/dev/null"}, comm);
  TEST_ASSERT(throwsEverywhere(
      [&] {
        requireInputsApart({pipe.path(), "./" + pipe.path()}, comm);
      },
      "can be read once"));
  TEST_ASSERT(throwsEverywhere(
      [&] {
        requireInputsApart({"-", "-"}, comm);
      },
      "standard input can be read once"));
}

}  // namespace
