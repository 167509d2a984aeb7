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
  /// \param text written behind `head` so many times, unless its reader goes before
  Pipe(const std::string& name, const std::string& text, int times = 1,
       const std::string& head = "")
      : path_(tempName(name)) {
    std::signal(SIGPIPE, SIG_IGN);
    const bool writes = world()->getRank() == 0;
    if (writes && mkfifo(path_.c_str(), 0600) != 0) std::perror(path_.c_str());
    if (writes) writer_ = std::thread([=] { write(head, text, times); });
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
  void write(const std::string& head, const std::string& text, int times) {
    int descriptor = -1;  // a pipe that nobody opens must not hold the test
    while (descriptor < 0 && !stop_) {
      descriptor = open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (descriptor < 0) return;
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    for (bool goes = writeTo(descriptor, head); goes && times > 0; --times)
      goes = writeTo(descriptor, text);
    close(descriptor);
  }

  /// \return whether there is a reader
  bool writeTo(int descriptor, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t bytes = ::write(descriptor, text.data() + at, text.size() - at);
      if (bytes <= 0) return false;
      at += static_cast<std::size_t>(bytes);
      written_ += bytes;
    }
    return true;
  }

  std::string path_;
  std::atomic<bool> stop_{false};
  std::int64_t written_ = 0;
  std::thread writer_;
};

/// Makes more text than the four chunks of four megabytes that may be on their way.
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
  TEST_ASSERT(fails("pipe.gz", "BZh91AY&SY", "is packed by bzip2"));
  TEST_ASSERT(fails("pipe.csr", good, "is a pipe, and this format is read at many places"));
}

// Rank 0 reads no further than a few chunks behind what is wrong, whoever finds it.
TEUCHOS_UNIT_TEST(Pipes, StopsAtTheFirstError) {
  constexpr std::int64_t megabytes = 200, few = 60 * 1000000;
  std::string lines, promised = std::to_string(megabytes * 1000000 / 6);
  for (int n = 0; n < 1000000 / 6; ++n) lines += "2 1 1\n";
  const auto stops = [&](const std::string& head, const std::string& part) {
    Pipe pipe("endless", lines, megabytes, banner + "real general\n" + head);
    const bool told = throwsEverywhere([&] { readMatrix(pipe.path(), world()); }, part);
    const std::int64_t bytes = pipe.finish();
    if (bytes > few) std::printf("rank 0 read %lld bytes\n", static_cast<long long>(bytes));
    return Comm(*world()).sum(told && bytes <= few ? 0 : 1) == 0;
  };
  TEST_ASSERT(stops("2 2 " + promised + "\n2 1 1\nwrong\n", ":4: the row should be"));
  TEST_ASSERT(stops("2 2 3\n%\n\n2 1 1\n", ":8: the line should be blank, as the size line"));
  // More than the chunks that may be on their way, fewer than each of three ranks may have.
  TEST_ASSERT(stops("2 2 4000000\n", ":4000003: the line should be blank"));
  TEST_ASSERT(stops("2 2 4000000\nwrong\n", ":3: the row should be"));
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
