// SPDX-License-Identifier: BSD-3-Clause
// Dropping by nodes against plain loops that follow MueLu's rules, one row after the other.
#include <Teuchos_UnitTestHarness.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "matrix/Trident_LocalMatrix.hpp"
#include "muelu/Trident_CoalesceDropInput.hpp"

namespace Trident::Impl {
namespace Test {

namespace {

using Device = Tpetra::CrsMatrix<>::device_type;
using Rows = CoalesceDropInput<double, Device>;

/// A matrix of nodes on the host. Nodes own `block` rows and 1 to `block` columns.
struct Plain {
  int block = 1;
  std::vector<std::size_t> begins{0};
  std::vector<int> columns, nodes;
  std::vector<double> values;
  std::size_t rows() const { return begins.size() - 1; }
};

/// The parts of a matrix that stay, by the rules.
struct Kept {
  std::vector<bool> entries, boundary;
  std::vector<std::set<int>> graph;
};

/// Makes rows of random length. Each has its diagonal, unless `holes`; columns behind those of rows
/// belong to nodes of other ranks, of which some columns lack.
Plain randomRows(std::mt19937& random, int block, int nodes, double density, bool holes) {
  const auto below = [&](double p) { return std::uniform_real_distribution<>(0, 1)(random) < p; };
  Plain A;
  A.block = block;
  for (int node = 0; node < nodes + nodes / 3; ++node)
    for (int d = 0; d < block; ++d)
      if (node < nodes || d == 0 || below(0.7)) A.nodes.push_back(node);
  const int rows = nodes * block, columns = static_cast<int>(A.nodes.size());
  for (int row = 0; row < rows; ++row) {
    const double rowDensity = below(0.1) ? 0 : density;  // some have nothing beside the diagonal
    for (int column = 0; column < columns; ++column) {
      if (column == row ? holes && below(0.2) : !below(rowDensity)) continue;
      A.columns.push_back(column);
      A.values.push_back(column == row ? 1 + below(0.5)
                                       : std::uniform_real_distribution<>(-1, 1)(random));
    }
    A.begins.push_back(A.columns.size());
  }
  return A;
}

Kept decide(const Plain& A, const std::vector<double>& diagonal, std::vector<bool> boundary,
            bool drops, double tolerance, bool closes) {
  Kept kept;
  kept.entries.assign(A.columns.size(), true);
  for (std::size_t row = 0; drops && row < A.rows(); ++row) {
    const std::size_t node = row / A.block;
    bool alone = true;
    for (std::size_t e = A.begins[row]; e < A.begins[row + 1]; ++e) {
      const int column = A.columns[e];
      const bool own = column == static_cast<int>(row);
      const double square = A.values[e] * A.values[e];
      const double scale = std::abs(diagonal[row]) * std::abs(diagonal[column]);
      kept.entries[e] = own || (!boundary[node] && square > tolerance * tolerance * scale);
      if (kept.entries[e] && !own) alone = false;
    }
    if (closes && alone) boundary[node] = true;
  }
  kept.boundary = boundary;
  kept.graph.resize(boundary.size());
  for (std::size_t row = 0; row < A.rows(); ++row)
    for (std::size_t e = A.begins[row]; e < A.begins[row + 1]; ++e)
      if (kept.entries[e]) kept.graph[row / A.block].insert(A.nodes[A.columns[e]]);
  return kept;
}

template <class T>
Kokkos::View<T*, Device> copied(const std::vector<T>& from) {
  const auto view = uninitialized<T, Device>("test", from.size());
  Kokkos::deep_copy(view, Kokkos::View<const T*, Kokkos::HostSpace>(from.data(), from.size()));
  return view;
}

Rows rowsOf(const Plain& A, const std::vector<double>& diagonal, bool drops, double tolerance) {
  Rows rows;
  rows.matrix = LocalMatrix<double, Device>("test", static_cast<int>(A.rows()),
                                            static_cast<int>(A.nodes.size()), A.columns.size(),
                                            copied(A.values), copied(A.begins), copied(A.columns));
  rows.nodes = copied(A.nodes);
  rows.block = A.block;
  rows.drops = drops;
  rows.tolerance = tolerance;
  rows.diagonal = copied(diagonal);
  return rows;
}

/// Requires the filtered matrix to be what its definition says.
void checkFilled(const Plain& A, const Kept& kept, const LocalMatrix<double, Device>& filled,
                 bool whole, bool lumps, double least, Teuchos::FancyOStream& out, bool& success) {
  std::vector<int> columns;
  std::vector<double> values;
  for (std::size_t row = 0; row < A.rows(); ++row) {
    double dropped = 0;
    for (std::size_t e = A.begins[row]; e < A.begins[row + 1]; ++e)
      if (!kept.entries[e]) dropped += A.values[e];
    for (std::size_t e = A.begins[row]; e < A.begins[row + 1]; ++e) {
      if (!kept.entries[e] && !whole) continue;
      double expected = kept.entries[e] ? A.values[e] : 0.0;
      if (lumps && A.columns[e] == static_cast<int>(row)) {
        expected += dropped;
        if (least >= 0 && expected <= least) expected = 1;
      }
      columns.push_back(A.columns[e]);
      values.push_back(expected);
    }
  }
  TEST_ASSERT((toHost<double, Device>(filled.values) == values));
  TEST_ASSERT((toHost<int, Device>(filled.graph.entries) == columns));
}

void check(std::mt19937& random, int block, int nodes, Teuchos::FancyOStream& out, bool& success) {
  const auto pick = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };
  const bool holes = pick(4) == 0, drops = pick(4) > 0, closes = pick(2) == 0;
  const double tolerance = pick(5) == 0 ? 1.5 : 0.1 * pick(9);
  const Plain A = randomRows(random, block, nodes, pick(3) == 0 ? 0.9 : 8.0 / (1 + nodes), holes);
  std::vector<double> diagonal(A.nodes.size());
  for (double& d : diagonal) d = 0.25 * pick(9);
  std::vector<bool> boundary(nodes);
  for (int node = 0; node < nodes; ++node) boundary[node] = pick(5) == 0;
  const Kept expected = decide(A, diagonal, boundary, drops, tolerance, closes);

  Rows rows = rowsOf(A, diagonal, drops, tolerance);
  const Kokkos::View<bool*, Device> marks("test", nodes);
  const auto ofHost = Kokkos::create_mirror_view(marks);
  for (int node = 0; node < nodes; ++node) ofHost(node) = boundary[node];
  Kokkos::deep_copy(marks, ofHost);
  NodeGraph<Device> graph;
  TEST_ASSERT(makeNodeGraph(rows, marks, closes, graph));
  if (!success) return;
  Kokkos::deep_copy(ofHost, marks);
  for (int node = 0; node < nodes && success; ++node)
    TEST_EQUALITY(ofHost(node), static_cast<bool>(expected.boundary[node]));

  const auto begins = toHost<std::size_t, Device>(graph.begins);
  const auto entries = toHost<int, Device>(graph.entries);
  TEST_EQUALITY(begins.size(), static_cast<std::size_t>(nodes) + 1);
  for (int node = 0; node < nodes && success; ++node) {
    const std::vector<int> neighbors(entries.begin() + begins[node],
                                     entries.begin() + begins[node + 1]);
    TEST_ASSERT(neighbors ==
                std::vector<int>(expected.graph[node].begin(), expected.graph[node].end()));
  }

  using Fill = FillFiltered<double, Device>;
  const bool lumps = pick(2) == 0;
  const double least = pick(2) == 0 ? -1.0 : 0.5 * pick(4);
  for (const bool whole : {false, true}) {
    LocalMatrix<double, Device> filled(
        "test", static_cast<int>(A.rows()), static_cast<int>(A.nodes.size()),
        whole ? A.columns.size() : graph.kept,
        whole ? copied(A.values) : uninitialized<double, Device>("test", graph.kept),
        whole ? copied(A.begins) : graph.rowBegins,
        whole ? copied(A.columns) : uninitialized<int, Device>("test", graph.kept));
    NodeTeams<Device>::run("test", static_cast<long long>(A.rows()),
                           Fill{rows, filled, whole, lumps, least});
    checkFilled(A, expected, filled, whole, lumps, least, out, success);
  }
}

}  // namespace

TEUCHOS_UNIT_TEST(MueLu_CoalesceDropInput, random_matrices) {
  std::mt19937 random(Tpetra::getDefaultComm()->getRank() + 1);
  for (int round = 0; round < 200 && success; ++round)
    check(random, 1 + round % 7, round % 9 == 8 ? 60 : round % 9, out, success);
}

TEUCHOS_UNIT_TEST(MueLu_CoalesceDropInput, as_many_rows_as_a_mask_has) {
  std::mt19937 random(3);
  for (int round = 0; round < 5 && success; ++round) check(random, mostRowsOfNode, 3, out, success);
}

// The result says that nodes descend, whatever the graph is.
TEUCHOS_UNIT_TEST(MueLu_CoalesceDropInput, nodes_that_descend) {
  std::mt19937 random(5);
  Plain A = randomRows(random, 2, 6, 0.9, false);
  std::reverse(A.nodes.begin(), A.nodes.end());
  Rows rows = rowsOf(A, std::vector<double>(A.nodes.size(), 1.0), true, 0.3);
  NodeGraph<Device> graph;
  TEST_ASSERT(!makeNodeGraph(rows, Kokkos::View<bool*, Device>("test", 6), true, graph));
}

}  // namespace Test

}  // namespace Trident::Impl
