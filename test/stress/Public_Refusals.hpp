// SPDX-License-Identifier: BSD-3-Clause
// Dimensions in which a product must be refused, and the next one be right.
#ifndef TRIDENT_PUBLIC_REFUSALS_HPP
#define TRIDENT_PUBLIC_REFUSALS_HPP

#include <algorithm>
#include <string>
#include <vector>

#include "Public_Products.hpp"
#include "Trident_FailingAllocation.hpp"

namespace TridentTest {
namespace PublicStress {

/// Makes a call that throws on all ranks; then the good product, into that C.
inline Outcome refuse(const Setting& s, const Case& good,
                      const std::function<void(matrix_type&)>& bad,
                      const std::vector<std::string>& words, const MatrixPtr& C) {
  const Attempt attempt{s.part, *C, [&] { bad(*C); }, [] { return std::string(); }, words};
  const Outcome outcome = attempt.make(Must::Throw);
  return outcome.problem.empty() ? outcome + formAgain(s, good, C) : outcome;
}

/// Gives one rank another value of a parameter, or one that does not exist.
inline Outcome runOptions(const Setting& s) {
  const Case c = s.drawCase();
  const int odd = s.random.below(s.part.size());
  const bool misspelt = s.part.size() == 1 || s.random.chance(0.25), planned = s.random.chance(0.2);
  OtherValue other = otherValue(s.random, c.parameters);
  if (misspelt) {
    other.list = Teuchos::parameterList(*c.parameters.list);
    other.list->sublist("Trident").set(other.name + "s", 1);
  }
  s.tell(c.text() + say("; rank ", odd, misspelt ? " misspells \"" : " has another \"", other.name,
                        "\"", planned ? "; planned" : ""),
         c.tags);
  Case mine = c;
  if (s.part.rank() == odd) mine.parameters.list = other.list;
  const auto bad = [&](matrix_type& C) {
    if (planned)
      const Planned plan(mine, C);
    else
      mine.multiply(C);
  };
  const std::vector<std::string> words =
      misspelt ? std::vector<std::string>() : std::vector<std::string>{other.name};
  return refuse(s, c, bad, words, c.newResult());
}

/// A column of a factor that the next one's rows lack: in its domain Map, in the place of another,
/// or only in its column Map.
struct Stray {
  Factor factor;
  std::string text;
};

inline GO strangeIndex(const Factor& factor, Random& random) {
  GO largest = factor.cols.base;
  for (const GO gid : factor.cols.gids) largest = std::max(largest, gid);
  return largest + 1 + random.below(3);
}

inline Stray strayInDomain(const Setting& s, const Factor& good) {
  Stray stray{good, "in the domain Map"};
  Factor& factor = stray.factor;
  const int place = s.random.below(factor.cols.size());
  factor.cols.gids[place] = strangeIndex(good, s.random);
  factor.cols.contiguous = false;
  factor.op.rows[s.random.below(factor.op.numRows())][place] = 1;
  factor.colMap = makeMap(s.random, factor.cols, randomLayout(s.random), good.rowMap->getComm());
  factor.form();
  return stray;
}

inline Stray strayInColumnMap(const Setting& s, const Factor& good) {
  Stray stray{good, "in the column Map alone"};
  const GO row = good.rows.gids[s.random.below(good.rows.size())];
  const GO strange = strangeIndex(good, s.random);
  const matrix_type& old = *good.matrix;
  const bool here = old.getRowMap()->isNodeGlobalElement(row);
  Teuchos::Array<GO> columns;
  for (const GO gid : Trident::Impl::localGids(*old.getColMap())) columns.push_back(gid);
  if (here) columns.push_back(strange);
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const MapPtr colMap =
      Teuchos::rcp(new map_type(any, columns(), old.getColMap()->getIndexBase(), old.getComm()));
  const MatrixPtr matrix =
      Teuchos::rcp(new matrix_type(old.getRowMap(), colMap, columns.size() + 1));
  for (const auto& entry : entriesOf(old))
    matrix->insertGlobalValues(entry.first.first, Teuchos::tuple<GO>(entry.first.second)(),
                               Teuchos::tuple<double>(entry.second)());
  if (here)
    matrix->insertGlobalValues(row, Teuchos::tuple<GO>(strange)(), Teuchos::tuple<double>(1)());
  matrix->fillComplete(old.getDomainMap(), old.getRangeMap());
  stray.factor.matrix = matrix;
  return stray;
}

inline Outcome runStrays(const Setting& s) {
  const Case c = s.drawCase(1);
  const int which = s.random.below(static_cast<int>(c.factors.size()) - 1);
  const Factor& good = c.factors[which];
  const bool inDomain = good.transposed || s.random.chance(0.5), planned = s.random.chance(0.2);
  const Stray stray = inDomain ? strayInDomain(s, good) : strayInColumnMap(s, good);
  s.tell(c.text() +
             say("; a stray column of factor ", which, " ", stray.text, planned ? "; planned" : ""),
         c.tags);
  Case bad = c;
  bad.factors[which] = stray.factor;
  const auto multiply = [&](matrix_type& C) {
    if (planned)
      const Planned plan(bad, C);
    else
      bad.multiply(C);
  };
  return refuse(s, c, multiply, {}, c.newResult());
}

/// Lets one rank run out of memory, or not come so far.
inline Outcome runMemory(const Setting& s) {
  using Trident::Impl::TestTools::FailingAllocation;
  const Case c = s.drawCase();
  const int victim = s.random.below(s.part.size()), number = s.random.below(60);
  const bool planned = s.random.chance(0.2), warm = s.random.chance(0.7);
  s.tell(c.text() + say("; rank ", victim, " fails at allocation ", number,
                        planned ? "; planned" : "", warm ? "; after a product" : ""),
         c.tags);
  const MatrixPtr C = c.newResult();
  Outcome outcome;
  if (warm) outcome = formAgain(s, c, c.newResult());
  if (!outcome.problem.empty()) return outcome;

  const ResultBefore before(*C);
  std::string text;
  {
    const FailingAllocation failing(s.part.rank() == victim ? number : FailingAllocation::never,
                                    "Trident::");
    text = textOf([&] {
      if (planned)
        const Planned plan(c, *C);
      else
        c.multiply(*C);
    });
  }
  const std::string label = FailingAllocation::label();
  const bool injected = countRanks(s.part, !label.empty()) > 0;
  const int threw = countRanks(s.part, !text.empty());
  outcome.expected += injected;
  outcome.seen += threw > 0;
  std::string problem;
  if (threw != (injected ? s.part.size() : 0))
    problem = say(label.empty() ? "" : "injected at " + label + ", ", "thrown on ", threw, " of ",
                  s.part.size(), " ranks: ", text);
  else if (injected && text.find("injected failure") == std::string::npos)
    problem = "another failure: " + text;
  else if (injected)
    problem = before.changes();
  else
    problem = c.check(*C);
  outcome.problem = firstProblem(s.part, problem);
  if (!outcome.problem.empty()) return outcome;
  return outcome + formAgain(s, c, injected ? C : c.newResult());
}

}  // namespace PublicStress
}  // namespace TridentTest

#endif
