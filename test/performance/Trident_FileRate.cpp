// SPDX-License-Identifier: BSD-3-Clause
// The rate at which all ranks read a matrix from a file, and write it.
//
//   Trident_FileRate.exe --A=FILE [--C=FILE]
//
// A is what the driver takes; all ranks read .mtx, .bin and .csr. First each rank reads its part of
// the bytes and nothing else, twice: the second time is that of the page cache, if it holds the
// file. Then the matrix is read and, with --C, written: .csr or Matrix Market. One JSON object, of
// rank 0: "bytes" of the file, "entries" of the matrix, seconds of the slowest rank, and the most
// resident bytes that any rank had while it read.

#include <Teuchos_CommHelpers.hpp>
#include <Teuchos_CommandLineProcessor.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "TridentProblems_File.hpp"
#include "TridentProblems_Memory.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_WriteMatrix.hpp"
#include "Trident_RunProgram.hpp"

namespace {

using namespace Trident::Problems;

double mostOf(const comm_type& comm, double here) {
  double most = 0;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MAX, here, Teuchos::outArg(most));
  return most;
}

/// Returns the seconds of the slowest rank.
template <class Work>
double seconds(const comm_type& comm, const Work& work) {
  comm.barrier();
  const double start = MPI_Wtime();
  work();
  return mostOf(comm, MPI_Wtime() - start);
}

/// Reads this rank's part of the file, by blocks.
void readBytes(const File& file, const comm_type& comm) {
  const auto begin = [&](int rank) { return file.size() / comm.getSize() * rank; };
  const bool isLast = comm.getRank() + 1 == comm.getSize();
  const std::int64_t end = isLast ? file.size() : begin(comm.getRank() + 1);
  std::vector<char> block(std::size_t(1) << 24);
  for (std::int64_t at = begin(comm.getRank()); at < end;) {
    const auto bytes = std::min(end - at, static_cast<std::int64_t>(block.size()));
    file.readAt(at, block.data(), bytes);
    at += bytes;
  }
}

int run(int argc, char* argv[]) {
  std::string A, C;
  Teuchos::CommandLineProcessor line(false);
  line.setOption("A", &A, "file that is read", true);
  line.setOption("C", &C, "file that is written");
  if (line.parse(argc, argv) != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL) return 2;
  const auto comm = Tpetra::getDefaultComm();
  const File file(A, File::Mode::read);
  const double first = seconds(*comm, [&] { readBytes(file, *comm); });
  const double again = seconds(*comm, [&] { readBytes(file, *comm); });
  ReadResult result;
  const double read = seconds(*comm, [&] { result = readMatrix(A, comm); });
  const double peak = mostOf(*comm, peakResidentBytes());
  const double written = C.empty() ? 0 : seconds(*comm, [&] { writeMatrix(*result.matrix, C); });
  if (comm->getRank() == 0)
    std::printf(
        "{\"A\": \"%s\", \"ranks\": %d, \"bytes\": %lld, \"entries\": %lld, "
        "\"bytes_seconds\": [%.3g, %.3g], \"read_seconds\": %.4g, \"write_seconds\": %.4g, "
        "\"peak_resident_bytes\": %.4g}\n",
        A.c_str(), comm->getSize(), static_cast<long long>(file.size()),
        static_cast<long long>(result.report.entries), first, again, read, written, peak);
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  return Trident::runProgram("Trident_FileRate", run, argc, argv);
}
