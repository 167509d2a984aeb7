// SPDX-License-Identifier: BSD-3-Clause
// Factors that do not fit are refused on every rank, with both shapes.

#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Rounds_TestTools.hpp"
#include "Trident_Error.hpp"
#include "matrix/Trident_SortRows.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Formula;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::multiplyOnGrid;
using TestTools::multiplyValuesOnGrid;
using TestTools::uniformSpace;
using TestTools::worldSize;

std::string refusal(const Matrix& A, const Matrix& B) {
  try {
    multiplyOnGrid(A, B);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEUCHOS_UNIT_TEST(Errors, DifferentGrids) {
  const GridShape shape = squareShape(worldSize(), 1);
  const auto one = makeExchanges(shape), two = makeExchanges(shape);
  const auto space = uniformSpace(shape, 9);
  const Matrix A = makeMatrix(one, space, space, Formula{1, 50});
  const Matrix B = makeMatrix(two, space, space, Formula{2, 50});
  const std::string text = refusal(A, B);
  out << text << "\n";
  TEST_ASSERT(contains(text, "different grids"));
  TEST_ASSERT(contains(text, "9 x 9 on a " + shape.name() + " grid"));
  TEST_EQUALITY(refusal(A, A), std::string());
}

TEUCHOS_UNIT_TEST(Errors, DifferentInnerSpaces) {
  const GridShape shape = squareShape(worldSize(), 1);
  const auto exchanges = makeExchanges(shape);
  const auto rows = uniformSpace(shape, 9), inner = uniformSpace(shape, 5);
  const auto sameCuts = uniformSpace(shape, 5), longer = uniformSpace(shape, 6);
  const Matrix A = makeMatrix(exchanges, rows, inner, Formula{1, 50});
  for (const auto& other : {sameCuts, longer}) {
    const Matrix B = makeMatrix(exchanges, other, rows, Formula{2, 50});
    const std::string text = refusal(A, B);
    out << text << "\n";
    TEST_ASSERT(contains(text, "9 x 5"));
    TEST_ASSERT(contains(text, std::to_string(other->size()) + " x 9"));
    TEST_ASSERT(contains(text, "IndexSpace"));  // the remedy
  }
  const Matrix fits = makeMatrix(exchanges, inner, rows, Formula{2, 50});
  TEST_EQUALITY(refusal(A, fits), std::string());
}

TEUCHOS_UNIT_TEST(Errors, ProductsOutsideTheStructure) {
  const GridShape shape = squareShape(worldSize(), 1);
  const auto exchanges = makeExchanges(shape);
  const auto space = uniformSpace(shape, 9);
  const Matrix none = makeMatrix(exchanges, space, space, Formula{1, 0});
  const Matrix some = makeMatrix(exchanges, space, space, Formula{1, 100});
  const Matrix C = multiplyOnGrid(none, none);
  sortRows(C.local());
  TEST_NOTHROW(multiplyValuesOnGrid(none, none, C));
  std::string text;
  try {
    multiplyValuesOnGrid(some, some, C);
  } catch (const Error& e) {
    text = e.what();
  }
  out << text << "\n";
  // A host does not look for them: plans compare structures before.
  TEST_EQUALITY(contains(text, "multiply-adds fall outside the planned structure of C"),
                !isHost<Matrix::device_type>);
}

}  // namespace

}  // namespace Trident::Impl
