// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_TESTTOOLS_HPP
#define TRIDENTDRIVER_TESTTOOLS_HPP

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_Core.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Hash.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Rows.hpp"

namespace TestTools {

using namespace Trident::Problems;
using CommPtr = Teuchos::RCP<const comm_type>;

inline CommPtr world() { return Tpetra::getDefaultComm(); }
inline CommPtr self() { return Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_SELF)); }

/// Makes a file name of this run, equal on every rank. Collective.
inline std::string tempName(const std::string& name) {
  const Comm comm(*world());
  return comm.broadcast("trident_driver_" + std::to_string(getpid()) + "_" + name, 0);
}

/// Returns all bytes of a file. Local.
inline std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// An empty folder of this run while the object lives: nothing that is named below it is there.
/// Collective.
class EmptyFolder {
 public:
  EmptyFolder() : path_(tempName("empty")) {
    if (world()->getRank() == 0) mkdir(path_.c_str(), 0700);
    world()->barrier();
  }
  ~EmptyFolder() {
    world()->barrier();
    if (world()->getRank() == 0) rmdir(path_.c_str());
  }
  /// Names a file in a folder that is not there.
  std::string absent(const std::string& name) const { return path_ + "/none/" + name; }

 private:
  std::string path_;
};

/// Files of this process end after so many bytes while it lives, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);  // then writing fails
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~SmallDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

/// A file with the given bytes, made by rank 0 and gone with the object. Collective.
class TempFile {
 public:
  TempFile(const std::string& name, const std::string& bytes) : path_(tempName(name)) {
    if (world()->getRank() == 0) {
      std::ofstream(path_, std::ios::binary) << bytes;
    }
    world()->barrier();
  }
  ~TempFile() {
    world()->barrier();
    if (world()->getRank() == 0) std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string gzipped(const std::string& text) {
  z_stream stream;
  std::memset(&stream, 0, sizeof stream);
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()), '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(&input[0]);
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(&result[0]);
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

inline ReadResult readText(const std::string& text, const std::string& name = "a.mtx") {
  const TempFile file(name, text);
  return readMatrix(file.path(), world());
}

/// Returns a number of the matrix' size, entries and values, whatever their distribution.
/// Collective.
inline std::int64_t checksum(const matrix_type& matrix) {
  std::int64_t sum = 0;
  {
    const RowReader rows(matrix);
    for (std::size_t row = 0; row < rows.numRows(); ++row)
      for (std::size_t k = rows.begin(row); k < rows.end(row); ++k) {
        const double value = rows.value(k);
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        const std::uint64_t position = hash(static_cast<std::uint64_t>(rows.rowGid(row)),
                                            static_cast<std::uint64_t>(rows.column(k)));
        sum += static_cast<std::int64_t>(hash(position, bits) >> 24);
      }
  }
  return Comm(*matrix.getComm()).sum(sum) +
         static_cast<std::int64_t>(matrix.getRangeMap()->getGlobalNumElements() * 7919 +
                                   matrix.getDomainMap()->getGlobalNumElements());
}

using Entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

/// Returns the entries of a matrix that lives on MPI_COMM_SELF.
inline Entries entriesOf(const matrix_type& matrix) {
  Entries entries;
  const RowReader rows(matrix);
  for (std::size_t row = 0; row < rows.numRows(); ++row)
    for (std::size_t k = rows.begin(row); k < rows.end(row); ++k)
      entries[{rows.rowGid(row), rows.column(k)}] = rows.value(k);
  return entries;
}

/// Reads a text on all ranks together and on each alone; whether both give `expected`. Collective.
inline bool readsAs(const std::string& text, const std::string& name, const Entries& expected) {
  const TempFile file(name, text);
  const auto alone = readMatrix(file.path(), self()).matrix;
  const auto together = readMatrix(file.path(), world()).matrix;
  return entriesOf(*alone) == expected && checksum(*alone) == checksum(*together);
}

/// Returns true if `work()` throws one text on every rank, with `part` in it. Collective.
template <class Work>
bool throwsEverywhere(const Work& work, const std::string& part) {
  std::string message;
  try {
    work();
  } catch (const MatrixError& e) {
    message = e.what();
  }
  const Comm comm(*world());
  const std::string first = comm.broadcast(message, 0);
  const bool good = message.find(part) != std::string::npos && message == first;
  if (!good)
    std::printf("rank %d: expected an error with \"%s\", but it is \"%s\"\n", comm.rank(),
                part.c_str(), message.c_str());
  return comm.sum(good ? 0 : 1) == 0;
}

inline bool readingFails(const std::string& text, const std::string& part,
                         const std::string& name = "bad.mtx") {
  return throwsEverywhere([&] { readText(text, name); }, part);
}

}  // namespace TestTools

#endif
