// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_ReadGraph.hpp"

#include <utility>

#include "TridentClustering_MclBinary.hpp"
#include "TridentClustering_MclMatrixText.hpp"
#include "TridentClustering_PairText.hpp"
#include "TridentClustering_Quality.hpp"
#include "TridentClustering_RoomForPairs.hpp"
#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_GeneratorSpec.hpp"
#include "TridentProblems_HostMemory.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_ReadMatrixMarket.hpp"

namespace Trident {
namespace Clustering {

namespace {

using CommPtr = Teuchos::RCP<const comm_type>;

enum class Format { matrixMarket, mclMatrix, mclBinary };

/// Looks at a file's beginning, on rank 0. Collective; throws on every rank.
Format formatOf(TextInput& input, const Comm& comm) {
  int format = 0;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    const std::string text = input.beginning(4096);
    try {
      if (looksLikeMclBinary(text)) {
        format = 2;
        return;
      }
      const bool isMcl = looksLikeMclMatrix(text);
      if (!isMcl && !looksLikeMatrixMarket({text.data(), text.data() + text.size()}))
        throw MatrixError(
            "neither a Matrix Market file nor a matrix of mcl: if its lines are "
            "LABEL LABEL WEIGHT, say --abc");
      format = isMcl ? 1 : 0;
    } catch (const MatrixError& e) {
      throw MatrixError(input.name() + ": " + e.what());
    }
  });
  comm.broadcast(&format, static_cast<int>(sizeof format), 0);
  return format == 2 ? Format::mclBinary : format == 1 ? Format::mclMatrix : Format::matrixMarket;
}

void requireSquare(const std::string& path, std::int64_t rows, std::int64_t columns) {
  if (rows != columns)
    throw MatrixError(path + ": the matrix is " + std::to_string(rows) + " x " +
                      std::to_string(columns) + ": that of a graph should be square");
}

Graph readMatrixMarketGraph(TextInput& input, const CommPtr& teuchosComm, const Comm& comm) {
  MatrixMarketEntries file = readMatrixMarket(input, comm, [&](const MatrixMarketHeader& header) {
    requireSquare(input.name(), header.rows, header.columns);
  });
  WeightSpread spread;
  for (Entry& entry : file.entries) {
    std::swap(entry.row, entry.column);
    spread.add(entry.value);
  }
  Graph graph;
  graph.likeEValues = spread.looksLikeEValues(comm);
  std::int64_t duplicates = 0;
  graph.matrix = matrixFromEntries(std::move(file.entries), file.header.rows, file.header.rows,
                                   teuchosComm, comm, duplicates);
  graph.names.firstNumber = 1;
  graph.warning = warningOfBothHalves(input.name(), file, duplicates);
  graph.description = input.name() + " (Matrix Market, " + describe(file.header) + ")";
  return graph;
}

/// Reads a file's beginning, up to the columns behind the header. Rank 0.
std::string headerTextOf(TextInput& input) {
  std::size_t bytes = std::size_t{1} << 20;
  std::string text = input.beginning(bytes);
  for (; text.size() == bytes && mayListNodes(text); text = input.beginning(bytes)) bytes *= 8;
  return text;
}

Graph readMclMatrix(TextInput& input, const WeightRule& rule, const CommPtr& teuchosComm,
                    const Comm& comm) {
  MclHeader header;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    try {
      header = parseMclHeader(headerTextOf(input));
    } catch (const LineError& e) {
      throw MatrixError(Problems::Details::atLine(input.name(), e.line(), e.what()));
    }
  });
  comm.broadcast(&header, static_cast<int>(sizeof header), 0);
  // Nothing tells the entries yet.
  requireRoomForMatrix(input.name(), header.nodes, header.nodes, 0, sizeof(Entry), comm);
  MclColumnReader reader(header.nodes, rule);
  // A column is read as a whole: the longest may have about a million neighbours.
  readChunks(
      input, {'$', std::size_t{1} << 24}, header.columns,
      [&](const TextChunk& chunk) { reader.take(chunk); }, comm);
  if (comm.sum(reader.ended() ? 1 : 0) == 0)
    throw MatrixError(input.name() +
                      ": there is no \")\" behind the columns: is the file truncated?");
  Graph graph;
  graph.likeEValues = reader.spread().looksLikeEValues(comm);
  std::int64_t duplicates = 0;
  graph.matrix = matrixFromEntries(reader.takeEntries(), header.nodes, header.nodes, teuchosComm,
                                   comm, duplicates, Duplicates::largest);
  graph.isMclMatrix = true;
  graph.description = input.name() + " (matrix of mcl)";
  return graph;
}

Graph readMclBinaryGraph(TextInput& input, const WeightRule& rule, const CommPtr& teuchosComm,
                         const Comm& comm) {
  MclBinaryEntries file = readMclBinary(input, rule, comm);
  Graph graph;
  graph.likeEValues = file.spread.looksLikeEValues(comm);
  std::int64_t duplicates = 0;
  graph.matrix = matrixFromEntries(std::move(file.entries), file.nodes, file.nodes, teuchosComm,
                                   comm, duplicates, Duplicates::largest);
  graph.isMclMatrix = true;
  graph.description = input.name() + " (binary matrix of mcl)";
  return graph;
}

/// Lists both directions of each pair, by numbers of nodes. Weight 0 is no edge, as for mcl.
std::vector<Entry> entriesOf(const std::vector<PairReader::Pair>& pairs,
                             const std::vector<std::int64_t>& numbers) {
  std::vector<Entry> entries;
  entries.reserve(2 * pairs.size());
  for (const PairReader::Pair& pair : pairs) {
    if (pair.weight == 0) continue;
    const auto a = static_cast<global_ordinal_type>(numbers[static_cast<std::size_t>(pair.first)]);
    const auto b = static_cast<global_ordinal_type>(numbers[static_cast<std::size_t>(pair.second)]);
    entries.push_back({a, b, pair.weight});
    if (a != b) entries.push_back({b, a, pair.weight});
  }
  return entries;
}

/// Returns a note on the lines of a text that could not be read; empty if all could.
std::string warningOfLines(const std::string& name, std::int64_t skipped, std::int64_t unread) {
  const auto counted = [](std::int64_t count, const char* of) {
    return std::to_string(count) + " " + of + (count == 1 ? "" : "s");
  };
  std::string text;
  if (skipped > 0) text = "skipped " + counted(skipped, "line") + " of less than two labels";
  if (unread > 0)
    text += (text.empty() ? "" : ", and ") + ("took 1 for " + counted(unread, "weight")) +
            " that could not be read";
  return text.empty() ? text : name + ": " + text;
}

Graph readPairs(TextInput& input, const GraphFile& file, const WeightRule& rule,
                const CommPtr& teuchosComm, const Comm& comm) {
  if (file.lines.form == PairLines::Form::abc)  // others have several pairs a line
    requireRoomForPairs(
        input, sizeof(PairReader::Pair) + (rule.changes() ? 0.0 : 2.0 * sizeof(Entry)), comm);
  Graph graph;
  std::vector<Entry> entries;
  std::int64_t nodes = 0;
  {
    PairReader reader(rule, file.lines);
    readChunks(
        input, TextCut(), TextPosition(), [&](const TextChunk& chunk) { reader.take(chunk); },
        comm);
    graph.likeEValues = reader.spread().looksLikeEValues(comm);
    graph.warning = warningOfLines(input.name(), comm.sum(reader.skippedLines()),
                                   comm.sum(reader.unreadWeights()));
    NumberedLabels numbered = numberLabels(reader.labels(), comm);
    nodes = numbered.count;
    collectively(comm, [&] { entries = entriesOf(reader.takePairs(), numbered.numbers); });
    graph.names.labelled = true;
    graph.names.labels = std::move(numbered.names);
  }
  if (nodes == 0 && !file.mayBeEmpty)
    throw MatrixError(input.name() + ": there is no line LABEL LABEL [WEIGHT]");
  std::int64_t duplicates = 0;
  graph.matrix = matrixFromEntries(std::move(entries), nodes, nodes, teuchosComm, comm, duplicates,
                                   Duplicates::largest);
  graph.description = input.name() + " (labelled pairs)";
  return graph;
}

Graph generateGraph(const std::string& spec, const CommPtr& teuchosComm) {
  Graph graph;
  ReadResult result = readMatrix(spec, teuchosComm);
  const auto size = [](const map_type& map) {
    return static_cast<std::int64_t>(map.getGlobalNumElements());
  };
  requireSquare(spec, size(*result.matrix->getRangeMap()), size(*result.matrix->getDomainMap()));
  graph.matrix = result.matrix;
  graph.names.firstNumber = 1;
  graph.description = GeneratorSpec(spec).text();
  return graph;
}

Graph readGraphFile(const GraphFile& file, const WeightRule& rule, const CommPtr& teuchosComm,
                    const Comm& comm) {
  TextInput input(file.spec, comm, file.labelledPairs && file.mayBeEmpty);
  if (file.labelledPairs) return readPairs(input, file, rule, teuchosComm, comm);
  switch (formatOf(input, comm)) {
    case Format::mclMatrix:
      return readMclMatrix(input, rule, teuchosComm, comm);
    case Format::mclBinary:
      return readMclBinaryGraph(input, rule, teuchosComm, comm);
    default:
      return readMatrixMarketGraph(input, teuchosComm, comm);
  }
}

}  // namespace

void NodeNames::append(std::string& text, std::size_t row) const {
  if (labelled)
    text.append(labels[row].begin, labels[row].end);
  else
    text += std::to_string(firstNumber + static_cast<std::int64_t>(row));
}

Graph readGraph(const std::string& spec, bool labelledPairs, const CommPtr& teuchosComm,
                const WeightRule& rule) {
  GraphFile file;
  file.spec = spec;
  file.labelledPairs = labelledPairs;
  return readGraph(file, teuchosComm, rule);
}

Graph readGraph(const GraphFile& file, const CommPtr& teuchosComm, const WeightRule& rule) {
  const Comm comm(*teuchosComm);
  Graph graph = namingFile(inputName(file.spec), [&] {
    return !file.labelledPairs && looksLikeGenerator(file.spec)
               ? generateGraph(file.spec, teuchosComm)
               : readGraphFile(file, rule, teuchosComm, comm);
  });
  const auto nodes = static_cast<std::int64_t>(graph.matrix->getRowMap()->getGlobalNumElements());
  graph.names.firstNumber += UniformPartition(nodes, comm.size()).begin(comm.rank());
  graph.edges = countEdges(*graph.matrix);
  graph.description += ": " + std::to_string(nodes) + " nodes, " + std::to_string(graph.edges) +
                       " edges to neighbours";
  return graph;
}

}  // namespace Clustering
}  // namespace Trident
