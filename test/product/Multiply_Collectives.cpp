// SPDX-License-Identifier: BSD-3-Clause
// Counts the collective calls of a product, on a communicator that has had one like it. They cost
// most where ranks are many and a product is small. doc/collectives.md has the list.

#include <Teuchos_UnitTestHarness.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestCollectives.hpp"
#include "Trident_TestNeeds.hpp"
#include "Trident_TestProduct.hpp"
#include "Trident_config.hpp"
#include "matrix/Trident_Device.hpp"
#include "tpetra/Trident_CheckInput.hpp"

namespace {

using namespace TridentTest;
using Parameters = Teuchos::RCP<Teuchos::ParameterList>;

using Plan = Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type>;

/// Calls of Trident and of Tpetra.
struct Counts {
  int trident = 0, tpetra = 0;
};

/// Counts the calls that a product makes, and lists them on `out`.
Counts countsOf(const std::function<void()>& product, Teuchos::FancyOStream& out) {
  collectives().clear();
  product();
  const std::vector<Collective> calls = std::move(collectives());
  Counts counts;
  for (const Collective& call : calls) {
    ++(call.what.empty() ? counts.tpetra : counts.trident);
    out << "  " << call.function << ": " << (call.what.empty() ? "Tpetra" : call.what) << "\n";
  }
  out << counts.trident << " and " << counts.tpetra << " of Tpetra\n";
  return counts;
}

/// Counts the calls that the second of two equal products makes.
Counts ofSecond(const std::function<void()>& product, Teuchos::FancyOStream& out) {
  product();
  return countsOf(product, out);
}

/// Makes the five-point stencil on a square of n x n points.
MatrixPtr laplace2d(int n, const CommPtr& comm) {
  Sparse a(n * n, n * n);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      auto& row = a.rows[y * n + x];
      row[y * n + x] = 4;
      if (x > 0) row[y * n + x - 1] = -1;
      if (x + 1 < n) row[y * n + x + 1] = -1;
      if (y > 0) row[(y - 1) * n + x] = -1;
      if (y + 1 < n) row[(y + 1) * n + x] = -1;
    }
  return makeUniform(a, comm);
}

/// Makes aggregates of ten points of a line each, with value 1.
MatrixPtr aggregates(int n, const CommPtr& comm) {
  Sparse p(n, n / 10);
  for (int i = 0; i < n; ++i) p.rows[i][i / 10] = 1;
  const auto map = [&](int size) { return Teuchos::rcp(new map_type(size, 0, comm)); };
  return makeMatrix(p, contiguousIndices(n), contiguousIndices(n / 10), map(n), map(n / 10),
                    map(n));
}

Parameters parameters(int ranksPerNode, const std::string& grid) {
  const Parameters list = tridentList();
  list->sublist("Trident").set("ranks per node", ranksPerNode).set("grid", grid);
  return list;
}

/// The most calls that products on a shape may make. A change that needs more must say why, here
/// and in doc/collectives.md.
struct Bounds {
  int square, rectangular, galerkin, plan;
};

/// These calls are Tpetra's for C's global constants, if Trident cannot set them.
constexpr int ofConstants = TRIDENT_HAVE_GRAPH_ACCESS ? 0 : 2;

/// Checks A·A, A·R and Rᵀ·A·R, and A·A by a plan. R is so small that nobody asks for rows of it.
/// Tpetra makes one call, for C's column Map; in a plan none.
void checkBounds(int ranksPerNode, const std::string& grid, const Bounds& bounds,
                 Teuchos::FancyOStream& out, bool& success) {
  const CommPtr comm = world();
  const MatrixPtr A = laplace2d(50, comm), R = aggregates(2500, comm);
  const Parameters list = parameters(ranksPerNode, grid);
  const auto check = [&](const char* name, int bound, int ofTpetra,
                         const std::function<void()>& product) {
    out << name << ", grid " << grid << ", nodes of " << ranksPerNode << "\n";
    const Counts counts = ofSecond(product, out);
    TEST_COMPARE(counts.trident, <=, bound);
    TEST_COMPARE(counts.tpetra, <=, ofTpetra + ofConstants);
  };
  check("A·A", bounds.square, 1, [&] { Trident::Multiply(*A, *A, *newResult(*A), list); });
  check("A·R", bounds.rectangular, 1, [&] { Trident::Multiply(*A, *R, *newResult(*A), list); });
  check("RAP", bounds.galerkin, 1, [&] {
    matrix_type C(R->getDomainMap(), 0);
    Trident::MultiplyRAP(*R, true, *A, false, *R, false, C, true, "", list);
  });
  const MatrixPtr C = newResult(*A);
  const Plan plan(*A, *A, *C, list);
  check("plan", bounds.plan, 0, [&] { plan.multiply(*A, *A, *C); });
}

constexpr bool onHosts = Trident::Impl::isHost<matrix_type::node_type::device_type>;
constexpr const char* why = "on devices ranks agree after each exchange too";

TEUCHOS_UNIT_TEST(Collectives, OneNode) {
  TRIDENT_TEST_NEEDS(onHosts, why);
  checkBounds(world()->getSize(), "auto", {6, 6, 11, 4}, out, success);
}

TEUCHOS_UNIT_TEST(Collectives, NodesOfOneRank) {
  TRIDENT_TEST_NEEDS(onHosts, why);
  checkBounds(1, "auto", {10, 8, 18, 3}, out, success);
  checkBounds(1, std::to_string(world()->getSize()) + "x1", {10, 8, 18, 3}, out, success);
}

TEUCHOS_UNIT_TEST(Collectives, NodesOfTwoRanks) {
  TRIDENT_TEST_NEEDS(onHosts, why);
  checkBounds(2, std::to_string(world()->getSize() / 2) + "x1", {15, 10, 27, 4}, out, success);
}

TEUCHOS_UNIT_TEST(Collectives, SeveralNodeColumns) {
  TRIDENT_TEST_NEEDS(onHosts, why);
  checkBounds(1, "2x" + std::to_string(world()->getSize() / 2), {18, 15, 31, 4}, out, success);
}

/// Counts the calls that the first product on a communicator makes more than the second:
/// communicators, which nobody waits for by name, and what is found out once. It leaves out those
/// by which the request queue is made, which `auto` takes if there are cores to spare.
int moreOfFirst(int ranksPerNode, const std::string& grid, Teuchos::FancyOStream& out) {
  const CommPtr comm = world()->duplicate();
  const MatrixPtr A = laplace2d(50, comm);
  const Parameters list = parameters(ranksPerNode, grid);
  int ofQueue = 0;
  const auto product = [&] {
    const Trident::Report report = Trident::Multiply(*A, *A, *newResult(*A), list);
    ofQueue = report.exchange == "request-queue" ? 5 : 0;
  };
  out << "first product, grid " << grid << ", nodes of " << ranksPerNode << "\n";
  const Counts first = countsOf(product, out), second = countsOf(product, out);
  return first.trident + first.tpetra - second.trident - second.tpetra - ofQueue;
}

TEUCHOS_UNIT_TEST(Collectives, FirstProduct) {
  TRIDENT_TEST_NEEDS(onHosts, why);
  const int ranks = world()->getSize();
  const std::string half = std::to_string(ranks / 2);
  const int oneNode = moreOfFirst(ranks, "auto", out), ofOne = moreOfFirst(1, "auto", out);
  const int ofTwo = moreOfFirst(2, half + "x1", out), square = moreOfFirst(1, "2x" + half, out);
  TEST_COMPARE(oneNode, <=, 9);
  TEST_COMPARE(ofOne, <=, 11);
  TEST_COMPARE(ofTwo, <=, 13);
  TEST_COMPARE(square, <=, 12);
}

// A directory of a Map is a gather of all ranks, of which one of ranges has no need.
TEUCHOS_UNIT_TEST(Collectives, RangesAreKnownToHaveOneOwner) {
  const CommPtr comm = world();
  using map_type = matrix_type::map_type;
  const std::size_t mine = 3 * comm->getRank();
  const map_type ranges(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), mine, 0, comm);
  bool one = false;
  const Counts counts = countsOf([&] { one = Trident::Impl::oneToOne(ranges); }, out);
  TEST_ASSERT(one);
  TEST_EQUALITY_CONST(counts.trident + counts.tpetra, 0);
}

// The question for the lengths of rows: counts, room for them; and a second look at the bins.
TEUCHOS_UNIT_TEST(Collectives, CutByWork) {
  TRIDENT_TEST_NEEDS(onHosts, why);
  const CommPtr comm = world();
  const MatrixPtr A = laplace2d(50, comm);
  const std::string grid = std::to_string(comm->getSize()) + "x1";
  const Parameters list = parameters(1, grid), balanced = parameters(1, grid);
  list->sublist("Trident").set("partition", "work");
  balanced->sublist("Trident").set("partition", "balanced");
  const auto count = [&](const Parameters& with) {
    return ofSecond([&] { Trident::Multiply(*A, *A, *newResult(*A), with); }, out).trident;
  };
  const int without = count(balanced);
  TEST_COMPARE(count(list), <=, without + 3);
}

// The sample of R·(A·P) is of A·P, which has other rows than the product.
TEUCHOS_UNIT_TEST(Collectives, PredictedShapes) {
  TRIDENT_TEST_NEEDS(onHosts, why);
  const CommPtr comm = world();
  const MatrixPtr A = laplace2d(50, comm), R = aggregates(2500, comm);
  const Parameters list = parameters(1, "auto");
  list->sublist("Trident").sublist("expert").set("predict volume", true);
  const int shapes = comm->getSize() == 4 ? 3 : 4;  // of 4 and of 6 nodes
  const Counts square = ofSecond([&] { Trident::Multiply(*A, *A, *newResult(*A), list); }, out);
  TEST_COMPARE(square.trident, <=, 18 + shapes);
  const Counts galerkin = ofSecond(
      [&] {
        matrix_type C(R->getDomainMap(), 0);
        Trident::MultiplyRAP(*R, true, *A, false, *R, false, C, true, "", list);
      },
      out);
  TEST_COMPARE(galerkin.trident, <=, 26 + shapes);
}

}  // namespace
