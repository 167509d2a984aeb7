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
/// @param name of the matrix, for the message
/// @param signedToo true if those that are negative are good
template <class Values>
void requireWeights(const Values& values, const std::string& name, bool signedToo = false) {
  using Device = typename Values::device_type;
  long long bad = 0;
  Kokkos::parallel_reduce(
      "Trident::badWeights", Range<Device>(0, values.extent(0)),
      TRIDENT_LAMBDA(long long e, long long& sum) {
        const double weight = values(e);
        sum +=
            !((signedToo || weight >= 0) && weight - weight == 0);  // infinity less itself is a NaN
      },
      bad);
  if (bad > 0)
    throw Error(
        name + " has " + std::to_string(bad) +
        (signedToo
             ? " weights that are not finite"
             : " weights that are negative or not finite; weights must be numbers from 0 on"));
}

/// Returns the message for a column of a graph that is no node: columns are nodes as its rows are.
inline MissingIndexMessage lookupOfNodes() {
  return {"A has a column", "A's row Map", "A must have a row for each of its columns"};
}

/// Returns the weight of a row's heaviest edge, its loop left out; 0 if it has no other. It is
/// negative if all are. For kernels.
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

/// Gives a row a loop as heavy as its heaviest edge times `loopFactor`, raises all to `power`, and
/// makes the row sum to 1. The loop is stored; it is the whole row where there is no edge. Weights
/// are divided by the heaviest first, so that their powers and their sum are finite. Where some are
/// negative it is a power of two, so that their sum is 0 where it should be; then nothing is
/// divided by it, as in mcl.
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

/// Scales the edges of a row by a power of two, so that their sums are finite and keep their
/// digits.
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

/// Adds entries of the same place, where a row may hold a column twice. Local; waits for its
/// kernels.
/// @param graph its values are its own
template <class Device>
void sumRepeatedEdges(NumberedMatrix<double, Device>& graph) {
  const auto& rows = graph.matrix;
  if (columnsAscend<Device>(rows.graph.row_map, rows.graph.entries, rows.numCols())) return;
  Kokkos::parallel_for("Trident::scaleEdges", Range<Device>(0, rows.numRows()),
                       ScaleEdges<Device>{graph});
  graph.matrix = sumDuplicates<double, Device>(rows);
}

/// Makes the graph of a matrix with mcl's loops, whose rows sum to 1. Entries of the same place are
/// added. Collective; may throw as columnNumbers().
/// @param A weights are good
/// @param options are good
template <class LO, class GO, class NO>
NumberedMatrix<double, typename NO::device_type> graphWithLoops(
    const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const MarkovOptions& options,
    const GlobalNumbering<LO, GO, NO>& numbering, const NodeLayout& layout, MPI_Comm comm,
    LocalFailure& failure) {
  using Device = typename NO::device_type;
  using Vector = Tpetra::Vector<double, LO, GO, NO>;
  Traffic uncounted;
  // I - ω D⁻¹ A with ω = -1 and D = I is A + I: A with a loop in each row.
  std::optional<Vector> ones;
  failure.guard([&] {
    ones.emplace(A.getRowMap());
    ones->putScalar(1);
  });
  throwEverywhere(comm, failure.text());
  const Operand<double, LO, GO, NO> withLoops(A, "A", -1.0, *ones);
  const LocalOperand<double, LO, GO, NO> local(withLoops, numbering, numbering, layout, comm,
                                               uncounted, lookupOfNodes(), failure);
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
