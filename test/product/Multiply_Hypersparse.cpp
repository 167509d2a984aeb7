// SPDX-License-Identifier: BSD-3-Clause
// Matrices with far more indices than entries: columns that a rank meets are then listed and
// sorted, and not marked in a bitmap of all indices.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_Multiply.hpp"
#include "Trident_TestLarge.hpp"
#include "Trident_TestOracle.hpp"

namespace {

using namespace TridentTest;

constexpr GO size = 400000;  // more than 32 an entry and 131072 (Trident_ColumnIndex.hpp)
constexpr GO step = 4001;    // a prime: rows that hold something lie on all ranks

/// Makes rows 0, step, 2·step, ... with `degree` entries in such columns, near and far: many rows
/// have columns in common.
MatrixPtr hypersparse(int degree, const CommPtr& comm) {
  return makeRows(size, degree, comm, [=](GO row) {
    std::vector<GO> columns;
    for (int e = 0; row % step == 0 && e < degree; ++e)
      columns.push_back((row / step * 7 + e * e * 13) % (size / step) * step);
    return columns;
  });
}

MatrixPtr diagonal(const CommPtr& comm) {
  return makeRows(size, 1, comm, [](GO row) {
    return row % step == 0 ? std::vector<GO>{row} : std::vector<GO>();
  });
}

std::string checkProduct(const MatrixPtr& A, const MatrixPtr& B, const std::string& grid,
                         const std::string& fetch) {
  const auto params = tridentList();
  Teuchos::ParameterList& list = params->sublist("Trident");
  list.set("ranks per node", 1);
  list.set("grid", grid);
  list.sublist("expert").set("fetch", fetch);
  const MatrixPtr C = newResult(*A);
  Trident::Multiply(*A, *B, *C, params);
  return everywhere(*A->getComm(), checkAgainstTpetra(*A, false, *B, false, *C, true));
}

TEUCHOS_UNIT_TEST(Hypersparse, ColumnsAreListed) {
  const CommPtr comm = Tpetra::getDefaultComm();
  const int ranks = comm->getSize();
  const MatrixPtr A = hypersparse(5, comm), B = hypersparse(3, comm);
  for (const std::string fetch : {"tiles", "needed-rows"})
    if (fetch == "tiles" || ranks > 1)
      TRIDENT_TEST_OK(checkProduct(A, B, std::to_string(ranks) + "x1", fetch));
  TRIDENT_TEST_OK(checkProduct(A, B, "1x" + std::to_string(ranks), "tiles"));
  TRIDENT_TEST_OK(checkProduct(A, B, "square", ranks > 1 ? "needed-rows" : "tiles"));
  TRIDENT_TEST_OK(checkProduct(A, B, "auto", "auto"));
}

TEUCHOS_UNIT_TEST(Hypersparse, NothingIsMet) {
  const CommPtr comm = Tpetra::getDefaultComm();
  const std::string fetch = comm->getSize() > 1 ? "needed-rows" : "tiles";
  const MatrixPtr A = hypersparse(5, comm), D = diagonal(comm), nothing = hypersparse(0, comm);
  for (const std::string& grid : {std::to_string(comm->getSize()) + "x1", std::string("square")}) {
    TRIDENT_TEST_OK(checkProduct(D, A, grid, fetch));  // no columns but own ones
    TRIDENT_TEST_OK(checkProduct(A, D, grid, fetch));
    TRIDENT_TEST_OK(checkProduct(nothing, A, grid, fetch));
    TRIDENT_TEST_OK(checkProduct(A, nothing, grid, fetch));
  }
}

}  // namespace
