// SPDX-License-Identifier: BSD-3-Clause
// Graphs from matrices: column j of a file lists the neighbours of node j, hence row j here does.

#include <sys/resource.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <limits>
#include <memory>

#include "TridentClustering_MclMatrixText.hpp"
#include "TridentClustering_ReadGraph.hpp"
#include "TridentClustering_ReadTab.hpp"
#include "TridentClustering_WriteGraph.hpp"
#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Families.hpp"
#include "TridentProblems_Memory.hpp"
#include "TridentProblems_Partition.hpp"
#include "Trident_TestNeeds.hpp"

namespace {

using namespace TestTools;
using namespace Trident::Clustering;

bool readsAsGraph(const std::string& text, const std::string& name, const Entries& entries,
                  std::int64_t firstName) {
  bool good = true;
  for (const bool zip : {false, true}) {
    const TempFile file(name + (zip ? ".gz" : ""), zip ? gzipped(text) : text);
    const Graph alone = readGraph(file.path(), false, self());
    const Graph together = readGraph(file.path(), false, world());
    std::string first;
    alone.names.append(first, 0);
    good = good && entriesOf(*alone.matrix) == entries && first == std::to_string(firstName) &&
           checksum(*alone.matrix) == checksum(*together.matrix);
    const auto& map = *together.matrix->getRowMap();
    if (numLocalElements(map) > 0) {
      std::string mine;
      together.names.append(mine, 0);
      good = good && mine == std::to_string(map.getMinGlobalIndex() + firstName);
    }
  }
  return Comm(*world()).sum(good ? 0 : 1) == 0;
}

const std::string header = "(mclheader\nmcltype matrix\ndimensions ";
const std::string columns = "\n)\n(mclmatrix\nbegin\n";

TEUCHOS_UNIT_TEST(ReadMatrices, MatrixMarket) {
  TEST_ASSERT(readsAsGraph("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 5\n3 1 4\n",
                           "g.mtx", {{{1, 0}, 5}, {{0, 2}, 4}}, 1));
  TEST_ASSERT(readsAsGraph("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n",
                           "g.mtx", {{{2, 0}, 1}, {{0, 2}, 1}}, 1));
}

// A $ in a comment ends no column, and so no chunk of the text.
TEUCHOS_UNIT_TEST(ReadMatrices, ChunksEndOutsideComments) {
  std::string text;
  for (int n = 0; n < 20; ++n) text += "0 1 $\n1 2 # a $ in a comment\n3 $\n2 0 #$\r 1 $\n";
  for (std::size_t mostBytes = 40; mostBytes <= text.size() + 1; ++mostBytes) {
    std::size_t handed = 0;
    LineChunks chunks(
        [&](char* to, std::size_t size) {
          const std::size_t bytes = std::min(size, text.size() - handed);
          std::copy_n(text.data() + handed, bytes, to);
          handed += bytes;
          return bytes;
        },
        mostBytes, '$');
    MclColumnReader reader(4);
    TextChunk chunk;
    while (!(chunk.text = chunks.next()).empty()) reader.take(chunk);
    const std::size_t entries = reader.takeEntries().size();
    TEST_EQUALITY(entries, std::size_t{20 * 5});
  }
}

// Files that the driver reads are read here, too: the parser is the same.
TEUCHOS_UNIT_TEST(ReadMatrices, FormsOfTheBanner) {
  const std::string rest = " matrix coordinate unsigned-integer hermitian\n3 3 1\n3 1 2.0\n";
  for (const std::string begin :
       {"%%matrixmarket", "%%MATRIXMARKET", " \t%%MatrixMarket", "\xef\xbb\xbf%%MatrixMarket"})
    TEST_ASSERT(readsAsGraph(begin + rest, "g.mtx", {{{2, 0}, 2}, {{0, 2}, 2}}, 1));
  const TempFile wide("wide.mtx", std::string("\xff\xfe%\0%\0", 6));
  TEST_ASSERT(throwsEverywhere([&] { readGraph(wide.path(), false, world()); }, "UTF-16"));
}

// Numbers below those of mcl are 0 in its matrices, and stay in a Matrix Market file.
TEUCHOS_UNIT_TEST(ReadMatrices, SmallWeights) {
  TEST_ASSERT(readsAsGraph(header + "2x2" + columns + "0 1:1e-46 $\n1 0:1e-44 $\n)\n", "g.mci",
                           {{{0, 1}, 0}, {{1, 0}, 1e-44}}, 0));
  TEST_ASSERT(readsAsGraph("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1e-46\n",
                           "g.mtx", {{{1, 0}, 1e-46}}, 1));
  const auto suspects = [](const std::string& text, const std::string& name) {
    const TempFile file(name, text);
    return readGraph(file.path(), false, world()).likeEValues;
  };
  TEST_ASSERT(suspects(header + "2x2" + columns + "0 1:1e-90 $\n1 0:1e-7 $\n)\n", "g.mci"));
  const std::string mtx = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1e-90\n2 1 ";
  TEST_ASSERT(suspects(mtx + "1e-7\n", "g.mtx"));
  TEST_ASSERT(!suspects(mtx + "1\n", "g.mtx"));
}

TEUCHOS_UNIT_TEST(ReadMatrices, CarriageReturnsOfMcl) {
  const std::string text = header + "2x2" + columns;
  TEST_ASSERT(readsAsGraph(text + "# comment\r0 1:2 $\r1 0:3 $\r)\r", "g.mci",
                           {{{0, 1}, 2}, {{1, 0}, 3}}, 0));
  std::string returns = text + "0 1 $\n)\n";
  std::replace(returns.begin(), returns.end(), '\n', '\r');
  const TempFile file("returns.mci", returns);
  TEST_ASSERT(throwsEverywhere([&] { readGraph(file.path(), false, world()); },
                               ":1: a line should have no carriage return"));
}

TEUCHOS_UNIT_TEST(ReadMatrices, OfMcl) {
  TEST_ASSERT(
      readsAsGraph(header + "4x4" + columns + "0 1:.5 2 $\n1 0:2 $\n3 3:7 0:1e2 $\n)\n", "g.mci",
                   {{{0, 1}, .5}, {{0, 2}, 1}, {{1, 0}, 2}, {{3, 3}, 7}, {{3, 0}, 100}}, 0));
  // Long columns go on in further lines; comments; spaces; the largest of several; no line ends.
  TEST_ASSERT(readsAsGraph("# made by hand\n" + header + "3x3" + columns +
                               "0   1 : 4\n   2:3\n 1:2 $ # here\n2:9 0 $1 2$)",
                           "g.mci", {{{0, 1}, 4}, {{0, 2}, 3}, {{2, 0}, 1}, {{1, 2}, 1}}, 0));
}

TEUCHOS_UNIT_TEST(ReadMatrices, ManyColumnsOfMcl) {
  std::string text = header + "900x900" + columns;
  Entries entries;
  HashStream random(3, 3);
  for (int column = 0; column < 900; ++column) {
    text += std::to_string(column);
    for (std::uint64_t k = random.next() % 12; k > 0; --k) {
      const int row = static_cast<int>(random.next() % 900);
      const double weight = static_cast<double>(random.next() % 64 + 1) / 8;
      text += (k % 4 == 0 ? "\n   " : " ") + std::to_string(row) + ":" + std::to_string(weight);
      double& entry = entries[{column, row}];
      entry = std::max(entry, weight);
    }
    text += " $\n";
  }
  TEST_ASSERT(readsAsGraph(text + ")\n", "g.mci", entries, 0));
}

/// Writes a binary matrix as mcxload writes it (found by looking at its bytes).
std::string binaryOf(const Entries& entries, std::int64_t columns, std::int64_t rows,
                     std::int64_t flags) {
  const auto bytes = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::string places, body;
  for (std::int64_t column = 0; column < columns; ++column) {
    places += bytes(static_cast<std::int64_t>(body.size()));
    std::string items;
    for (const auto& entry : entries)
      if (entry.first.first == column)
        items += bytes(static_cast<std::int32_t>(entry.first.second)) +
                 bytes(static_cast<float>(entry.second));
    body += bytes(static_cast<std::int64_t>(items.size() / 8)) + bytes(column) + bytes(0.0) + items;
  }
  places += bytes(static_cast<std::int64_t>(body.size()));
  return "\x1b\xc2\x4d\xe8" + bytes(columns) + bytes(rows) + bytes(flags) + places + body;
}

TEUCHOS_UNIT_TEST(ReadMatrices, BinaryOfMcl) {
  Entries entries;
  HashStream random(5, 5);
  for (int k = 0; k < 900; ++k)
    entries[{static_cast<std::int64_t>(random.next() % 300),
             static_cast<std::int64_t>(random.next() % 300)}] =
        static_cast<double>(random.next() % 99) / 4;
  const std::string good = binaryOf(entries, 300, 300, 3);
  const TempFile file("g.bin", good);
  TEST_ASSERT(entriesOf(*readGraph(file.path(), false, self()).matrix) == entries);
  TEST_EQUALITY(checksum(*readGraph(file.path(), false, world()).matrix),
                checksum(*readGraph(file.path(), false, self()).matrix));
  const TempFile stream("g.bin.gz", gzipped(good));  // one rank reads all, as of a pipe
  TEST_EQUALITY(checksum(*readGraph(stream.path(), false, world()).matrix),
                checksum(*readGraph(file.path(), false, self()).matrix));
  const auto fails = [](const std::string& bytes, const std::string& part) {
    const TempFile bad("bad.bin", bytes);
    return throwsEverywhere([&] { readGraph(bad.path(), false, world()); }, part);
  };
  TEST_ASSERT(fails(binaryOf({}, 3, 4, 3), "4 x 3: that of a graph should be square"));
  TEST_ASSERT(fails(binaryOf({}, 3, 3, 1), "not numbered from 0"));
  TEST_ASSERT(fails(good.substr(0, 2000), "the file is truncated"));
  TEST_ASSERT(fails(gzipped(good.substr(0, 2000)), "the file is truncated"));
  TEST_ASSERT(fails(gzipped(good.substr(0, 9)), "the matrix is truncated"));
  TEST_ASSERT(fails(good.substr(0, good.size() - 9), "bad.bin"));
  TEST_ASSERT(fails(binaryOf({{{1, 7}, 1}}, 3, 3, 3), "damaged"));
  TEST_ASSERT(fails(binaryOf({{{1, 2}, -1}}, 3, 3, 3), "column 1, row 2: the weight should be"));
  std::string other = good;
  other[28 + 8 * 301 + 8] = 9;  // the number of the first column
  TEST_ASSERT(fails(other, "damaged"));
}

/// Limits what this process may hold (ulimit -m) to 100 kB while it lives.
class MemoryLimit {
 public:
  MemoryLimit() {
    getrlimit(RLIMIT_RSS, &before_);
    rlimit less = before_;
    less.rlim_cur = 100000;
    setrlimit(RLIMIT_RSS, &less);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_RSS, &before_); }

 private:
  rlimit before_;
};

// The refusal comes before a column is read: these files have no end, or a damaged one.
TEUCHOS_UNIT_TEST(ReadMatrices, MoreThanOneRankMayHave) {
  const int ranks = world()->getSize();
  const std::string entries = std::to_string(5000 * ranks), nodes = std::to_string(7000 * ranks);
  Entries many;
  for (std::int64_t k = 0; k < 5000 * ranks; ++k) many[{k % 1000, k / 1000}] = 1;
  std::string binary = binaryOf(many, 1000, 1000, 3);
  binary[28 + 8 * 1001 + 8] = 9;  // the number of the first column
  std::string market =
      "%%MatrixMarket matrix coordinate pattern general\n1000 1000 " + entries + "\n";
  for (std::int64_t k = 0; k < 5000 * ranks; ++k) market += "no\n ";
  const TempFile binaryFile("many.bin", binary), marketFile("many.mtx", market),
      zipped("many.mtx.gz", gzipped(market)),
      text("many.mci", header + nodes + "x" + nodes + columns);
  const auto fails = [](const TempFile& file, const std::string& part) {
    return throwsEverywhere([&] { readGraph(file.path(), false, world()); }, part);
  };
  TEST_ASSERT(fails(binaryFile, "damaged"));
  TEST_ASSERT(fails(marketFile, ":3:"));
  std::unique_ptr<MemoryLimit> limit;
  if (world()->getRank() == 0) limit = std::make_unique<MemoryLimit>();  // the others follow it
  const std::string refused = "a matrix of 1000 x 1000 and " + entries + " entries needs at least";
  TEST_ASSERT(fails(binaryFile, refused));
  TEST_ASSERT(fails(marketFile, refused));
  TEST_ASSERT(fails(zipped, refused));
  TEST_ASSERT(fails(text, " x " + nodes + " and 0 entries needs at least"));
  TEST_ASSERT(fails(text, "may have 0.0001 GB (ulimit -m)"));
}

// The file's size and a look at its lines give the estimate: comments take no memory.
TEUCHOS_UNIT_TEST(ReadMatrices, MorePairsThanOneRankMayHave) {
  std::string pairs, comments = "a b 1\n";
  while (pairs.size() < std::size_t{1} << 20) pairs += "a b 1\nlabel another 0.125\n";
  while (comments.size() < pairs.size()) comments += "# of pairs\n\n";
  const TempFile pairFile("many.abc", pairs), commentFile("few.abc", comments);
  const auto read = [](const TempFile& file) { return readGraph(file.path(), true, world()); };
  TEST_EQUALITY(read(pairFile).edges, 4);
  std::unique_ptr<MemoryLimit> limit;
  if (world()->getRank() == 0) limit = std::make_unique<MemoryLimit>();  // the others follow it
  TEST_ASSERT(throwsEverywhere([&] { read(pairFile); }, "many.abc: a network of about "));
  TEST_EQUALITY(read(commentFile).edges, 2);
}

// Numbers of which a multiple, a sum or a difference is none: each is said to be wrong.
TEUCHOS_UNIT_TEST(ReadMatrices, BinaryOfMclBeyondNumbers) {
  const auto fails = [](const std::string& bytes, const std::string& part) {
    const TempFile bad("bad.bin", bytes);
    return throwsEverywhere([&] { readGraph(bad.path(), false, world()); }, part);
  };
  const std::string good = binaryOf({{{1, 2}, 1}, {{7, 3}, 1}, {{11, 3}, 1}}, 12, 12, 3);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto wordOf = [](std::int64_t number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const auto with = [&](std::size_t at, std::int64_t number) {
    return good.substr(0, at) + wordOf(number) + good.substr(at + 8);
  };
  for (const std::int64_t n : {most, most / 8, most / 4, most / 8 - 1, std::int64_t{1} << 60}) {
    std::string head = with(4, n);
    head = head.substr(0, 12) + wordOf(n) + head.substr(20);
    TEST_ASSERT(fails(head, "the file is truncated"));
  }
  std::string negative = with(4, -1);
  TEST_ASSERT(fails(negative.substr(0, 12) + wordOf(-1) + negative.substr(20), "damaged"));
  for (std::size_t place = 0; place <= 12; ++place)
    for (const std::int64_t number : {most, -most - 1, std::int64_t{-24}, most - 1000})
      TEST_ASSERT(fails(with(28 + 8 * place, number), "damaged"));
}

/// Measures the bytes that a rank takes more, at the peak, to read the network of a text. Returns
/// the most of all ranks. Collective.
double bytesOfNodes(const std::string& text, const std::string& name) {
  const TempFile file(name, text);
  const MemoryMeter meter;
  const Graph graph = readGraph(file.path(), false, world());
  return Comm(*world()).max(std::max(meter.residentPeak(), meter.allocatedPeak()));
}

// A declared node costs what Tpetra's own arrays take, an offset and a global index, 8 bytes each.
TEUCHOS_UNIT_TEST(ReadMatricesOnHosts, DeclaredNodesCostWhatTpetraTakes) {
  TRIDENT_TEST_NEEDS(std::string(Kokkos::DefaultExecutionSpace::name()) != "Cuda",
                     "beside a device Tpetra has these arrays twice");
  constexpr std::int64_t nodesOfRank = std::int64_t{1} << 22;
  const auto textOf = [](std::int64_t nodes) {
    const std::string n = std::to_string(nodes);
    return header + n + "x" + n + columns + "0 1:2 " + std::to_string(nodes - 1) + " $\n)\n";
  };
  const std::string n = std::to_string(nodesOfRank * world()->getSize());
  bytesOfNodes(textOf(1000), "g.mci");  // what the first reading takes
  TEST_COMPARE(bytesOfNodes(textOf(nodesOfRank * world()->getSize()), "g.mci"), <=,
               18.0 * nodesOfRank);
  const std::string market = "%%MatrixMarket matrix coordinate real symmetric\n" + n + " " + n;
  TEST_COMPARE(bytesOfNodes(market + " 1\n2 1 1\n", "g.mtx"), <=, 18.0 * nodesOfRank);
}

// Labels of a dictionary, in any order, on any rank; what is written is read again.
TEUCHOS_UNIT_TEST(ReadMatrices, Tab) {
  const auto labelsOf = [](const std::string& text, const std::string& spec) {
    const TempFile file("labels.tab", text);
    Graph graph = readGraph(spec, false, world());
    readTab(file.path(), graph);
    std::string mine;
    for (std::size_t row = 0; row < numLocalElements(*graph.matrix->getRowMap()); ++row) {
      graph.names.append(mine, row);
      mine += '|';
    }
    const Comm comm(*world());
    std::string all;
    for (int rank = 0; rank < comm.size(); ++rank) all += comm.broadcast(mine, rank);
    const TempFile written("written.tab", "");
    writeTab(written.path(), graph);
    const TempFile matrix("written.mci", "");
    writeGraph(matrix.path(), graph);
    Graph again = readGraph(matrix.path(), false, world());
    readTab(written.path(), again);
    std::string mineAgain;
    for (std::size_t row = 0; row < numLocalElements(*again.matrix->getRowMap()); ++row) {
      again.names.append(mineAgain, row);
      mineAgain += '|';
    }
    return mineAgain == mine ? all : "other labels when read again";
  };
  // Of a generator nodes are numbers from 1.
  TEST_EQUALITY(labelsOf("# labels\n3 \t c d\r\n\n1 a\n 2\tb\n9 z\n0 y\n", "er:n=3,d=1"),
                "a|b|c d|");
  std::string text, labels;
  for (int node = 500; node > 0; --node)
    text += std::to_string(node) + " n" + std::to_string(node * 7) + "\n";
  for (int node = 1; node <= 500; ++node) labels += "n" + std::to_string(node * 7) + "|";
  TEST_EQUALITY(labelsOf(text, "er:n=500,d=2"), labels);
  const auto fails = [&](const std::string& tab, const std::string& part) {
    return throwsEverywhere([&] { labelsOf(tab, "er:n=3,d=1"); }, part);
  };
  TEST_ASSERT(fails("1 a\n2 b\n1 c\n3 d\n", "labels.tab: node 1 has two labels"));
  TEST_ASSERT(fails("1 a\n3 b\n", "node 2 has no label"));
  TEST_ASSERT(fails("1 a\nb c\n", ":2: a line should be NUMBER LABEL"));
  TEST_ASSERT(fails("1 a\n2b c\n", ":2: a line should be NUMBER LABEL"));
  TEST_ASSERT(fails("1 a\n2 \n", ":2: a line should be NUMBER LABEL"));
}

TEUCHOS_UNIT_TEST(ReadMatrices, Generator) {
  const Graph graph = readGraph("families:n=100", false, world());
  TEST_EQUALITY(checksum(*graph.matrix), checksum(*readMatrix("families:n=100", world()).matrix));
  TEST_ASSERT(graph.description.find(std::to_string(graph.edges) + " edges") != std::string::npos);
}

TEUCHOS_UNIT_TEST(ReadMatrices, WhatIsWrittenIsRead) {
  for (const std::string spec : {"families:n=500", "er:n=40,d=3", "er:n=7,d=0"}) {
    const Graph graph = readGraph(spec, false, world());
    const TempFile file("written.mci", "");
    writeGraph(file.path(), graph);
    const Graph again = readGraph(file.path(), false, world());
    TEST_EQUALITY(checksum(*again.matrix), checksum(*graph.matrix));
  }
}

TEUCHOS_UNIT_TEST(ReadMatrices, PlantedClusters) {
  const Comm comm(*world()), alone(*self());
  const std::string spec = "families:n=5000,least=2,most=30";
  const auto all = plantedClusters(spec, 5000, alone), mine = plantedClusters(spec, 5000, comm);
  const auto families = plantedFamilies(GeneratorSpec(spec), 0, 5000);
  for (std::size_t row = 0; row < all.size(); ++row) {
    const bool begins = families[row] == static_cast<std::int64_t>(row);
    TEST_EQUALITY(all[row], row == 0 ? 0 : all[row - 1] + (begins ? 1 : 0));
  }
  const auto first = UniformPartition(5000, comm.size()).begin(comm.rank());
  TEST_ASSERT(std::equal(mine.begin(), mine.end(), all.begin() + first));
  TEST_ASSERT(throwsEverywhere([&] { plantedClusters("er:n=9", 9, comm); }, "only the generator"));
}

bool readingMatrixFails(const std::string& text, const std::string& part) {
  const auto fails = [&](const std::string& name, const std::string& bytes) {
    return throwsEverywhere(
        [&] {
          const TempFile file(name, bytes);
          readGraph(file.path(), false, world());
        },
        part);
  };
  return fails("bad.mci", text) && fails("bad.mci.gz", gzipped(text));
}

// A list of all nodes says nothing, in whatever order, also where it is longer than what is looked
// at first.
TEUCHOS_UNIT_TEST(ReadMatrices, ListedNodes) {
  for (const std::string key : {"mclcols", "mclrows", "mcldoms"}) {
    const TempFile file("listed.mci", header + "3x3\n)\n(" + key +
                                          "\n2 0\n 1 $\n)\n(mclmatrix\nbegin\n0 1:5 $\n)\n");
    const Entries expected{{{0, 1}, 5}};
    TEST_ASSERT(entriesOf(*readGraph(file.path(), false, self()).matrix) == expected);
    TEST_ASSERT(readGraph(file.path(), false, self()).isMclMatrix);
  }
  std::string list;
  for (int node = 199999; node >= 0; --node) list += std::to_string(node) + "\n";
  const TempFile file("long.mci", header + "200000x200000\n)\n(mcldoms\n" + list +
                                      "$\n)\n(mclmatrix\nbegin\n7 199998:2 $\n)\n");
  TEST_EQUALITY(readGraph(file.path(), false, world()).edges, 1);
}

// A header may promise what the file cannot hold: then the lines that lack are the error.
TEUCHOS_UNIT_TEST(ReadMatrices, PromisesOfHeaders) {
  const std::string promise =
      "%%MatrixMarket matrix coordinate pattern general\n3 3 2000000000000\n1 1\n";
  TEST_ASSERT(readingMatrixFails(promise, "is it truncated"));
  TEST_ASSERT(readingMatrixFails("%%MatrixMarket matrix coordinate pattern general\n3 4 2\n1 9\n",
                                 "3 x 4: that of a graph should be square"));
}

TEUCHOS_UNIT_TEST(ReadMatrices, Errors) {
  TEST_ASSERT(readingMatrixFails("a b\n", "say --abc"));
  TEST_ASSERT(readingMatrixFails("BZh91AY&SY", "packed by bzip2"));
  TEST_ASSERT(readingMatrixFails("t\n 1 1 1 1 0\nrua 3 3 4 0\n", "Rutherford-Boeing"));
  TEST_ASSERT(readingMatrixFails("%%MatrixMarket matrix coordinate real general\n2 3 0\n",
                                 "2 x 3: that of a graph should be square"));
  TEST_ASSERT(readingMatrixFails(header + "3x4" + columns + ")\n", ":3: the matrix of a graph"));
  TEST_ASSERT(readingMatrixFails(header + "3" + columns + ")\n", ":3: the dimensions"));
  TEST_ASSERT(readingMatrixFails(header + "3x3\n)\n", "no line \"begin\""));
  TEST_ASSERT(readingMatrixFails("(mclheader\nmcltype vector\n", ":2: the file should hold"));
  const auto withNodes = [](const std::string& list) {
    return header + "3x3\n)\n(mcldoms\n" + list + "\n)\n(mclmatrix\nbegin\n0 1 $\n)\n";
  };
  TEST_ASSERT(readingMatrixFails(withNodes("1 2 7 $"), ":6: nodes should"));
  TEST_ASSERT(readingMatrixFails(withNodes("0 1\n1 2 $"), ":7: nodes should"));
  TEST_ASSERT(readingMatrixFails(withNodes("0\n1 $"), ":7: nodes should"));
  TEST_ASSERT(readingMatrixFails(withNodes("0 1 2"), ":7: nodes should"));
  TEST_ASSERT(readingMatrixFails(header + "3x3\n)\n(mcldoms\n0 1\n", "no line \"begin\""));
  TEST_ASSERT(readingMatrixFails(header + "99999999x99999999\n)\n(mclcols\n", ":5: nodes should"));
  std::string good = header + "200x200" + columns;  // columns begin on line 7
  for (int column = 0; column < 100; ++column) good += std::to_string(column) + " 3\n  4 $\n";
  const auto withBad = [&](const std::string& bad) { return good + bad + " $\n100 3 $\n)\n"; };
  TEST_ASSERT(readingMatrixFails(withBad("101 3 x"), ":207: a node should be a whole number"));
  TEST_ASSERT(readingMatrixFails(withBad("101 3\n 200"), ":208: a node should lie in 0..199"));
  TEST_ASSERT(readingMatrixFails(withBad("101 3:y"), ":207: the weight should be a number"));
  TEST_ASSERT(readingMatrixFails(withBad("101 3:-1"), ":207: the weight should be a number from"));
  // The wrong word, not what stands behind it.
  TEST_ASSERT(readingMatrixFails(withBad("101 3:inf 4:1"), "but there is \"inf\""));
  TEST_ASSERT(readingMatrixFails(withBad("101 3:-1 4:1"), "but there is \"-1\""));
  TEST_ASSERT(readingMatrixFails(withBad("101 3:4y 4:1"), "but there is \"4y\""));
  TEST_ASSERT(readingMatrixFails(withBad("101 200:7 4:1"), "but there is \"200:7\""));
  TEST_ASSERT(readingMatrixFails(withBad("101 x:7 4:1"), "but there is \"x:7\""));
  TEST_ASSERT(readingMatrixFails(withBad("101 3:"), "but there is \"$\""));
  TEST_ASSERT(readingMatrixFails(withBad("200 3"), "but there is \"200\""));
  TEST_ASSERT(readingMatrixFails(good + "101 3", "a column should end with $"));
  TEST_ASSERT(readingMatrixFails(good, "is the file truncated?"));
}

}  // namespace
