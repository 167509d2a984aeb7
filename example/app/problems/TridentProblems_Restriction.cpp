// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Restriction.hpp"

#include <algorithm>
#include <utility>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_Hash.hpp"

namespace Trident {
namespace Problems {

namespace {

/// Numbers that stand for what a vertex has seen, one for each. Either the number of an
/// undecided vertex, or:
constexpr global_ordinal_type nothing = -1;
constexpr global_ordinal_type member = -2;

/// `member` over any undecided vertex over `nothing`; vertices by priority, then by number.
struct Seen {
  int rank;
  std::uint64_t priority;
  global_ordinal_type vertex;

  Seen(global_ordinal_type code, std::uint64_t seed)
      : rank(code == member    ? 2
             : code == nothing ? 0
                               : 1),
        priority(rank == 1 ? hash(seed, static_cast<std::uint64_t>(code)) : 0),
        vertex(code) {}
  bool operator<(const Seen& other) const {
    if (rank != other.rank) return rank < other.rank;
    if (priority != other.priority) return priority < other.priority;
    return vertex < other.vertex;
  }
};

/// Finds the greatest of what each vertex and its neighbours say. Collective.
std::vector<global_ordinal_type> greatestAround(const Graph& graph, std::uint64_t seed,
                                                const std::vector<global_ordinal_type>& said) {
  std::vector<Seen> all;
  for (global_ordinal_type code : graph.exchange(said)) all.emplace_back(code, seed);
  std::vector<global_ordinal_type> greatest(said.size());
  for (std::size_t v = 0; v < greatest.size(); ++v) {
    const Seen* best = &all[v];
    graph.forEachNeighbour(v, [&](std::size_t u) {
      if (*best < all[u]) best = &all[u];
    });
    greatest[v] = best->vertex;
  }
  return greatest;
}

}  // namespace

std::vector<char> mis2(const Graph& graph, std::uint64_t seed, const Comm& comm) {
  // At first every vertex is undecided and says itself; one that drops out says nothing.
  std::vector<global_ordinal_type> said(graph.numVertices());
  for (std::size_t v = 0; v < said.size(); ++v) said[v] = graph.gid(v);
  const auto undecided = [&](std::size_t v) { return said[v] != nothing && said[v] != member; };
  for (std::int64_t left = 1; left > 0;) {
    const std::vector<global_ordinal_type> near = greatestAround(graph, seed, said);
    const std::vector<global_ordinal_type> within2 = greatestAround(graph, seed, near);
    left = 0;
    for (std::size_t v = 0; v < said.size(); ++v) {
      if (!undecided(v)) continue;
      if (within2[v] == member)
        said[v] = nothing;
      else if (within2[v] == graph.gid(v))
        said[v] = member;
      else
        ++left;
    }
    left = comm.sum(left);
  }
  std::vector<char> members(said.size());
  std::transform(said.begin(), said.end(), members.begin(),
                 [](global_ordinal_type code) { return static_cast<char>(code == member); });
  return members;
}

namespace {

constexpr global_ordinal_type none = -1;

/// Lets every vertex without an aggregate take that of its neighbour of highest priority that has
/// one. Neighbours count as they were before. Collective.
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
