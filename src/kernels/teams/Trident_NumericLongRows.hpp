// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICLONGROWS_HPP
#define TRIDENT_NUMERICLONGROWS_HPP

#include "kernels/teams/Trident_NumericRows.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

/// Where a column lies in a long sorted row: first in a sample of it in scratch memory, then in the
/// row between two columns of the sample.
struct LongRow {
  const int* columns;
  int length;
  int* sample;
  int stride;

  static constexpr int sampleMost = 2048;

  KOKKOS_INLINE_FUNCTION LongRow(const int* row, int count, void* memory)
      : columns(row),
        length(count),
        sample(static_cast<int*>(memory)),
        stride((count + sampleMost - 1) / sampleMost) {}

  KOKKOS_INLINE_FUNCTION int sampled() const {
    return length == 0 ? 0 : (length + stride - 1) / stride;
  }
  KOKKOS_INLINE_FUNCTION void take(int n) const { sample[n] = columns[n * stride]; }

  /// The last of `count` ascending numbers that is not above x; 0 where there is none.
  KOKKOS_INLINE_FUNCTION static int lastUpTo(const int* numbers, int count, int x) {
    int low = 0, high = count;
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      if (numbers[middle] <= x)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
  /// -1 where the row has no such column.
  KOKKOS_INLINE_FUNCTION int find(int column) const {
    if (length == 0) return -1;
    const int from = lastUpTo(sample, sampled(), column) * stride;
    const int here = length - from < stride ? length - from : stride;
    const int at = from + lastUpTo(columns + from, here, column);
    return columns[at] == column ? at : -1;
  }
};

/// Adds the products of a run of entries of A's row to C's values, by a team.
template <class Scalar, class Device>
struct PiecesByTeams {
  using Member = typename Kokkos::TeamPolicy<typename Device::execution_space>::member_type;
  static constexpr int entriesOfPiece = 256;  // of A

  NumericOperands<Scalar, Device> operands;
  Kokkos::View<long long*, Device> piecesBefore;
  long long count;

  /// Adds to the values of C's row.
  struct AddToRow {
    NumericOperands<Scalar, Device> operands;
    LongRow row;
    Scalar* values;

    KOKKOS_INLINE_FUNCTION long long operator()(const Scalar& value, std::size_t b) const {
      const int at = row.find(operands.B.graph.entries(b));
      if (at < 0) return 1;
      addShared(values + at, value * operands.B.values(b));
      return 0;
    }
  };

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const auto& A = operands.A.graph;
    const auto& C = operands.C.graph;
    const long long piece = member.league_rank();
    const long long n = intervalOf(piecesBefore, count, piece);
    const long long r = operands.row(n);
    const std::size_t begin = C.row_map(r);
    const LongRow row(C.entries.data() + begin, static_cast<int>(C.row_map(r + 1) - begin),
                      member.team_scratch(0).get_shmem(LongRow::sampleMost * sizeof(int)));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, row.sampled()),
                         [&](int s) { row.take(s); });
    member.team_barrier();
    const std::size_t first = A.row_map(r) + (piece - piecesBefore(n)) * entriesOfPiece;
    const std::size_t left = A.row_map(r + 1) - first;
    forTeamProducts(member, operands, first,
                    first + (left < entriesOfPiece ? left : entriesOfPiece),
                    AddToRow{operands, row, operands.C.values.data() + begin});
  }
};

template <class Scalar, class Device>
struct ZeroRows {
  using Member = typename Kokkos::TeamPolicy<typename Device::execution_space>::member_type;
  NumericOperands<Scalar, Device> operands;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const auto& offsets = operands.C.graph.row_map;
    const long long r = operands.row(member.league_rank());
    const std::size_t begin = offsets(r);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, static_cast<int>(offsets(r + 1) - begin)),
                         [&](int e) { operands.C.values(begin + e) = Scalar(0); });
  }
};

template <class Scalar, class Device>
Kokkos::View<long long*, Device> countPieces(const NumericOperands<Scalar, Device>& operands,
                                             long long count) {
  const Kokkos::View<long long*, Device> pieces("Trident::piecesOfRows", count + 1);
  constexpr int size = PiecesByTeams<Scalar, Device>::entriesOfPiece;
  Kokkos::parallel_for(
      "Trident::countPieces", Range<Device>(0, count), TRIDENT_LAMBDA(long long n) {
        const auto& offsets = operands.A.graph.row_map;
        const long long r = operands.row(n);
        pieces(n) = (offsets(r + 1) - offsets(r) + size - 1) / size;
      });
  return pieces;
}

/// Rows of any length, in global memory.
template <class Scalar, class Device>
void computeLongRows(const NumericOperands<Scalar, Device>& operands, long long count) {
  if (!operands.add) {
    const ZeroRows<Scalar, Device> zero{operands};
    Kokkos::parallel_for("Trident::zeroRows", teamPolicy<Device>(count, 256, 32, 0, false, zero),
                         zero);
  }
  const auto pieces = countPieces(operands, count);
  const long long teams = countsToOffsets<long long, Device>(pieces);
  if (teams == 0) return;
  const PiecesByTeams<Scalar, Device> functor{operands, pieces, count};
  Kokkos::parallel_for(
      "Trident::numericLongRows",
      teamPolicy<Device>(teams, 256, 32, LongRow::sampleMost * sizeof(int) + 8, false, functor),
      functor);
}

}  // namespace Trident::Impl

#endif
