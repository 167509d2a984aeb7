// SPDX-License-Identifier: BSD-3-Clause
// Traces: every round of every rank is in the file, and spans of a track do not run into each
// other.

#include <Teuchos_UnitTestHarness.hpp>
#include <regex>
#include <sstream>
#include <vector>

#include "TridentDriver_TestTools.hpp"
#include "TridentDriver_Trace.hpp"

namespace {

using namespace TestTools;
using namespace Trident::Driver;

/// Reports rounds in batches of `fused`, one batch asked for ahead; later ranks are slower.
Trident::Report reportOf(int rank, int rounds, int fused) {
  Trident::Report report;
  const double step = 1e-3 * (rank + 1);
  for (int t = 0; t < rounds; ++t) {
    const int batch = t / fused;
    Trident::RoundTimes times;
    times.round = t;
    times.requested = batch > 0 ? step * (batch - 1) : 0;
    times.awaited = step * batch;
    times.landed = step * (batch + 0.1 + 0.1 * (t % fused) / fused);
    times.gathered = step * (batch + 0.3);
    times.multiplied = step * (batch + 1);
    report.times.push_back(times);
  }
  return report;
}

struct Span {
  std::string name;
  int node, track, round;
  double begin, end;
};

/// Reads the spans of a line of the file.
std::vector<Span> spansOf(const std::string& line) {
  static const std::regex span(
      "\\{\"name\": \"([a-z]+) [0-9-]+\", \"ph\": \"X\", \"pid\": ([0-9]+), \"tid\": ([0-9]+), "
      "\"ts\": ([0-9.]+), \"dur\": ([0-9.]+), \"args\": \\{\"round\": ([0-9]+)\\}\\}");
  std::vector<Span> spans;
  for (std::sregex_iterator m(line.begin(), line.end(), span), none; m != none; ++m)
    spans.push_back({(*m)[1], std::stoi((*m)[2]), std::stoi((*m)[3]), std::stoi((*m)[6]),
                     std::stod((*m)[4]), std::stod((*m)[4]) + std::stod((*m)[5])});
  return spans;
}

int count(const std::vector<Span>& spans, const std::string& name, int rank) {
  int found = 0;
  for (const Span& s : spans) found += s.name == name && s.track / 4 == rank;
  return found;
}

/// Returns true if each track's spans follow each other, or begin together as a fused batch's
/// slices do.
bool inOrder(const std::vector<Span>& spans, int ranks) {
  constexpr double rounding = 2e-3;
  std::vector<Span> last(4 * ranks, Span{"", 0, 0, 0, 0, 0});
  for (const Span& s : spans) {
    Span& before = last[s.track];
    if (s.end < s.begin || (s.begin + rounding < before.end && s.begin != before.begin))
      return false;
    before = s;
  }
  return true;
}

std::vector<std::string> linesOf(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEUCHOS_UNIT_TEST(Trace, EveryRoundOfEveryRank) {
  const Comm comm(*world());
  for (const int fused : {1, 2, 3})
    for (const int rounds : {0, 1, 6}) {
      const TempFile file("trace.json", std::string(100000, 'x'));  // longer than what is written
      writeTrace(reportOf(comm.rank(), rounds, fused), comm.rank() / 2, file.path(), comm);
      const std::vector<std::string> lines = linesOf(file.path());
      TEST_EQUALITY(lines.size(), static_cast<std::size_t>(2 + comm.size() * (1 + rounds)));
      TEST_EQUALITY(lines.front(), "[");
      TEST_EQUALITY(lines.back(), "]");
      std::vector<Span> spans;
      for (const std::string& line : lines)
        for (const Span& s : spansOf(line)) spans.push_back(s);
      const int batches = (rounds + fused - 1) / fused;
      for (int rank = 0; rank < comm.size(); ++rank) {
        TEST_EQUALITY(count(spans, "slices", rank), rounds);
        for (const char* name : {"wait", "gather", "multiply"})
          TEST_EQUALITY(count(spans, name, rank), batches);
      }
      for (const Span& s : spans) TEST_EQUALITY(s.node, s.track / 4 / 2);
      TEST_ASSERT(inOrder(spans, comm.size()));
    }
}

TEUCHOS_UNIT_TEST(Trace, TimesAreTheReports) {
  const Trident::Report report = reportOf(2, 4, 2);
  std::istringstream text(traceOfRank(report, 2, 1));
  std::string line;
  std::getline(text, line);  // the names
  for (int t = 0; std::getline(text, line); ++t)
    for (const Span& s : spansOf(line)) {
      const Trident::RoundTimes& times = report.times[t];
      TEST_EQUALITY(s.round, t);
      const double begin = s.name == "slices"   ? times.requested
                           : s.name == "wait"   ? times.awaited
                           : s.name == "gather" ? times.landed
                                                : times.gathered;
      const double end = s.name == "multiply" ? times.multiplied
                         : s.name == "gather" ? times.gathered
                                              : times.landed;
      TEST_FLOATING_EQUALITY(1 + s.begin, 1 + 1e6 * begin, 1e-5);
      TEST_FLOATING_EQUALITY(1 + s.end, 1 + 1e6 * end, 1e-5);
    }
}

TEUCHOS_UNIT_TEST(Trace, Unwritable) {
  const Comm comm(*world());
  const EmptyFolder folder;
  for (const std::string& path :
       {folder.absent("trace.json"), std::string("/tmp"), std::string("/dev/full")})
    TEST_ASSERT(
        throwsEverywhere([&] { writeTrace(reportOf(comm.rank(), 2, 1), 0, path, comm); }, path));
}

}  // namespace
