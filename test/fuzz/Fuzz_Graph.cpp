// SPDX-License-Identifier: BSD-3-Clause
// Input: the text of a network, as labelled pairs and as a matrix of mcl.
#include <algorithm>
#include <cstring>
#include <vector>

#include "Fuzz_Tools.hpp"
#include "TridentClustering_MclMatrixText.hpp"
#include "TridentClustering_PairText.hpp"
#include "TridentClustering_ReadGraph.hpp"
#include "TridentClustering_WriteGraph.hpp"
#include "TridentProblems_Rows.hpp"

namespace {

using namespace Trident::Clustering;

/// A parser's result for a text: a complaint, by line and byte of the text, or else its edges.
struct Outcome {
  std::string error;
  std::vector<std::string> edges;
};

Outcome outcomeOf(PairReader& reader, std::string error) {
  Outcome outcome{std::move(error), {}};
  const auto label = [&](std::int64_t i) {
    const Text text = reader.labels().labels()[static_cast<std::size_t>(i)];
    return std::string(text.begin, text.end) + " at " +
           std::to_string(reader.labels().positions()[static_cast<std::size_t>(i)]);
  };
  for (const PairReader::Pair& pair : reader.takePairs())
    outcome.edges.push_back(label(pair.first) + "\t" + label(pair.second) + "\t" +
                            std::to_string(pair.weight));
  return outcome;
}

Outcome outcomeOf(MclColumnReader& reader, std::string error) {
  Outcome outcome{std::move(error), {}};
  for (const Entry& entry : reader.takeEntries()) {
    if (entry.row < 0 || entry.row >= 50 || entry.column < 0 || entry.column >= 50)
      Fuzz::complain("an entry lies outside the matrix");
    outcome.edges.push_back(std::to_string(entry.row) + " " + std::to_string(entry.column) + " " +
                            std::to_string(entry.value));
  }
  return outcome;
}

/// Parses a text in chunks that end with `end`, of at most `mostBytes` each.
template <class Reader>
Outcome parse(Reader reader, Text whole, char end, std::size_t mostBytes) {
  const char* at = whole.begin;
  LineChunks chunks(
      [&](char* to, std::size_t size) {
        const std::size_t bytes = std::min(size, std::size_t(whole.end - at));
        std::memcpy(to, at, bytes);
        at += bytes;
        return bytes;
      },
      mostBytes, end);
  TextChunk chunk;
  std::int64_t lines = 0;
  std::string error;
  try {
    for (chunk.text = chunks.next(); !chunk.text.empty(); chunk.text = chunks.next()) {
      reader.take(chunk);
      lines += countLines(chunk.text);
      chunk.byte += static_cast<std::int64_t>(chunk.text.size());
    }
  } catch (const LineError& e) {
    error = std::to_string(lines + e.line()) + " " + std::to_string(chunk.byte + e.byte()) + " " +
            e.what();
  } catch (const MatrixError&) {
    return {"a line longer than the buffer", {}};
  }
  return outcomeOf(reader, error);
}

/// Complains unless the text in one chunk and in many comes to one result. An error may quote more
/// of the text in one chunk.
template <class Reader>
void checkChunks(const Reader& reader, Text whole, char end) {
  const Outcome once = parse(reader, whole, end, whole.size() + 1);
  const Outcome chunks = parse(reader, whole, end, 60);
  if (chunks.error == "a line longer than the buffer") return;
  const auto place = [](const std::string& error) {
    return error.substr(0, error.find(", but "));  // commas may be in what is quoted behind
  };
  if (place(once.error) != place(chunks.error) || once.edges != chunks.edges)
    Fuzz::complain("the text in pieces is not what it is as a whole");
}

/// Counts the edges that a graph has for mcl: this rank's weights off the diagonal that its floats
/// hold.
std::int64_t edgesForMcl(const Graph& graph) {
  std::int64_t edges = 0;
  const RowReader rows(*graph.matrix);
  for (std::size_t row = 0; row < rows.numRows(); ++row)
    for (std::size_t k = rows.begin(row); k < rows.end(row); ++k)
      edges += rows.column(k) != rows.rowGid(row) && static_cast<float>(rows.value(k)) > 0 ? 1 : 0;
  return Comm(*graph.matrix->getComm()).sum(edges);
}

/// Reads a graph, writes it and reads the copy. Complains if the copy has other edges.
void readAndCompareGraph(const std::string& path, bool labelledPairs) {
  try {
    const Graph first = readGraph(path, labelledPairs, Fuzz::world());
    if (labelledPairs && first.names.labels.size() != numLocalElements(*first.matrix->getRowMap()))
      Fuzz::complain("there are not as many labels as rows");
    const std::string copy = Fuzz::pathOf("copy.mci");
    writeGraph(copy, first);
    if (readGraph(copy, false, Fuzz::world()).edges != edgesForMcl(first))
      Fuzz::complain("what was written has other edges than what was read");
  } catch (const MatrixError& e) {
    Fuzz::checkMessage(e.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const char* const begin = reinterpret_cast<const char*>(data);
  checkChunks(PairReader(), {begin, begin + size}, '\n');
  checkChunks(MclColumnReader(50), {begin, begin + size}, '$');
  const std::string path = Fuzz::makeFile("a.graph", data, size);
  readAndCompareGraph(path, true);
  readAndCompareGraph(path, false);
  return 0;
}
