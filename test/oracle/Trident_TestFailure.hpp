// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTFAILURE_HPP
#define TRIDENT_TESTFAILURE_HPP

#include <memory>

#include "Trident_TestContract.hpp"

/// \file Trident_TestFailure.hpp
/// A C in each state in which it may come, and what of it a failing product must leave alone.

namespace TridentTest {

/// In which C may come.
enum class State { New, NewWithRoom, NewWithColumns, Resumed, Complete };
constexpr State states[] = {State::New, State::NewWithRoom, State::NewWithColumns, State::Resumed,
                            State::Complete};

/// A C for o's product: new, or with the product's pattern and sevens.
inline MatrixPtr resultIn(State state, const Operands& o) {
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

/// Everything of a C that a caller can see, before and after.
class ResultBefore {
 public:
  explicit ResultBefore(const matrix_type& C) : C_(C), facts_(factsOf(C)), maps_(mapsOf(C)) {
    if (C.isLocallyIndexed()) entries_ = std::make_unique<Snapshot>(C);
  }
  std::string changes() const {
    if (factsOf(C_) != facts_) return "C is open or indexed as it was not before";
    if (mapsOf(C_) != maps_) return "a Map of C was replaced";
    return entries_ ? entries_->changes() : "";
  }

 private:
  static std::vector<bool> factsOf(const matrix_type& C) {
    return {C.isFillActive(), C.isFillComplete(), C.isLocallyIndexed(), C.isGloballyIndexed(),
            C.hasColMap()};
  }
  static std::vector<const void*> mapsOf(const matrix_type& C) {
    return {C.getRowMap().get(), C.hasColMap() ? C.getColMap().get() : nullptr,
            C.getDomainMap().get(), C.getRangeMap().get()};
  }
  const matrix_type& C_;
  std::vector<bool> facts_;
  std::vector<const void*> maps_;
  std::unique_ptr<Snapshot> entries_;  // of a C that has some
};

/// The good product into a C that a failed one had.
inline std::string checkUsable(const Operands& o, matrix_type& C) {
  o.multiply(C, true);
  return everywhere(*world(), checkEntries(C, o.expected(), o.rows, o.cols, true));
}

}  // namespace TridentTest

#endif
