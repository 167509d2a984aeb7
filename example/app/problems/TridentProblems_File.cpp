// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_File.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "TridentProblems_Comm.hpp"

namespace Trident {
namespace Problems {

namespace {

constexpr std::int64_t maxPieceBytes = std::int64_t{1} << 26;

/// Calls transfer(offset within the whole, bytes) for pieces of a bounded size.
template <class Transfer>
void inPieces(std::int64_t bytes, const Transfer& transfer) {
  for (std::int64_t done = 0; done < bytes; done += maxPieceBytes)
    transfer(done, static_cast<int>(std::min(maxPieceBytes, bytes - done)));
}

int transferredBytes(const MPI_Status& status) {
  int count = 0;
  checkMpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  return count;
}

mode_t typeOf(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

}  // namespace

bool endsIn(const std::string& path, const std::string& ending) {
  return path.size() >= ending.size() &&
         path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
}

bool isRegularFile(const std::string& path) { return typeOf(path) == S_IFREG; }

void File::check(int code, const char* doing) const {
  if (code == MPI_SUCCESS) return;
  checkMpi(code, path_ + ": " + doing);
}

File::File(std::string path, Mode mode) : path_(std::move(path)) {
  const mode_t type = typeOf(path_);
  if (type == S_IFDIR) throw MatrixError(path_ + ": is a directory, not a file");
  // Opening a pipe may wait for ever, and nothing can be read of it at a place of one's own.
  if (type == S_IFIFO || type == S_IFSOCK)
    throw MatrixError(path_ +
                      ": is a pipe, and this format is read at many places; make it a file first");
  const bool reads = mode == Mode::read;
  check(MPI_File_open(MPI_COMM_SELF, path_.c_str(), reads ? MPI_MODE_RDONLY : MPI_MODE_WRONLY,
                      MPI_INFO_NULL, &file_),
        reads ? "opening to read" : "opening to write");
}

File::~File() {
  // A destructor cannot throw; a file that was read has nothing to lose.
  if (file_ != MPI_FILE_NULL) static_cast<void>(MPI_File_close(&file_));
}

std::int64_t File::size() const {
  MPI_Offset bytes = 0;
  check(MPI_File_get_size(file_, &bytes), "asking for the size");
  return bytes;
}

void File::readAt(std::int64_t offset, void* to, std::int64_t bytes) const {
  inPieces(bytes, [&](std::int64_t at, int pieceBytes) {
    MPI_Status status;
    check(MPI_File_read_at(file_, offset + at, static_cast<char*>(to) + at, pieceBytes, MPI_BYTE,
                           &status),
          "reading");
    if (transferredBytes(status) != pieceBytes)
      throw MatrixError(path_ + ": the file ends at byte " +
                        std::to_string(offset + at + transferredBytes(status)) +
                        ", before what it should hold: is it truncated?");
  });
}

void File::writeNext(std::int64_t offset, const char* from, std::int64_t bytes) const {
  if (next_ >= 0 && offset != next_)
    throw MatrixError(path_ + " cannot be written: it takes bytes in their order alone, and this " +
                      "format is not written so; name a file");
  next_ = offset + bytes;
  for (std::int64_t at = 0; at < bytes; at += mostOfBlock)
    stream_(from + at, std::min(mostOfBlock, bytes - at));
}

void File::writeAt(std::int64_t offset, const void* from, std::int64_t bytes) const {
  if (stream_) return writeNext(offset, static_cast<const char*>(from), bytes);
  inPieces(bytes, [&](std::int64_t at, int pieceBytes) {
    MPI_Status status;
    check(MPI_File_write_at(file_, offset + at, static_cast<const char*>(from) + at, pieceBytes,
                            MPI_BYTE, &status),
          "writing (is the disk full?)");
    if (transferredBytes(status) != pieceBytes)
      throw MatrixError(path_ + ": only part could be written: is the disk full?");
  });
}

void File::finishWriting() {
  if (stream_) return;
  if (isRegularFile(path_)) check(MPI_File_sync(file_), "writing to the device");
  check(MPI_File_close(&file_), "closing");
}

}  // namespace Problems
}  // namespace Trident
