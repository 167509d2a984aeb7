// SPDX-License-Identifier: BSD-3-Clause
#include "Fuzz_Tools.hpp"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Rows.hpp"
#include "TridentProblems_WriteMatrix.hpp"

namespace Fuzz {

using namespace Trident::Problems;

namespace {

constexpr rlim_t memoryBytes = rlim_t{1} << 23;
/// Bounds of a matrix that is written and read again. Larger ones go the same ways; one of a
/// generator took 87 s on a busy machine, where 60 are taken for a hang.
constexpr std::int64_t mostEntries = 200000;

/// MPI, Kokkos and a folder for the length of the program.
class Program {
 public:
  Program() : scope_(&argumentCount_, &arguments_) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_RSS, &limit) != 0) complain("getrlimit");
    limit.rlim_cur = std::min(limit.rlim_max, memoryBytes);
    if (setrlimit(RLIMIT_RSS, &limit) != 0) complain("setrlimit");

    const Comm comm(*Tpetra::getDefaultComm());
    std::string folder;
    if (comm.rank() == 0) {
      const char* const parent = std::getenv("TMPDIR");
      folder = std::string(parent != nullptr ? parent : "/tmp") + "/trident-fuzz-XXXXXX";
      if (mkdtemp(&folder[0]) == nullptr) complain("no folder " + folder);
    }
    folder_ = comm.broadcast(folder, 0);
    isFirst_ = comm.rank() == 0;
  }
  ~Program() {
    if (!isFirst_) return;
    if (DIR* const folder = opendir(folder_.c_str())) {
      while (const dirent* entry = readdir(folder))
        if (entry->d_name[0] != '.') std::remove(pathOf(entry->d_name).c_str());
      closedir(folder);
    }
    rmdir(folder_.c_str());
  }

  static Program& get() {
    static Program program;
    return program;
  }
  const std::string& folder() const { return folder_; }

 private:
  int argumentCount_ = 1;
  char name_[5] = "fuzz";
  char* argumentList_[2] = {name_, nullptr};
  char** arguments_ = argumentList_;
  Tpetra::ScopeGuard scope_;
  std::string folder_;
  bool isFirst_ = false;
};

struct Cell {
  std::int64_t row, column;
  double value;
};

/// Returns this rank's entries, in an order that does not depend on how they are stored.
std::vector<Cell> cellsOf(const matrix_type& matrix) {
  std::vector<Cell> cells;
  const RowReader rows(matrix);
  for (std::size_t row = 0; row < rows.numRows(); ++row)
    for (std::size_t k = rows.begin(row); k < rows.end(row); ++k)
      cells.push_back({rows.rowGid(row), rows.column(k), rows.value(k)});
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  return cells;
}

/// Compares bit for bit, but for the bits of a NaN, which a text does not keep.
bool sameValue(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

bool sameCell(const Cell& a, const Cell& b) {
  return a.row == b.row && a.column == b.column && sameValue(a.value, b.value);
}

void requireSame(const ReadResult& first, const ReadResult& second) {
  if (!first.matrix->getRangeMap()->isSameAs(*second.matrix->getRangeMap()) ||
      !first.matrix->getDomainMap()->isSameAs(*second.matrix->getDomainMap()))
    complain("what was written has another size than what was read");
  const std::vector<Cell> a = cellsOf(*first.matrix), b = cellsOf(*second.matrix);
  if (!std::equal(a.begin(), a.end(), b.begin(), b.end(), sameCell))
    complain("what was written has other entries than what was read");
  const auto sameRowAndColumn = [](const Cell& x, const Cell& y) {
    return x.row == y.row && x.column == y.column;
  };
  if (std::adjacent_find(a.begin(), a.end(), sameRowAndColumn) != a.end())
    complain("an entry is stored twice");
}

}  // namespace

void begin() {
  // Of Open MPI: signals are libFuzzer's to report, and a program alone needs no daemon.
  setenv("OMPI_MCA_opal_signal", "", 1);
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
  Program::get();
}

Teuchos::RCP<const comm_type> world() { return Tpetra::getDefaultComm(); }

void complain(const std::string& what) {
  std::fprintf(stderr, "FINDING: %s\n", what.c_str());
  std::fflush(stderr);
  std::abort();
}

void checkMessage(const std::string& message) {
  for (const char* bare : {"vector::", "basic_string", "std::", "stoi", "cannot create std::"})
    if (message.compare(0, std::strlen(bare), bare) == 0) complain("a bare message: " + message);
  if (message.size() < 10) complain("a short message: \"" + message + "\"");
  if (message != Comm(*world()).broadcast(message, 0))
    complain("ranks have different messages; one is: " + message);
}

std::string pathOf(const std::string& name) { return Program::get().folder() + "/" + name; }

std::string makeFile(const std::string& name, const std::uint8_t* data, std::size_t size) {
  const std::string path = pathOf(name);
  if (world()->getRank() == 0) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    if (!file.flush()) complain("cannot write " + path);
  }
  world()->barrier();
  return path;
}

void readAndCompare(const std::string& spec) {
  ReadResult first;
  try {
    first = readMatrix(spec, world());
  } catch (const MatrixError& e) {
    checkMessage(e.what());
    return;
  }
  if (first.report.entries != countEntries(*first.matrix)) complain("entries were miscounted");
  if (first.report.entries > mostEntries) return;
  // Without entries the sizes are all there is, and a Map of 2^60 writes as fast as one of 2.
  try {
    for (const std::string& copy :
         {pathOf("copy.mtx"), pathOf("copy.csr"), pathOf("copy.mtx.gz")}) {
      if (endsIn(copy, ".csr") && first.matrix->getDomainMap()->getGlobalNumElements() > (1u << 31))
        continue;
      writeMatrix(*first.matrix, copy);
      requireSame(first, readMatrix(copy, world()));
    }
  } catch (const MatrixError& e) {
    complain(std::string("what was read cannot be written and read again: ") + e.what());
  }
}

}  // namespace Fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  Fuzz::begin();
  return 0;
}
