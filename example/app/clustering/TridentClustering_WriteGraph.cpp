// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_WriteGraph.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "TridentClustering_MclBinary.hpp"
#include "TridentClustering_MclColumns.hpp"
#include "TridentClustering_MclMatrixText.hpp"
#include "TridentProblems_Families.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_Rows.hpp"
#include "TridentProblems_WriteText.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// Orders the entries of a row by their columns, as all ranks alike write them.
void orderRow(const RowReader& rows, std::size_t row, std::vector<std::size_t>& order) {
  order.resize(rows.end(row) - rows.begin(row));
  std::iota(order.begin(), order.end(), rows.begin(row));
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rows.column(a) < rows.column(b); });
}

/// Returns the columns of this rank's rows; those without entries have no line.
std::string columnsOf(const matrix_type& matrix) {
  const RowReader rows(matrix);
  std::string text;
  char word[64];
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows.numRows(); ++row) {
    orderRow(rows, row, order);
    if (order.empty()) continue;
    text += std::to_string(rows.rowGid(row));
    for (const std::size_t entry : order) {
      std::snprintf(word, sizeof word, " %lld:%.17g", static_cast<long long>(rows.column(entry)),
                    rows.value(entry));
      text += word;
    }
    text += " $\n";
  }
  return text;
}

/// Returns columns as mcl lays them out: neighbours in their order, seven digits of floats.
std::string columnsAsMcl(const matrix_type& matrix) {
  const RowReader rows(matrix);
  MclColumns columns(static_cast<std::int64_t>(matrix.getRangeMap()->getGlobalNumElements()));
  std::string text;
  char word[64];
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows.numRows(); ++row) {
    orderRow(rows, row, order);
    if (order.empty()) continue;
    columns.begin(text, rows.rowGid(row));
    for (const std::size_t entry : order) {
      const int length =
          std::snprintf(word, sizeof word, "%lld:%.7g", static_cast<long long>(rows.column(entry)),
                        double{static_cast<float>(rows.value(entry))});
      columns.add(text, word, static_cast<std::size_t>(length));
    }
    columns.end(text);
  }
  return text;
}

/// Returns columns as they are in mcl's binary matrices, those without entries too.
std::string binaryColumns(const matrix_type& matrix) {
  const RowReader rows(matrix);
  std::string text;
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows.numRows(); ++row) {
    orderRow(rows, row, order);
    appendMclColumn(text, rows.rowGid(row), static_cast<std::int64_t>(order.size()));
    for (const std::size_t entry : order)
      appendMclEntry(text, rows.column(entry), rows.value(entry));
  }
  return text;
}

/// Returns the number of entries of each row of this rank.
std::vector<std::int64_t> entriesOfRows(const matrix_type& matrix) {
  const RowReader rows(matrix);
  std::vector<std::int64_t> entries;
  for (std::size_t row = 0; row < rows.numRows(); ++row)
    entries.push_back(static_cast<std::int64_t>(rows.end(row) - rows.begin(row)));
  return entries;
}

/// Returns the numbers of all ranks in their order, on rank 0. Collective.
std::vector<std::int64_t> gathered(const std::vector<std::int64_t>& mine, const Comm& comm) {
  const auto all = static_cast<std::size_t>(comm.sum(static_cast<std::int64_t>(mine.size())));
  std::vector<std::int64_t> result;
  std::vector<int> counts, places;
  int count = static_cast<int>(mine.size());
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    result.resize(all);
    counts.resize(static_cast<std::size_t>(comm.size()));
    places.resize(counts.size());
  });
  checkMpi(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm.get()), "MPI_Gather");
  if (comm.rank() == 0) std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
  checkMpi(MPI_Gatherv(mine.data(), count, MPI_INT64_T, result.data(), counts.data(), places.data(),
                       MPI_INT64_T, 0, comm.get()),
           "MPI_Gatherv");
  return result;
}

/// \param columnsOfRows the text of this rank's rows
void writeMatrix(const std::string& path, const matrix_type& matrix,
                 std::string (*columnsOfRows)(const matrix_type&)) {
  const Comm comm(*matrix.getComm());
  std::string text;
  collectively(comm, [&] {
    const auto nodes = static_cast<std::int64_t>(matrix.getRangeMap()->getGlobalNumElements());
    if (comm.rank() == 0) text = mclMatrixHeader(nodes, nodes);
    text += columnsOfRows(matrix);
    if (comm.rank() + 1 == comm.size()) text += ")\n";
  });
  writeText(path, text, comm);
}

}  // namespace

void writeGraph(const std::string& path, const Graph& graph) {
  writeMatrix(path, *graph.matrix, columnsOf);
}

void writeGraphAsMcl(const std::string& path, const Graph& graph) {
  writeMatrix(path, *graph.matrix, columnsAsMcl);
}

void writeGraphAsBinary(const std::string& path, const Graph& graph) {
  const Comm comm(*graph.matrix->getComm());
  std::vector<std::int64_t> entries;
  collectively(comm, [&] { entries = entriesOfRows(*graph.matrix); });
  entries = gathered(entries, comm);
  std::string text;
  collectively(comm, [&] {
    if (comm.rank() == 0) text = mclBinaryHead(entries);
    text += binaryColumns(*graph.matrix);
  });
  writeText(path, text, comm);
}

void writeTab(const std::string& path, const Graph& graph) {
  const auto& map = *graph.matrix->getRowMap();
  const Comm comm(*map.getComm());
  std::string text;
  collectively(comm, [&] {
    for (std::size_t row = 0; row < numLocalElements(map); ++row) {
      text += std::to_string(map.getGlobalElement(static_cast<local_ordinal_type>(row))) + "\t";
      graph.names.append(text, row);
      text += '\n';
    }
  });
  writeText(path, text, comm);
}

std::vector<std::int64_t> plantedClusters(const std::string& spec, std::int64_t nodes,
                                          const Comm& comm) {
  const bool isGenerator = looksLikeGenerator(spec);
  if (!isGenerator || GeneratorSpec(spec).name() != "families")
    throw MatrixError(spec + ": only the generator families has planted clusters");
  const UniformPartition partition(nodes, comm.size());
  std::vector<std::int64_t> clusters;
  std::int64_t row = partition.begin(comm.rank()), begun = 0;
  collectively(comm, [&] {
    clusters = plantedFamilies(GeneratorSpec(spec), row, partition.count(comm.rank()));
    // A family is named by its first row: the clusters are counted where they begin.
    for (std::int64_t& cluster : clusters) cluster = (begun += cluster == row++ ? 1 : 0);
  });
  const std::int64_t before = comm.sumBefore(begun);
  for (std::int64_t& cluster : clusters) cluster += before - 1;
  return clusters;
}

}  // namespace Clustering
}  // namespace Trident
