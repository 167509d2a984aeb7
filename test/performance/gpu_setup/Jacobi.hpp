// SPDX-License-Identifier: BSD-3-Clause
// A damped Jacobi smoother for MueLu's hierarchies: the program needs one, and Ifpack2 is not
// there.
#ifndef GPU_SETUP_JACOBI_HPP
#define GPU_SETUP_JACOBI_HPP

#include <MueLu_Level.hpp>
#include <MueLu_Monitor.hpp>
#include <MueLu_SmootherPrototype.hpp>
#include <MueLu_Utilities.hpp>
#include <Xpetra_MultiVectorFactory.hpp>
#include <Xpetra_Vector.hpp>
#include <Xpetra_VectorFactory.hpp>
#include <cmath>

#include "tpetra/Trident_TpetraCompat.hpp"

/// x += ω·D⁻¹·(b - A·x), `sweeps` times. ω is 4/3 over the largest eigenvalue of D⁻¹·A, for which
/// 1.1 times the power method's is taken: the estimate that smoothed P left with A, where it did.
template <class SC, class LO, class GO, class NO>
class Jacobi : public MueLu::SmootherPrototype<SC, LO, GO, NO> {
  using Matrix = Xpetra::Matrix<SC, LO, GO, NO>;
  using Vectors = Xpetra::MultiVector<SC, LO, GO, NO>;
  using Prototype = MueLu::SmootherPrototype<SC, LO, GO, NO>;

 public:
  explicit Jacobi(int sweeps) : sweeps_(sweeps) {}

  void DeclareInput(MueLu::Level& level) const override { level.DeclareInput("A", nullptr, this); }

  void Setup(MueLu::Level& level) override {
    const MueLu::FactoryMonitor timer(*this, "Setup", level);
    A_ = level.Get<Teuchos::RCP<Matrix>>("A", nullptr);
    inverse_ = Xpetra::VectorFactory<SC, LO, GO, NO>::Build(A_->getRowMap());
    const auto diagonal = Xpetra::VectorFactory<SC, LO, GO, NO>::Build(A_->getRowMap());
    A_->getLocalDiagCopy(*diagonal);
    inverse_->reciprocal(*diagonal);
    omega_ = 4.0 / (3.3 * std::abs(largestEigenvalue()));
    work_ = Teuchos::null;
    this->IsSetup(true);
  }

  void Apply(Vectors& x, const Vectors& b, bool zero = false) const override {
    if (work_.is_null() || work_->getNumVectors() != b.getNumVectors())
      work_ = Xpetra::MultiVectorFactory<SC, LO, GO, NO>::Build(b.getMap(), b.getNumVectors());
    if (zero) x.putScalar(0.0);
    for (int sweep = 0; sweep < sweeps_; ++sweep) {
      work_->update(1.0, b, 0.0);
      if (!zero || sweep > 0) A_->apply(x, *work_, Teuchos::NO_TRANS, -1.0, 1.0);
      x.elementWiseMultiply(omega_, *inverse_, *work_, 1.0);
    }
  }

  Teuchos::RCP<Prototype> Copy() const override { return Teuchos::rcp(new Jacobi(sweeps_)); }
  std::size_t getNodeSmootherComplexity() const override {
    return Trident::Impl::localEntries(*A_);
  }

 private:
  double largestEigenvalue() const {
    const SC known = A_->GetMaxEigenvalueEstimate();
    if (known > 0) return known;
    const auto x = Xpetra::VectorFactory<SC, LO, GO, NO>::Build(A_->getRowMap());
    const auto y = Xpetra::VectorFactory<SC, LO, GO, NO>::Build(A_->getRowMap());
    {  // on the host: mostly the coarsest level alone comes here, which has few rows
      const auto values = x->getDataNonConst(0);
      for (long long l = 0; l < values.size(); ++l) values[l] = 1 + l % 7;
    }
    double result = 1;
    for (int step = 0; step < 10; ++step) {
      x->scale(1.0 / x->norm2());
      A_->apply(*x, *y);
      x->elementWiseMultiply(1.0, *inverse_, *y, 0.0);
      result = x->norm2();
    }
    return result;
  }

  int sweeps_;
  double omega_ = 0;
  Teuchos::RCP<Matrix> A_;
  Teuchos::RCP<Xpetra::Vector<SC, LO, GO, NO>> inverse_;
  mutable Teuchos::RCP<Vectors> work_;
};

#endif
