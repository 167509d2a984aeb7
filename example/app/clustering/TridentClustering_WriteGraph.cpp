// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_WriteGraph.hpp"

#include <cstdio>

#include "TridentClustering_MclMatrixText.hpp"
#include "TridentProblems_Families.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_Rows.hpp"
#include "TridentProblems_WriteText.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// The columns of this rank's rows; those without entries have no line.
std::string columnsOf(const matrix_type& matrix) {
  const RowReader rows(matrix);
  std::string text;
  char word[64];
  for (std::size_t row = 0; row < rows.numRows(); ++row) {
    if (rows.begin(row) == rows.end(row)) continue;
    text += std::to_string(rows.rowGid(row));
    for (std::size_t entry = rows.begin(row); entry < rows.end(row); ++entry) {
      std::snprintf(word, sizeof word, " %lld:%.17g", static_cast<long long>(rows.column(entry)),
                    rows.value(entry));
      text += word;
    }
    text += " $\n";
  }
  return text;
}

}  // namespace

void writeGraph(const std::string& path, const Graph& graph) {
  const matrix_type& matrix = *graph.matrix;
  const Comm comm(*matrix.getComm());
  std::string text;
  collectively(comm, [&] {
    const auto nodes = static_cast<std::int64_t>(matrix.getRangeMap()->getGlobalNumElements());
    if (comm.rank() == 0) text = mclMatrixHeader(nodes, nodes);
    text += columnsOf(matrix);
    if (comm.rank() + 1 == comm.size()) text += ")\n";
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
