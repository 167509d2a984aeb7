// SPDX-License-Identifier: BSD-3-Clause
// Labelled pairs: what mcl makes of them (found by running it), and what is refused.

#include <Teuchos_UnitTestHarness.hpp>
#include <map>
#include <sstream>

#include "TridentClustering_PairText.hpp"
#include "TridentClustering_ReadGraph.hpp"
#include "TridentDriver_TestTools.hpp"

namespace {

using namespace TestTools;
using namespace Trident::Clustering;

Graph readPairs(const std::string& text, const std::string& name = "pairs.abc") {
  const TempFile file(name, text);
  return readGraph(file.path(), true, world());
}

/// Lists the labels of all rows, a line each. Collective.
std::string namesOf(const Graph& graph) {
  const Comm comm(*graph.matrix->getComm());
  std::string mine;
  for (std::size_t row = 0; row < numLocalElements(*graph.matrix->getRowMap()); ++row) {
    graph.names.append(mine, row);
    mine += '\n';
  }
  std::string all;
  for (int rank = 0; rank < comm.size(); ++rank) all += comm.broadcast(mine, rank);
  return all;
}

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Returns true if a text, plain and gzipped, alone and together, has these labels and entries.
bool readsAsGraph(const std::string& text, const Lines& names, const Entries& entries) {
  bool good = true;
  for (const bool zip : {false, true}) {
    const TempFile file(zip ? "g.abc.gz" : "g.abc", zip ? gzipped(text) : text);
    const Graph alone = readGraph(file.path(), true, self());
    const Graph together = readGraph(file.path(), true, world());
    good = good && entriesOf(*alone.matrix) == entries &&
           checksum(*alone.matrix) == checksum(*together.matrix) &&
           namesOf(alone) == joined(names) && namesOf(together) == joined(names);
  }
  return Comm(*world()).sum(good ? 0 : 1) == 0;
}

Graph readLines(const std::string& text, PairLines::Form form, bool weighted) {
  const TempFile file("lines", text);
  GraphFile graph;
  graph.spec = file.path();
  graph.labelledPairs = true;
  graph.lines.form = form;
  graph.lines.weighted = weighted;
  return readGraph(graph, world());
}

// A node, a word in sif, and its neighbours; a node may stand alone. Labels have no spaces.
TEUCHOS_UNIT_TEST(ReadPairs, NeighboursOfALine) {
  using Form = PairLines::Form;
  const Graph sif = readLines("a\tpp\tb c:2\n\n# d\nlone\r\n x y\n", Form::sif, false);
  TEST_EQUALITY(namesOf(sif), joined({"a", "b", "c:2", "lone", "x"}));
  TEST_EQUALITY(sif.edges, 4);
  const Graph weighted = readLines("a pp b:7 c:x :3 d:-\nb pp a:9\n", Form::sif, true);
  TEST_EQUALITY(namesOf(weighted), joined({"a", "b", "c:x", ":3", "d:-"}));
  const Graph etc = readLines("a b c\nb d\n", Form::etc, false);
  TEST_EQUALITY(namesOf(etc), joined({"a", "b", "c", "d"}));
  TEST_EQUALITY(etc.edges, 6);
}

// No line at all: a graph without nodes where that is asked for, as mcl takes it.
TEUCHOS_UNIT_TEST(ReadPairs, Empty) {
  for (const std::string text : {"", "# only\n"}) {
    const TempFile file("empty.abc", text);
    GraphFile graph;
    graph.spec = file.path();
    graph.labelledPairs = true;
    TEST_ASSERT(throwsEverywhere([&] { readGraph(graph, world()); }, "empty.abc"));
    graph.mayBeEmpty = true;
    TEST_EQUALITY(readGraph(graph, world()).edges, 0);
  }
}

TEUCHOS_UNIT_TEST(ReadPairs, Forms) {
  TEST_ASSERT(readsAsGraph("a b\nc d\n", {"a", "b", "c", "d"},
                           {{{0, 1}, 1}, {{1, 0}, 1}, {{2, 3}, 1}, {{3, 2}, 1}}));
  // Comments, blank lines, space behind the weight, no last line end, carriage returns.
  TEST_ASSERT(readsAsGraph("a b 1 \r\n\n  # c d\n \t \nc  \t d\t3\t", {"a", "b", "c  ", "d"},
                           {{{0, 1}, 1}, {{1, 0}, 1}, {{2, 3}, 3}, {{3, 2}, 3}}));
  // With tabs, labels may have spaces. Several tabs are one.
  TEST_ASSERT(readsAsGraph("protein 1\t\tprotein 2\t 4\nprotein 2\tq\n",
                           {"protein 1", "protein 2", "q"},
                           {{{0, 1}, 4}, {{1, 0}, 4}, {{1, 2}, 1}, {{2, 1}, 1}}));
}

TEUCHOS_UNIT_TEST(ReadPairs, Weights) {
  // The largest of several, from both ends; weight 0 is no edge, but its labels are nodes.
  TEST_ASSERT(readsAsGraph("a b 2\nb a 5\na b 3\nz y 0\na a 4\na a 6\n", {"a", "b", "z", "y"},
                           {{{0, 1}, 5}, {{1, 0}, 5}, {{0, 0}, 6}}));
  TEST_ASSERT(readsAsGraph(
      "a b 1e-3\nc d .5\ne f +2e1\n", {"a", "b", "c", "d", "e", "f"},
      {{{0, 1}, 1e-3}, {{1, 0}, 1e-3}, {{2, 3}, .5}, {{3, 2}, .5}, {{4, 5}, 20}, {{5, 4}, 20}}));
}

// mcl's numbers are floats: what is below their range is 0 there, and no edge.
TEUCHOS_UNIT_TEST(ReadPairs, WeightsBelowFloats) {
  TEST_ASSERT(readsAsGraph("a\tb\t1e-46\nb\tc\t1e-400\nc\td\t1e-44\n", {"a", "b", "c", "d"},
                           {{{2, 3}, 1e-44}, {{3, 2}, 1e-44}}));
}

TEUCHOS_UNIT_TEST(ReadPairs, WeightsLikeEValues) {
  const auto suspects = [](const std::string& weights) {
    std::istringstream words(weights);
    std::string text, weight;
    for (int line = 0; words >> weight; ++line)
      text += "a" + std::to_string(line) + " b " + weight + "\n";
    return readPairs(text).likeEValues;
  };
  TEST_ASSERT(suspects("1e-180 3e-50 2e-7 0.5 0 0"));
  TEST_ASSERT(suspects("1e-9 1e-4 1e-5 1e-3 3"));
  TEST_ASSERT(!suspects("0.5 0.25 1e-9 700"));    // few are small
  TEST_ASSERT(!suspects("1e-5 2e-5 3e-6 1e-4"));  // small, but alike
  TEST_ASSERT(!suspects("1 2 3 1e7"));
  TEST_ASSERT(!suspects("0 0 0"));
}

// Correlations: where the network is transformed, it may have negative weights before.
TEUCHOS_UNIT_TEST(ReadPairs, NegativeWeights) {
  WeightRule rule;
  rule.negativeToo = true;
  const TempFile file("correlations.abc", "a b -0.5\nb c 0.25\nb a -0.75\n");
  TEST_ASSERT(entriesOf(*readGraph(file.path(), true, self(), rule).matrix) ==
              Entries({{{0, 1}, -.5}, {{1, 0}, -.5}, {{1, 2}, .25}, {{2, 1}, .25}}));
  rule = WeightRule();
  rule.steps = parseWeightTransformation("abs()");
  TEST_ASSERT(entriesOf(*readGraph(file.path(), true, self(), rule).matrix) ==
              Entries({{{0, 1}, .75}, {{1, 0}, .75}, {{1, 2}, .25}, {{2, 1}, .25}}));
}

// The largest weight of a pair counts as it is after the logarithm and the steps.
TEUCHOS_UNIT_TEST(ReadPairs, ChangedWeights) {
  WeightRule rule;
  rule.logarithm = WeightRule::Logarithm::negativeDecimal;
  rule.steps = parseWeightTransformation("gq(2),ceil(60)");
  const TempFile file("evalues.abc", "a b 1e-3\nb a 1e-5\nb c 10\nc d 0\nd a 1e-180\n");
  const Graph graph = readGraph(file.path(), true, self(), rule);
  TEST_ASSERT(
      entriesOf(*graph.matrix) ==
      Entries({{{0, 1}, 5}, {{1, 0}, 5}, {{2, 3}, 60}, {{3, 2}, 60}, {{0, 3}, 60}, {{3, 0}, 60}}));
  TEST_ASSERT(!graph.likeEValues);
  rule.steps.clear();
  TEST_ASSERT(throwsEverywhere([&] { readGraph(file.path(), true, world(), rule); },
                               ":3: the weight becomes -1 and should be from 0"));
}

// Under mcl's name: the weights are those that mcxload writes.
TEUCHOS_UNIT_TEST(ReadPairs, LinesThatMclTakes) {
  const auto read = [](const std::string& text, const auto& comm) {
    const TempFile file("lenient.abc", text);
    GraphFile graph;
    graph.spec = file.path();
    graph.labelledPairs = graph.mayBeEmpty = true;
    graph.lines.lenient = true;
    return readGraph(graph, comm, asWritten());
  };
  const std::string text = "a b 2\n::::\nb c 3 more\nc d nan\nd\te\t4x\n\tf\t1\n\ne f inf\n# g\n";
  const Graph graph = read(text, world());
  TEST_EQUALITY(namesOf(graph), joined({"a", "b", "c", "d", "e", "f"}));
  TEST_EQUALITY(graph.edges, 10);
  Entries expected;
  const double weights[] = {2, 3, 1, 4, 1};
  for (int k = 0; k < 5; ++k) expected[{k, k + 1}] = expected[{k + 1, k}] = weights[k];
  const Graph alone = read(text, self());
  TEST_ASSERT(entriesOf(*alone.matrix) == expected);
  TEST_EQUALITY(checksum(*graph.matrix), checksum(*alone.matrix));
  TEST_EQUALITY(
      graph.warning.substr(graph.warning.find(": ") + 2),
      "skipped 2 lines of less than two labels, and took 1 for 2 weights that could not be "
      "read");
  TEST_EQUALITY(read("a b\n", world()).warning, "");
}

TEUCHOS_UNIT_TEST(ReadPairs, MarkOfUtf8) {
  TEST_ASSERT(
      readsAsGraph("\xef\xbb\xbf"
                   "a b 2\nb c\n",
                   {"a", "b", "c"}, {{{0, 1}, 2}, {{1, 0}, 2}, {{1, 2}, 1}, {{2, 1}, 1}}));
}

TEUCHOS_UNIT_TEST(ReadPairs, OddLabels) {
  TEST_ASSERT(
      readsAsGraph("\xc3\xa9|x \"q\"\n1 01\n%%MatrixMarket (mclheader\n",
                   {"\xc3\xa9|x", "\"q\"", "1", "01", "%%MatrixMarket", "(mclheader"},
                   {{{0, 1}, 1}, {{1, 0}, 1}, {{2, 3}, 1}, {{3, 2}, 1}, {{4, 5}, 1}, {{5, 4}, 1}}));
}

/// Many lines, whose graph is worked out by maps.
TEUCHOS_UNIT_TEST(ReadPairs, RandomGraphs) {
  for (const int nodes : {2, 40, 700}) {
    std::string text;
    std::map<std::string, int> numbers;
    Lines names;
    Entries entries;
    HashStream random(static_cast<std::uint64_t>(nodes), 1);
    for (int line = 0; line < 4000; ++line) {
      int ends[2];
      for (int& end : ends) {
        const std::string label =
            "p" + std::to_string(random.next() % static_cast<std::uint64_t>(nodes));
        if (numbers.insert({label, static_cast<int>(names.size())}).second) names.push_back(label);
        end = numbers[label];
        text += label + (random.next() % 2 ? "\t" : "\t ");
      }
      const int weight = static_cast<int>(random.next() % 9) + 1;
      text += std::to_string(weight) + "\n";
      for (const bool back : {false, true}) {
        double& entry = entries[{ends[back ? 1 : 0], ends[back ? 0 : 1]}];
        entry = std::max<double>(entry, weight);
      }
    }
    TEST_ASSERT(readsAsGraph(text, names, entries));
  }
}

bool readingPairsFails(const std::string& text, const std::string& part) {
  return throwsEverywhere([&] { readPairs(text); }, part) &&
         throwsEverywhere([&] { readPairs(gzipped(text), "pairs.abc.gz"); }, part);
}

TEUCHOS_UNIT_TEST(ReadPairs, Errors) {
  std::string good;
  for (int line = 1; line <= 300; ++line) good += "a" + std::to_string(line) + "\tb\t1\n";
  const std::string forms = "a line should be LABEL LABEL or LABEL LABEL WEIGHT, but it is ";
  TEST_ASSERT(readingPairsFails(good + "alone\n" + good, ":301: " + forms + "\"alone\""));
  TEST_ASSERT(readingPairsFails(good + "\tb\t1\n" + good, ":301: " + forms));
  TEST_ASSERT(readingPairsFails(good + "a\t\n" + good, ":301: " + forms));
  TEST_ASSERT(readingPairsFails(good + "a b c\n", ":301: the weight should be a number"));
  for (const std::string weight : {"-1", "nan", "inf", "1e39", "1e999"})
    TEST_ASSERT(readingPairsFails(good + "a b " + weight + "\nx\n",
                                  ":301: the weight should be a number from 0 to 3.4e38"));
  for (const std::string line : {"a b 1 junk", "a\tb\t1\tjunk", "a b 1 2", "a b 1 # comment"})
    TEST_ASSERT(
        readingPairsFails(good + line + "\n" + good, ":301: a line should end with the weight"));
  TEST_ASSERT(
      readingPairsFails("a b 1\rc d 1\re f 1\r", ":1: a line should have no carriage return"));
  TEST_ASSERT(
      readingPairsFails(good + "# a\rb c 1\n", ":301: a line should have no carriage return"));
  TEST_ASSERT(readingPairsFails(std::string("\xff\xfe"
                                            "a\0 \0b\0\n\0",
                                            10),
                                ":1: the text is UTF-16"));
  TEST_ASSERT(readingPairsFails("# nothing\n\n", "there is no line LABEL LABEL"));
  TEST_ASSERT(throwsEverywhere([] { readPairs(""); }, "is empty"));
  TEST_ASSERT(throwsEverywhere([] { readGraph("nowhere.abc", true, world()); }, "nowhere.abc"));
  TEST_ASSERT(throwsEverywhere([] { readGraph("nowhere.abc.gz", true, world()); }, "nowhere"));
}

}  // namespace
