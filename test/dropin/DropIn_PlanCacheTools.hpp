// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPIN_PLANCACHETOOLS_HPP
#define TRIDENT_DROPIN_PLANCACHETOOLS_HPP

#include <TpetraExt_MatrixMatrix.hpp>
#include <cmath>
#include <map>
#include <string>

#include "Trident_TestErrors.hpp"
#include "dropin/Trident_PlanCache.hpp"

/// \file DropIn_PlanCacheTools.hpp
/// A cache that says what it did, and products of one structure whose values, matrices and Maps are
/// new each time.

namespace TridentTest {

using Trident::Report;
using Trident::Impl::multiplyCall;
using Trident::Impl::multiplyRAPCall;
using Trident::Impl::PlanCache;
using Trident::Impl::PlanCounts;
using Trident::Impl::PlanLimit;
using ListPtr = Teuchos::RCP<Teuchos::ParameterList>;

inline PlanLimit plans(std::size_t count) {
  PlanLimit limit;
  limit.plans = count;
  return limit;
}

/// A cache, and what it has done since the last look.
struct Cached {
  PlanCache cache;
  PlanCounts before;

  explicit Cached(const PlanLimit& limit = plans(100)) : cache(limit) {}
  Cached* operator->() { return this; }

  Report multiply(const matrix_type& A, bool transposeA, const matrix_type& B, bool transposeB,
                  matrix_type& C, const ListPtr& params = Teuchos::null) {
    return cache.form(multiplyCall(A, transposeA, B, transposeB, C, true, "", params));
  }
  Report multiplyRAP(const matrix_type& R, bool transposeR, const matrix_type& A, bool transposeA,
                     const matrix_type& P, bool transposeP, matrix_type& Ac) {
    const ListPtr none;
    return cache.form(
        multiplyRAPCall(R, transposeR, A, transposeA, P, transposeP, Ac, true, "", none));
  }

  /// Returns "" if the last product did `what` on every rank; collective.
  std::string did(long long PlanCounts::*what, const Teuchos::Comm<int>& comm = *world()) {
    const PlanCounts now = cache.counts();
    std::string problem;
    for (const auto each : {&PlanCounts::made, &PlanCounts::reused, &PlanCounts::plain})
      if (now.*each - before.*each != (each == what))
        problem = say("made ", now.made - before.made, ", reused ", now.reused - before.reused,
                      ", plain ", now.plain - before.plain);
    before = now;
    return everywhere(comm, problem);
  }
};

constexpr auto made = &PlanCounts::made;
constexpr auto reused = &PlanCounts::reused;
constexpr auto plain = &PlanCounts::plain;

inline Sparse withNewValues(Sparse M, Random& random) {
  for (auto& row : M.rows)
    for (auto& entry : row) entry.second = random.oneOf<double>({-3, -2, -1, 1, 2, 3});
  return M;
}

inline std::map<GO, double> rowOf(const matrix_type& M, GO gid) {
  std::map<GO, double> row;
  const LO l = M.getRowMap()->getLocalElement(gid);
  const auto local = M.getLocalMatrixHost();
  for (auto e = local.graph.row_map(l); e < local.graph.row_map(l + 1); ++e)
    row[M.getColMap()->getGlobalElement(local.graph.entries(e))] += local.values(e);
  return row;
}

/// Compares two matrices: entries, values to rounding, Maps and constants. Returns a difference, or
/// an empty text. Collective.
inline std::string compared(const matrix_type& C, const matrix_type& expected) {
  std::string problem;
  if (!C.isFillComplete()) problem = "not fill-complete";
  for (const GO gid : Trident::Impl::localGids(*expected.getRowMap())) {
    if (!problem.empty()) break;
    const auto mine = rowOf(C, gid), its = rowOf(expected, gid);
    if (mine.size() != its.size()) problem = say("row ", gid, " has ", mine.size(), " entries");
    for (const auto& [column, value] : its)
      if (!mine.count(column) || std::abs(mine.at(column) - value) > 1e-12 * (1 + std::abs(value)))
        problem = say("entry ", gid, ", ", column);
  }
  problem = everywhere(*C.getComm(), problem);
  if (!problem.empty()) return problem;
  if (!C.getDomainMap()->isSameAs(*expected.getDomainMap())) return "domain Map";
  if (!C.getRangeMap()->isSameAs(*expected.getRangeMap())) return "range Map";
  if (C.getGlobalNumEntries() != expected.getGlobalNumEntries()) return "number of entries";
  if (C.getGlobalMaxNumRowEntries() != expected.getGlobalMaxNumRowEntries()) return "longest row";
  vector_type x(C.getDomainMap()), y(C.getRangeMap()), z(C.getRangeMap());
  x.randomize();
  C.apply(x, y);  // by C's Import
  expected.apply(x, z);
  z.update(1, y, -1);
  return z.normInf() > 1e-10 * (1 + y.normInf()) ? "C's Import" : "";
}

/// Factors of one structure, made anew with new values whenever asked, in Maps that are new
/// objects.
class Pair {
 public:
  /// @param transposeA, transposeB as the product takes them
  Pair(std::uint64_t seed, const CommPtr& comm, bool transposeA = false, bool transposeB = false)
      : seed_(seed), comm_(comm), transposeA_(transposeA), transposeB_(transposeB) {
    Random random(seed);
    const Sizes size{random.between(10, 40), random.between(10, 40), random.between(10, 40)};
    rows_ = randomIndices(random, size.m);
    inner_ = randomIndices(random, size.l);
    cols_ = randomIndices(random, size.n);
    a_ = randomSparse(random, size.m, size.l, true);
    b_ = randomSparse(random, size.l, size.n, true);
    for (const auto layout : {0, 1, 2}) layouts_[layout] = randomLayout(random);
    values_ = Random(seed + 1000);
  }
  /// Adds or removes an entry in the last row of A, which one rank has.
  void changeOneRow() {
    auto& row = a_.rows.back();
    for (int c = 0; c < a_.cols; ++c)
      if (!row.count(c)) {
        row[c] = 1;
        return;
      }
    row.erase(row.begin());
  }
  void renew() {
    Random random(seed_ + 7);  // the same Maps, as other objects
    const MapPtr rows = makeMap(random, rows_, layouts_[0], comm_),
                 inner = makeMap(random, inner_, layouts_[1], comm_),
                 cols = makeMap(random, cols_, layouts_[2], comm_);
    const Sparse a = withNewValues(a_, values_), b = withNewValues(b_, values_);
    A = transposeA_ ? makeMatrix(a.transpose(), inner_, rows_, inner, rows, inner)
                    : makeMatrix(a, rows_, inner_, rows, inner, rows);
    B = transposeB_ ? makeMatrix(b.transpose(), cols_, inner_, cols, inner, cols)
                    : makeMatrix(b, inner_, cols_, inner, cols, inner);
  }
  MatrixPtr newC() const {
    return Teuchos::rcp(new matrix_type(transposeA_ ? A->getDomainMap() : A->getRowMap(), 0));
  }
  /// Makes C fill-complete, with every entry.
  MatrixPtr wholeC() const {
    Sparse whole(rows_.size(), cols_.size());
    for (auto& row : whole.rows)
      for (int c = 0; c < whole.cols; ++c) row[c] = 1;
    const MapPtr rows = newC()->getRowMap();
    return makeMatrix(whole, rows_, cols_, rows, transposeB_ ? B->getRangeMap() : B->getDomainMap(),
                      rows);
  }
  Report formInto(PlanCache& cache, matrix_type& C, const ListPtr& params = Teuchos::null) const {
    return cache.form(multiplyCall(*A, transposeA_, *B, transposeB_, C, true, "", params));
  }
  std::string check(const matrix_type& C) const {
    const MatrixPtr expected = newC();
    Tpetra::MatrixMatrix::Multiply(*A, transposeA_, *B, transposeB_, *expected);
    return compared(C, *expected);
  }
  /// Forms a product of new values into a new C, and checks it.
  std::string form(PlanCache& cache, const ListPtr& params = Teuchos::null) {
    renew();
    const MatrixPtr C = newC();
    report = formInto(cache, *C, params);
    return check(*C);
  }

  MatrixPtr A, B;
  Report report;

 private:
  std::uint64_t seed_;
  CommPtr comm_;
  bool transposeA_, transposeB_;
  Indices rows_, inner_, cols_;
  Sparse a_, b_;
  Layout layouts_[3];
  Random values_{0};
};

}  // namespace TridentTest

#endif
