// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_OutputFile.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "TridentProblems_SharedFile.hpp"

namespace Trident {
namespace Problems {

namespace {

/// Opens an output that takes bytes in their order alone. Waits a minute at most for a reader of a
/// pipe.
int openStream(const std::string& path) {
  if (path == "-") return dup(STDOUT_FILENO);
  int descriptor = -1;
  for (int tries = 0; tries < 600 && descriptor < 0; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    descriptor = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 && errno != ENXIO) break;
  }
  if (descriptor < 0)
    throw MatrixError(
        path + " cannot be written: " +
        (errno == ENXIO ? "nobody reads this pipe; start its reader first" : reasonOf(errno)));
  static_cast<void>(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK));
  return descriptor;
}

}  // namespace

OutputFile::OutputFile(const std::string& path, const Comm& comm) : comm_(comm), path_(path) {
  std::string name;
  collectively(comm_, [&] {
    if (comm_.rank() != 0) return;
    fresh_ = std::make_unique<FreshFile>(path);
    streams_ = fresh_->streams();
    if (streams_) {
      block_.resize(static_cast<std::size_t>(mostOfBlock));
      descriptor_ = openStream(path);
    } else {
      name = fresh_->name();
    }
  });
  comm_.broadcast(&streams_, static_cast<int>(sizeof streams_), 0);
  if (streams_) return;
  name = comm_.broadcast(name, 0);
  file_ = openToWrite(name, path_, comm_);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) static_cast<void>(close(descriptor_));
}

void OutputFile::sendBlock(const char* bytes, std::int64_t count) const {
  checkMpi(MPI_Send(bytes, static_cast<int>(count), MPI_BYTE, 0, 0, comm_.get()), "MPI_Send");
}

std::int64_t OutputFile::receiveBlock(int rank) {
  MPI_Status status;
  int count = 0;
  checkMpi(MPI_Recv(block_.data(), static_cast<int>(block_.size()), MPI_BYTE, rank, 0, comm_.get(),
                    &status),
           "MPI_Recv");
  checkMpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  return count;
}

void OutputFile::writeOut(const char* bytes, std::int64_t count) const {
  while (count > 0) {
    const ssize_t written =
        uninterrupted([&] { return ::write(descriptor_, bytes, static_cast<std::size_t>(count)); });
    if (written < 0) throw MatrixError(path_ + ": writing failed: " + reasonOf(errno));
    bytes += written;
    count -= written;
  }
}

void OutputFile::relay(const std::function<void(const File&)>& part) {
  std::string problem;
  const auto attempt = [&](const auto& work) {
    if (!problem.empty()) return;
    try {
      work();
    } catch (const std::exception& e) {
      problem = e.what();
    }
  };
  if (comm_.rank() != 0) {
    attempt([&] { part(File(path_, [&](const char* b, std::int64_t n) { sendBlock(b, n); })); });
    sendBlock(nullptr, 0);  // also where it failed: rank 0 waits for it
  } else {
    attempt([&] { part(File(path_, [&](const char* b, std::int64_t n) { writeOut(b, n); })); });
    // What comes is received whatever failed, as its rank waits for that.
    for (int rank = 1; rank < comm_.size(); ++rank)
      while (const std::int64_t count = receiveBlock(rank))
        attempt([&] { writeOut(block_.data(), count); });
  }
  throwEverywhere(comm_, !problem.empty(), problem);
}

void OutputFile::write(const std::function<void(const File&)>& part) {
  if (streams_)
    relay(part);
  else
    collectively(comm_, [&] { part(*file_); });
}

void OutputFile::finish() {
  if (streams_) return;
  collectively(comm_, [&] { file_->finishWriting(); });
  collectively(comm_, [&] {
    if (fresh_) fresh_->place();
  });
}

}  // namespace Problems
}  // namespace Trident
