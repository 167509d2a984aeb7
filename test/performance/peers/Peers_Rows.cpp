// SPDX-License-Identifier: BSD-3-Clause
#include "Peers_Rows.hpp"

#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <stdexcept>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Rows.hpp"

namespace Peers {
namespace {

using Trident::Problems::checkMpi;

int intOf(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end || value < 0 || value > 1000000)
    throw std::runtime_error("--" + option + "=" + text + " is no count");
  return static_cast<int>(value);
}

CommandLine parse(int argc, char* argv[]) {
  CommandLine line;
  for (int n = 1; n < argc; ++n) {
    const std::string word = argv[n];
    const std::size_t equals = word.find('=');
    const std::string option = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (option == "--A")
      line.A = value;
    else if (option == "--json")
      line.json = value;
    else if (option == "--warmup")
      line.warmup = intOf("warmup", value);
    else if (option == "--repeat")
      line.repeat = intOf("repeat", value);
    else if (option == "--reuse")
      line.reuse = intOf("reuse", value);
    else
      throw std::runtime_error(word +
                               " is none of --A=SPEC --warmup=N --repeat=N --reuse=N --json=FILE");
  }
  if (line.A.empty() || line.json.empty()) throw std::runtime_error("--A or --json is missing");
  return line;
}

/// Collective. Nothing of Tpetra stays in memory.
Rows readRows(const std::string& spec) {
  const auto comm = Tpetra::getDefaultComm();
  const auto A = Trident::Problems::readMatrix(spec, comm).matrix;
  const Trident::Problems::RowReader read(*A);
  Rows rows;
  rows.matrixSize = static_cast<long long>(A->getRangeMap()->getGlobalNumElements());
  rows.size = static_cast<long long>(read.numRows());
  const Trident::Problems::Comm ranks(*comm);
  rows.first = ranks.sumBefore(rows.size);
  const bool tooMany = read.numEntries() > std::numeric_limits<int>::max();
  Trident::Problems::throwEverywhere(ranks, tooMany, spec + ": more than 2^31 entries on a rank");
  if (rows.matrixSize != static_cast<long long>(A->getDomainMap()->getGlobalNumElements()))
    throw std::runtime_error(spec + ": not square, so there is no A*A");
  rows.offsets = {0};
  std::vector<std::pair<long long, double>> row;
  for (std::size_t i = 0; i < read.numRows(); ++i) {
    row.clear();
    for (std::size_t e = read.begin(i); e < read.end(i); ++e)
      row.emplace_back(read.column(e), read.value(e));
    std::sort(row.begin(), row.end());
    for (const auto& entry : row) {
      rows.columns.push_back(entry.first);
      rows.values.push_back(entry.second);
    }
    rows.offsets.push_back(static_cast<int>(rows.columns.size()));
  }
  return rows;
}

std::string list(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) {
    char number[40];
    std::snprintf(number, sizeof number, "%s%.9g", text.size() > 1 ? ", " : "", value);
    text += number;
  }
  return text + "]";
}

void writeJson(const CommandLine& line, const std::string& library, const Rows& rows,
               const Result& result, int ranks) {
  std::ofstream file(line.json);
  file.precision(17);
  file << "{\"A\": \"" << line.A << "\", \"library\": \"" << library << "\", \"ranks\": " << ranks
       << ", \"rows\": " << rows.matrixSize << ",\n \"total_seconds\": " << list(result.seconds)
       << ", \"reuse_seconds\": " << list(result.reuseSeconds)
       << ",\n \"checksum\": {\"entries\": " << result.checksum.entries
       << ", \"zeros\": " << result.checksum.zeros << ", \"bilinear\": " << result.checksum.bilinear
       << ", \"absolute\": " << result.checksum.absolute << "}}\n"
       << std::flush;
  if (!file) throw std::runtime_error(line.json + " cannot be written");
}

/// What another library finds wrong on one rank, the others do not know of: they would wait.
Result measuredOrAborted(const CommandLine& line, const Rows& rows, const std::string& library,
                         const std::function<Result(const CommandLine&, const Rows&)>& measure) {
  try {
    return measure(line, rows);
  } catch (const std::exception& error) {
    std::cerr << "Trident_Peer_" << library << ": " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    throw;
  }
}

}  // namespace

std::vector<double> timeEach(int count, const std::function<void()>& prepare,
                             const std::function<void()>& call) {
  std::vector<double> seconds;
  for (int n = 0; n < count; ++n) {
    prepare();
    checkMpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    const double start = MPI_Wtime();
    call();
    double mine = MPI_Wtime() - start, slowest = 0;
    checkMpi(MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
             "MPI_Allreduce");
    seconds.push_back(slowest);
  }
  return seconds;
}

int main(int argc, char* argv[], const std::string& library,
         const std::function<Result(const CommandLine&, const Rows&)>& measure) {
  int none = 1;
  const Tpetra::ScopeGuard scope(&none, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const CommandLine line = parse(argc, argv);
    const Rows rows = readRows(line.A);
    Result result = measuredOrAborted(line, rows, library, measure);
    checkMpi(result.checksum.sum(MPI_COMM_WORLD), "MPI_Allreduce");
    if (rank == 0) writeJson(line, library, rows, result, ranks);
  } catch (const std::exception& error) {
    if (rank == 0) std::cerr << "Trident_Peer_" << library << ": " << error.what() << std::endl;
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace Peers
