// SPDX-License-Identifier: BSD-3-Clause
// Lesson 9: a program that knows no Trident, made faster by variables of its environment. It solves
// with MueLu in time steps: other values each time, one structure. Run it as it is, and by
// trident-try, which loads Trident's products before Tpetra's and keeps their plans:
//
//   mpirun -n 2 build/example/09_try/Trident_09_try.exe
//   trident-try --turns=3 --timer=setup mpirun -n 2 build/example/09_try/Trident_09_try.exe
//
// Look at the seconds of later setups, and at the iterations, which are the same. doc/dropin.md
// says what else can be set.
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <Teuchos_Time.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <iostream>

using matrix_type = Tpetra::CrsMatrix<>;
using SC = matrix_type::scalar_type;
using LO = matrix_type::local_ordinal_type;
using GO = matrix_type::global_ordinal_type;
using NO = matrix_type::node_type;
using MV = Tpetra::MultiVector<SC, LO, GO, NO>;
using OP = Tpetra::Operator<SC, LO, GO, NO>;

/// Makes a three-dimensional Laplacian of n³ points, with `shift` on its diagonal.
static Teuchos::RCP<matrix_type> laplacian(GO n, SC shift) {
  const auto map = Teuchos::rcp(new matrix_type::map_type(n * n * n, 0, Tpetra::getDefaultComm()));
  const auto A = Teuchos::rcp(new matrix_type(map, 7));
  for (GO i = map->getMinGlobalIndex(); i <= map->getMaxGlobalIndex(); ++i) {
    A->insertGlobalValues(i, Teuchos::tuple<GO>(i), Teuchos::tuple<SC>(6 + shift));
    for (const GO step : {GO(1), n, n * n})
      for (const GO j : {i - step, i + step})
        if (j >= 0 && j / (n * step) == i / (n * step))
          A->insertGlobalValues(i, Teuchos::tuple<GO>(j), Teuchos::tuple<SC>(-1));
  }
  A->fillComplete();
  return A;
}

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  const GO n = argc > 1 ? std::stoll(argv[1]) : 40;  // points along an axis
  for (int step = 0; step < 4; ++step) {
    const auto A = laplacian(n, 0.1 * step);
    Teuchos::ParameterList list;  // an "easy" list of MueLu
    list.set("verbosity", "none");
    list.set("coarse: type", "RELAXATION");
    const double start = Teuchos::Time::wallTime();
    const auto preconditioner = MueLu::CreateTpetraPreconditioner<SC, LO, GO, NO>(A, list);
    const double seconds = Teuchos::Time::wallTime() - start;

    const auto x = Teuchos::rcp(new MV(A->getDomainMap(), 1));
    const auto b = Teuchos::rcp(new MV(A->getRangeMap(), 1));
    b->putScalar(1.0);
    const auto problem = Teuchos::rcp(new Belos::LinearProblem<SC, MV, OP>(A, x, b));
    problem->setLeftPrec(preconditioner);
    problem->setProblem();
    Belos::PseudoBlockCGSolMgr<SC, MV, OP> solver(problem, Teuchos::parameterList());
    solver.solve();
    if (A->getComm()->getRank() == 0)
      std::cout << "step " << step << ": setup " << seconds << " s, " << solver.getNumIters()
                << " iterations\n";
  }
}
