// SPDX-License-Identifier: BSD-3-Clause
// Dimensions in which every product must be right.
#ifndef TRIDENT_PUBLIC_PRODUCTS_HPP
#define TRIDENT_PUBLIC_PRODUCTS_HPP

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Public_Attempt.hpp"
#include "Public_DrawCase.hpp"

namespace TridentTest {
namespace PublicStress {

/// The setting of a dimension: its part, its random numbers, and how it says what it is about to
/// do.
struct Setting {
  Random& random;
  Part& part;
  const Arguments& arguments;
  std::function<void(const std::string& text, const std::vector<std::string>& tags)> tell;

  Case drawCase(int least = 0) const { return CaseDraw(random, part, arguments, least).draw(); }
  /// Returns the outcome that a product with these parameters must have.
  Must mustOf(const Case& c) const {
    return arguments.scarce && c.parameters.asksForShared ? Must::BeEither : Must::BeRight;
  }
};

/// Forms a new C by any way, which leaves the operands as they were.
/// @param wasOpen C is left open, and completed by Tpetra
inline Outcome formNew(const Setting& s, const Case& c,
                       const std::function<void(matrix_type&)>& call, const MatrixPtr& C,
                       bool wasOpen = false) {
  std::vector<std::unique_ptr<Snapshot>> operands;
  for (const Factor& factor : c.factors)
    operands.push_back(std::make_unique<Snapshot>(*factor.matrix));
  const auto check = [&] {
    std::string problem;
    for (const auto& operand : operands) problem += operand->changes();
    problem = firstProblem(s.part, problem);
    return problem.empty() ? c.checkNew(*C, *s.part.judge->teuchos(), wasOpen) : problem;
  };
  return Attempt{s.part, *C, [&] { call(*C); }, check}.make(s.mustOf(c));
}

/// Forms the plain product of a case that is known to be good, as after something that was refused.
inline Outcome formAgain(const Setting& s, const Case& c, const MatrixPtr& C) {
  return formNew(
      s, c, [&](matrix_type& D) { c.multiply(D); }, C);
}

inline Outcome runProducts(const Setting& s) {
  const Case c = s.drawCase();
  const bool open = s.random.chance(0.15), compared = s.random.chance(0.25);
  s.tell(c.text() + (open ? "; left open" : ""), c.tags);
  const MatrixPtr C = c.newResult();
  Outcome outcome = formNew(
      s, c,
      [&](matrix_type& D) {
        c.multiply(D, c.parameters.list, !open);
        if (open) D.fillComplete(c.factors.back().colMap, c.factors.front().rowMap);
      },
      C, open);
  const auto& f = c.factors;
  if (!outcome.problem.empty() || outcome.seen || !compared || c.kind != Kind::Product)
    return outcome;
  // Tpetra wants one communicator.
  if (f[0].transposed || f[1].transposed || s.part.comm()->getSize() == 1 ||
      f[1].rowMap->getComm() != f[0].rowMap->getComm() || !tpetraCan(*f[0].matrix, *f[1].matrix))
    return outcome;
  outcome.problem =
      firstProblem(s.part, checkAgainstTpetra(*f[0].matrix, false, *f[1].matrix, false, *C, true));
  return outcome;
}

/// Forms products into a C that has a pattern: the product's, or that of fewer entries, which is
/// refused.
inline Outcome runPatterns(const Setting& s) {
  Case c = s.drawCase();
  const Sparse whole = c.factors[0].op;
  if (s.random.chance(0.3))
    for (auto& row : c.factors[0].op.rows)
      if (s.random.chance(0.2)) row.clear();
  c.formAll();
  s.tell(c.text() + "; into its pattern", c.tags);
  const MatrixPtr C = c.newResult();
  Outcome outcome = formAgain(s, c, C);
  if (!outcome.problem.empty() || outcome.seen) return outcome;

  const long long entries = c.expected().entries();
  c.factors[0].op = whole;
  for (Factor& factor : c.factors) factor.renewValues(s.random);
  c.formAll();
  // Tpetra's own Galerkin product and Jacobi step take no complete C.
  if (c.kind != Kind::Product || s.random.chance(0.5)) C->resumeFill();
  const Must must = c.expected().entries() == entries ? s.mustOf(c) : Must::Throw;
  const Attempt again{s.part, *C, [&] { c.multiply(*C); }, [&] { return c.check(*C); }};
  return outcome + again.make(must);
}

/// Sets new values in the very graphs of the factors.
inline void setValues(Case& c, Random& random) {
  for (Factor& factor : c.factors) {
    factor.renewValues(random);
    const Factor old = factor;
    factor.form();
    const MatrixPtr fresh = std::exchange(factor.matrix, old.matrix);
    factor.matrix->resumeFill();
    const auto rows = fresh->getLocalMatrixHost();
    const auto colMap = fresh->getColMap();
    for (LO r = 0; r < rows.numRows(); ++r)
      for (auto e = rows.graph.row_map(r); e < rows.graph.row_map(r + 1); ++e) {
        const GO row = fresh->getRowMap()->getGlobalElement(r);
        const GO column = colMap->getGlobalElement(rows.graph.entries(e));
        factor.matrix->replaceGlobalValues(row, Teuchos::tuple<GO>(column)(),
                                           Teuchos::tuple<double>(rows.values(e))());
      }
    factor.matrix->fillComplete(fresh->getDomainMap(), fresh->getRangeMap());
  }
}

/// Forms the plan's product of new values, in the old graphs or in new ones.
inline Outcome formPlanned(const Setting& s, Case& c, const Planned& plan, matrix_type& C) {
  if (s.random.chance(0.5)) {
    setValues(c, s.random);
  } else {
    for (Factor& factor : c.factors) factor.renewValues(s.random);
    c.formAll();
  }
  return Attempt{s.part, C, [&] { plan.multiply(c, C); }, [&] { return c.check(C); }}.make(
      s.mustOf(c));
}

inline Outcome runPlans(const Setting& s) {
  Case c = s.drawCase();
  const int times = s.random.between(1, 3);
  s.tell(c.text() + say("; planned, ", times, " times again"), c.tags);
  const MatrixPtr C = c.newResult();
  std::unique_ptr<Planned> plan;
  Outcome outcome = formNew(
      s, c, [&](matrix_type& D) { plan = std::make_unique<Planned>(c, D); }, C);
  for (int time = 0; plan && time < times && outcome.problem.empty(); ++time) {
    if (s.random.chance(0.2)) {  // another product between
      const Case other = s.drawCase();
      outcome = outcome + formAgain(s, other, other.newResult());
    }
    if (outcome.problem.empty()) outcome = outcome + formPlanned(s, c, *plan, *C);
  }
  return outcome;
}

/// A plan that the part keeps, from one product to a later one.
struct KeptPlan : Kept {
  Case c;
  MatrixPtr C;
  std::unique_ptr<Planned> plan;
};

inline Outcome runKeptPlans(const Setting& s) {
  auto* kept = static_cast<KeptPlan*>(s.part.kept.get());
  if (kept) {
    s.tell(kept->c.text() + "; by the plan that was kept", kept->c.tags);
    const Outcome outcome = formPlanned(s, kept->c, *kept->plan, *kept->C);
    if (s.random.chance(0.2)) s.part.kept.reset();
    return outcome;
  }
  auto fresh = std::make_unique<KeptPlan>();
  fresh->c = s.drawCase();
  fresh->C = fresh->c.newResult();
  s.tell(fresh->c.text() + "; planned, and kept", fresh->c.tags);
  const Outcome outcome = formNew(
      s, fresh->c, [&](matrix_type& D) { fresh->plan = std::make_unique<Planned>(fresh->c, D); },
      fresh->C);
  if (outcome.problem.empty() && !outcome.seen) s.part.kept = std::move(fresh);
  return outcome;
}

}  // namespace PublicStress
}  // namespace TridentTest

#endif
