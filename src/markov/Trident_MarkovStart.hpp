// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVSTART_HPP
#define TRIDENT_MARKOVSTART_HPP

#include <Tpetra_Vector.hpp>
#include <cmath>
#include <optional>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "markov/Trident_MarkovCluster_decl.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_OrderRows.hpp"
#include "tpetra/Trident_Operand.hpp"

namespace Trident::Impl {

/// Throws if a weight is negative or not finite. Local.
/// @param name name of the matrix, for the message
/// @param signedToo true if negative weights are allowed
template <class Values>
void requireWeights(const Values& values, const std::string& name, bool signedToo = false) {
  using Device = typename Values::device_type;
  long long bad = 0;
  Kokkos::parallel_reduce(
      "Trident::badWeights", Range<Device>(0, values.extent(0)),
      TRIDENT_LAMBDA(long long e, long long& sum) {
        const double weight = values(e);
        sum +=
            !((signedToo || weight >= 0) && weight - weight == 0);  // infinity - infinity is a NaN
      },
      bad);
  if (bad > 0)
    throw Error(
        name + " has " + std::to_string(bad) +
        (signedToo
             ? " weights that are not finite"
             : " weights that are negative or not finite; weights must be numbers from 0 on"));
}

/// Returns the message for a column of A without a row. Each column must be a row, too.
inline MissingIndexMessage missingColumnMessage() {
  return {"A has a column", "A's row Map", "A must have a row for each of its columns"};
}

/// Returns the weight of a row's heaviest edge; 0 if the row has none. Loops are no edges. The
/// weight is negative if all weights are. For kernels.
template <class Device>
KOKKOS_INLINE_FUNCTION double heaviestEdge(const NumberedMatrix<double, Device>& graph,
                                           long long r) {
  const Position own = graph.rowNumbers(r);
  const auto& offsets = graph.matrix.graph.row_map;
  double heaviest = 0;
  for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) {
    const double weight = graph.matrix.values(e);
    if (graph.columnNumbers(graph.matrix.graph.entries(e)) != own && weight != 0 &&
        (heaviest == 0 || weight > heaviest))
      heaviest = weight;
  }
  return heaviest;
}

/// A functor that sets the loop of a row, raises the weights to `power`, and divides the row by its
/// sum. The row must have an entry for the loop. The loop becomes the heaviest edge times
/// `loopFactor`, or 1 if there is no edge. Negative weights are not raised. Weights are first
/// divided by the heaviest edge, so that powers and sums are finite. If a weight is negative, the
/// divisor is a power of two instead, so that weights that cancel still sum to 0. As in mcl, a row
/// with sum 0 is not divided by its sum.
template <class Device>
struct SetLoop {
  NumberedMatrix<double, Device> graph;
  double loopFactor = 1, power = 1;

  KOKKOS_INLINE_FUNCTION double raised(double weight) const {
    return power == 1 || weight < 0 ? weight : ::pow(weight, power);
  }
  /// Returns the number by which the weights of a row are divided first.
  KOKKOS_INLINE_FUNCTION double unitOf(long long r, double heaviest) const {
    const auto& offsets = graph.matrix.graph.row_map;
    for (std::size_t e = offsets(r); e < offsets(r + 1); ++e)
      if (graph.matrix.values(e) < 0) return ::ldexp(1.0, ::ilogb(heaviest));
    return heaviest;
  }

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    const Position own = graph.rowNumbers(r);
    const auto& offsets = graph.matrix.graph.row_map;
    const auto& columns = graph.matrix.graph.entries;
    const auto& values = graph.matrix.values;
    const double heaviest = heaviestEdge(graph, r);
    const double unit = heaviest == 0 ? 1 : unitOf(r, heaviest);
    const double ofLoop = heaviest == 0 ? 1 : raised(loopFactor * (heaviest / unit));
    double sum = 0;
    for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) {
      const bool loop = graph.columnNumbers(columns(e)) == own;
      values(e) = loop ? ofLoop : values(e) != 0 ? raised(values(e) / unit) : 0;
      sum += values(e);
    }
    const double divisor = sum != 0 ? sum : 1 / unit;
    for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) values(e) /= divisor;
  }
};

/// A functor that divides the edges of a row by a power of two, so that their sums are finite and
/// keep all digits.
template <class Device>
struct ScaleEdges {
  NumberedMatrix<double, Device> graph;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    const Position own = graph.rowNumbers(r);
    const auto& offsets = graph.matrix.graph.row_map;
    const auto& columns = graph.matrix.graph.entries;
    const auto& values = graph.matrix.values;
    const double heaviest = heaviestEdge(graph, r);
    if (heaviest == 0) return;
    const int exponent = ::ilogb(heaviest);
    for (std::size_t e = offsets(r); e < offsets(r + 1); ++e)
      if (graph.columnNumbers(columns(e)) != own) values(e) = ::ldexp(values(e), -exponent);
  }
};

/// Adds up entries with the same row and column. Local; waits for its kernels.
/// @param graph no other matrix may share the graph's values, because they are overwritten
template <class Device>
void sumRepeatedEdges(NumberedMatrix<double, Device>& graph) {
  const auto& rows = graph.matrix;
  if (columnsAscend<Device>(rows.graph.row_map, rows.graph.entries, rows.numCols())) return;
  Kokkos::parallel_for("Trident::scaleEdges", Range<Device>(0, rows.numRows()),
                       ScaleEdges<Device>{graph});
  graph.matrix = sumDuplicates<double, Device>(rows);
}

/// Makes a graph of a matrix, with mcl's loops and with rows that sum to 1. Entries with the same
/// row and column are added up. Collective; may throw as columnNumbers().
/// @param A matrix with checked weights
/// @param options checked options
template <class LO, class GO, class NO>
NumberedMatrix<double, typename NO::device_type> graphWithLoops(
    const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const MarkovOptions& options,
    const GlobalNumbering<LO, GO, NO>& numbering, const NodeLayout& layout, MPI_Comm comm,
    LocalFailure& failure) {
  using Device = typename NO::device_type;
  using Vector = Tpetra::Vector<double, LO, GO, NO>;
  Traffic uncounted;
  // The operand I - ω D⁻¹ A with ω = -1 and D = I is A + I: A with a loop in each row.
  std::optional<Vector> ones;
  failure.guard([&] {
    ones.emplace(A.getRowMap());
    ones->putScalar(1);
  });
  throwEverywhere(comm, failure.text());
  const Operand<double, LO, GO, NO> withLoops(A, "A", -1.0, *ones);
  const LocalOperand<double, LO, GO, NO> local(withLoops, numbering, numbering, layout, comm,
                                               uncounted, missingColumnMessage(), failure);
  NumberedMatrix<double, Device> graph;
  failure.guard([&] {
    graph = local.numbered(withLoops);
    sumRepeatedEdges(graph);
    Kokkos::parallel_for("Trident::setLoops", Range<Device>(0, graph.matrix.numRows()),
                         SetLoop<Device>{graph, options.loopFactor, options.firstInflation});
    Kokkos::fence();
  });
  return graph;
}

}  // namespace Trident::Impl

#endif
