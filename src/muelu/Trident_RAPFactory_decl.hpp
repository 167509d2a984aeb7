// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RAPFACTORY_DECL_HPP
#define TRIDENT_RAPFACTORY_DECL_HPP

#include <MueLu_Level.hpp>
#include <MueLu_RAPFactory.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <map>
#include <string>
#include <vector>

#include "Trident_Report.hpp"
#include "muelu/Trident_MueLuMatrix.hpp"

namespace Trident {

/// MueLu's factory of coarse matrices, which forms Ac = R·A·P by Trident::MultiplyRAP.
///
///     FactoryManager.SetFactory("A", Teuchos::rcp(new Trident::RAPFactory<SC, LO, GO, NO>()));
///
/// Parameters are those of MueLu::RAPFactory, and a sublist "Trident" (see getValidParameters()).
/// With "transpose: use implicit" R is Pᵀ, which is never formed. "rap: triple product" and
/// "matrixmatrix: kernel params" change nothing, because A·P stays on the grid and is never a
/// matrix of its own. All work around the product (repair of the diagonal, its relative floor,
/// transfer factories, statistics, labels) is done as in the base.
///
/// Data are reused as in the base. If the level keeps this factory's "RAP reuse data", a further
/// setup puts new values into the kept coarse matrix. A level keeps the data if Level::Keep() was
/// called before the first setup, or with MueLu's reuse types "RP" and "tP". The data include a
/// MultiplyRAPPlan, so only values are moved and multiplied, on devices too. If the structure of R,
/// A or P changed, or if the diagonal's repair added entries, the product is formed without the
/// plan, and Ac keeps its pattern. There is no "AP reuse data".
///
/// Other matrices than Tpetra::CrsMatrix (blocked ones, Epetra's) are left to the base, with a
/// warning.
template <class SC = MueLu::DefaultScalar, class LO = MueLu::DefaultLocalOrdinal,
          class GO = MueLu::DefaultGlobalOrdinal, class NO = MueLu::DefaultNode>
class RAPFactory : public MueLu::RAPFactory<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::RAPFactory<SC, LO, GO, NO>;    ///< MueLu's class
  using matrix_type = Impl::MueLuMatrix<SC, LO, GO, NO>;  ///< matrix of a level

  /// Returns the base's parameters, and the sublist "Trident".
  Teuchos::RCP<const Teuchos::ParameterList> GetValidParameterList() const override;
  /// Declares the input of Build(). MueLu calls it before Build().
  void DeclareInput(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const override;
  /// Forms R·A·P. MueLu's set-up calls it. Collective.
  void Build(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const override;

  /// Returns the report of the last R·A·P of each level, by the level's number. A level whose
  /// product the base formed has no report.
  const std::map<int, Report>& reports() const { return reports_; }

  /// Adds a transfer factory, as the base's function does. The base hides its list of these
  /// factories. So DeclareInput() throws if a caller has added one through a pointer to the base.
  void AddTransferFactory(const Teuchos::RCP<const MueLu::FactoryBase>& factory);

 private:
  using MatrixPtr = Teuchos::RCP<matrix_type>;

  bool implicit() const;
  MatrixPtr restriction(MueLu::Level& coarseLevel) const;
  Report multiply(const MatrixPtr& R, const MatrixPtr& A, const MatrixPtr& P, const MatrixPtr& Ac,
                  bool keep, const std::string& label, Teuchos::ParameterList& kept) const;
  bool multiplyByPlan(const MatrixPtr& R, const MatrixPtr& A, const MatrixPtr& P,
                      const MatrixPtr& Ac, Teuchos::ParameterList& kept, Report& report) const;
  void repair(MatrixPtr& Ac) const;
  void buildTransfers(MueLu::Level& coarseLevel) const;

  std::vector<Teuchos::RCP<const MueLu::FactoryBase>> transfers_;
  mutable std::map<int, Report> reports_;  // mutable, because MueLu's Build() is const
};

}  // namespace Trident

#endif
