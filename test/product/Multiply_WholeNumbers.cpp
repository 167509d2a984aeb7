// SPDX-License-Identifier: BSD-3-Clause
// All that is promised of doubles holds for a scalar that the library has no product of: whole
// numbers (test/oracle/Trident_WholeNumbers.cpp), beside the same product of doubles, which are
// exact here.

#define TRIDENT_WHOLE_NUMBERS  // of Trident_WholeNumbers.cpp
#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_Jacobi.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_TestContract.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestNeeds.hpp"
#include "matrix/Trident_Device.hpp"

namespace {

using namespace TridentTest;

using Whole = Tpetra::CrsMatrix<GO>;
using WholePtr = Teuchos::RCP<Whole>;
using List = Teuchos::RCP<Teuchos::ParameterList>;

/// Makes a matrix of M's values in whole numbers, multiplied by `unit`. Collective.
WholePtr wholeOf(const matrix_type& M, GO unit = 1) {
  const auto copy = Teuchos::rcp(new Whole(M.getRowMap(), M.getColMap(), std::size_t(50)));
  const auto local = M.getLocalMatrixHost();
  for (LO row = 0; row < local.numRows(); ++row)
    for (auto e = local.graph.row_map(row); e < local.graph.row_map(row + 1); ++e) {
      const LO column = local.graph.entries(e);
      const GO value = unit * static_cast<GO>(local.values(e));
      copy->insertLocalValues(row, 1, &value, &column);
    }
  copy->fillComplete(M.getDomainMap(), M.getRangeMap());
  return copy;
}

/// Compares the entries of `C` with those of `expected`, multiplied by `unit`. Collective.
std::string compare(const Whole& C, const matrix_type& expected, GO unit = 1) {
  const auto entries = entriesOf(expected);
  const auto local = C.getLocalMatrixHost();
  const auto rows = Trident::Impl::localGids(*C.getRowMap()),
             columns = Trident::Impl::localGids(*C.getColMap());
  std::string problem;
  if (local.nnz() != entries.size()) problem = say(local.nnz(), " entries, not ", entries.size());
  for (LO r = 0; r < local.numRows() && problem.empty(); ++r)
    for (auto e = local.graph.row_map(r); e < local.graph.row_map(r + 1); ++e) {
      const auto found = entries.find({rows[r], columns[local.graph.entries(e)]});
      if (found == entries.end() || local.values(e) != unit * static_cast<GO>(found->second))
        problem = say("a wrong entry in row ", rows[r]);
    }
  return everywhere(*C.getComm(), problem);
}

/// Forms op(A)·op(B) by doubles. Collective.
MatrixPtr expectedOf(const Operands& o) {
  const auto C = Teuchos::rcp(new matrix_type(o.rowMap, 0));
  Trident::Multiply(*o.A, o.transA, *o.B, o.transB, *C);
  return C;
}

std::string checkProduct(const Operands& o, const List& params) {
  const WholePtr A = wholeOf(*o.A), B = wholeOf(*o.B, 3);
  Whole C(o.rowMap, 0);
  Trident::Multiply(*A, o.transA, *B, o.transB, C, true, "whole", params);
  return compare(C, *expectedOf(o), 3);
}

TEUCHOS_UNIT_TEST(WholeNumbers, ProductsAndTransposes) {
  for (int seed = 1; seed <= 4; ++seed)
    for (const bool transA : {false, true})
      for (const bool transB : {false, true}) {
        const Operands o(seed, transA, transB);
        TRIDENT_TEST_OK(o.verdict(seed, checkProduct(o, o.params)));
      }
}

TEUCHOS_UNIT_TEST(WholeNumbers, VolumeIsPredicted) {
  for (int seed = 1; seed <= 4; ++seed)
    for (const std::string grid : {"auto", "square"}) {
      const Operands o(seed, false, seed % 2 == 0);
      const List params = tridentList();
      params->sublist("Trident").set("ranks per node", seed % 2 + 1);
      params->sublist("Trident").set("grid", grid);
      params->sublist("Trident").sublist("expert").set("predict volume", true);
      TRIDENT_TEST_OK(o.verdict(seed, checkProduct(o, params)));
    }
}

TEUCHOS_UNIT_TEST(WholeOnSeveral, NeededRows) {
  const int ranks = world()->getSize();
  TRIDENT_TEST_NEEDS(ranks > 1, "on one rank nothing travels");
  for (int seed = 1; seed <= 4; ++seed) {
    const Operands o(seed, false, false);
    const List params = tridentList();
    params->sublist("Trident").set("ranks per node", 1);
    params->sublist("Trident").set("grid", std::to_string(ranks) + "x1");
    params->sublist("Trident").sublist("expert").set("fetch", "needed-rows");
    TRIDENT_TEST_OK(o.verdict(seed, checkProduct(o, params)));
  }
}

TEUCHOS_UNIT_TEST(WholeNumbers, EveryKernel) {
  for (const std::string kernel : {"kokkos-kernels", "host", "auto"})
    for (const int fuse : {0, 1}) {
      if (kernel == "host" && !Trident::Impl::isHost<Whole::device_type>) continue;
      const Operands o(7, false, false);
      const List params = tridentList();
      params->sublist("Trident").set("ranks per node", 1);
      params->sublist("Trident").sublist("expert").set("kernel", kernel).set("fuse rounds", fuse);
      TRIDENT_TEST_OK(o.verdict(7, checkProduct(o, params)));
    }
}

TEUCHOS_UNIT_TEST(WholeNumbers, Plans) {
  for (int seed = 1; seed <= 3; ++seed)
    for (const bool transA : {false, true}) {
      const Operands o(seed, transA, false);
      const WholePtr A = wholeOf(*o.A), B = wholeOf(*o.B);
      Whole C(o.rowMap, 0);
      const Trident::MultiplyPlan<GO, LO, GO, Whole::node_type> plan(*A, transA, *B, false, C,
                                                                     o.params);
      const MatrixPtr expected = expectedOf(o);
      std::string problem = compare(C, *expected);
      A->resumeFill();
      A->scale(5);
      A->fillComplete(A->getDomainMap(), A->getRangeMap());
      plan.multiply(*A, *B, C);
      problem += compare(C, *expected, 5);
      TRIDENT_TEST_OK(o.verdict(seed, problem));
    }
}

TEUCHOS_UNIT_TEST(WholeNumbers, ResultWithAPattern) {
  for (int seed = 1; seed <= 4; ++seed) {
    const Operands o(seed, false, false);
    const WholePtr A = wholeOf(*o.A), B = wholeOf(*o.B);
    const MatrixPtr expected = expectedOf(o);
    const WholePtr C = wholeOf(*expected, 9);  // the pattern, and other values
    Trident::Multiply(*A, false, *B, false, *C, true, "", o.params);
    std::string problem = compare(*C, *expected);
    C->resumeFill();  // left open, the product is added
    Trident::Multiply(*A, false, *B, false, *C, false, "", o.params);
    C->fillComplete(C->getDomainMap(), C->getRangeMap());
    problem += compare(*C, *expected, 2);
    TRIDENT_TEST_OK(o.verdict(seed, problem));
  }
}

TEUCHOS_UNIT_TEST(WholeNumbers, EntryOutsideThePattern) {
  const Operands o(3, false, false);
  const WholePtr A = wholeOf(*o.A), B = wholeOf(*o.B);
  const auto empty = Teuchos::rcp(new Whole(o.rowMap, 0));
  empty->fillComplete(o.colMap, o.rowMap);
  TEST_COMPARE(o.expected().entries(), >, 0);
  TEST_THROW(Trident::Multiply(*A, false, *B, false, *empty, true, "", o.params), Trident::Error);
}

TEUCHOS_UNIT_TEST(WholeNumbers, ResultWithMoreRows) {
  for (int seed = 1; seed <= 4; ++seed) {
    const Operands o(seed, false, false);
    const WholePtr A = wholeOf(*o.A), B = wholeOf(*o.B);
    const auto own = Trident::Impl::localGids(*o.rowMap);
    std::vector<GO> rows(own.begin(), own.end());
    rows.push_back(1000000 + world()->getRank());  // an index that no row has
    const auto invalid = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
    const auto wider = Teuchos::rcp(
        new map_type(invalid, Teuchos::ArrayView<const GO>(rows.data(), rows.size()), 0, world()));
    Whole C(wider, 0);
    Trident::Multiply(*A, false, *B, false, C, true, "", o.params);
    TRIDENT_TEST_OK(o.verdict(seed, compare(C, *expectedOf(o))));
  }
}

TEUCHOS_UNIT_TEST(WholeNumbers, Jacobi) {
  for (int seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    const int n = random.between(2, 40);
    const MapPtr map = makeMap(random, contiguousIndices(n), randomLayout(random), world());
    const Sparse a = randomSparse(random, n, n, true);
    const MatrixPtr A = makeMatrix(a, contiguousIndices(n), contiguousIndices(n), map, map, map);
    vector_type inverse(map);
    inverse.putScalar(3);
    Tpetra::Vector<GO> wholeInverse(map);
    wholeInverse.putScalar(3);
    matrix_type expected(map, 0);
    Trident::Jacobi(2.0, inverse, *A, *A, expected);
    const WholePtr W = wholeOf(*A);
    Whole C(map, 0);
    Trident::Jacobi(GO(2), wholeInverse, *W, *W, C);
    TRIDENT_TEST_OK(compare(C, expected));
  }
}

}  // namespace
