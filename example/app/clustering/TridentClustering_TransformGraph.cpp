// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_TransformGraph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "TridentClustering_CeilNeighbours.hpp"
#include "TridentClustering_Quality.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_Rows.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// Returns a graph's rows without loops and zeros, with floats as weights, in the order of the
/// columns.
LocalRows rowsOf(const matrix_type& matrix) {
  const RowReader reader(matrix);
  LocalRows rows;
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < reader.numRows(); ++row) {
    order.resize(reader.end(row) - reader.begin(row));
    std::iota(order.begin(), order.end(), reader.begin(row));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return reader.column(a) < reader.column(b); });
    for (const std::size_t e : order) {
      const auto weight = static_cast<float>(reader.value(e));
      if (reader.column(e) != reader.rowGid(row) && weight != 0)
        rows.append(reader.column(e), weight);
    }
    rows.endRow();
  }
  return rows;
}

/// Returns the rows without entries of weight 0.
LocalRows withoutZeros(const LocalRows& rows) {
  LocalRows result;
  for (std::size_t row = 0; row < rows.numRows(); ++row) {
    for (std::size_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e)
      if (rows.values[e] != 0) result.append(rows.columns[e], rows.values[e]);
    result.endRow();
  }
  return result;
}

/// Keeps of each row the `most` strongest edges.
void keepHighest(LocalRows& rows, std::size_t most) {
  std::vector<float> weights;
  for (std::size_t row = 0; row < rows.numRows(); ++row) {
    const std::size_t begin = rows.offsets[row], end = rows.offsets[row + 1];
    if (end - begin <= most) continue;
    weights.clear();
    for (std::size_t e = begin; e < end; ++e) weights.push_back(static_cast<float>(rows.values[e]));
    const double bound = boundOfHighest(weights, most);
    for (std::size_t e = begin; e < end; ++e)
      if (rows.values[e] < bound) rows.values[e] = 0;
  }
}

/// Returns the entries of the columns that are this rank's nodes, as rows. Collective.
LocalRows transposed(const LocalRows& rows, const UniformPartition& partition, const Comm& comm) {
  std::vector<Entry> entries;
  const std::int64_t first = partition.begin(comm.rank());
  collectively(comm, [&] {
    entries.reserve(rows.columns.size());
    for (std::size_t row = 0; row < rows.numRows(); ++row)
      for (std::size_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e)
        entries.push_back({rows.columns[e],
                           static_cast<global_ordinal_type>(first + static_cast<std::int64_t>(row)),
                           rows.values[e]});
  });
  entries = redistributeEntries(
      std::move(entries), [&](const Entry& entry) { return partition.owner(entry.row); }, comm);
  LocalRows result;
  collectively(comm, [&] {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    std::size_t next = 0;
    for (std::int64_t row = first; row < first + partition.count(comm.rank()); ++row) {
      for (; next < entries.size() && entries[next].row == row; ++next)
        result.append(entries[next].column, entries[next].value);
      result.endRow();
    }
  });
  return result;
}

using PairFunction = float (*)(float own, float back);

/// Returns the function of an edge and the one back, one of which may be missing: it is 0.
PairFunction pairFunction(NetworkStep step) {
  switch (step) {
    case NetworkStep::knn:
      return [](float own, float back) { return back != 0 ? own : 0; };
    case NetworkStep::knnJoin:
    case NetworkStep::max:
      return [](float own, float back) { return std::max(own, back); };
    case NetworkStep::min:
      return [](float own, float back) { return std::min(own, back); };
    case NetworkStep::add:
      return [](float own, float back) { return static_cast<float>(double{own} + back); };
    case NetworkStep::multiply:
      return [](float own, float back) { return static_cast<float>(double{own} * back); };
    default:  // arcMax
      return [](float own, float back) { return back == 0 || own >= back ? own : 0; };
  }
}

LocalRows combined(const LocalRows& own, const LocalRows& back, PairFunction function) {
  LocalRows result;
  for (std::size_t row = 0; row < own.numRows(); ++row) {
    std::size_t a = own.offsets[row], b = back.offsets[row];
    const std::size_t endA = own.offsets[row + 1], endB = back.offsets[row + 1];
    while (a < endA || b < endB) {
      const bool takesA = a < endA && (b == endB || own.columns[a] <= back.columns[b]);
      const bool takesB = b < endB && (a == endA || back.columns[b] <= own.columns[a]);
      const global_ordinal_type column = takesA ? own.columns[a] : back.columns[b];
      const float value = function(takesA ? static_cast<float>(own.values[a++]) : 0,
                                   takesB ? static_cast<float>(back.values[b++]) : 0);
      if (value != 0) result.append(column, value);
    }
    result.endRow();
  }
  return result;
}

/// Makes a step of a whole network. Collective.
void makeStep(LocalRows& rows, const TransformStep& step, std::int64_t nodes, const Comm& comm) {
  const UniformPartition partition(nodes, comm.size());
  const auto most = static_cast<std::size_t>(std::max(0.0, step.argument + 0.5));  // as mcl rounds
  const bool counts = step.ofNetwork == NetworkStep::knn ||
                      step.ofNetwork == NetworkStep::knnJoin || step.ofNetwork == NetworkStep::rank;
  if (counts && step.argument == 0) return;  // no bound, as for mcl
  if (counts)
    collectively(comm, [&] {
      keepHighest(rows, most);
      rows = withoutZeros(rows);
    });
  if (step.ofNetwork == NetworkStep::rank) return;
  if (step.ofNetwork == NetworkStep::ceilNeighbours) {
    ceilNeighbours(rows, nodes, most, comm);
    collectively(comm, [&] { rows = withoutZeros(rows); });
    return;
  }
  LocalRows back = transposed(rows, partition, comm);
  collectively(comm, [&] {
    rows = step.ofNetwork == NetworkStep::transpose
               ? std::move(back)
               : combined(rows, back, pairFunction(step.ofNetwork));
  });
}

/// Makes the steps from `begin` on that see one weight at a time. \return the first that does not
const TransformStep* transformWeights(LocalRows& rows, const TransformStep* begin,
                                      const TransformStep* end) {
  const TransformStep* last = std::find_if(
      begin, end, [](const TransformStep& s) { return s.ofNetwork != NetworkStep::none; });
  if (last == begin) return last;
  for (double& value : rows.values)
    value = transformedWeight(begin, last, static_cast<float>(value));
  rows = withoutZeros(rows);
  return last;
}

void requireWeights(const LocalRows& rows, bool negativeToo) {
  for (const double weight : rows.values)
    if (!((negativeToo || weight > 0) && std::isfinite(weight)))
      throw MatrixError("-tf makes a weight " + std::to_string(weight) +
                        ", and weights should be numbers from 0 to 3.4e38: end with gt(0), which "
                        "drops edges of negative weight, or with ceil(N), which bounds large ones");
}

}  // namespace

void transformRows(LocalRows& rows, const Transformation& steps, std::int64_t nodes,
                   const Comm& comm, bool negativeToo) {
  const TransformStep *step = steps.data(), *end = step + steps.size();
  while (step != end) {
    if (step->ofNetwork != NetworkStep::none)
      makeStep(rows, *step++, nodes, comm);
    else {
      const TransformStep* next = step;
      collectively(comm, [&] { next = transformWeights(rows, step, end); });
      step = next;
    }
  }
  collectively(comm, [&] { requireWeights(rows, negativeToo); });
}

void transformGraph(Graph& graph, const Transformation& steps, bool negativeToo) {
  const auto rowMap = graph.matrix->getRowMap(), domainMap = graph.matrix->getDomainMap();
  const Comm comm(*rowMap->getComm());
  LocalRows rows;
  collectively(comm, [&] { rows = rowsOf(*graph.matrix); });
  graph.matrix = Teuchos::null;
  transformRows(rows, steps, static_cast<std::int64_t>(rowMap->getGlobalNumElements()), comm,
                negativeToo);
  graph.matrix = matrixFromRows(std::move(rows), rowMap, domainMap);
  graph.edges = countEdges(*graph.matrix);
}

}  // namespace Clustering
}  // namespace Trident
