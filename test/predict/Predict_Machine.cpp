// SPDX-License-Identifier: BSD-3-Clause
// Machine files, and seconds and bytes of memory worked out by hand.
#include <unistd.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "TridentPredict_Calibrate.hpp"
#include "TridentPredict_Seconds.hpp"

namespace {

using namespace Trident;
using namespace Trident::Predict;

/// A file of this text while it lives.
class TextFile {
 public:
  explicit TextFile(const std::string& text) { std::ofstream(path()) << text; }
  ~TextFile() { std::remove(path().c_str()); }
  static std::string path() { return "predict-machine-test.json"; }
};

/// Returns the error of readMachine() of a text; an empty text if it is content.
std::string complaint(const std::string& text) {
  const TextFile file(text);
  try {
    readMachine(TextFile::path());
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Machine simpleMachine() {
  Machine machine;
  machine.name = "a \"test\"";
  machine.ranksPerNode = 2;
  machine.betweenBytesPerSecond = 100;
  machine.insideBytesPerSecond = 1000;
  machine.betweenLatency = 0.5;
  machine.work.multiplyAdd = 2;
  machine.work.resultEntry = 3;
  machine.memoryBytes = 1e10;
  return machine;
}

TEUCHOS_UNIT_TEST(Machine, ReadsWhatItWrites) {
  Machine machine = simpleMachine();
  machine.name = "a test";
  machine.sharedTiles = false;
  const TextFile file(machineText(machine, "nowhere"));
  Machine read = readMachine(TextFile::path());
  TEST_EQUALITY(read.name, machine.name);
  TEST_EQUALITY(read.ranksPerNode, machine.ranksPerNode);
  TEST_EQUALITY(read.sharedTiles, machine.sharedTiles);
  const auto expected = numbersOf(machine), found = numbersOf(read);
  for (std::size_t n = 0; n < expected.size(); ++n)
    TEST_EQUALITY(*found[n].second, *expected[n].second);
}

TEUCHOS_UNIT_TEST(Machine, ReadsThoseThatAreThere) {
  for (const char* name : {"h200-host", "perlmutter-like"}) {
    const Machine machine = readMachine(std::string(TRIDENT_MACHINES "/") + name + ".json");
    TEST_EQUALITY(machine.ranksPerNode, 4);
    TEST_ASSERT(machine.memoryBytes > 1e10);
  }
}

TEUCHOS_UNIT_TEST(Machine, SaysWhatIsWrong) {
  const std::string good = machineText(simpleMachine(), "");
  const auto without = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return complaint(text);
  };
  TEST_ASSERT(has(complaint(""), "'{' is missing"));
  TEST_ASSERT(has(complaint("{} x"), "more behind"));
  TEST_ASSERT(has(complaint("{}"), "\"between.bytes per second\" is missing"));
  TEST_ASSERT(has(complaint("{\"a\": 1, \"a\": 2}"), "twice"));
  TEST_ASSERT(has(complaint("{\"a\": one}"), "no number"));
  TEST_ASSERT(has(complaint("{\"a\": 1"), "'}' is missing"));
  TEST_ASSERT(has(without("a \\\"test\\\"", "a test\", \"colour\": \"red"), "colour"));
  TEST_ASSERT(has(without("a \\\"test\\\"", "a test\", \"speed\": 7, \"source 2\": \""), "speed"));
  TEST_ASSERT(has(without("a \\\"test\\\"", "a\\ttest"), "backslash"));
  std::string deep;
  for (int n = 0; n < 1000000; ++n) deep += "{\"a\":";
  TEST_ASSERT(has(complaint(deep), "8 deep"));
  TEST_ASSERT(has(complaint("{\"a\": {\"b\": {\"c\": 1}}}"), "is missing"));
  char folder[] = "trident_predict_XXXXXX";
  const bool made = mkdtemp(folder) != nullptr;
  TEST_ASSERT(made);
  TEST_THROW(readMachine(std::string(folder) + "/absent.json"), std::runtime_error);
  const int removed = rmdir(folder);
  TEST_EQUALITY_CONST(removed, 0);
}

TEUCHOS_UNIT_TEST(Machine, SolvesForTwoRates) {
  const double x[] = {10, 40}, y[] = {10, 8}, t[] = {50, 104};
  const TwoRates rates = solveRates(x, y, t);  // 2 and 3
  TEST_FLOATING_EQUALITY(rates.first, 2.0, 1e-12);
  TEST_FLOATING_EQUALITY(rates.second, 3.0, 1e-12);
  const double tooFast[] = {50, 10};
  const TwoRates one = solveRates(x, y, tooFast);
  TEST_EQUALITY(one.first, 0.0);
  TEST_FLOATING_EQUALITY(one.second, 60.0 / 18, 1e-12);
}

/// Counts for four ranks on two nodes. Rank 2 gets 300 bytes from rank 0, and 50 from rank 3. One
/// rank works.
Counted smallCount(int busy = 1) {
  Counted counted;
  counted.traffic = RankTraffic(4);
  counted.loads.resize(4);
  Counter counter(2, counted.traffic, &TrafficByPart::rounds);
  counter.receive(2, 0, 300);
  counter.receive(2, 3, 50);
  counter.receive(1, 1, 1000);
  counted.loads[busy] = {10, 10, 7, 24, 3, 5};
  return counted;
}

const Case tall{"trident", {2, 1, 2}, 2, Impl::FetchKind::Tiles};

TEUCHOS_UNIT_TEST(Seconds, AreOfTheFullestPortAndTheBusiestRank) {
  const PredictedSeconds seconds = predictSeconds(tall, smallCount(3), simpleMachine());
  TEST_FLOATING_EQUALITY(seconds.exchange, 3.0 + 0.5, 1e-12);
  TEST_FLOATING_EQUALITY(seconds.localMultiply, 5 * 2.0 + 7 * 3.0, 1e-12);
  TEST_EQUALITY(seconds.gather, 0.0);
  TEST_FLOATING_EQUALITY(seconds.setup, 1.5, 1e-12);  // three agreements
}

TEUCHOS_UNIT_TEST(Seconds, WhoOnlySendsMultipliesAtOnce) {
  const PredictedSeconds seconds = predictSeconds(tall, smallCount(1), simpleMachine());
  TEST_FLOATING_EQUALITY(seconds.exchange, 50 / 1000.0 + 0.5, 1e-12);
  TEST_FLOATING_EQUALITY(seconds.localMultiply, 5 * 2.0 + 7 * 3.0, 1e-12);
}

TEUCHOS_UNIT_TEST(Seconds, WhoGathersMayEndLast) {
  Machine machine = simpleMachine();
  machine.sharedTiles = false;
  machine.insideBytesPerSecond = 1;
  Counted counted = smallCount(1);
  counted.loads[2].tileEntries = 100;  // more bytes to gather than rank 1 has seconds of work
  const PredictedSeconds seconds = predictSeconds(tall, counted, machine);
  TEST_FLOATING_EQUALITY(seconds.gather, 100 * 12 / 2.0, 1e-12);
  TEST_EQUALITY(seconds.localMultiply, 0.0);
}

/// Returns the seconds of a ring of that many members, each with a slice of `bytes` that goes
/// round.
double ringOf(int members, long long bytes, int nodeSize = 1) {
  const Case line{"summa", {members, 1, 1}, nodeSize, Impl::FetchKind::Tiles};
  Counted counted;
  counted.traffic = counted.wire = RankTraffic(members);
  counted.loads.resize(members);
  Counter counter(nodeSize, counted.wire, &TrafficByPart::rounds);
  for (int rank = 0; rank < members; ++rank)
    for (int slice = 1; slice < members; ++slice)
      counter.add(rank, (rank + members - 1) % members, bytes, 1);
  Machine machine = simpleMachine();
  machine.betweenLatency = machine.insideLatency = 0;
  if (nodeSize > 1) machine.betweenLatency = 1000;  // nothing goes there
  return predictSeconds(line, counted, machine).exchange;
}

// Slices 0, 1 and 2 of three members, by hand; each takes one time, in chunks of 1/n.
TEUCHOS_UNIT_TEST(Seconds, RingsWaitForTheirTurn) {
  const double one = 100000 / 100.0;
  TEST_FLOATING_EQUALITY(ringOf(3, 100000), (2 + 1 + 3) * one, 1e-12);  // a slice is one chunk
  const double large = (10 << 17) / 100.0;
  TEST_FLOATING_EQUALITY(ringOf(3, 10 << 17), (2 + 1 + 3 / 10.0) * large, 1e-12);
  TEST_FLOATING_EQUALITY(ringOf(2, 100000), one, 1e-12);  // nothing is passed on
}

TEUCHOS_UNIT_TEST(Seconds, RingsInsideANodeWaitToo) {
  TEST_FLOATING_EQUALITY(ringOf(3, 100000, 3), (2 + 1 + 3) * 100000 / 1000.0, 1e-12);
}

TEUCHOS_UNIT_TEST(Seconds, MemoryIsOfTheFullestRank) {
  // A, B and C once, and half of the tile.
  TEST_FLOATING_EQUALITY(largestMemory(tall, smallCount(), simpleMachine()),
                         27 * 12.0 + (24 * 12 + 3 * 8) / 2.0, 1e-12);
}

}  // namespace
