// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_ReadTab.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_ParseNumber.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_TextChunks.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// The labels of a rank's part of a dictionary.
class TabReader {
 public:
  /// \param first number of the graph's first node
  TabReader(std::int64_t first, std::int64_t nodes) : first_(first), nodes_(nodes) {}

  /// Takes whole lines. Throws LineError.
  void take(const TextChunk& chunk) {
    std::int64_t lines = 0;
    for (Text rest = chunk.text; !rest.empty();) {
      const auto* newline = static_cast<const char*>(std::memchr(rest.begin, '\n', rest.size()));
      Text line{rest.begin, newline != nullptr ? newline : rest.end};
      ++lines;
      try {
        if (chunk.byte == 0 && lines == 1) line = withoutMark(line);
        takeLine(withoutReturns(line));
      } catch (const MatrixError& e) {
        throw LineError(lines, rest.begin - chunk.text.begin,
                        std::string(e.what()) + ", but it is " + quote(line));
      }
      rest.begin = newline != nullptr ? newline + 1 : rest.end;
    }
  }

  const LabelList& labels() const { return labels_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }  ///< row of each label

 private:
  void takeLine(Text line) {
    const char* at = std::find_if_not(line.begin, line.end, isWhiteSpace);
    if (at == line.end || *at == '#') return;
    std::int64_t number = 0;
    if (!parseInteger(at, line.end, number) || (at != line.end && !isWhiteSpace(*at)))
      throw MatrixError("a line should be NUMBER LABEL");
    at = std::find_if_not(at, line.end, isWhiteSpace);
    if (at == line.end) throw MatrixError("a line should be NUMBER LABEL");
    if (number < first_ || number >= first_ + nodes_) return;
    labels_.append({at, line.end});
    rows_.push_back(number - first_);
  }

  std::int64_t first_, nodes_;
  LabelList labels_;
  std::vector<std::int64_t> rows_;
};

}  // namespace

void readTab(const std::string& path, Graph& graph) {
  const Comm comm(*graph.matrix->getComm());
  const auto nodes = static_cast<std::int64_t>(graph.matrix->getRowMap()->getGlobalNumElements());
  const UniformPartition partition(nodes, comm.size());
  const std::int64_t begin = partition.begin(comm.rank());
  const std::int64_t first = graph.names.firstNumber - begin;  // the same on every rank
  TabReader reader(first, nodes);
  {
    TextInput input(path, comm);
    readChunks(
        input, TextCut(), TextPosition(), [&](const TextChunk& chunk) { reader.take(chunk); },
        comm);
  }
  const auto owner = [&](std::size_t i) { return partition.owner(reader.rows()[i]); };
  const Grouping grouping = groupItems(reader.rows().size(), owner, comm);
  const LabelList arrived = sendLabels(grouping, reader.labels(), comm);
  const std::vector<std::int64_t> rows = send(grouping, reader.rows(), comm).items;
  collectively(comm, [&] {
    // No list by rows: a small dictionary may be that of a large network.
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
    const auto complain = [&](std::int64_t row, const char* what) {
      throw MatrixError(path + ": node " + std::to_string(first + row) + " has " + what);
    };
    graph.names.labels = LabelList();
    std::int64_t row = begin;
    for (const std::size_t i : order) {
      if (rows[i] < row) complain(rows[i], "two labels");
      if (rows[i] > row) complain(row, "no label");
      graph.names.labels.append(arrived[i]);
      ++row;
    }
    if (row < begin + partition.count(comm.rank())) complain(row, "no label");
    graph.names.labelled = true;
  });
}

}  // namespace Clustering
}  // namespace Trident
