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

// The calls of a grid's functions, compiled by programs that bring a functor of their own.

namespace Trident {
namespace Impl {

/// Returns "": a caller that has nothing more to check of a product passes this function.
inline std::string noMoreProblems(const RoundOptions&, CollectiveArguments&) { return ""; }

/// Runs a function of a grid: under its name, with its timeout, by one thread; and only if all
/// ranks' arguments are good and alike. Collective over the grid.
/// @param check what is wrong with this rank's arguments, empty where nothing is; adds what ranks
///   must pass alike
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

/// Returns the name of a filter's parameter in a list or its sublist, with the remedy; empty if
/// there is none. Local.
/// @param instead the argument that filters in their place
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
