// SPDX-License-Identifier: BSD-3-Clause
// Scalars other than double: those that Tpetra was built with, and whole numbers, for which the
// library has no product and a program takes it from the _def header, as
// test/oracle/Trident_WholeNumbers.cpp does.

#define TRIDENT_WHOLE_NUMBERS  // compiled there

#include <TpetraCore_config.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <complex>

#include "Trident_Multiply.hpp"
#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;

/// Checks structure and values of C = A·B, all values of A and B multiplied by `unit`, on each
/// square shape.
template <class Scalar>
std::string checkScalar(std::uint64_t seed, const Scalar unit) {
  using Matrix = Tpetra::CrsMatrix<Scalar>;
  const CommPtr comm = world();
  Random random(seed);
  const int m = random.between(1, 40), l = random.between(1, 40), n = random.between(1, 40);
  const Sparse a = randomSparse(random, m, l, true), b = randomSparse(random, l, n, true);
  const auto make = [&](const Sparse& M, const MapPtr& rows, const MapPtr& cols) {
    const auto matrix = Teuchos::rcp(new Matrix(rows, std::max(1, M.cols)));
    for (const GO row : Trident::Impl::localGids(*rows)) {
      Teuchos::Array<GO> columns;
      Teuchos::Array<Scalar> values;
      for (const auto& entry : M.rows[row]) {
        columns.push_back(entry.first);
        values.push_back(unit * static_cast<Scalar>(entry.second));
      }
      if (columns.size() > 0) matrix->insertGlobalValues(row, columns(), values());
    }
    matrix->fillComplete(cols, rows);
    return matrix;
  };
  const MapPtr rows = makeMap(random, contiguousIndices(m), Layout::Cyclic, comm);
  const MapPtr inner = makeMap(random, contiguousIndices(l), Layout::Uneven, comm);
  const MapPtr cols = makeMap(random, contiguousIndices(n), Layout::Uniform, comm);
  const auto A = make(a, rows, inner), B = make(b, inner, cols);
  Matrix C(rows, 0);
  int lambda = 1;
  std::string shape;
  Trident::Multiply(*A, *B, C, randomParameters(random, comm->getSize(), lambda, shape));

  const Expected expected(a, b);
  const auto local = C.getLocalMatrixHost();
  const auto rowGids = Trident::Impl::localGids(*rows),
             colGids = Trident::Impl::localGids(*C.getColMap());
  std::string problem;
  long long wanted = 0;
  for (int r = 0; r < static_cast<int>(rowGids.size()); ++r) {
    const int* terms = expected.terms.data() + rowGids[r] * n;
    wanted += std::count_if(terms, terms + n, [](int t) { return t > 0; });
    for (auto e = local.graph.row_map(r); e < local.graph.row_map(r + 1); ++e) {
      const auto at = rowGids[r] * n + colGids[local.graph.entries(e)];
      const Scalar value = unit * unit * static_cast<Scalar>(expected.value[at]);
      if (!expected.terms[at] || static_cast<Scalar>(local.values(e)) != value)
        problem = say("seed ", seed, ": wrong entry of row ", rowGids[r]);
    }
  }
  if (wanted != static_cast<long long>(local.nnz())) problem = say("seed ", seed, ": entries");
  return everywhere(*comm, problem);
}

TEUCHOS_UNIT_TEST(Scalars, Double) {
  for (int seed = 0; seed < 10; ++seed) TRIDENT_TEST_OK(checkScalar<double>(seed, 0.5));
}

// Large enough for a double to lose digits.
TEUCHOS_UNIT_TEST(Scalars, WholeNumbers) {
  const GO unit = sizeof(GO) > 4 ? GO((1ll << 28) + 1) : GO(101);
  for (int seed = 0; seed < 10; ++seed) TRIDENT_TEST_OK(checkScalar<GO>(seed, unit));
}

#ifdef HAVE_TPETRA_INST_FLOAT
TEUCHOS_UNIT_TEST(Scalars, Float) {
  for (int seed = 0; seed < 10; ++seed) TRIDENT_TEST_OK(checkScalar<float>(seed, 0.5f));
}
#endif

#ifdef HAVE_TPETRA_INST_COMPLEX_DOUBLE
TEUCHOS_UNIT_TEST(Scalars, ComplexDouble) {
  for (int seed = 0; seed < 10; ++seed)
    TRIDENT_TEST_OK(checkScalar<std::complex<double>>(seed, {0.5, -2.0}));
}
#endif

#ifdef HAVE_TPETRA_INST_COMPLEX_FLOAT
TEUCHOS_UNIT_TEST(Scalars, ComplexFloat) {
  for (int seed = 0; seed < 10; ++seed)
    TRIDENT_TEST_OK(checkScalar<std::complex<float>>(seed, {0.5f, -2.0f}));
}
#endif

}  // namespace
