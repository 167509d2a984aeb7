// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MASKEDTEAMPRODUCT_HPP
#define TRIDENT_MASKEDTEAMPRODUCT_HPP

#include "kernels/teams/Trident_TeamBins.hpp"
#include "kernels/teams/Trident_TeamGroup.hpp"
#include "kernels/teams/Trident_TeamProduct.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MatrixParts.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_Search.hpp"

// A·B within a mask by Kokkos' teams. Each entry of the mask has a sum, which terms find by their
// column. In the end, mask entries that have got no term are left out.

namespace Trident::Impl {

template <class Device>
using MaskSearch =
    ColumnSearch<Kokkos::View<const std::size_t*, Device>, Kokkos::View<int*, Device>>;

/// A kernel that adds up rows of A·B at the entries of a mask. Sums are in the order of A's
/// entries, because a group takes these entries one after the other. No two threads add to one sum
/// at a time, because the columns of a row of B differ.
template <class Scalar, class Device, class Semiring>
struct SumWithinMask {
  TeamCsr<Scalar> A, B;
  MaskSearch<Device> mask;
  Scalar* sums;        ///< sum of each mask entry; not set if the entry is not marked
  std::size_t* marks;  ///< 1 for each mask entry that has a sum, else 0
  const int* rows;     ///< rows to compute; null means all rows
  long long count;
  bool wholeTeam;
  TeamTimes<Semiring> product;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Device>& member) const {
    const long long n = groupNumber(member, wholeTeam);
    if (n >= count) return;
    const TeamGroup<TeamMember<Device>> group{member, wholeTeam};
    const long long r = rows ? rows[n] : n;
    const std::size_t begin = mask.offsets(r);
    const EntryRange inA = A.row(r);
    for (int a = 0; a < inA.length; ++a) {
      const EntryRange inB = B.row(A.columns[inA.begin + a]);
      const Scalar value = A.values[inA.begin + a];
      group.each(inB.length, [&](int b) {
        const int offset = mask(r, B.columns[inB.begin + b]);
        if (offset < 0) return;
        const std::size_t e = begin + offset;
        const Scalar more = product(value, B.values[inB.begin + b]);
        sums[e] = Semiring::plus(marks[e] ? sums[e] : Semiring::zero(), more);
        marks[e] = 1;
      });
    }
  }
};

/// A functor that returns a row's bin: noBin for no terms, byThreads for few, byTeams for many.
struct BinByMask {
  static constexpr int byThreads = 0, byTeams = 1;
  static constexpr long long threadsMost = 2048;

  const long long* multiplyAdds;
  const std::size_t* maskOffsets;

  KOKKOS_INLINE_FUNCTION int operator()(long long r) const {
    if (multiplyAdds[r] == 0 || maskOffsets[r + 1] == maskOffsets[r]) return noBin;
    return multiplyAdds[r] <= threadsMost ? byThreads : byTeams;
  }
};

/// Forms A·B within a mask. Meanwhile each entry of the mask takes 8 bytes and a scalar.
template <class Semiring, class Scalar, class Device>
LocalMatrix<Scalar, Device> teamProductWithin(const LocalMatrix<Scalar, Device>& A,
                                              const LocalMatrix<Scalar, Device>& B,
                                              const LocalMask<Device>& mask) {
  const auto multiplyAdds = multiplyAddsOfRows(A, B);
  const std::size_t entries = mask.columns.extent(0);
  const auto sums = uninitialized<Scalar, Device>("Trident::sumsInMask", entries);
  const Kokkos::View<std::size_t*, Device> marks("Trident::marks", entries + 1);
  const TeamBins<Device, BinByMask> bins({multiplyAdds.data(), mask.offsets.data()}, A.numRows());
  const int lanes = lanesFor(B.nnz(), B.numRows());
  for (const int bin : {BinByMask::byThreads, BinByMask::byTeams})
    bins.with(bin, [&](const int* rows, long long count) {
      const bool wholeTeam = bin == BinByMask::byTeams;
      const SumWithinMask<Scalar, Device, Semiring> functor{TeamCsr<Scalar>(A),
                                                            TeamCsr<Scalar>(B),
                                                            {mask.offsets, mask.columns, true},
                                                            sums.data(),
                                                            marks.data(),
                                                            rows,
                                                            count,
                                                            wholeTeam,
                                                            TeamTimes<Semiring>()};
      Kokkos::parallel_for(
          "Trident::sumMaskedRows",
          teamPolicy<Device>(count, wholeTeam ? 256 : 128, lanes, 0, !wholeTeam, functor), functor);
    });
  const LocalMatrix<Scalar, Device> inMask("Trident::inMask", A.numRows(), B.numCols(), entries,
                                           sums, mask.offsets, mask.columns);
  return selectEntries(inMask, marks);
}

/// Returns the entries of a matrix that are not in the mask. Local; waits for its kernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> entriesOutside(const LocalMatrix<Scalar, Device>& matrix,
                                           const LocalMask<Device>& mask) {
  const Kokkos::View<std::size_t*, Device> marks("Trident::marks", matrix.nnz() + 1);
  const MaskSearch<Device> search{mask.offsets, mask.columns, true};
  const auto columns = matrix.graph.entries;
  forRowEntries<Device>(
      "Trident::entriesOutside", matrix.numRows(), static_cast<long long>(matrix.nnz()),
      matrix.graph.row_map,
      TRIDENT_LAMBDA(long long r, std::size_t e) { marks(e) = search(r, columns(e)) < 0; });
  return selectEntries(matrix, marks);
}

/// Forms the entries of A·B that a mask allows, as teamProduct() forms them. For a complement,
/// forms all of A·B first, because most entries usually stay. Local.
template <class Semiring, class Scalar, class Device>
LocalMatrix<Scalar, Device> maskedTeamProduct(const LocalMatrix<Scalar, Device>& A,
                                              const LocalMatrix<Scalar, Device>& B,
                                              const LocalMask<Device>& mask) {
  if (mask.complement) return entriesOutside(teamProduct<Scalar, Device, Semiring>(A, B), mask);
  return teamProductWithin<Semiring>(A, B, mask);
}

}  // namespace Trident::Impl

#endif
