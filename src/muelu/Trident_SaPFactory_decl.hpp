// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAPFACTORY_DECL_HPP
#define TRIDENT_SAPFACTORY_DECL_HPP

#include <MueLu_Level.hpp>
#include <MueLu_SaPFactory.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <map>
#include <string>

#include "Trident_Report.hpp"
#include "muelu/Trident_MueLuMatrix.hpp"

namespace Trident {

/// MueLu's factory of smoothed prolongators, which forms P = (I - ω·D⁻¹·A)·Ptent by
/// Trident::Jacobi.
///
///     FactoryManager.SetFactory("P", Teuchos::rcp(new Trident::SaPFactory<SC, LO, GO, NO>()));
///
/// Parameters are those of MueLu::SaPFactory, and a sublist "Trident" (see getValidParameters());
/// "matrixmatrix: kernel params" changes nothing. If "AP reuse data" of this factory is kept on the
/// level (Level::Keep, or MueLu's reuse type "tP"), a further setup puts new values into the kept
/// prolongator, as with the base.
///
/// If MueLu would estimate the largest eigenvalue of D⁻¹·A, "eigenvalue estimate" in the sublist
/// chooses the way:
/// - "MueLu" (default for hosts): by MueLu on the host.
/// - "device" (default for devices): on the device, by as many iterations from another vector. If
///   A's row, domain and range Maps differ, MueLu estimates instead.
///
/// The base does all work, with a warning, for matrices that are not Tpetra::CrsMatrix, in
/// restriction mode, and if "sa: use rowsumabs diagonal scaling", "sa: enforce constraints" or "sa:
/// maxwell1 smoothing" is set.
template <class SC = MueLu::DefaultScalar, class LO = MueLu::DefaultLocalOrdinal,
          class GO = MueLu::DefaultGlobalOrdinal, class NO = MueLu::DefaultNode>
class SaPFactory : public MueLu::SaPFactory<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::SaPFactory<SC, LO, GO, NO>;    ///< MueLu's class
  using matrix_type = Impl::MueLuMatrix<SC, LO, GO, NO>;  ///< matrix of a level

  /// Returns the base's parameters, and the sublist "Trident".
  Teuchos::RCP<const Teuchos::ParameterList> GetValidParameterList() const override;
  /// Forms the prolongator. MueLu's set-up calls it. Throws Trident::Error, on every rank, if
  /// "eigenvalue estimate" is neither "MueLu" nor "device", or differs between ranks. Collective.
  void Build(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const override;

  /// Returns the report of the last (I - ω·D⁻¹·A)·Ptent of each level, by the level's number. A
  /// level whose prolongator the base formed has no report.
  const std::map<int, Report>& reports() const { return reports_; }

 private:
  using MatrixPtr = Teuchos::RCP<matrix_type>;
  using VectorPtr = Teuchos::RCP<Tpetra::Vector<SC, LO, GO, NO>>;

  double damping() const;
  bool leftToBase(const MatrixPtr& A, const MatrixPtr& tentative) const;
  MatrixPtr tentative(MueLu::Level& coarseLevel) const;
  bool estimatesOnDevice() const;
  SC largestEigenvalue(const MatrixPtr& A, const VectorPtr& inverse,
                       MueLu::Level& coarseLevel) const;
  Report smooth(SC omega, const VectorPtr& inverse, const MatrixPtr& A, const MatrixPtr& tentative,
                const MatrixPtr& P, const std::string& label) const;

  mutable std::map<int, Report> reports_;  // mutable, because MueLu's Build() is const
};

}  // namespace Trident

#endif
