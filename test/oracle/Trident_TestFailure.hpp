// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTFAILURE_HPP
#define TRIDENT_TESTFAILURE_HPP

#include <memory>

#include "Trident_TestContract.hpp"

/// \file Trident_TestFailure.hpp
/// A C in each state in which it may come, and what of it a failing product must leave alone.

namespace TridentTest {

/// The states in which C may come.
enum class State { New, NewWithRoom, NewWithColumns, Resumed, Complete };
constexpr State states[] = {State::New, State::NewWithRoom, State::NewWithColumns, State::Resumed,
                            State::Complete};

/// Makes a C for o's product: new, or with the product's pattern and sevens.
MatrixPtr resultIn(State state, const Operands& o);

/// The parts of a C that a caller can see, before and after.
class ResultBefore {
 public:
  explicit ResultBefore(const matrix_type& C);
  std::string changes() const;

 private:
  const matrix_type& C_;
  std::vector<bool> facts_;
  std::vector<const void*> maps_;
  std::unique_ptr<Snapshot> entries_;  // entries of C, if it has some
};

/// Forms the good product into a C that a failed one had.
std::string checkUsable(const Operands& o, matrix_type& C);

}  // namespace TridentTest

#endif
