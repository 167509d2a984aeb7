// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDCALL_HPP
#define TRIDENT_GRIDCALL_HPP

#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_Wait.hpp"
#include "product/Trident_GridSpaces.hpp"
#include "product/Trident_Grid_decl.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "rounds/Trident_RoundCounters.hpp"

// Parts of Grid that a program compiles if it brings a functor of its own.

namespace Trident {
namespace Impl {

inline std::string noMoreProblems(const RoundOptions&, CollectiveArguments&) { return ""; }

/// Runs `work` as a function of a grid, in the name of `function` and with the grid's timeout.
/// Throws Trident::Error on every rank if another thread is inside Trident, if a rank's arguments
/// are bad, or if arguments differ. Collective over the grid.
/// @param check a function check(values). It adds to `values` the arguments that must be the same
///   on all ranks, and returns the fault of this rank's arguments, or an empty text
template <class Spaces, class Check, class Work>
auto onGrid(const char* function, const Spaces& spaces, const Check& check, const Work& work) {
  const CallScope inside(function);
  const TimeoutScope timeout(spaces.options().timeoutSeconds);
  return withErrorContext(function, [&] {
    checkArguments(spaces.comm(), function, [&](CollectiveArguments& values) {
      values.push_back({"the function called", function});
      return check(values);
    });
    return work();
  });
}

/// Returns a message if a list or its sublist has a parameter of a filter, else "". Local.
/// @param instead words that follow "does nothing beside" in the message
inline std::string problemOfFilters(const Teuchos::ParameterList& options,
                                    const std::string& instead) {
  for (auto p = options.begin(); p != options.end(); ++p) {
    const std::string& name = options.name(p);
    if (options.isSublist(name)) {
      const std::string problem = problemOfFilters(options.sublist(name), instead);
      if (!problem.empty()) return problem;
    } else if (name != "product memory bytes" && name != "semiring") {
      return "\"" + name + "\" does nothing beside " + instead + "; leave it out";
    }
  }
  return "";
}

/// Returns the reason why a matrix cannot be an operand on this grid; empty if it can. Local.
template <class Placed, class Spaces>
std::string problemOfPlaced(const Placed* matrix, const Spaces* grid, const std::string& name,
                            CollectiveArguments& values) {
  if (!matrix) return name + " is no matrix yet; make it with fromTpetra()";
  if (matrix->grid.get() != grid)
    return name + " lies on another grid; bring it onto this one with fromTpetra()";
  values.push_back({name, "along Maps " + std::to_string(matrix->rows) + " and " +
                              std::to_string(matrix->columns) + " of the grid"});
  return "";
}

/// Returns the reason why two matrices cannot be summed entry by entry; empty if they can. Local.
template <class Placed, class Spaces>
std::string problemOfPair(const Placed* a, const Placed* b, const Spaces* grid,
                          CollectiveArguments& values) {
  std::string problem = problemOfPlaced(a, grid, "A", values);
  if (problem.empty()) problem = problemOfPlaced(b, grid, "B", values);
  if (problem.empty() && (a->rows != b->rows || a->columns != b->columns))
    problem = "A and B lie along different Maps; bring both onto the grid along the same";
  return problem;
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
template <class Check, class Work>
auto Grid<SC, LO, GO, NO>::multiplyBy(const char* function, const Matrix& A, const Matrix& B,
                                      const Teuchos::ParameterList& options, const Check& checkMore,
                                      const Work& work) const -> Matrix {
  const auto *const a = A.placed_.get(), *const b = B.placed_.get();
  Impl::RoundOptions rounds = spaces(function).options().rounds;
  const auto check = [&](Impl::CollectiveArguments& values) {
    std::string problem = Impl::problemOfPlaced(a, spaces_.get(), "A", values);
    if (problem.empty()) problem = Impl::problemOfPlaced(b, spaces_.get(), "B", values);
    if (problem.empty()) values.push_back({"B", a == b ? "A itself" : "a matrix of its own"});
    if (problem.empty() && a->columns != b->rows)
      problem =
          "A's columns lie along another Map than B's rows; bring A onto the grid with "
          "fromTpetra(A, B.rowMap())";
    if (problem.empty()) Impl::readProductOptions(options, rounds, values);
    return problem.empty() ? checkMore(rounds, values) : problem;
  };
  return Impl::onGrid(function, spaces(function), check, [&] {
    const double start = Impl::steadySeconds();
    Impl::RoundCounters counters;
    spaces_->orderFactors(a->matrix, b->matrix);
    Impl::LocalFailure failure;
    const auto product = work(a->matrix, b->matrix, rounds, counters, failure);
    Impl::throwEverywhere(spaces_->comm(), failure.text());
    Report report;
    report.grid = a->matrix.grid().shape();
    report.node = a->matrix.grid().rank() / report.grid.lambda;
    report.partition = spaces_->partition();
    report.operands = {{"A", static_cast<long long>(A.localEntries())},
                       {"B", static_cast<long long>(B.localEntries())}};
    report.reasons = spaces_->description() + "; ";
    Impl::noteSemiring(report, rounds.semiring);
    Impl::noteRounds(report, counters, a->matrix.local(), b->matrix.local(), product.local());
    Impl::endReasons(report);
    report.totalSeconds = Impl::steadySeconds() - start;
    return Matrix(Impl::placedMatrix(spaces_, a->rows, b->columns, product, report));
  });
}

}  // namespace Trident

#endif
