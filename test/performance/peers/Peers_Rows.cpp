// SPDX-License-Identifier: BSD-3-Clause
#include "Peers_Rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "Peers_Device.hpp"

namespace Peers {
namespace {

void checkMpi(int code, const char* what) {
  if (code != MPI_SUCCESS) throw std::runtime_error(std::string(what) + " failed");
}

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
    else if (option == "--P")
      line.P = value;
    else if (option == "--json")
      line.json = value;
    else if (word == "--galerkin")
      line.galerkin = true;
    else if (word == "--device-mpi")
      line.deviceMpi = true;
    else if (option == "--way")
      line.way = value;
    else if (option == "--warmup")
      line.warmup = intOf("warmup", value);
    else if (option == "--repeat")
      line.repeat = intOf("repeat", value);
    else if (option == "--reuse")
      line.reuse = intOf("reuse", value);
    else
      throw std::runtime_error(word +
                               " is none of --A=SPEC --P=FILE --galerkin --way=NAME --warmup=N "
                               "--repeat=N --reuse=N --device-mpi --json=FILE");
  }
  if (line.A.empty() || line.json.empty()) throw std::runtime_error("--A or --json is missing");
  return line;
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

void writeJson(const CommandLine& line, const std::string& library, const Result& result,
               int ranks) {
  std::ofstream file(line.json);
  file.precision(17);
  file << "{\"A\": \"" << line.A << "\", \"library\": \"" << library << "\", \"ranks\": " << ranks
       << ", \"rows\": " << result.rows << ", \"product\": \"" << (line.galerkin ? "R·A·P" : "A·A")
       << "\", \"way\": \"" << line.way << "\",\n \"total_seconds\": " << list(result.seconds)
       << ", \"reuse_seconds\": " << list(result.reuseSeconds)
       << ",\n \"checksum\": {\"entries\": " << result.checksum.entries
       << ", \"zeros\": " << result.checksum.zeros << ", \"bilinear\": " << result.checksum.bilinear
       << ", \"absolute\": " << result.checksum.absolute << "}}\n"
       << std::flush;
  if (!file) throw std::runtime_error(line.json + " cannot be written");
}

}  // namespace

Result measuredOrAborted(const std::string& library, const std::function<Result()>& measure) {
  try {
    return measure();
  } catch (const std::exception& error) {
    std::cerr << "Trident_Peer_" << library << ": " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    throw;
  }
}

int run(int argc, char* argv[], const std::string& library,
        const std::function<Result(const CommandLine&)>& readAndMeasure) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const CommandLine line = parse(argc, argv);
    Result result = readAndMeasure(line);
    checkMpi(result.checksum.sum(MPI_COMM_WORLD), "MPI_Allreduce");
    if (rank == 0) writeJson(line, library, result, ranks);
  } catch (const std::exception& error) {
    if (rank == 0) std::cerr << "Trident_Peer_" << library << ": " << error.what() << std::endl;
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

std::vector<double> timeEach(int count, const std::function<void()>& prepare,
                             const std::function<void()>& call) {
  std::vector<double> seconds;
  for (int n = 0; n < count; ++n) {
    prepare();
    finishDevice();
    checkMpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    const double start = MPI_Wtime();
    call();
    finishDevice();
    double mine = MPI_Wtime() - start, slowest = 0;
    checkMpi(MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
             "MPI_Allreduce");
    seconds.push_back(slowest);
  }
  return seconds;
}

Result timeProducts(const CommandLine& line, const Steps& steps) {
  if (line.reuse > 0 && !steps.again)
    throw std::runtime_error("nothing is kept for a known structure this way: no --reuse");
  int doubled = 0;  // how often A's values are, and P's twice as often
  const auto change = [&](int times) {
    steps.scale(std::ldexp(1.0, times - doubled), std::ldexp(1.0, 2 * (times - doubled)));
    doubled = times;
  };
  if (line.reuse > 0) change(2);
  Result result;
  timeEach(line.warmup, steps.drop, steps.first);
  result.seconds = timeEach(line.repeat, steps.drop, steps.first);
  int call = 0;
  const auto next = [&] {
    ++call;
    change(call == line.reuse ? 0 : 2 - call % 2);
  };
  result.reuseSeconds = timeEach(line.reuse, next, steps.again);
  return result;
}

void requireWay(const CommandLine& line, const std::vector<std::string>& ways) {
  if (!line.way.empty() && std::find(ways.begin(), ways.end(), line.way) == ways.end())
    throw std::runtime_error("--way=" + line.way + " is no way to form this product here");
}

}  // namespace Peers
