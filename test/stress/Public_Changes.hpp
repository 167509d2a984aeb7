// SPDX-License-Identifier: BSD-3-Clause
// Plans whose matrices change their structure behind them: in the same graph object or in another.
// The plan's product must be right, or be refused on all ranks.
#ifndef TRIDENT_PUBLIC_CHANGES_HPP
#define TRIDENT_PUBLIC_CHANGES_HPP

#include <string>
#include <vector>

#include "Public_Restructure.hpp"

namespace TridentTest {
namespace PublicStress {

enum class Change {
  Values,           ///< new values in the same graph: no change at all
  Reindexed,        ///< another local order of the same columns
  MoreColumns,      ///< another order, and columns in the column Map that no entry uses
  Dealt,            ///< another domain Map of the same indices, from fillComplete()
  Summed,           ///< an entry inserted where there is one
  Inserted,         ///< one where there was none
  EqualGraph,       ///< another graph of the same structure
  OtherGraph,       ///< a graph of another structure
  LeftOpen,         ///< a matrix that is not fill-complete
  ResultReindexed,  ///< another local order of C's columns
  ResultOpen,
  Last = ResultOpen
};

inline const char* nameOf(Change change) {
  static const char* const names[] = {"values",    "reindexed",   "more columns", "dealt anew",
                                      "summed",    "inserted",    "equal graph",  "other graph",
                                      "left open", "C reindexed", "C open"};
  return names[static_cast<int>(change)];
}

/// Applies the change; returns whether it was possible.
inline bool apply(const Setting& s, Change change, Case& c, Factor& factor, matrix_type& C) {
  matrix_type& M = *factor.matrix;
  Random& random = s.random;
  switch (change) {
    case Change::Values:
      setValues(c, random);
      return true;
    case Change::Reindexed:
    case Change::MoreColumns:
      reindex(M, change == Change::MoreColumns);
      return true;
    case Change::Dealt: {
      const MapPtr domain = makeMap(random, factor.transposed ? factor.rows : factor.cols,
                                    randomLayout(random), M.getComm());
      const MapPtr range = M.getRangeMap();
      M.resumeFill();
      M.fillComplete(domain, range);
      return true;
    }
    case Change::Summed:
    case Change::Inserted:
      return insertOne(s, factor, change == Change::Summed);
    case Change::EqualGraph:
      factor.renewValues(random);
      factor.form();
      return true;
    case Change::OtherGraph: {
      if (factor.op.numRows() == 0 || factor.op.cols == 0) return false;
      auto& row = factor.op.rows[random.below(factor.op.numRows())];
      const int column = random.below(factor.op.cols);
      if (row.count(column))
        row.erase(column);
      else
        row[column] = 1;
      factor.form();
      return true;
    }
    case Change::LeftOpen:
      M.resumeFill();
      return true;
    case Change::ResultReindexed:
      reindex(C, random.chance(0.5));
      return true;
    case Change::ResultOpen:
      C.resumeFill();
      return true;
  }
  return false;
}

inline Outcome runChanges(const Setting& s) {
  Case c = s.drawCase();
  const auto change = static_cast<Change>(s.random.below(static_cast<int>(Change::Last) + 1));
  const int which = s.random.below(static_cast<int>(c.factors.size()));
  Factor& factor = c.factors[which];
  const bool loose = change == Change::Summed || change == Change::Inserted;
  if (loose) factor.matrix = withRoom(*factor.matrix);
  std::vector<std::string> tags = c.tags;
  tags.push_back(std::string("changes: ") + nameOf(change));
  s.tell(c.text() + say("; planned, then factor ", which, ": ", nameOf(change)), tags);

  const MatrixPtr C = c.newResult();
  std::unique_ptr<Planned> plan;
  Outcome outcome = formNew(
      s, c, [&](matrix_type& D) { plan = std::make_unique<Planned>(c, D); }, C);
  if (!outcome.problem.empty() || !plan || !apply(s, change, c, factor, *C)) return outcome;
  const bool open = change == Change::LeftOpen;
  if (!open) outcome.problem = firstProblem(s.part, checkFactor(factor));
  if (!outcome.problem.empty()) return outcome;

  const bool same = change == Change::Values || change == Change::ResultOpen;
  const Must must = open ? Must::Throw : same ? s.mustOf(c) : Must::BeEither;
  outcome =
      outcome +
      Attempt{s.part, *C, [&] { plan->multiply(c, *C); }, [&] { return c.check(*C); }}.make(must);
  if (!outcome.problem.empty()) return outcome;
  if (change == Change::LeftOpen) {
    const Factor closed = factor;
    factor.form();
  }
  if (change == Change::Dealt && which + 1 == static_cast<int>(c.factors.size()) &&
      !factor.transposed)
    factor.colMap = factor.matrix->getDomainMap();
  if (change == Change::Dealt && factor.transposed) factor.form();  // its rows are dealt otherwise
  return outcome + formAgain(s, c, c.newResult());
}

}  // namespace PublicStress
}  // namespace TridentTest

#endif
