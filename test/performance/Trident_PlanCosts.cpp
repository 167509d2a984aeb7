// SPDX-License-Identifier: BSD-3-Clause
// Costs and savings of plans by themselves, on the products of a smoothed aggregation setup: one
// line for each product.
//
//   Trident_PlanCosts.exe MATRIX [REPEATS]
//
// A matrix is what the driver takes; P0 is constant on its aggregates, P = (I - 2/3 D⁻¹ A) P0.
// Times are milliseconds of CPU time of rank 0, which other programs on its core change little: run
// it on one rank. Medians of the repeats (15), each into a new C. "first" makes a plan, "later"
// uses it, "words" is what finding a plan reads of the operands.

#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Restriction.hpp"
#include "Trident_Jacobi.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_RunProgram.hpp"
#include "dropin/Trident_PlanCache.hpp"

namespace {

using matrix_type = Trident::Problems::matrix_type;
using map_type = matrix_type::map_type;
using MatrixPtr = Teuchos::RCP<matrix_type>;
using Trident::Impl::jacobiCall;
using Trident::Impl::multiplyCall;
using Trident::Impl::multiplyRAPCall;
using Trident::Impl::PlanCache;

/// One product: by Tpetra, by Trident without plans, and by a cache.
struct Case {
  std::string name;
  std::vector<const matrix_type*> operands;
  Teuchos::RCP<const map_type> rows;
  std::function<void(matrix_type&C)> tpetra, plain;
  std::function<void(PlanCache& cache, matrix_type& C)> cached;
};

double milliseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double median(int repeats, const std::function<void()>& work) {
  std::vector<double> times;
  for (int turn = 0; turn <= repeats; ++turn) {
    const double start = milliseconds();
    work();
    if (turn > 0) times.push_back(milliseconds() - start);  // the first one warms up
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void measure(const Case& each, int repeats, bool prints) {
  PlanCache cache(Trident::Impl::PlanLimit::parse("100"));
  const auto fresh = [&](const std::function<void(matrix_type&)>& form) {
    return median(repeats, [&] {
      matrix_type C(each.rows, 0);
      form(C);
    });
  };
  const auto byCache = [&](matrix_type& C) { each.cached(cache, C); };
  const double words = median(repeats, [&] {
    Trident::Impl::Fingerprint<matrix_type> read;
    read.setPrints(each.operands, Trident::Impl::entriesPrints(each.operands));
    for (const auto* operand : each.operands) read.add(*operand);
  });
  const double tpetra = fresh(each.tpetra), plain = fresh(each.plain);
  const double first = fresh([&](matrix_type& C) {
    cache.clear();
    byCache(C);
  });
  const double later = fresh(byCache);
  if (prints)
    std::printf(
        "%-10s tpetra %8.2f plain %8.2f first %8.2f later %8.2f words %6.2f, plan %.1f MB\n",
        each.name.c_str(), tpetra, plain, first, later, words,
        1e-6 * static_cast<double>(cache.counts().bytes));
}

int run(int argc, char* argv[]) {
  if (argc < 2) return 2;
  const auto comm = Tpetra::getDefaultComm();
  const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 15;
  const MatrixPtr A = Trident::Problems::readMatrix(argv[1], comm).matrix,
                  P0 = Trident::Problems::restriction(*A, 1);
  Tpetra::Vector<> inverse(A->getRowMap());
  A->getLocalDiagCopy(inverse);
  inverse.reciprocal(inverse);
  const double omega = 2.0 / 3;
  const Teuchos::RCP<Teuchos::ParameterList> none;
  matrix_type P(A->getRowMap(), 0), AP(A->getRowMap(), 0);
  Trident::Jacobi(omega, inverse, *A, *P0, P);
  Trident::Multiply(*A, P, AP);
  using namespace Tpetra;
  const std::vector<Case> cases{
      {"Jacobi",
       {A.get(), P0.get()},
       A->getRowMap(),
       [&](matrix_type& C) { MatrixMatrix::Jacobi(omega, inverse, *A, *P0, C); },
       [&](matrix_type& C) { Trident::Jacobi(omega, inverse, *A, *P0, C); },
       [&](PlanCache& cache, matrix_type& C) {
         cache.form(jacobiCall(omega, inverse, *A, *P0, C, true, "", none));
       }},
      {"A*P",
       {A.get(), &P},
       A->getRowMap(),
       [&](matrix_type& C) { MatrixMatrix::Multiply(*A, false, P, false, C); },
       [&](matrix_type& C) { Trident::Multiply(*A, P, C); },
       [&](PlanCache& cache, matrix_type& C) {
         cache.form(multiplyCall(*A, false, P, false, C, true, "", none));
       }},
      {"P'*(AP)",
       {&P, &AP},
       P.getDomainMap(),
       [&](matrix_type& C) { MatrixMatrix::Multiply(P, true, AP, false, C); },
       [&](matrix_type& C) { Trident::Multiply(P, true, AP, false, C); },
       [&](PlanCache& cache, matrix_type& C) {
         cache.form(multiplyCall(P, true, AP, false, C, true, "", none));
       }},
      {"P'*A*P",
       {&P, A.get()},
       P.getDomainMap(),
       [&](matrix_type& C) { TripleMatrixMultiply::MultiplyRAP(P, true, *A, false, P, false, C); },
       [&](matrix_type& C) { Trident::MultiplyRAP(P, true, *A, false, P, false, C); },
       [&](PlanCache& cache, matrix_type& C) {
         cache.form(multiplyRAPCall(P, true, *A, false, P, false, C, true, "", none));
       }}};
  for (const Case& each : cases) measure(each, repeats, comm->getRank() == 0);
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  return Trident::runProgram("Trident_PlanCosts", run, argc, argv);
}
