// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SPACECUTS_HPP
#define TRIDENT_SPACECUTS_HPP

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "Trident_FetchAdd.hpp"
#include "Trident_IndexSpace.hpp"
#include "Trident_Interval.hpp"
#include "Trident_Names.hpp"
#include "Trident_NumberedMatrix.hpp"
#include "Trident_Numbering.hpp"
#include "Trident_Options.hpp"
#include "Trident_Partition.hpp"
#include "Trident_SumEverywhere.hpp"

namespace Trident::Impl {

/// Entries of a matrix by the number of their row or column: what a space is balanced by.
template <class Device>
struct EntryWeights {
  IndexNumbers<Device> numbers;              ///< of each local row, or of each local column
  Kokkos::View<long long*, Device> entries;  ///< in that row or column on this rank
};

/// Entries in each local row. Local.
template <class Matrix, class Device = typename Matrix::device_type>
EntryWeights<Device> rowWeights(const Matrix& matrix, const RowNumbers<Device>& rowNumbers) {
  const auto offsets = matrix.graph.row_map;
  const auto entries = uninitialized<long long, Device>("Trident::rowEntries", matrix.numRows());
  Kokkos::parallel_for(
      "Trident::rowWeights", Range<Device>(0, matrix.numRows()),
      TRIDENT_LAMBDA(long long r) { entries(r) = offsets(r + 1) - offsets(r); });
  return {rowNumbers.numbers(), entries};
}

/// Entries in each local column. Local.
template <class Matrix, class Device = typename Matrix::device_type>
EntryWeights<Device> columnWeights(const Matrix& matrix, const IndexNumbers<Device>& numbers) {
  const Kokkos::View<long long*, Device> entries("Trident::columnEntries", numbers.size());
  const auto columns = matrix.graph.entries;
  Kokkos::parallel_for(
      "Trident::columnWeights", Range<Device>(0, columns.extent(0)),
      TRIDENT_LAMBDA(long long e) { fetchAdd(&entries(columns(e)), 1ll); });
  return {numbers, entries};
}

/// Weights of this rank in bins: bin b holds the positions [begin(b), begin(b + 1)). Local.
template <class Device>
std::vector<long long> ownBinWeights(const EntryWeights<Device>& weights,
                                     const std::vector<Position>& begins,
                                     const Permutation& permutation) {
  const int bins = static_cast<int>(begins.size()) - 1;
  const auto begin = toDevice<Position, Device>(begins);
  const Kokkos::View<long long*, Device> sums("Trident::binWeights", bins);
  const auto numbers = weights.numbers;
  const auto entries = weights.entries;
  const Permutation perm = permutation;
  // Neighbours mostly share a bin: what a few of them weigh is summed before it is added.
  constexpr long long together = 64;
  const long long count = numbers.size();
  Kokkos::parallel_for(
      "Trident::binWeights", Range<Device>(0, (count + together - 1) / together),
      TRIDENT_LAMBDA(long long chunk) {
        const long long first = chunk * together;
        const long long end = first + together < count ? first + together : count;
        long long bin = intervalOf(begin, bins, perm.forward(numbers(first))), sum = 0;
        for (long long l = first; l < end; ++l) {
          const long long next = intervalOf(begin, bins, perm.forward(numbers(l)));
          if (next != bin) {
            fetchAdd(&sums(bin), sum);
            bin = next;
            sum = 0;
          }
          sum += entries(l);
        }
        fetchAdd(&sums(bin), sum);
      });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  return std::vector<long long>(host.data(), host.data() + bins);
}

/// Weights summed over all ranks in bins: bin b holds the positions [begin(b), begin(b + 1)).
/// Collective over `comm`; throws Trident::Error on every rank where one lacks memory.
template <class Device>
std::vector<long long> binWeights(const EntryWeights<Device>& weights,
                                  const std::vector<Position>& begins,
                                  const Permutation& permutation, MPI_Comm comm) {
  std::vector<long long> sums;
  LocalFailure failure;
  failure.guard([&] { sums = ownBinWeights(weights, begins, permutation); });
  sums.resize(begins.size() - 1);
  sumEverywhere(comm, sums, failure);
  return sums;
}

/// What was taken where index spaces were cut, for a report.
struct CutNotes {
  std::string partition;  ///< "aligned", say; "a and b" where spaces differ
  std::string reasons;    ///< a sentence for each space whose cuts are not what was asked for

  /// Notes what one more space was cut like.
  void add(PartitionKind kind) {
    const std::string name = nameOf(kind);
    if (partition.find(name) == std::string::npos)
      partition += (partition.empty() ? "" : " and ") + name;
  }
};

/// Cuts the space of numbered indices for a grid as the options ask. Collective over `comm`;
/// throws Trident::Error on every rank where one lacks memory.
/// @param weights entries by row where the space has rows, else by column; of one part, not read
/// @param notes get the partition that was taken, and why where another was asked for
template <class Device>
std::shared_ptr<const IndexSpace> cutSpace(const Numbering& numbering,
                                           const EntryWeights<Device>& weights,
                                           const GridShape& shape, const GridOptions& options,
                                           const std::string& name, MPI_Comm comm,
                                           CutNotes& notes) {
  const Position n = numbering.size();
  const int parts = shape.segments() * shape.lambda;
  const Permutation permutation =
      options.permute ? Permutation(n, shape.nodeCols, parts / shape.nodeCols, options.seed)
                      : Permutation();
  PartitionKind kind = options.partition;
  if (kind == PartitionKind::Aligned && options.permute) {
    kind = PartitionKind::Uniform;
    notes.reasons +=
        "partition of " + name + ": uniform, as permuted positions lie on no rank's rows; ";
  }
  if (parts == 1) {
    notes.add(kind);
    return std::make_shared<IndexSpace>(shape, uniformCuts(n, parts), permutation,
                                        options.largestTile);
  }
  if (kind == PartitionKind::Aligned) {
    const std::vector<Position> cuts = alignedCuts(numbering.rankBegin, parts);
    const double worst = imbalance(binWeights(weights, cuts, permutation, comm));
    if (worst <= options.partitionImbalance) {
      notes.add(kind);
      return std::make_shared<IndexSpace>(shape, cuts, permutation, options.largestTile);
    }
    kind = PartitionKind::Balanced;
    notes.reasons += "partition of " + name + ": balanced, as the largest aligned block has " +
                     std::to_string(worst).substr(0, 5) + " times the mean entries; ";
  }
  notes.add(kind);
  if (kind == PartitionKind::Balanced && n > 0) {
    // A coarse histogram: a few bins a part, summed over the ranks.
    const int bins = static_cast<int>(std::min<Position>(n, 16ll * parts));
    const auto histogram = binWeights(weights, uniformCuts(n, bins), permutation, comm);
    return std::make_shared<IndexSpace>(shape, balancedCuts(n, parts, histogram), permutation,
                                        options.largestTile);
  }
  return std::make_shared<IndexSpace>(shape, uniformCuts(n, parts), permutation,
                                      options.largestTile);
}

}  // namespace Trident::Impl

#endif
