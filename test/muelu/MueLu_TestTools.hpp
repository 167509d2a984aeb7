// SPDX-License-Identifier: BSD-3-Clause
#ifndef MUELU_TESTTOOLS_HPP
#define MUELU_TESTTOOLS_HPP

#include <MueLu_FactoryManager.hpp>
#include <MueLu_Hierarchy.hpp>
#include <MueLu_TentativePFactory.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "Trident_RAPFactory.hpp"
#include "Trident_SaPFactory.hpp"
#include "muelu/Trident_MueLuMatrix.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {
namespace Test {

using Teuchos::RCP;
using Teuchos::rcp;
using TMatrix = Tpetra::CrsMatrix<>;
using SC = TMatrix::scalar_type;
using LO = TMatrix::local_ordinal_type;
using GO = TMatrix::global_ordinal_type;
using NO = TMatrix::node_type;
using TVector = Tpetra::Vector<SC, LO, GO, NO>;
using XMatrix = MueLuMatrix<SC, LO, GO, NO>;
using Hierarchy = MueLu::Hierarchy<SC, LO, GO, NO>;
using FactoryManager = MueLu::FactoryManager<SC, LO, GO, NO>;

/// Makes the Laplacian of a cube with `side` points a side, each with `dofs` coupled unknowns. It
/// is scaled from both sides by numbers that depend on `seed` (0: not): same structure, other
/// values. With `flat` it lacks the couplings in z.
inline RCP<TMatrix> laplacian(GO side, int dofs = 1, int seed = 0, bool flat = false) {
  const GO points = side * side * side;
  const auto comm = Tpetra::getDefaultComm();
  const GO first = points * comm->getRank() / comm->getSize();
  const GO last = points * (comm->getRank() + 1) / comm->getSize();
  const auto map = rcp(new TMatrix::map_type(Teuchos::OrdinalTraits<GO>::invalid(),
                                             static_cast<std::size_t>((last - first) * dofs), 0,
                                             comm));  // points are not cut
  const auto A = rcp(new TMatrix(map, 7 * dofs));
  const auto scale = [&](GO p) { return seed == 0 ? 1.0 : 1.0 + 0.5 * std::sin(seed * (p + 1.0)); };
  const auto insert = [&](GO p, GO q, double value) {
    for (int d = 0; d < dofs; ++d)
      for (int e = 0; e < dofs; ++e)
        A->insertGlobalValues(
            p * dofs + d, Teuchos::tuple<GO>(q * dofs + e),
            Teuchos::tuple<SC>(scale(p) * value * (d == e ? 1.0 : 0.25) * scale(q)));
  };
  for (GO p = first; p < last; ++p) {
    insert(p, p, 6.01);
    const GO strides[] = {1, side, side * side};
    for (int axis = 0; axis < (flat ? 2 : 3); ++axis) {
      const GO place = p / strides[axis] % side;
      if (place > 0) insert(p, p - strides[axis], -1.0);
      if (place < side - 1) insert(p, p + strides[axis], -1.0);
    }
  }
  A->fillComplete();
  return A;
}

/// Returns the matrix as MueLu takes it.
inline RCP<XMatrix> asXpetra(const RCP<TMatrix>& A, int dofs = 1) {
  const RCP<XMatrix> matrix = mueLuMatrix(A);
  matrix->SetFixedBlockSize(dofs);
  return matrix;
}

/// A hierarchy and the factories that made it.
struct Multigrid {
  RCP<MueLu::Factory> rap, prolongator, tentative;
  RCP<FactoryManager> manager;
  RCP<Hierarchy> hierarchy;

  Multigrid(const RCP<XMatrix>& A, const RCP<MueLu::Factory>& coarse,
            const RCP<MueLu::Factory>& smoothed, bool implicit)
      : rap(coarse),
        prolongator(smoothed),
        tentative(rcp(new MueLu::TentativePFactory<SC, LO, GO, NO>())),
        manager(rcp(new FactoryManager())),
        hierarchy(rcp(new Hierarchy(A))) {
    MueLu::VerboseObject::SetDefaultVerbLevel(MueLu::None);
    rap->SetParameter("transpose: use implicit", Teuchos::ParameterEntry(implicit));
    manager->SetFactory("Ptent", tentative);
    manager->SetFactory("P", prolongator);
    manager->SetFactory("A", rap);
    if (implicit) manager->SetFactory("R", Teuchos::null);
    hierarchy->SetImplicitTranspose(implicit);
    hierarchy->SetMaxCoarseSize(20);
  }
  void setup() {
    hierarchy->Setup(*manager, 0, 10);
    hierarchy->AllocateLevelMultiVectors(1);  // which SetupRe() needs where nothing was solved
  }
};

inline Multigrid byMueLu(const RCP<XMatrix>& A, bool implicit = true) {
  return {A, rcp(new MueLu::RAPFactory<SC, LO, GO, NO>()),
          rcp(new MueLu::SaPFactory<SC, LO, GO, NO>()), implicit};
}
inline Multigrid byTrident(const RCP<XMatrix>& A, bool implicit = true) {
  return {A, rcp(new RAPFactory<SC, LO, GO, NO>()), rcp(new SaPFactory<SC, LO, GO, NO>()),
          implicit};
}

inline RCP<TMatrix> levelMatrix(Hierarchy& hierarchy, int level, const char* name) {
  return tpetraMatrix(hierarchy.GetLevel(level)->Get<RCP<XMatrix>>(name));
}

inline long long entries(const TMatrix& A) {
  const long long mine = static_cast<long long>(localEntries(A));
  long long all = 0;
  Teuchos::reduceAll(*A.getComm(), Teuchos::REDUCE_SUM, mine, Teuchos::outArg(all));
  return all;
}

inline TVector someVector(const RCP<const TMatrix::map_type>& map) {
  TVector v(map);
  for (GO i = 0; i < static_cast<GO>(localSize(*map)); ++i)
    v.replaceLocalValue(static_cast<LO>(i),
                        std::cos(1.0 + map->getGlobalElement(static_cast<LO>(i))));
  return v;
}

/// The lines that MueLu writes while it lives.
class Said {
 public:
  Said() : before_(MueLu::VerboseObject::GetMueLuOStream()) {
    MueLu::VerboseObject::SetMueLuOStream(
        Teuchos::fancyOStream(Teuchos::rcpFromRef<std::ostream>(text_)));
  }
  ~Said() { MueLu::VerboseObject::SetMueLuOStream(before_); }
  bool contains(const std::string& part) const {
    return text_.str().find(part) != std::string::npos;
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  const RCP<Teuchos::FancyOStream> before_;
};

/// Returns the largest |x - y| over the largest |x|.
inline double difference(const TVector& x, const TVector& y) {
  TVector d(x, Teuchos::Copy);
  d.update(-1.0, y, 1.0);
  return d.normInf() / x.normInf();
}

/// Returns the largest distance of the coarse matrices from Pᵀ·A·P of their finer levels, by
/// products with a vector.
inline double galerkinError(Hierarchy& hierarchy) {
  double worst = 0;
  for (int level = 1; level < hierarchy.GetNumLevels(); ++level) {
    const auto A = levelMatrix(hierarchy, level - 1, "A"), P = levelMatrix(hierarchy, level, "P"),
               Ac = levelMatrix(hierarchy, level, "A");
    const TVector v = someVector(P->getDomainMap());
    TVector Pv(P->getRangeMap()), APv(A->getRangeMap()), RAPv(P->getDomainMap()),
        Acv(RAPv.getMap());
    P->apply(v, Pv);
    A->apply(Pv, APv);
    P->apply(APv, RAPv, Teuchos::TRANS);
    Ac->apply(v, Acv);
    worst = std::max(worst, difference(RAPv, Acv));
  }
  return worst;
}

struct Solution {
  int iterations = 0;
  TVector x;
};

/// Solves by conjugate gradients, preconditioned by one cycle, until the residual is 1e-12 of the
/// first.
inline Solution solve(const TMatrix& A, Hierarchy& hierarchy) {
  const auto precondition = [&](TVector& r, TVector& z) {
    z.putScalar(0.0);
    hierarchy.IsPreconditioner(true);
    const Xpetra::TpetraMultiVector<SC, LO, GO, NO> from(Teuchos::rcpFromRef(r));
    Xpetra::TpetraMultiVector<SC, LO, GO, NO> to(Teuchos::rcpFromRef(z));
    hierarchy.Iterate(from, to, 1);
  };
  TVector r = someVector(A.getRangeMap()), z(r.getMap()), Ap(r.getMap());
  Solution solution{0, TVector(A.getDomainMap())};
  const double target = 1e-12 * r.norm2();
  precondition(r, z);
  TVector p(z, Teuchos::Copy);
  double rz = r.dot(z);
  while (r.norm2() > target && solution.iterations < 200) {
    A.apply(p, Ap);
    const double step = rz / p.dot(Ap);
    solution.x.update(step, p, 1.0);
    r.update(-step, Ap, 1.0);
    precondition(r, z);
    const double next = r.dot(z);
    p.update(1.0, z, next / rz);
    rz = next;
    ++solution.iterations;
  }
  return solution;
}

/// Requires the levels, rows, entries, block sizes, complexity, iterations and solution to be those
/// of `expected`.
inline void requireSame(const TMatrix& A, Hierarchy& expected, Hierarchy& actual,
                        Teuchos::FancyOStream& out, bool& success) {
  TEST_EQUALITY(actual.GetNumLevels(), expected.GetNumLevels());
  TEST_COMPARE(expected.GetNumLevels(), >, 2);
  if (!success) return;
  for (int level = 1; level < expected.GetNumLevels(); ++level) {
    for (const char* name : {"A", "P"}) {
      const auto mine = levelMatrix(actual, level, name);
      const auto theirs = levelMatrix(expected, level, name);
      TEST_EQUALITY(mine->getGlobalNumRows(), theirs->getGlobalNumRows());
      TEST_EQUALITY(entries(*mine), entries(*theirs));
      const TVector v = someVector(theirs->getDomainMap());
      TVector x(theirs->getRangeMap()), y(x.getMap());
      theirs->apply(v, x);
      mine->apply(v, y);
      TEST_COMPARE(difference(x, y), <, 1e-12);
    }
    TEST_EQUALITY(actual.GetLevel(level)->Get<RCP<XMatrix>>("A")->GetFixedBlockSize(),
                  expected.GetLevel(level)->Get<RCP<XMatrix>>("A")->GetFixedBlockSize());
  }
  TEST_FLOATING_EQUALITY(actual.GetOperatorComplexity(), expected.GetOperatorComplexity(), 1e-12);
  TEST_COMPARE(galerkinError(actual), <, 1e-12);
  const Solution one = solve(A, expected), other = solve(A, actual);
  TEST_EQUALITY(other.iterations, one.iterations);
  TEST_COMPARE(one.iterations, <, 50);
  TEST_COMPARE(difference(one.x, other.x), <, 1e-10);
}

}  // namespace Test

}  // namespace Trident::Impl

#endif
