// SPDX-License-Identifier: BSD-3-Clause
// Products that get no plan: into a C that lacks some of their entries, which the caller wants
// dropped.
#include <Teuchos_UnitTestHarness.hpp>

#include "DropIn_PlanCacheTools.hpp"

namespace {

using namespace TridentTest;

/// Makes a matrix with every second entry of each row of another, all of value 9.
MatrixPtr halfOf(const matrix_type& M) {
  const auto local = M.getLocalMatrixHost();
  const MatrixPtr half =
      Teuchos::rcp(new matrix_type(M.getRowMap(), M.getColMap(), M.getGlobalMaxNumRowEntries()));
  const double nine = 9;
  for (LO r = 0; r < local.numRows(); ++r)
    for (auto e = local.graph.row_map(r); e < local.graph.row_map(r + 1); e += 2)
      half->insertLocalValues(r, 1, &nine, &local.graph.entries(e));
  half->fillComplete(M.getDomainMap(), M.getRangeMap());
  return half;
}

/// Checks that the half has the whole's values. Collective.
std::string checkHalf(const matrix_type& half, const matrix_type& whole) {
  std::string problem;
  for (const GO gid : Trident::Impl::localGids(*whole.getRowMap())) {
    const auto mine = rowOf(half, gid), all = rowOf(whole, gid);
    if (mine.size() != (all.size() + 1) / 2) problem = say("row ", gid, " has other entries");
    for (const auto& [column, value] : mine)
      if (!all.count(column) || value != all.at(column)) problem = say("C(", gid, ",", column, ")");
  }
  return everywhere(*world(), problem);
}

TEUCHOS_UNIT_TEST(NoPlans, DroppedEntries) {
  const auto drops = Teuchos::parameterList();
  drops->set("MM Throw For Non-Existent Entries", false);
  for (const bool unasked : {false, true})
    for (std::uint64_t seed = 90; seed < 94; ++seed) {
      PlanLimit limit = plans(100);
      limit.unasked = unasked;
      Cached cached(limit);
      Pair pair(seed, world(), seed % 2 == 0);
      pair.renew();
      const MatrixPtr whole = pair.newC();
      Trident::Multiply(*pair.A, seed % 2 == 0, *pair.B, false, *whole);
      const MatrixPtr half = halfOf(*whole);
      for (int time = 0; time < 2; ++time) {
        half->resumeFill();
        half->setAllToScalar(9);
        pair.formInto(cached.cache, *half, drops);
        TRIDENT_TEST_OK(cached.did(plain));
        TRIDENT_TEST_OK(checkHalf(*half, *whole));
      }
      TEST_EQUALITY(cached.cache.counts().plans, 0u);
      if (unasked) continue;
      for (const auto what : {made, reused}) {  // new Cs drop nothing
        TRIDENT_TEST_OK(pair.form(cached.cache, drops));
        TRIDENT_TEST_OK(cached.did(what));
      }
    }
}

}  // namespace
