// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COALESCEDROPINPUT_HPP
#define TRIDENT_COALESCEDROPINPUT_HPP

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>

#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Magnitude.hpp"
#include "matrix/Trident_Search.hpp"

// Kernels that drop entries of a matrix and make a graph of nodes. Successive rows are the unknowns
// of a node. A thread of a team works on a node, and its vector lanes share a row. Nodes ascend
// along a row, as columns do. So entries of one node stand together, and bisection finds them.

namespace Trident::Impl {

/// Largest number of rows of a node. Each row has a bit in a mask of 64 bits.
constexpr int mostRowsOfNode = 64;

/// A matrix by nodes, and a rule for dropping entries. If `drops` is false, all entries stay. Else
/// an entry off the diagonal is dropped if |a_ij|² <= tolerance²·|a_ii|·|a_jj|, or if its row is
/// bare. A bare row keeps only its diagonal.
template <class Scalar, class Device>
struct CoalesceDropInput {
  using scalar_type = Scalar;
  using Real = MagnitudeOf<Scalar>;
  using Mask = unsigned long long;

  LocalMatrix<Scalar, Device> matrix;
  Kokkos::View<int*, Device> nodes;  ///< node of each column
  int block = 1;                     ///< number of rows of a node
  bool drops = false;
  Real tolerance = 0;
  Kokkos::View<const Scalar*, Device> diagonal;  ///< each column's diagonal entry; unset if !drops
  Kokkos::View<Mask*, Device> bare;              ///< bare rows of each node: bit r marks its row r

  long long count() const { return matrix.numRows() / block; }
  KOKKOS_INLINE_FUNCTION std::size_t begin(long long row) const {
    return matrix.graph.row_map(row);
  }
  KOKKOS_INLINE_FUNCTION int length(long long row) const {
    return static_cast<int>(begin(row + 1) - begin(row));
  }
  KOKKOS_INLINE_FUNCTION int nodeAt(std::size_t at) const {
    return nodes(matrix.graph.entries(at));
  }

  /// Returns true if the entry at `at` of a row stays.
  KOKKOS_INLINE_FUNCTION bool keeps(long long row, bool isBare, std::size_t at) const {
    if (!drops) return true;
    const int column = matrix.graph.entries(at);
    if (column == row) return true;
    if (isBare) return false;
    const Real size = magnitude(matrix.values(at));
    const Real scale = magnitude(diagonal(row)) * magnitude(diagonal(column));
    return !(size * size <= tolerance * tolerance * scale);  // negated, so that a NaN stays
  }
  /// Returns true if any entry of `node` in a row stays. The entries of `node` begin at `at`.
  KOKKOS_INLINE_FUNCTION bool keepsAny(long long row, bool isBare, std::size_t at, int node) const {
    for (; at < begin(row + 1) && nodeAt(at) == node; ++at)
      if (keeps(row, isBare, at)) return true;
    return false;
  }
  /// Returns the place of a row's first entry whose node is `node` or a later one.
  KOKKOS_INLINE_FUNCTION std::size_t firstOf(long long row, int node) const {
    return firstNotBelow([this](std::size_t at) { return nodeAt(at); }, begin(row), begin(row + 1),
                         node);
  }
  /// Returns true if the entry at `at`, in row r of `node`, is a leader. Each neighbour of `node`
  /// in the graph has one leader. Its row is the first row of `node` that keeps an entry in the
  /// neighbour's columns. The leader is this row's first entry in these columns, kept or not.
  KOKKOS_INLINE_FUNCTION bool leads(long long node, Mask mask, int r, std::size_t at) const {
    const long long first = node * block;
    const int other = nodeAt(at);
    if (at > begin(first + r) && nodeAt(at - 1) == other) return false;
    if (!keepsAny(first + r, mask >> r & 1, at, other)) return false;
    for (int q = 0; q < r; ++q)
      if (keepsAny(first + q, mask >> q & 1, firstOf(first + q, other), other)) return false;
    return true;
  }
};

/// The teams of kernels on nodes or rows. A thread of a team works on node or row numberOf().
template <class Device>
struct NodeTeams {
  using Policy = Kokkos::TeamPolicy<typename Device::execution_space>;
  using Member = typename Policy::member_type;

  KOKKOS_INLINE_FUNCTION static long long numberOf(const Member& member) {
    return static_cast<long long>(member.league_rank()) * member.team_size() + member.team_rank();
  }
  /// Runs a functor for `count` nodes or rows. Local; does not wait for the kernel.
  template <class Functor>
  static void run(const char* label, long long count, const Functor& functor) {
    if (count == 0) return;
    const int threads = isHost<Device> ? 1 : 4, lanes = std::min(32, Policy::vector_length_max());
    const int teams = static_cast<int>((count + threads - 1) / threads);
    Kokkos::parallel_for(label, Policy(teams, threads, lanes), functor);
  }
};

/// A functor that finds the entries of a node that stay, row after row. The rows of a boundary node
/// are bare. If `closes` is true, a row that keeps only its diagonal makes its node a boundary
/// node: this row and the node's later rows are bare.
template <class Scalar, class Device>
struct DecideNodes {
  CoalesceDropInput<Scalar, Device> rows;
  Kokkos::View<bool*, Device> boundary;
  bool closes;
  Kokkos::View<std::size_t*, Device> kept;  ///< output: number of kept entries of each row
  /// Output: for each entry, the number of leaders (see leads()) in its row, from the row's first
  /// entry to this one.
  Kokkos::View<int*, Device> leaders;
  Kokkos::View<int*, Device> descents;  ///< output: 1 if nodes do not ascend in some row

  KOKKOS_INLINE_FUNCTION void operator()(const typename NodeTeams<Device>::Member& member) const {
    const long long node = NodeTeams<Device>::numberOf(member);
    if (node >= static_cast<long long>(boundary.extent(0))) return;
    typename CoalesceDropInput<Scalar, Device>::Mask mask = 0;
    bool isBoundary = boundary(node);
    for (int r = 0; r < rows.block; ++r) {
      const long long row = node * rows.block + r;
      const std::size_t begin = rows.begin(row);
      const int length = rows.length(row);
      int stays = length;
      if (rows.drops) {
        int own = 0, others = 0;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(member, length),
            [&](int e, int& sum) { sum += rows.matrix.graph.entries(begin + e) == row; }, own);
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(member, length),
            [&](int e, int& sum) { sum += rows.keeps(row, isBoundary, begin + e); }, others);
        others -= own;
        if (closes && others == 0) isBoundary = true;
        if (isBoundary) mask |= 1ull << r;
        stays = own + others;
      }
      Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member, length),
                            [&](int e, int& sum, bool final) {
                              sum += rows.leads(node, mask, r, begin + e);
                              if (!final) return;
                              leaders(begin + e) = sum;
                              if (e > 0 && rows.nodeAt(begin + e) < rows.nodeAt(begin + e - 1))
                                descents(0) = 1;
                            });
      Kokkos::single(Kokkos::PerThread(member), [&] { kept(row) = stays; });
    }
    Kokkos::single(Kokkos::PerThread(member), [&] {
      rows.bare(node) = mask;
      boundary(node) = isBoundary;
    });
  }
};

/// A functor that puts the neighbours of each node into the graph, in ascending order.
template <class Scalar, class Device>
struct FillGraph {
  CoalesceDropInput<Scalar, Device> rows;
  Kokkos::View<int*, Device> leaders;               ///< see DecideNodes::leaders
  Kokkos::View<const std::size_t*, Device> begins;  ///< start of each node in the graph
  Kokkos::View<int*, Device> entries;

  /// Returns the number of leaders (see leads()) in a row before the entry at `at`.
  KOKKOS_INLINE_FUNCTION int before(long long row, std::size_t at) const {
    return at > rows.begin(row) ? leaders(at - 1) : 0;
  }
  KOKKOS_INLINE_FUNCTION void operator()(const typename NodeTeams<Device>::Member& member) const {
    const long long node = NodeTeams<Device>::numberOf(member);
    if (node + 1 >= static_cast<long long>(begins.extent(0))) return;
    const long long first = node * rows.block, end = first + rows.block;
    for (long long row = first; row < end; ++row) {
      if (before(row, rows.begin(row + 1)) == 0) continue;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, rows.length(row)), [&](int e) {
        const std::size_t at = rows.begin(row) + e;
        std::size_t place = before(row, at);
        if (static_cast<std::size_t>(leaders(at)) == place) return;
        const int other = rows.nodeAt(at);
        for (long long q = first; q < end; ++q)
          if (q != row && before(q, rows.begin(q + 1)) > 0)
            place += before(q, rows.firstOf(q, other));
        entries(begins(node) + place) = other;
      });
    }
  }
};

/// A functor that fills the filtered matrix. If `whole` is true, the matrix has all entries, with
/// zeros for the dropped ones. Else it has only the entries that stay.
template <class Scalar, class Device>
struct FillFiltered {
  CoalesceDropInput<Scalar, Device> rows;
  LocalMatrix<Scalar, Device> filtered;
  bool whole;
  /// True if dropped entries are added to the diagonal. After that, a diagonal entry whose real
  /// part is at most `least` becomes 1, unless `least` is negative.
  bool lumps;
  typename CoalesceDropInput<Scalar, Device>::Real least;

  KOKKOS_INLINE_FUNCTION void operator()(const typename NodeTeams<Device>::Member& member) const {
    const long long row = NodeTeams<Device>::numberOf(member);
    if (row >= rows.matrix.numRows()) return;
    const bool isBare = rows.bare(row / rows.block) >> (row % rows.block) & 1;
    const std::size_t begin = rows.begin(row), to = filtered.graph.row_map(row);
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member, rows.length(row)),
                          [&](int e, int& before, bool final) {
                            const bool stays = rows.keeps(row, isBare, begin + e);
                            if (final) put(row, begin + e, to + (whole ? e : before), stays);
                            before += stays;
                          });
    if (lumps) Kokkos::single(Kokkos::PerThread(member), [&] { lump(row, isBare); });
  }

 private:
  KOKKOS_INLINE_FUNCTION void put(long long row, std::size_t from, std::size_t to,
                                  bool stays) const {
    const int column = rows.matrix.graph.entries(from);
    if (!whole && stays) filtered.graph.entries(to) = column;
    if (lumps && column == row) return;  // lump() sets the diagonal
    if (stays)
      filtered.values(to) = rows.matrix.values(from);
    else if (whole)
      filtered.values(to) = Scalar(0);
  }
  /// Adds the dropped entries to the diagonal. One lane adds them in the row's order, as MueLu
  /// does, because in another order rounding could move a sum across `least`.
  KOKKOS_INLINE_FUNCTION void lump(long long row, bool isBare) const {
    const std::size_t begin = rows.begin(row), end = rows.begin(row + 1);
    std::size_t diagonal = end, place = filtered.graph.row_map(row), placed = 0;
    Scalar sum(0);
    for (std::size_t at = begin; at < end; ++at) {
      const bool stays = rows.keeps(row, isBare, at);
      if (rows.matrix.graph.entries(at) == row) diagonal = at, placed = place;
      if (!stays) sum += rows.matrix.values(at);
      if (stays || whole) ++place;
    }
    if (diagonal == end) return;
    const Scalar lumped = rows.matrix.values(diagonal) + sum;
    const bool low = least >= 0 && realPart(lumped) <= least;
    filtered.values(placed) = low ? Scalar(1) : lumped;
  }
  template <class Real>
  KOKKOS_INLINE_FUNCTION static Real realPart(const Real& x) {
    return x;
  }
  template <class Real>
  KOKKOS_INLINE_FUNCTION static Real realPart(const Kokkos::complex<Real>& x) {
    return x.real();
  }
};

/// The graph of nodes, and the offsets of the filtered matrix's rows.
template <class Device>
struct NodeGraph {
  Kokkos::View<std::size_t*, Device> begins, rowBegins;
  Kokkos::View<int*, Device> entries;
  std::size_t kept = 0;  ///< entries of the filtered matrix
};

/// Counts the neighbours of each node in the graph.
template <class Scalar, class Device>
void countNodes(const CoalesceDropInput<Scalar, Device>& rows,
                const Kokkos::View<int*, Device>& leaders,
                const Kokkos::View<std::size_t*, Device>& counts) {
  Kokkos::parallel_for(
      "Trident::countNodes", Range<Device>(0, rows.count()), TRIDENT_LAMBDA(long long node) {
        std::size_t sum = 0;
        for (int r = 0; r < rows.block; ++r) {
          const long long row = node * rows.block + r;
          if (rows.length(row) > 0) sum += leaders(rows.begin(row + 1) - 1);
        }
        counts(node) = sum;
      });
}

/// Returns the number of marks that are set. Local.
template <class Device>
long long countTrue(const Kokkos::View<bool*, Device>& marks) {
  long long count = 0;
  Kokkos::parallel_reduce(
      "Trident::countTrue", Range<Device>(0, marks.extent(0)),
      TRIDENT_LAMBDA(long long i, long long& sum) { sum += marks(i); }, count);
  return count;
}

/// Chooses the entries that stay, and makes the graph. Returns false, and an unusable graph, if
/// nodes do not ascend along every row. Local.
/// @param rows matrix and rule; the function sets rows.bare
/// @param boundary true for each boundary node; the function may add nodes
/// @param closes see DecideNodes
template <class Scalar, class Device>
bool makeNodeGraph(CoalesceDropInput<Scalar, Device>& rows,
                   const Kokkos::View<bool*, Device>& boundary, bool closes,
                   NodeGraph<Device>& graph) {
  using Mask = typename CoalesceDropInput<Scalar, Device>::Mask;
  const std::size_t count = static_cast<std::size_t>(rows.count());
  rows.bare = scratch<Mask, Device>("Trident::bareRows", count);
  graph.begins = uninitialized<std::size_t, Device>("Trident::nodeBegins", count + 1);
  graph.rowBegins =
      uninitialized<std::size_t, Device>("Trident::rowBegins", rows.matrix.numRows() + 1);
  const auto leaders = scratch<int, Device>("Trident::leaders", rows.matrix.nnz());
  const auto descents = zeroScratch<int, Device>("Trident::descents", 1);
  NodeTeams<Device>::run(
      "Trident::decideNodes", rows.count(),
      DecideNodes<Scalar, Device>{rows, boundary, closes, graph.rowBegins, leaders, descents});
  countNodes(rows, leaders, graph.begins);
  if (toHost<int, Device>(descents)[0] > 0) return false;
  graph.kept = countsToOffsets<std::size_t, Device>(graph.rowBegins);
  graph.entries = uninitialized<int, Device>("Trident::nodeEntries",
                                             countsToOffsets<std::size_t, Device>(graph.begins));
  NodeTeams<Device>::run("Trident::fillGraph", rows.count(),
                         FillGraph<Scalar, Device>{rows, leaders, graph.begins, graph.entries});
  return true;
}

}  // namespace Trident::Impl

#endif
