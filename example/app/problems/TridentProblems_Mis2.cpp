// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "TridentProblems_Hash.hpp"
#include "TridentProblems_Restriction.hpp"

namespace Trident {
namespace Problems {

namespace {

/// What a vertex says it has seen; ranks exchange one number for it. Either the number of an
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

/// The greatest of what each vertex and its neighbours say. Collective.
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

}  // namespace Problems
}  // namespace Trident
