// SPDX-License-Identifier: BSD-3-Clause
// Random factors of a product, a Galerkin product or a Jacobi step, on a part, with what they give.
#ifndef TRIDENT_PUBLIC_CASE_HPP
#define TRIDENT_PUBLIC_CASE_HPP

#include <string>
#include <vector>

#include "Public_Parameters.hpp"
#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"

namespace TridentTest {
namespace PublicStress {

enum class Kind { Product, Galerkin, Jacobi };

/// One factor op(M), of small whole numbers, so that products are exact.
struct Factor {
  Sparse op;
  Indices rows, cols;  ///< indices of op
  MapPtr rowMap, colMap;
  bool transposed = false;
  MatrixPtr matrix;

  void form() {
    matrix = transposed ? makeMatrix(op.transpose(), cols, rows, colMap, rowMap, colMap)
                        : makeMatrix(op, rows, cols, rowMap, colMap, rowMap);
  }
  void renewValues(Random& random) {
    for (auto& row : op.rows)
      for (auto& entry : row) entry.second = random.between(-3, 3);
  }
  std::string text() const {
    return say(op.numRows(), "x", op.cols, rows.contiguous ? "" : " sparse",
               transposed ? " transposed" : "");
  }
};

struct Case {
  Kind kind;
  std::vector<Factor> factors;
  Teuchos::RCP<vector_type> inverse;  ///< inverse diagonal of a Jacobi step: all 0.5, and omega too
  Parameters parameters;
  std::vector<std::string> tags;

  Expected expected() const {
    if (kind == Kind::Product) return Expected(factors[0].op, factors[1].op);
    if (kind == Kind::Galerkin)
      return Expected(factors[0].op, Expected(factors[1].op, factors[2].op).sparse());
    const int n = factors[0].op.numRows();
    Sparse smoother(n, n);
    for (int i = 0; i < n; ++i) {
      smoother.rows[i][i] = 1;
      for (const auto& entry : factors[0].op.rows[i])
        smoother.rows[i][entry.first] -= 0.25 * entry.second;
    }
    return Expected(smoother, factors[1].op);
  }

  MatrixPtr newResult() const { return Teuchos::rcp(new matrix_type(factors[0].rowMap, 0)); }

  void multiply(matrix_type& C, const Teuchos::RCP<List>& list, bool complete = true) const {
    const auto& f = factors;
    if (kind == Kind::Product)
      Trident::Multiply(*f[0].matrix, f[0].transposed, *f[1].matrix, f[1].transposed, C, complete,
                        "", list);
    else if (kind == Kind::Galerkin)
      Trident::MultiplyRAP(*f[0].matrix, f[0].transposed, *f[1].matrix, f[1].transposed,
                           *f[2].matrix, f[2].transposed, C, complete, "", list);
    else
      Trident::Jacobi(0.5, *inverse, *f[0].matrix, *f[1].matrix, C, complete, "", list);
  }
  void multiply(matrix_type& C) const { multiply(C, parameters.list); }

  void formAll() {
    for (Factor& factor : factors) factor.form();
  }

  /// Checks C's entries on this rank. Local.
  std::string check(const matrix_type& C) const {
    if (!C.isFillComplete()) return "C is not fill-complete";
    return checkEntries(C, expected(), factors.front().rows, factors.back().cols, true);
  }
  /// Checks C's Maps, too, where it was new; returns the same text on all ranks. The column Map of
  /// a C that was left open is Tpetra's. Collective over `judge`'s ranks.
  std::string checkNew(const matrix_type& C, const Teuchos::Comm<int>& judge,
                       bool wasOpen = false) const {
    std::string problem = check(C);
    if (!C.getDomainMap()->isSameAs(*factors.back().colMap)) problem = "C has another domain Map";
    problem = everywhere(judge, problem);
    return problem.empty() && !wasOpen ? checkColumns(C) : problem;
  }

  std::string text() const {
    const char* const kinds[] = {"product", "Galerkin product", "Jacobi step"};
    std::string text = kinds[static_cast<int>(kind)];
    for (const Factor& factor : factors) text += ", " + factor.text();
    return text + "; " + parameters.text();
  }
};

/// A plan of a case.
class Planned {
 public:
  using NO = matrix_type::node_type;

  Planned(const Case& c, matrix_type& C) {
    const auto& f = c.factors;
    const auto& list = c.parameters.list;
    if (c.kind == Kind::Product)
      product_ = std::make_unique<Trident::MultiplyPlan<double, LO, GO, NO>>(
          *f[0].matrix, f[0].transposed, *f[1].matrix, f[1].transposed, C, list);
    else if (c.kind == Kind::Galerkin)
      galerkin_ = std::make_unique<Trident::MultiplyRAPPlan<double, LO, GO, NO>>(
          *f[0].matrix, f[0].transposed, *f[1].matrix, f[1].transposed, *f[2].matrix,
          f[2].transposed, C, list);
    else
      jacobi_ = std::make_unique<Trident::JacobiPlan<double, LO, GO, NO>>(
          0.5, *c.inverse, *f[0].matrix, *f[1].matrix, C, list);
  }
  void multiply(const Case& c, matrix_type& C) const {
    const auto& f = c.factors;
    if (product_) product_->multiply(*f[0].matrix, *f[1].matrix, C);
    if (galerkin_) galerkin_->multiply(*f[0].matrix, *f[1].matrix, *f[2].matrix, C);
    if (jacobi_) jacobi_->multiply(0.5, *c.inverse, *f[0].matrix, *f[1].matrix, C);
  }

 private:
  std::unique_ptr<Trident::MultiplyPlan<double, LO, GO, NO>> product_;
  std::unique_ptr<Trident::MultiplyRAPPlan<double, LO, GO, NO>> galerkin_;
  std::unique_ptr<Trident::JacobiPlan<double, LO, GO, NO>> jacobi_;
};

}  // namespace PublicStress
}  // namespace TridentTest

#endif
