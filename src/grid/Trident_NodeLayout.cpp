// SPDX-License-Identifier: BSD-3-Clause
#include "grid/Trident_NodeLayout.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {

std::vector<int> detectHosts(MPI_Comm comm, MPI_Comm host) {
  int rank = 0, size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  int first = rank;
  broadcast(&first, 1, MPI_INT, 0, host, "the hosts of all ranks");
  std::vector<int> hostOfRank(size);
  allGather(&first, 1, MPI_INT, hostOfRank.data(), comm, "the hosts of all ranks");
  return hostOfRank;
}

namespace {

/// Returns the ranks, ordered by host. Hosts are ordered by their first rank.
std::vector<int> orderByHost(const std::vector<int>& hostOfRank) {
  std::map<int, int> order;  // number of each host, by its label
  std::vector<int> number(hostOfRank.size());
  for (std::size_t r = 0; r < hostOfRank.size(); ++r)
    number[r] = order.emplace(hostOfRank[r], static_cast<int>(order.size())).first->second;
  std::vector<int> ranks(hostOfRank.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return number[a] < number[b]; });
  return ranks;
}

int commonHostSize(const std::vector<int>& hostOfRank, bool& sameSize) {
  std::map<int, int> sizes;
  for (int host : hostOfRank) ++sizes[host];
  int common = 0;
  for (const auto& host : sizes) common = std::gcd(common, host.second);
  sameSize = sizes.empty() || common == sizes.begin()->second;
  for (const auto& host : sizes) sameSize = sameSize && host.second == common;
  return std::max(common, 1);
}

}  // namespace

NodeLayout layoutNodes(const std::vector<int>& hostOfRank, int ranksPerNode) {
  const int P = static_cast<int>(hostOfRank.size());
  NodeLayout layout;
  if (ranksPerNode > 0) {
    layout.lambda = std::gcd(ranksPerNode, P);
    layout.reason = "lambda " + std::to_string(layout.lambda) + ": \"ranks per node\"";
    if (layout.lambda != ranksPerNode)
      layout.reason += " " + std::to_string(ranksPerNode) + " does not divide " +
                       std::to_string(P) + " ranks, so their greatest common divisor";
  } else {
    bool sameSize = true;
    layout.lambda = commonHostSize(hostOfRank, sameSize);
    layout.reason =
        "lambda " + std::to_string(layout.lambda) +
        (sameSize ? ": the shared-memory domain"
                  : ": greatest common divisor of shared-memory domains of unequal size");
  }
  layout.nodeSize = layout.lambda;
  layout.commRank = orderByHost(hostOfRank);
  layout.gridRank.resize(P);
  for (int g = 0; g < P; ++g) layout.gridRank[layout.commRank[g]] = g;
  return layout;
}

NodeLayout flattened(NodeLayout layout) {
  layout.lambda = 1;
  return layout;
}

}  // namespace Trident::Impl
