// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_TestFailure.hpp"

namespace TridentTest {
namespace {

std::vector<bool> factsOf(const matrix_type& C) {
  return {C.isFillActive(), C.isFillComplete(), C.isLocallyIndexed(), C.isGloballyIndexed(),
          C.hasColMap()};
}

std::vector<const void*> mapsOf(const matrix_type& C) {
  return {C.getRowMap().get(), C.hasColMap() ? C.getColMap().get() : nullptr,
          C.getDomainMap().get(), C.getRangeMap().get()};
}

}  // namespace

ResultBefore::ResultBefore(const matrix_type& C) : C_(C), facts_(factsOf(C)), maps_(mapsOf(C)) {
  if (C.isLocallyIndexed()) entries_ = std::make_unique<Snapshot>(C);
}

std::string ResultBefore::changes() const {
  if (factsOf(C_) != facts_) return "C is open or indexed as it was not before";
  if (mapsOf(C_) != maps_) return "a Map of C was replaced";
  return entries_ ? entries_->changes() : "";
}

MatrixPtr resultIn(State state, const Operands& o) {
  if (state == State::New) return Teuchos::rcp(new matrix_type(o.rowMap, 0));
  if (state == State::NewWithRoom) return Teuchos::rcp(new matrix_type(o.rowMap, 41));
  if (state == State::NewWithColumns) return Teuchos::rcp(new matrix_type(o.rowMap, o.colMap, 41));
  const MatrixPtr C =
      makeMatrix(o.expected().sparse(), o.rows, o.cols, o.rowMap, o.colMap, o.rowMap);
  C->resumeFill();
  C->setAllToScalar(7);
  if (state == State::Complete) C->fillComplete(o.colMap, o.rowMap);
  return C;
}

std::string checkUsable(const Operands& o, matrix_type& C) {
  o.multiply(C, true);
  return everywhere(*world(), checkEntries(C, o.expected(), o.rows, o.cols, true));
}

}  // namespace TridentTest
