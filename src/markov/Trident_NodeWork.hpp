// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODEWORK_HPP
#define TRIDENT_NODEWORK_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "layout/Trident_SpaceCuts.hpp"
#include "layout/Trident_WorkWeights.hpp"
#include "markov/Trident_PruneScheme.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Returns the largest number of entries that a row of `entries` entries keeps in pruning with
/// recovery, not counting ties. The row must sum to 1.
inline double mostKept(const PruneScheme& scheme, double entries) {
  const double all = std::max(1.0, entries);
  double most = all;
  if (scheme.select > 0) most = static_cast<double>(scheme.select);
  if (scheme.cutoff > 0) most = std::min(most, std::ceil(1 / scheme.cutoff));
  return std::clamp(most, std::min(all, static_cast<double>(scheme.recover)), all);
}

/// Estimates the number of entries that a row of the first product keeps in pruning.
/// @param first multiply-adds of the row in that product
KOKKOS_INLINE_FUNCTION long long keptOfFirst(long long first, long long most) {
  return first < most ? first : most;
}

struct KeptSums {
  double first = 0;    ///< multiply-adds of the first product
  double kept = 0;     ///< estimated entries of the first product after pruning
  double squares = 0;  ///< sum over rows of (estimated entries after pruning)²
};

/// The work of nodes' rows, estimated from the work in the first product.
template <class Device>
class NodeWork {
  using Weights = Kokkos::View<long long*, Device>;

 public:
  /// @param first multiply-adds of each row in the first product
  /// @param most largest number of entries that a row keeps
  NodeWork(const Weights& first, long long most) : first_(first), most_(most) {}

  /// Returns the KeptSums of this rank's rows. Local; waits for its kernels.
  KeptSums sums() const {
    KeptSums found;
    const auto first = first_;
    const long long most = most_;
    const Range<Device> rows(0, first.extent(0));
    Kokkos::parallel_reduce(
        "Trident::firstWork", rows,
        TRIDENT_LAMBDA(long long r, double& sum) { sum += static_cast<double>(first(r)); },
        found.first);
    Kokkos::parallel_reduce(
        "Trident::kept", rows,
        TRIDENT_LAMBDA(long long r, double& sum) {
          sum += static_cast<double>(keptOfFirst(first(r), most));
        },
        found.kept);
    Kokkos::parallel_reduce(
        "Trident::keptSquares", rows,
        TRIDENT_LAMBDA(long long r, double& sum) {
          const auto kept = static_cast<double>(keptOfFirst(first(r), most));
          sum += kept * kept;
        },
        found.squares);
    return found;
  }
  /// Replaces the work of each row by a mix: `part` times the row's work in the first product, plus
  /// `met` for each entry that the row keeps. Local; waits for its kernel.
  /// @param met work for a kept entry in the second product, or a share of that work
  void addSecondProduct(double part, double met) const {
    const auto first = first_;
    const long long most = most_;
    Kokkos::parallel_for(
        "Trident::workOfNodes", Range<Device>(0, first.extent(0)), TRIDENT_LAMBDA(long long r) {
          const long long kept = keptOfFirst(first(r), most);
          first(r) = static_cast<long long>(part * static_cast<double>(first(r)) +
                                            met * static_cast<double>(kept));
        });
    Kokkos::fence();
  }

 private:
  Weights first_;
  long long most_;
};

/// Returns the weights that balance the rows of a Markov process. A weight is the row's
/// multiply-adds in the first two products, which are most of the work. Multiply-adds of the first
/// product are counted. Multiply-adds of the second product are estimated: number of entries that
/// the row may keep, times mean work of a kept entry. The product with more work is scaled down to
/// the work of the other. So each product is balanced to a factor of two. Because kept entries
/// count, the weights also balance memory. Collective, as RemoteValues.
template <class Device>
IndexWeights<Device> nodeWork(const GridRanks& ranks, const Numbering& numbering,
                              const NumberedMatrix<double, Device>& graph,
                              const PruneScheme& scheme, std::size_t messageBytes,
                              LocalFailure& failure) {
  Traffic uncounted;
  IndexWeights<Device> lengths;
  failure.guard([&] { lengths = rowWeights(graph.matrix, graph.rowNumbers); });
  IndexWeights<Device> work =
      workWeights(ranks, numbering, graph, lengths.weights, messageBytes, uncounted, failure);
  work.work = true;
  const auto most = static_cast<long long>(mostKept(scheme, static_cast<double>(numbering.size())));
  std::vector<double> sums{0, 0, 0};
  failure.guard([&] {
    const KeptSums mine = NodeWork<Device>(work.weights, most).sums();
    sums = {mine.first, mine.kept, mine.squares};
  });
  sumEverywhere(ranks.comm(), sums, failure);
  const double first = sums[0], kept = sums[1], squares = sums[2];
  if (!(first > 0)) return work;
  const double part = std::min(1.0, squares / first);
  const double met = std::min(1.0, first / squares) * squares / kept;
  failure.guard([&] { NodeWork<Device>(work.weights, most).addSecondProduct(part, met); });
  return work;
}

}  // namespace Trident::Impl

#endif
