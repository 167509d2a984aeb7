// SPDX-License-Identifier: BSD-3-Clause
// Equal bits of C, whatever ranks, grid, partition, exchange and fetch: compared with a loop on
// one rank that adds products in ascending number of the inner index.

#include <Teuchos_UnitTestHarness.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "Trident_Grid.hpp"
#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;
using Node = matrix_type::node_type;
using Plan = Trident::MultiplyPlan<double, LO, GO, Node>;
using RAPPlan = Trident::MultiplyRAPPlan<double, LO, GO, Node>;
using JacobiPlan = Trident::JacobiPlan<double, LO, GO, Node>;
using Grid = Trident::Grid<double, LO, GO, Node>;
using List = Teuchos::RCP<Teuchos::ParameterList>;

// --- Matrices whose products depend on the order of additions.

/// Draws values but no zeros: a product that is -0 would be +0 once it was added to 0.
double wideValue(Random& random) {
  return (random.chance(0.5) ? 1 : -1) * std::ldexp(1 + random.real(), random.between(-26, 26));
}

Sparse wideSparse(Random& random, int m, int n) {
  Sparse A(m, n);
  for (auto& row : A.rows)
    if (!random.chance(0.1))
      for (int j = 0; j < n; ++j)
        if (random.chance(0.3)) row[j] = wideValue(random);
  return A;
}

Sparse withNewValues(Sparse A, Random& random) {
  for (auto& row : A.rows)
    for (auto& entry : row) entry.second = wideValue(random);
  return A;
}

std::vector<int> ascending(int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Forms A·B by a loop over the inner places in this order.
Sparse productInOrder(const Sparse& A, const Sparse& B, const std::vector<int>& order) {
  Sparse C(A.numRows(), B.cols);
  for (int i = 0; i < A.numRows(); ++i)
    for (const int l : order) {
      const auto a = A.rows[i].find(l);
      if (a == A.rows[i].end()) continue;
      for (const auto& b : B.rows[l]) {
        const double product = a->second * b.second;
        const auto at = C.rows[i].find(b.first);
        if (at == C.rows[i].end())
          C.rows[i][b.first] = product;
        else
          at->second += product;
      }
    }
  return C;
}
Sparse product(const Sparse& A, const Sparse& B) { return productInOrder(A, B, ascending(A.cols)); }

bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Checks entries and bits of this rank's rows of C. Local.
std::string checkBits(const matrix_type& C, const Sparse& expected, const Indices& rows,
                      const Indices& cols) {
  const auto row = rows.places(), column = cols.places();
  const auto entries = entriesOf(C);
  for (const auto& entry : entries) {
    const int i = row.at(entry.first.first), j = column.at(entry.first.second);
    const auto at = expected.rows[i].find(j);
    if (at == expected.rows[i].end()) return say("entry ", i, " ", j, " should not be");
    if (!sameBits(entry.second, at->second))
      return say("entry ", i, " ", j, " is ", entry.second, ", not ", at->second);
  }
  std::size_t count = 0;
  for (const GO gid : Trident::Impl::localGids(*C.getRowMap()))
    count += expected.rows[row.at(gid)].size();
  return count == entries.size() ? "" : say(entries.size(), " entries, not ", count);
}

// --- The same on parts of the world, and on every grid of theirs.

/// The first ranks of the world as a communicator of their own; null on the others. Collective.
class FirstRanks {
 public:
  explicit FirstRanks(int count) {
    const int rank = world()->getRank();
    MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : MPI_UNDEFINED, rank, &raw_);
    if (raw_ != MPI_COMM_NULL) comm_ = Teuchos::rcp(new Teuchos::MpiComm<int>(raw_));
  }
  ~FirstRanks() {
    comm_ = Teuchos::null;
    if (raw_ != MPI_COMM_NULL) MPI_Comm_free(&raw_);
  }
  FirstRanks(const FirstRanks&) = delete;
  FirstRanks& operator=(const FirstRanks&) = delete;
  const CommPtr& comm() const { return comm_; }

 private:
  MPI_Comm raw_ = MPI_COMM_NULL;
  CommPtr comm_;
};

/// Runs check(comm) on 1, 2, 3, ... of the ranks. Collective.
std::string onParts(const std::function<std::string(const CommPtr&)>& check) {
  for (const int ranks : {1, 2, 3, 4, 6, 16}) {
    if (ranks > world()->getSize()) break;
    std::string problem;
    {
      const FirstRanks part(ranks);
      if (!part.comm().is_null()) problem = check(part.comm());
    }
    problem = everywhere(*world(), problem);
    if (!problem.empty()) return say(ranks, " ranks: ", problem);
  }
  return "";
}

/// Lists every grid that so many ranks can form.
std::vector<List> everyShape(int ranks) {
  std::vector<List> lists;
  for (int lambda = 1; lambda <= ranks; ++lambda)
    for (int rows = 1; ranks % lambda == 0 && rows <= ranks / lambda; ++rows) {
      if (ranks / lambda % rows != 0) continue;
      lists.push_back(tridentList());
      auto& list = lists.back()->sublist("Trident");
      list.set("ranks per node", lambda);
      list.set("grid", say(rows, "x", ranks / lambda / rows));
    }
  return lists;
}

/// Lists each of these grids with partitions, exchanges and gathers in turn; with both fetches if
/// there are two; and SUMMA.
std::vector<List> everyWay(int ranks) {
  std::vector<List> lists;
  int turn = 0;
  for (const List& shape : everyShape(ranks)) {
    const std::string grid = shape->sublist("Trident").get<std::string>("grid");
    const bool fetches = grid.substr(0, 2) != "1x";
    for (const std::string fetch : {"tiles", "needed-rows"}) {
      if (fetch == "needed-rows" && !fetches) continue;
      for (const char* partition : {"aligned", "uniform", "balanced", "work"}) {
        lists.push_back(Teuchos::parameterList(*shape));
        auto& list = lists.back()->sublist("Trident");
        list.set("partition", partition);
        auto& experts = list.sublist("expert");
        experts.set("fetch", fetch);
        experts.set("exchange", turn % 2 ? "auto" : "prefetch");
        experts.set("gather", turn % 3 ? "auto" : "mpi");
        ++turn;
      }
    }
  }
  for (const char* exchange : {"ring", "prefetch"}) {
    lists.push_back(tridentList());
    auto& experts = lists.back()->sublist("Trident").sublist("expert");
    experts.set("exchange", exchange).set("algorithm", "summa");
  }
  return lists;
}

/// Runs check(list) with every list. Collective over `comm`.
std::string withEach(const Teuchos::Comm<int>& comm, const std::vector<List>& lists,
                     const std::function<std::string(const List&)>& check) {
  for (const List& list : lists) {
    const std::string problem = everywhere(comm, check(list));
    if (!problem.empty()) return say(problem, "\n", *list);
  }
  return "";
}

/// Two factors, their product, and how they lie on the ranks of a communicator: B's row Map is
/// contiguous, the others are any.
struct Factors {
  Sparse a, b;
  Indices rows, inner, cols;

  explicit Factors(std::uint64_t seed, int m = 45, int l = 60, int n = 50) {
    Random random(seed);
    a = wideSparse(random, m, l);
    b = wideSparse(random, l, n);
    rows = randomIndices(random, m);
    inner = contiguousIndices(l);
    cols = randomIndices(random, n);
  }
};

struct Placed {
  MatrixPtr A, B;

  Placed(const Factors& f, const CommPtr& comm, bool transposeA = false,
         Layout innerLayout = Layout::Uneven) {
    Random random(comm->getSize());
    const MapPtr rowsB = makeMap(random, f.inner, innerLayout, comm);
    const MapPtr domainB = makeMap(random, f.cols, randomLayout(random), comm);
    const MapPtr rowsA = makeMap(random, f.rows, randomLayout(random), comm);
    const MapPtr innerA = makeMap(random, f.inner, randomLayout(random), comm);
    B = makeMatrix(f.b, f.inner, f.cols, rowsB, domainB, rowsB);
    A = transposeA ? makeMatrix(f.a.transpose(), f.inner, f.rows, innerA, rowsA, innerA)
                   : makeMatrix(f.a, f.rows, f.inner, rowsA, innerA, rowsA);
  }
};

// --- What is promised.

// Otherwise these tests would show nothing.
TEUCHOS_UNIT_TEST(Reproducible, OrderMatters) {
  const Factors f(1);
  std::vector<int> descending = ascending(f.a.cols);
  std::reverse(descending.begin(), descending.end());
  const Sparse up = product(f.a, f.b), down = productInOrder(f.a, f.b, descending);
  long long differ = 0;
  for (int i = 0; i < up.numRows(); ++i)
    for (const auto& entry : up.rows[i])
      differ += !sameBits(entry.second, down.rows[i].at(entry.first));
  TEST_COMPARE(differ, >, up.entries() / 4);
}

TEUCHOS_UNIT_TEST(Reproducible, AnyRanksAndGrids) {
  const Factors f(1);
  const Sparse expected = product(f.a, f.b);
  TRIDENT_TEST_OK(onParts([&](const CommPtr& comm) {
    const Placed placed(f, comm);
    return withEach(*comm, everyWay(comm->getSize()), [&](const List& list) {
      const MatrixPtr C = newResult(*placed.A);
      Trident::Multiply(*placed.A, *placed.B, *C, list);
      return checkBits(*C, expected, f.rows, f.cols);
    });
  }));
}

TEUCHOS_UNIT_TEST(Reproducible, TransposedFactor) {
  const Factors f(2);
  const Sparse expected = product(f.a, f.b);
  TRIDENT_TEST_OK(onParts([&](const CommPtr& comm) {
    const Placed placed(f, comm, true);
    return withEach(*comm, everyShape(comm->getSize()), [&](const List& list) {
      const MatrixPtr C = Teuchos::rcp(new matrix_type(placed.A->getDomainMap(), 0));
      Trident::Multiply(*placed.A, true, *placed.B, false, *C, true, "", list);
      return checkBits(*C, expected, f.rows, f.cols);
    });
  }));
}

// One matrix as both factors comes onto the grid once.
TEUCHOS_UNIT_TEST(Reproducible, Square) {
  Random random(3);
  const Indices all = contiguousIndices(60);
  const Sparse a = wideSparse(random, 60, 60), expected = product(a, a);
  TRIDENT_TEST_OK(onParts([&](const CommPtr& comm) {
    const MatrixPtr A = makeUniform(a, comm);
    return withEach(*comm, everyShape(comm->getSize()), [&](const List& list) {
      const MatrixPtr C = newResult(*A);
      Trident::Multiply(*A, *A, *C, list);
      return checkBits(*C, expected, all, all);
    });
  }));
}

/// Checks the first product of a plan, that of other values, and that of the first ones again.
/// Collective.
std::string checkPlan(const Factors& first, const Factors& second, const CommPtr& comm,
                      bool transposeA, const List& list) {
  const Placed one(first, comm, transposeA), two(second, comm, transposeA);
  const MatrixPtr C =
      Teuchos::rcp(new matrix_type(transposeA ? one.A->getDomainMap() : one.A->getRowMap(), 0));
  const Plan plan(*one.A, transposeA, *one.B, false, *C, list);
  const auto check = [&](const char* which, const Factors& f) {
    const std::string problem = everywhere(*comm, checkBits(*C, product(f.a, f.b), f.rows, f.cols));
    return problem.empty() ? "" : say(which, " product: ", problem);
  };
  std::string problem = check("planned", first);
  if (!problem.empty()) return problem;
  plan.multiply(*two.A, *two.B, *C);
  problem = check("second", second);
  if (!problem.empty()) return problem;
  plan.multiply(*one.A, *one.B, *C);
  return check("third", first);
}

TEUCHOS_UNIT_TEST(Reproducible, Plans) {
  Random random(4);
  const Factors f(4);
  Factors g = f;
  g.a = withNewValues(f.a, random);
  g.b = withNewValues(f.b, random);
  for (const bool transposeA : {false, true})
    TRIDENT_TEST_OK(onParts([&](const CommPtr& comm) {
      return withEach(*comm, everyShape(comm->getSize()),
                      [&](const List& list) { return checkPlan(f, g, comm, transposeA, list); });
    }));
}

// Pᵀ·(A·P): both inner indices are those of A's rows.
TEUCHOS_UNIT_TEST(Reproducible, GalerkinProduct) {
  Random random(5);
  const int n = 60;
  const Sparse a = wideSparse(random, n, n), p = wideSparse(random, n, 20);
  const Indices fine = contiguousIndices(n), coarse = contiguousIndices(20);
  const Sparse expected = product(p.transpose(), product(a, p));
  TRIDENT_TEST_OK(onParts([&](const CommPtr& comm) {
    Random none(0);
    const MapPtr fineMap = makeMap(none, fine, Layout::Uneven, comm),
                 coarseMap = makeMap(none, coarse, Layout::Scattered, comm);
    const MatrixPtr A = makeMatrix(a, fine, fine, fineMap, fineMap, fineMap),
                    P = makeMatrix(p, fine, coarse, fineMap, coarseMap, fineMap);
    return withEach(*comm, everyShape(comm->getSize()), [&](const List& list) {
      const MatrixPtr C = Teuchos::rcp(new matrix_type(coarseMap, 0));
      const RAPPlan plan(*P, true, *A, false, *P, false, *C, list);
      const std::string first = everywhere(*comm, checkBits(*C, expected, coarse, coarse));
      if (!first.empty()) return say("planned product: ", first);
      plan.multiply(*P, *A, *P, *C);
      return checkBits(*C, expected, coarse, coarse);
    });
  }));
}

// (I - ω D⁻¹ A)·B, where entries of the diagonal are missing and come last in their rows.
TEUCHOS_UNIT_TEST(Reproducible, Jacobi) {
  Random random(6);
  const int n = 50;
  const double omega = 0.7;
  const Sparse a = wideSparse(random, n, n), b = wideSparse(random, n, 40);
  std::vector<double> inverse(n);
  for (double& d : inverse) d = wideValue(random);
  Sparse smoother(n, n);
  for (int i = 0; i < n; ++i) {
    for (const auto& entry : a.rows[i])
      smoother.rows[i][entry.first] = -omega * inverse[i] * entry.second;
    smoother.rows[i][i] += 1.0;
  }
  const Sparse expected = product(smoother, b);
  const Indices rows = contiguousIndices(n), cols = contiguousIndices(40);
  TRIDENT_TEST_OK(onParts([&](const CommPtr& comm) {
    Random none(0);
    const MapPtr rowMap = makeMap(none, rows, Layout::Uneven, comm),
                 colMap = makeMap(none, cols, Layout::Cyclic, comm);
    const MatrixPtr A = makeMatrix(a, rows, rows, rowMap, rowMap, rowMap),
                    B = makeMatrix(b, rows, cols, rowMap, colMap, rowMap);
    const vector_type d = vectorOf(rowMap, rows, inverse);
    return withEach(*comm, everyShape(comm->getSize()), [&](const List& list) {
      const MatrixPtr C = newResult(*A);
      const JacobiPlan plan(omega, d, *A, *B, *C, list);
      const std::string first = everywhere(*comm, checkBits(*C, expected, rows, cols));
      if (!first.empty()) return say("planned step: ", first);
      plan.multiply(omega, d, *A, *B, *C);
      return checkBits(*C, expected, rows, cols);
    });
  }));
}

// A product and a transpose that never left the grid are left factors like others.
TEUCHOS_UNIT_TEST(Reproducible, ChainOnTheGrid) {
  Random random(7);
  const Indices all = contiguousIndices(50);
  const Sparse a = wideSparse(random, 50, 50), b = wideSparse(random, 50, 50);
  const Sparse expected = product(product(a, b).transpose(), b);
  TRIDENT_TEST_OK(onParts([&](const CommPtr& comm) {
    const MatrixPtr A = makeUniform(a, comm), B = makeUniform(b, comm);
    return withEach(*comm, everyShape(comm->getSize()), [&](const List& list) {
      const Grid grid(comm, {A->getRowMap()}, list);
      const auto left = grid.transpose(grid.multiply(grid.fromTpetra(*A), grid.fromTpetra(*B)));
      const MatrixPtr C = newResult(*A), D = newResult(*A);
      grid.toTpetra(grid.multiply(left, grid.fromTpetra(*B)), *C);
      const std::string first = everywhere(*comm, checkBits(*C, expected, all, all));
      if (!first.empty()) return first;
      grid.toTpetra(grid.multiply(grid.multiply(grid.fromTpetra(*A), grid.fromTpetra(*B)), left),
                    *D);
      return checkBits(*D, product(product(a, b), product(a, b).transpose()), all, all);
    });
  }));
}

// Numbers follow B's row Map where it is any: rank after rank, each in its order.
TEUCHOS_UNIT_TEST(Reproducible, TenRunsOnAnyMap) {
  const Factors f(8);
  const Placed placed(f, world(), false, Layout::Scattered);
  Random random(world()->getSize());
  std::vector<int> order;
  for (const auto& mine : dealPlaces(random, f.inner.size(), Layout::Scattered, world()->getSize()))
    order.insert(order.end(), mine.begin(), mine.end());
  const Sparse expected = productInOrder(f.a, f.b, order);
  for (int run = 0; run < 10; ++run)
    TRIDENT_TEST_OK(withEach(*world(), everyShape(world()->getSize()), [&](const List& list) {
      const MatrixPtr C = newResult(*placed.A);
      Trident::Multiply(*placed.A, *placed.B, *C, list);
      return checkBits(*C, expected, f.rows, f.cols);
    }));
}

// A's rows stay as they come without the option: the product is right within rounding.
TEUCHOS_UNIT_TEST(Reproducible, NotAskedFor) {
  const Factors f(9);
  const Placed placed(f, world());
  TRIDENT_TEST_OK(withEach(*world(), everyShape(world()->getSize()), [&](const List& list) {
    list->sublist("Trident").set("reproducible", false);
    const MatrixPtr C = newResult(*placed.A);
    Trident::Multiply(*placed.A, *placed.B, *C, list);
    return checkEntries(*C, Expected(f.a, f.b), f.rows, f.cols, false);
  }));
}

}  // namespace
