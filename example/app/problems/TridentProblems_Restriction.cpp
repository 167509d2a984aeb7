// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Restriction.hpp"

#include <algorithm>
#include <utility>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_Hash.hpp"

namespace Trident {
namespace Problems {

namespace {

constexpr global_ordinal_type none = -1;

/// Every vertex without an aggregate takes that of its neighbour of highest priority that has one.
/// Neighbours count as they were before. Collective.
void joinNeighbours(const Graph& graph, std::uint64_t seed,
                    std::vector<global_ordinal_type>& aggregates) {
  const std::vector<global_ordinal_type> before = graph.exchange(aggregates);
  for (std::size_t v = 0; v < aggregates.size(); ++v) {
    if (aggregates[v] != none) continue;
    std::pair<std::uint64_t, global_ordinal_type> best{0, none};
    graph.forEachNeighbour(v, [&](std::size_t u) {
      if (before[u] == none) return;
      const std::pair<std::uint64_t, global_ordinal_type> candidate{
          hash(seed, static_cast<std::uint64_t>(graph.gid(u))), graph.gid(u)};
      if (best.second != none && candidate < best) return;
      best = candidate;
      aggregates[v] = before[u];
    });
  }
}

}  // namespace

Teuchos::RCP<matrix_type> restriction(const matrix_type& A, std::uint64_t seed) {
  const Comm comm(*A.getComm());
  const Graph graph(A, comm);
  const std::vector<char> isRoot = mis2(graph, seed, comm);
  const std::int64_t numRoots = std::count(isRoot.begin(), isRoot.end(), 1);

  std::vector<global_ordinal_type> aggregates(graph.numVertices(), none);
  auto next = static_cast<global_ordinal_type>(comm.sumBefore(numRoots));
  for (std::size_t v = 0; v < aggregates.size(); ++v)
    if (isRoot[v] != 0) aggregates[v] = next++;
  joinNeighbours(graph, seed, aggregates);  // a root's neighbours: they have no other root
  joinNeighbours(graph, seed, aggregates);  // and all others, because the set is maximal

  LocalRows rows;
  for (global_ordinal_type aggregate : aggregates) {
    rows.append(aggregate, 1);
    rows.endRow();
  }
  const Teuchos::RCP<const map_type> domainMap =
      Teuchos::rcp(new map_type(static_cast<Tpetra::global_size_t>(comm.sum(numRoots)),
                                static_cast<std::size_t>(numRoots), 0, A.getComm()));
  return matrixFromRows(std::move(rows), A.getRowMap(), domainMap);
}

}  // namespace Problems
}  // namespace Trident
