// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TEAMPRODUCT_HPP
#define TRIDENT_TEAMPRODUCT_HPP

#include <algorithm>
#include <cstddef>
#include <limits>

#include "kernels/teams/Trident_TeamBins.hpp"
#include "kernels/teams/Trident_TeamTable.hpp"
#include "kernels/teams/Trident_TeamWindows.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_SortRows.hpp"

namespace Trident::Impl {

/// One product by Kokkos' teams, which run() forms.
template <class Scalar, class Device, class Semiring>
class TeamProduct {
 public:
  /// @param scratchMost most bytes of scratch memory for a team; tests lower it
  TeamProduct(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
              std::size_t scratchMost)
      : A_(A),
        B_(B),
        rows_(A.numRows()),
        columns_(B.numCols()),
        scratch_(std::min(scratchMost, scratchOfDevice()) - 2 * scratchAlignment),
        counts_("Trident::offsets", rows_ + 1),
        list_(scratch<int, Device>("Trident::rowsOfBin", rows_)),
        lanes_(lanesFor(B.nnz(), B.numRows())) {
    while (tables_ < teamTables &&
           ComputeTableRows<Scalar, Device, Semiring>::bytes(tableSlots(tables_)) <= scratch_)
      ++tables_;
    const double mean = B.numRows() > 0 ? static_cast<double>(B.nnz()) / B.numRows() : 1;
    while (threads_ < 256 && threads_ < 2 * mean) threads_ *= 2;
  }

  LocalMatrix<Scalar, Device> run() {
    countEntries();
    const auto C = arraysForCounts<Scalar, Device>(counts_);
    if (C.columns.extent(0) > 0) computeEntries(C);
    Kokkos::fence();  // the destructor frees memory that kernels use
    return C.matrix(columns_);
  }

 private:
  using Policy = Kokkos::TeamPolicy<typename Device::execution_space>;
  static constexpr int chunksMost = 64;
  static constexpr int longThreads = 256;

  static std::size_t scratchOfDevice() { return Policy(1, 1).scratch_size_max(0); }

  /// Runs a functor with a row for each team, or for each thread of a team.
  /// @param threads bound of a team's size, in vector lanes: its threads times their lanes
  template <class Functor>
  void launch(const char* label, long long count, int threads, int lanesWanted,
              const Functor& functor) const {
    const int lanes = std::min(lanesWanted, Policy::vector_length_max());
    const std::size_t bytes = alignedScratch(functor.scratchBytes()) + scratchAlignment;
    const auto withScratch = [&](Policy policy) {
      return functor.wholeTeam ? policy.set_scratch_size(0, Kokkos::PerTeam(bytes))
                               : policy.set_scratch_size(0, Kokkos::PerThread(bytes));
    };
    // A team's scratch memory must fit on the device, and leave room for other teams.
    const int fit =
        functor.wholeTeam
            ? threads
            : static_cast<int>(std::max<std::size_t>(1, std::min(scratch_, teamScratch) / bytes));
    const int most =
        withScratch(Policy(1, 1, lanes)).team_size_max(functor, Kokkos::ParallelForTag());
    int size = 1;  // a power of two, which sums and scans of a team need on some devices
    while (2 * size <= std::min({most, threads / lanes, fit})) size *= 2;
    const long long teams = functor.wholeTeam ? count : (count + size - 1) / size;
    Kokkos::parallel_for(label, withScratch(Policy(static_cast<int>(teams), size, lanes)), functor);
  }

  void countEntries() {
    multiplyAdds_ = multiplyAddsOfRows(A_, B_);
    const TeamBins<Device, BinByMultiplyAdds> bins({multiplyAdds_.data(), tables_}, rows_, list_);
    for (int b = 0; b < tables_; ++b)
      bins.with(b, [&](const int* rows, long long count) {
        const int slots = tableSlots(b);
        const bool wholeTeam = slots > 1024;
        launch("Trident::countTableRows", count, wholeTeam ? longThreads : rowThreads, lanes_,
               CountTableRows<Scalar, Device>{TeamCsr<Scalar>(A_), TeamCsr<Scalar>(B_), rows, count,
                                              counts_.data(), slots, wholeTeam});
      });
    countLongRows(bins);
  }

  void countLongRows(const TeamBins<Device, BinByMultiplyAdds>& bins) {
    const long long count = bins.count(longRowsBin);
    if (count == 0) return;
    longRows_ = scratch<int, Device>("Trident::longRows", count);
    bins.listed(longRowsBin, longRows_);
    const int whole = roundedUp(columns_), window = std::min(computeWindow(), whole);
    const long long mostChunks =
        std::min<long long>(chunksMost, std::numeric_limits<int>::max() / count);
    const int chunks =
        static_cast<int>(std::min<long long>(mostChunks, (columns_ - 1) / window + 1));
    chunksFound_ = scratch<int, Device>("Trident::chunksFound", count * chunks);
    const bool sorted = columns_ <= window || rowsAscend(B_);
    long_ = {TeamCsr<Scalar>(A_),
             TeamCsr<Scalar>(B_),
             sorted,
             longRows_.data(),
             columns_,
             chunks,
             roundedUp((columns_ - 1) / chunks + 1),
             chunksFound_.data()};
    const int fit = static_cast<int>(std::min<std::size_t>(scratch_, 1 << 20)) * 8 / 32 * 32;
    launch("Trident::countLongRows", count * chunks, longThreads, lanes_,
           CountLongRows<Scalar, Device>{long_, counts_.data(), std::min(fit, long_.chunkColumns)});
  }

  void computeEntries(const CrsArrays<Scalar, Device>& C) {
    multiplyAdds_ = {};
    const TeamCsr<Scalar> A(A_), B(B_);
    const TeamBins<Device, BinByEntries> bins({C.offsets.data(), tables_}, rows_, list_);
    for (int b = 0; b < tables_; ++b)
      bins.with(b, [&](const int* rows, long long count) {
        const int slots = tableSlots(b);
        const bool wholeTeam = slots > 256;
        launch("Trident::computeTableRows", count, wholeTeam ? threads_ : rowThreads, lanes_,
               ComputeTableRows<Scalar, Device, Semiring>{A, B, rows, count, C.offsets.data(),
                                                          C.columns.data(), C.values.data(), slots,
                                                          wholeTeam, TeamTimes<Semiring>()});
      });
    if (!bins.has(longRowsBin)) return;
    const std::size_t tableMost = tables_ > 0 ? tableSlots(tables_ - 1) / 4 * 3 : 0;
    // Teams have one lane, because more lanes would repeat the scan that writes the entries.
    launch("Trident::computeLongRows", static_cast<long long>(longRows_.extent(0)) * long_.chunks,
           longThreads, 1,
           ComputeLongRows<Scalar, Device, Semiring>{
               long_, C.offsets.data(), C.columns.data(), C.values.data(), tableMost,
               std::min(computeWindow(), long_.chunkColumns), TeamTimes<Semiring>()});
  }

  static int roundedUp(int columns) {
    return static_cast<int>(
        std::min<long long>((columns + 31ll) / 32 * 32, std::numeric_limits<int>::max() / 32 * 32));
  }
  /// Returns the number of columns whose sums and bits fit in scratch memory; a multiple of 32.
  int computeWindow() const {
    std::size_t columns = 32;
    while (ComputeLongRows<Scalar, Device, Semiring>::bytes(static_cast<int>(columns + 32)) <=
           scratch_)
      columns += 32;
    return static_cast<int>(columns);
  }

  static constexpr int rowThreads = 128;
  static constexpr std::size_t teamScratch = 24 * 1024;

  const LocalMatrix<Scalar, Device> A_, B_;
  const int rows_, columns_;
  const std::size_t scratch_;
  const Kokkos::View<std::size_t*, Device> counts_;  // lengths of C's rows, later C's offsets
  const Kokkos::View<int*, Device> list_;
  const int lanes_;  // lanes that share a row of B
  Kokkos::View<long long*, Device> multiplyAdds_;
  Kokkos::View<int*, Device> longRows_, chunksFound_;
  LongRowChunks<Scalar> long_;
  int tables_ = 0;    // number of bins whose tables fit in scratch memory
  int threads_ = 64;  // vector lanes of a team that takes A's entries one after the other
};

/// Forms C = A·B on any device by Kokkos' teams and scratch memory. C's rows are sorted. The
/// columns of a row of B must differ, but need not ascend. C's structure does not depend on values.
/// Every run and device gives equal bits: sums are in the order of A's entries, and each product is
/// rounded before it is added. Takes 12 bytes for each row of A, and up to 260 more for a row with
/// too many multiply-adds for a table. Local. C is complete on return. See doc/algorithm.md, "On
/// devices".
template <class Scalar, class Device, class Semiring = PlusTimes<Scalar>>
LocalMatrix<Scalar, Device> teamProduct(
    const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
    std::size_t scratchMost = std::numeric_limits<std::size_t>::max()) {
  if (A.nnz() == 0 || B.nnz() == 0) return emptyMatrix<Scalar, Device>(A.numRows(), B.numCols());
  return TeamProduct<Scalar, Device, Semiring>(A, B, scratchMost).run();
}

}  // namespace Trident::Impl

#endif
