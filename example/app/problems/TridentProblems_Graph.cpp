// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Graph.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "TridentProblems_GidIndex.hpp"
#include "TridentProblems_Redistribute.hpp"
#include "TridentProblems_Rows.hpp"

namespace Trident {
namespace Problems {

namespace {

void checkSquare(const matrix_type& matrix, const Comm& comm) {
  throwEverywhere(comm, !matrix.isFillComplete(),
                  "restriction: the matrix is not fill-complete: call fillComplete() first");
  const auto rows = matrix.getRangeMap()->getGlobalNumElements();
  const auto columns = matrix.getDomainMap()->getGlobalNumElements();
  if (rows != columns)
    throw MatrixError("restriction: aggregates need a square matrix, not " + std::to_string(rows) +
                      " x " + std::to_string(columns) + ": take A*A^T or A^T*A instead");
}

/// Finds the rank of each column of this rank's rows, as a row. Collective.
std::vector<int> ownersOfColumns(const matrix_type& matrix,
                                 const std::vector<global_ordinal_type>& columnGids,
                                 const Comm& comm) {
  std::vector<int> owners(columnGids.size(), -1);
  using Teuchos::ArrayView;
  const auto size = static_cast<Teuchos::Ordinal>(columnGids.size());
  matrix.getRowMap()->getRemoteIndexList(
      ArrayView<const global_ordinal_type>(columnGids.data(), size),
      ArrayView<int>(owners.data(), size));
  const bool unknown = std::find(owners.begin(), owners.end(), -1) != owners.end();
  throwEverywhere(comm, unknown,
                  "restriction: the matrix has columns whose index is no row: rows "
                  "and columns should have the same global indices");
  return owners;
}

}  // namespace

Graph::Graph(const matrix_type& matrix, const Comm& comm) {
  checkSquare(matrix, comm);
  std::vector<Edge> edges = edgesOf(matrix, comm);
  edges = redistributeEntries(
      std::move(edges), [](const Edge& edge) { return edge.owner; }, comm);
  collectively(comm, [&] { store(edges, *matrix.getRowMap()); });
  makeExchange(matrix.getRowMap());
}

/// Lists both directions of each entry off the diagonal.
std::vector<Graph::Edge> Graph::edgesOf(const matrix_type& matrix, const Comm& comm) const {
  std::unique_ptr<RowReader> reader;
  collectively(comm, [&] { reader = std::make_unique<RowReader>(matrix); });
  const RowReader& rows = *reader;
  const std::vector<int> owners = ownersOfColumns(matrix, rows.columnGids(), comm);
  std::vector<Edge> edges;
  collectively(comm, [&] {
    edges.reserve(2 * rows.numEntries());
    for (std::size_t row = 0; row < rows.numRows(); ++row)
      for (std::size_t entry = rows.begin(row); entry < rows.end(row); ++entry) {
        const global_ordinal_type from = rows.rowGid(row), to = rows.column(entry);
        if (from == to) continue;
        edges.push_back({from, to, comm.rank()});
        edges.push_back({to, from, owners[static_cast<std::size_t>(rows.localColumn(entry))]});
      }
  });
  return edges;
}

void Graph::store(const std::vector<Edge>& edges, const map_type& rowMap) {
  gids_ = globalIndices(rowMap);
  const std::size_t numOwn = gids_.size();
  GidIndex remote;
  for (const Edge& edge : edges)
    if (!rowMap.isNodeGlobalElement(edge.to)) remote.insert(edge.to);
  const std::vector<global_ordinal_type>& remoteGids = remote.number();
  gids_.insert(gids_.end(), remoteGids.begin(), remoteGids.end());

  // Counting sort by vertex; then each vertex' neighbours sorted and made distinct, in place.
  std::vector<std::size_t> ends(numOwn + 1, 0);
  const auto vertexOf = [&](const Edge& edge) {
    return static_cast<std::size_t>(rowMap.getLocalElement(edge.from));
  };
  for (const Edge& edge : edges) ++ends[vertexOf(edge) + 1];
  for (std::size_t v = 0; v < numOwn; ++v) ends[v + 1] += ends[v];
  neighbours_.resize(edges.size());
  for (const Edge& edge : edges)
    neighbours_[ends[vertexOf(edge)]++] =
        rowMap.isNodeGlobalElement(edge.to)
            ? rowMap.getLocalElement(edge.to)
            : static_cast<local_ordinal_type>(numOwn) + remote[edge.to];
  offsets_.assign(1, 0);
  auto kept = neighbours_.begin();
  for (std::size_t v = 0, begin = 0; v < numOwn; begin = ends[v++]) {
    const auto first = neighbours_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = neighbours_.begin() + static_cast<std::ptrdiff_t>(ends[v]);
    std::sort(first, last);
    kept = std::unique_copy(first, last, kept);
    offsets_.push_back(static_cast<std::size_t>(kept - neighbours_.begin()));
  }
  neighbours_.erase(kept, neighbours_.end());
}

void Graph::makeExchange(const Teuchos::RCP<const map_type>& rowMap) {
  const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const Teuchos::ArrayView<const global_ordinal_type> gids(
      gids_.data(), static_cast<Teuchos::Ordinal>(gids_.size()));
  const Teuchos::RCP<const map_type> allMap =
      Teuchos::rcp(new map_type(unknown, gids, rowMap->getIndexBase(), rowMap->getComm()));
  import_ =
      Teuchos::rcp(new Tpetra::Import<local_ordinal_type, global_ordinal_type>(rowMap, allMap));
  ownVector_ = Teuchos::rcp(new vector_type(rowMap));
  allVector_ = Teuchos::rcp(new vector_type(allMap));
}

std::vector<global_ordinal_type> Graph::exchange(
    const std::vector<global_ordinal_type>& own) const {
  // Views end before the Import: Tpetra allows none while it moves data.
  {
    const auto view = ownVector_->getDataNonConst();
    std::copy(own.begin(), own.end(), view.begin());
  }
  allVector_->doImport(*ownVector_, *import_, Tpetra::REPLACE);
  const auto view = allVector_->getData();
  return std::vector<global_ordinal_type>(view.begin(), view.end());
}

}  // namespace Problems
}  // namespace Trident
