// SPDX-License-Identifier: BSD-3-Clause
// Plans by themselves: which products reuse a structure, that all ranks do so alike, and that what
// comes out is Tpetra's own product.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <functional>
#include <memory>

#include "DropIn_PlanCacheTools.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_TestCollectives.hpp"

namespace {

using namespace TridentTest;

std::string isNumeric(const Report& report) {
  return everywhere(*world(), report.kernel == "numeric" ? "" : "kernel " + report.kernel);
}

TEUCHOS_UNIT_TEST(PlanCache, NewValuesReuse) {
  for (int flags = 0; flags < 4; ++flags) {
    Cached cached;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Pair pair(10 * seed + flags, world(), flags & 1, flags & 2);
      TRIDENT_TEST_OK(pair.form(cached.cache));
      TRIDENT_TEST_OK(cached.did(made));
      TEST_ASSERT(pair.report.kernel != "numeric");
      for (int time = 0; time < 2; ++time) {
        TRIDENT_TEST_OK(pair.form(cached.cache));
        TRIDENT_TEST_OK(cached.did(reused));
        TRIDENT_TEST_OK(isNumeric(pair.report));
      }
    }
    TEST_EQUALITY(cached.cache.counts().plans, 6u);
    TEST_ASSERT(cached.cache.counts().bytes > 0 || world()->getSize() > 1);
  }
}

// One rank's structure changes: all ranks miss. Then there are two structures, of which the other
// ranks cannot tell which is meant.
TEUCHOS_UNIT_TEST(PlanCache, OneRankHasAnotherStructure) {
  Cached cached;
  Pair one(3, world()), other(3, world());
  other.changeOneRow();
  TRIDENT_TEST_OK(one.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(made));
  TRIDENT_TEST_OK(other.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(made));
  for (int time = 0; time < 3; ++time)
    for (Pair* pair : {&one, &one, &other}) {
      TRIDENT_TEST_OK(pair->form(cached.cache));
      TRIDENT_TEST_OK(cached.did(reused));
    }
}

TEUCHOS_UNIT_TEST(PlanCache, OtherParametersMiss) {
  Cached cached;
  Pair pair(4, world());
  TRIDENT_TEST_OK(pair.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(made));
  const auto list = tridentList(), constants = Teuchos::parameterList();
  list->sublist("Trident").set("partition", "uniform");
  constants->set("compute global constants", true);
  for (const auto& params : {list, constants}) {
    TRIDENT_TEST_OK(pair.form(cached.cache, params));
    TRIDENT_TEST_OK(cached.did(made));
    TRIDENT_TEST_OK(pair.form(cached.cache, params));
    TRIDENT_TEST_OK(cached.did(reused));
  }
  TRIDENT_TEST_OK(pair.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(reused));
  const auto filter = tridentList();  // which no plan is for
  filter->sublist("Trident").set("keep largest", 1000);
  for (int time = 0; time < 2; ++time) {
    TRIDENT_TEST_OK(pair.form(cached.cache, filter));
    TRIDENT_TEST_OK(cached.did(plain));
  }
  // A square product and its transposes have the same Maps.
  Random random(5);
  const Sparse a = withNewValues(randomSparse(random, 20, 20, true), random);
  const MatrixPtr A = makeUniform(a, world());
  for (int flags = 0; flags < 4; ++flags) {
    const MatrixPtr C = newResult(*A), expected = newResult(*A);
    cached->multiply(*A, flags & 1, *A, flags & 2, *C);
    TRIDENT_TEST_OK(cached.did(made));
    Tpetra::MatrixMatrix::Multiply(*A, flags & 1, *A, flags & 2, *expected);
    TRIDENT_TEST_OK(compared(*C, *expected));
  }
}

TEUCHOS_UNIT_TEST(PlanCache, NumberOfPlans) {
  Cached cached(plans(2));
  Pair one(11, world()), two(12, world()), three(13, world());
  for (Pair* pair : {&one, &two, &three}) {  // the third drives out the first
    TRIDENT_TEST_OK(pair->form(cached.cache));
    TRIDENT_TEST_OK(cached.did(made));
  }
  TEST_EQUALITY(cached.cache.counts().plans, 2u);
  TEST_EQUALITY(cached.cache.counts().dropped, 1);
  for (int time = 0; time < 2; ++time) {  // whose plan is not made again
    for (Pair* pair : {&two, &three}) {
      TRIDENT_TEST_OK(pair->form(cached.cache));
      TRIDENT_TEST_OK(cached.did(reused));
    }
    TRIDENT_TEST_OK(one.form(cached.cache));
    TRIDENT_TEST_OK(cached.did(plain));
  }
  TRIDENT_TEST_OK(two.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(reused));
  Pair four(14, world());
  TRIDENT_TEST_OK(four.form(cached.cache));  // drives out the third, which was used before two
  TRIDENT_TEST_OK(cached.did(made));
  for (Pair* pair : {&two, &four}) {
    TRIDENT_TEST_OK(pair->form(cached.cache));
    TRIDENT_TEST_OK(cached.did(reused));
  }
  TRIDENT_TEST_OK(three.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(plain));
}

// A product whose plan went is remembered, but not for ever.
TEUCHOS_UNIT_TEST(PlanCache, OldestWithoutPlanIsForgotten) {
  const CommPtr self = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_SELF));
  Cached cached(plans(1));
  Pair first(11, self);
  TRIDENT_TEST_OK(first.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(made, *self));
  for (std::uint64_t others = 1; others <= 65; ++others) {
    Pair other(1000 + others, self);
    other.renew();
    other.formInto(cached.cache, *other.newC());
    TRIDENT_TEST_OK(cached.did(made, *self));
    if (others < 64) continue;
    TRIDENT_TEST_OK(first.form(cached.cache));
    TRIDENT_TEST_OK(cached.did(others == 64 ? plain : made, *self));
  }
  cached.cache.clear();
}

// The rank that has most decides: ranks without rows drop alike.
TEUCHOS_UNIT_TEST(PlanCache, BytesOfPlans) {
  Random random(20);
  const Indices all = contiguousIndices(60);
  const MapPtr map = makeMap(random, all, Layout::OneRank, world());
  std::vector<MatrixPtr> matrices;
  for (int m = 0; m < 4; ++m) {
    Sparse a(60, 60);
    for (int i = 0; i < 60; ++i)
      for (const int step : {0, 1, 5 + m, 20 + 3 * m}) a.rows[i][(i + step) % 60] = 1 + step;
    matrices.push_back(makeMatrix(a, all, all, map, map, map));
  }
  const auto form = [&](Cached& cached, int m) {
    const MatrixPtr C = newResult(*matrices[m]), expected = newResult(*matrices[m]);
    cached->multiply(*matrices[m], false, *matrices[m], false, *C);
    Tpetra::MatrixMatrix::Multiply(*matrices[m], false, *matrices[m], false, *expected);
    return compared(*C, *expected);
  };
  std::vector<long long> most(1, 0);
  {
    Cached all4;
    for (int m = 0; m < 4; ++m) TRIDENT_TEST_OK(form(all4, m));
    most[0] = static_cast<long long>(all4.cache.counts().bytes);
  }
  Trident::Impl::maximumEverywhere(Trident::Impl::rawComm(*world()), most, {});
  TEST_ASSERT(most[0] > 0);
  PlanLimit limit;
  limit.bytes = static_cast<std::size_t>(most[0] * 5 / 8);
  Cached cached(limit);
  for (int m = 0; m < 4; ++m) {
    TRIDENT_TEST_OK(form(cached, m));
    TRIDENT_TEST_OK(everywhere(
        *world(), cached.cache.counts().bytes <= limit.bytes ? "" : "more than the limit"));
  }
  const auto kept = cached.cache.counts().plans;
  TEST_ASSERT(kept > 0 && kept < 4);
  std::vector<long long> numbers{static_cast<long long>(kept), -static_cast<long long>(kept)};
  Trident::Impl::maximumEverywhere(Trident::Impl::rawComm(*world()), numbers, {});
  TEST_EQUALITY(numbers[0], -numbers[1]);
  limit.bytes = 1;  // no plan fits: each is dropped at once
  Cached none(limit);
  for (int time = 0; time < 3; ++time) {  // and not made again
    TRIDENT_TEST_OK(form(none, 0));
    TRIDENT_TEST_OK(none.did(time ? plain : made));
  }
}

TEUCHOS_UNIT_TEST(PlanCache, IntoPatterns) {
  for (std::uint64_t seed = 30; seed < 34; ++seed) {
    Cached cached;
    Pair pair(seed, world());
    pair.renew();
    const MatrixPtr C = pair.newC();
    pair.formInto(cached.cache, *C);
    TRIDENT_TEST_OK(cached.did(made));
    const auto graph = C->getCrsGraph();
    for (const bool open : {true, false, true}) {
      pair.renew();
      if (open) C->resumeFill();
      const Report report = pair.formInto(cached.cache, *C);
      TRIDENT_TEST_OK(cached.did(reused));
      TRIDENT_TEST_OK(isNumeric(report));
      TRIDENT_TEST_OK(pair.check(*C));
      TEST_ASSERT(C->getCrsGraph() == graph);
    }
    const MatrixPtr onGraph = Teuchos::rcp(new matrix_type(graph));  // open, its graph constant
    pair.formInto(cached.cache, *onGraph);
    TRIDENT_TEST_OK(cached.did(reused));
    TRIDENT_TEST_OK(pair.check(*onGraph));

    // The first C has a pattern: its plan serves it, and new ones.
    Cached fromPattern;
    C->resumeFill();
    pair.formInto(fromPattern.cache, *C);
    TRIDENT_TEST_OK(fromPattern.did(made));
    TRIDENT_TEST_OK(pair.check(*C));
    C->resumeFill();
    pair.formInto(fromPattern.cache, *C);
    TRIDENT_TEST_OK(fromPattern.did(reused));
    TRIDENT_TEST_OK(pair.form(fromPattern.cache));
    TRIDENT_TEST_OK(fromPattern.did(reused));

    const MatrixPtr whole = pair.wholeC();  // a pattern that the product does not fill
    for (int time = 0; time < 2; ++time) {
      whole->resumeFill();
      pair.formInto(cached.cache, *whole);
      TRIDENT_TEST_OK(cached.did(plain));
    }
  }
}

/// A square matrix with a diagonal, and a prolongator.
struct Level {
  Sparse a, p;
  Indices fine = contiguousIndices(36), coarse = contiguousIndices(9);
  MapPtr rows, cols;
  MatrixPtr A, P;
  Teuchos::RCP<vector_type> inverse;

  void renew(Random& random) {
    if (a.rows.empty()) {
      a = randomSparse(random, 36, 36, true);
      for (int i = 0; i < 36; ++i) a.rows[i][i] = 4;
      p = Sparse(36, 9);
      for (int i = 0; i < 36; ++i) p.rows[i] = {{i / 4, 1.0}, {(i / 4 + 2) % 9, 2.0}};
    }
    rows = Teuchos::rcp(new map_type(36, 0, world()));
    cols = Teuchos::rcp(new map_type(9, 0, world()));
    A = makeMatrix(withNewValues(a, random), fine, fine, rows, rows, rows);
    P = makeMatrix(withNewValues(p, random), fine, coarse, rows, cols, rows);
    inverse = Teuchos::rcp(new vector_type(rows));
    inverse->randomize();
  }
};

TEUCHOS_UNIT_TEST(PlanCache, GalerkinAndJacobi) {
  Cached cached;
  Random random(40);
  Level level;
  for (int time = 0; time < 3; ++time) {
    level.renew(random);
    const MatrixPtr Ac = Teuchos::rcp(new matrix_type(level.cols, 0)),
                    its = Teuchos::rcp(new matrix_type(level.cols, 0));
    cached->multiplyRAP(*level.P, true, *level.A, false, *level.P, false, *Ac);
    TRIDENT_TEST_OK(cached.did(time ? reused : made));
    Tpetra::TripleMatrixMultiply::MultiplyRAP(*level.P, true, *level.A, false, *level.P, false,
                                              *its);
    TRIDENT_TEST_OK(compared(*Ac, *its));
    if (time) {  // MueLu's reuse
      Ac->resumeFill();
      cached->multiplyRAP(*level.P, true, *level.A, false, *level.P, false, *Ac);
      TRIDENT_TEST_OK(cached.did(reused));
      TRIDENT_TEST_OK(compared(*Ac, *its));
    }
    const double omega = 0.5 + time;  // a value, not structure
    const MatrixPtr C = newResult(*level.A), expected = newResult(*level.A);
    const ListPtr none;
    cached.cache.form(
        Trident::Impl::jacobiCall(omega, *level.inverse, *level.A, *level.P, *C, true, "", none));
    TRIDENT_TEST_OK(cached.did(time ? reused : made));
    Tpetra::MatrixMatrix::Jacobi(omega, *level.inverse, *level.A, *level.P, *expected);
    TRIDENT_TEST_OK(compared(*C, *expected));
  }
}

// Plans go with their communicator, and the next one has none of them.
TEUCHOS_UNIT_TEST(PlanCache, CommunicatorsEnd) {
  Cached cached;
  const int rank = world()->getRank(), size = world()->getSize();
  Pair whole(50, world());
  TRIDENT_TEST_OK(whole.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(made));
  for (int round = 0; round < 4; ++round) {
    const bool in = rank < (size + 1) / 2;  // a repartitioned level: other ranks have nothing
    MPI_Comm raw = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, 0, &raw);
    std::string problem;
    if (in) {
      {
        const CommPtr part = Teuchos::rcp(new Teuchos::MpiComm<int>(raw));
        Pair pair(51, part);
        for (const auto what : {made, reused}) {
          if (problem.empty()) problem = pair.form(cached.cache);
          if (problem.empty()) problem = cached.did(what, *part);
        }
        if (problem.empty() && cached.cache.counts().plans != 2) problem = "no plan of the part";
      }
      MPI_Comm_free(&raw);
    }
    if (problem.empty() && cached.cache.counts().plans != 1) problem = "a plan outlived it";
    TRIDENT_TEST_OK(everywhere(*world(), problem));
    TRIDENT_TEST_OK(whole.form(cached.cache));
    TRIDENT_TEST_OK(cached.did(reused));
  }
  const CommPtr twin = world()->duplicate();  // the same ranks, but not the same communicator
  Pair there(50, twin);
  TRIDENT_TEST_OK(there.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(made));
  cached.cache.clear();
  TEST_EQUALITY(cached.cache.counts().plans, 0u);
  TRIDENT_TEST_OK(whole.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(made));
}

// Plans that nobody asked for end with the results that they served, by the next product; others
// outlive them.
TEUCHOS_UNIT_TEST(PlanCache, UnaskedEndWithResults) {
  for (const bool unasked : {true, false}) {
    PlanLimit limit = plans(100);
    limit.unasked = unasked;
    Cached cached(limit);
    for (int time = 0; time < 6; ++time) {  // a mesh that changes
      Pair pair(70 + time, world());
      pair.renew();
      const MatrixPtr C = pair.newC();
      pair.formInto(cached.cache, *C);
      TRIDENT_TEST_OK(cached.did(unasked ? plain : made));
      TEST_EQUALITY(cached.cache.counts().plans, unasked ? 0u : time + 1u);
      for (const auto what : {made, reused, reused}) {
        pair.formInto(cached.cache, *C);
        TRIDENT_TEST_OK(cached.did(unasked ? what : reused));
      }
      TRIDENT_TEST_OK(pair.check(*C));
    }
    TEST_EQUALITY(cached.cache.counts().plans, unasked ? 1u : 6u);
    TEST_EQUALITY(cached.cache.counts().ended, unasked ? 5 : 0);
    if (!unasked) TEST_EQUALITY(cached.cache.counts().mostBytes, cached.cache.counts().bytes);
  }
}

// A plan stays while a result that it served is there on some rank.
TEUCHOS_UNIT_TEST(PlanCache, UnaskedStayWithAnyResult) {
  PlanLimit limit = plans(100);
  limit.unasked = true;
  Cached cached(limit);
  Pair pair(77, world()), other(78, world());
  pair.renew();
  MatrixPtr first = pair.newC(), second = pair.newC();
  for (const auto& C : {first, second}) pair.formInto(cached.cache, *C);
  pair.formInto(cached.cache, *first);
  TRIDENT_TEST_OK(everywhere(*world(), cached.cache.counts().made == 1 ? "" : "no plan"));
  pair.formInto(cached.cache, *second);
  cached.did(reused);
  first = Teuchos::null;
  TRIDENT_TEST_OK(other.form(cached.cache));
  TEST_EQUALITY(cached.cache.counts().plans, 1u);
  if (world()->getRank() > 0) second = Teuchos::null;  // the first rank holds its part
  TRIDENT_TEST_OK(other.form(cached.cache));
  TEST_EQUALITY(cached.cache.counts().plans, 1u);
  second = Teuchos::null;
  TRIDENT_TEST_OK(other.form(cached.cache));
  TEST_EQUALITY(cached.cache.counts().plans, 0u);
  TEST_EQUALITY(cached.cache.counts().bytes, 0u);
}

// A bound that follows from a rank's memory, of which a plan may take the last byte.
TEUCHOS_UNIT_TEST(PlanCache, BytesOfRank) {
  std::vector<long long> most{0};
  for (const long long less : {-1, 0, 1}) {
    Random random(40);
    Level level;
    level.renew(random);
    PlanLimit limit = plans(100);
    if (less >= 0)
      limit.bytesOfRank = [&](MPI_Comm) { return static_cast<std::size_t>(most[0] - less); };
    Cached cached(limit);
    const MatrixPtr Ac = Teuchos::rcp(new matrix_type(level.cols, 0));
    cached->multiplyRAP(*level.P, true, *level.A, false, *level.P, false, *Ac);
    TRIDENT_TEST_OK(cached.did(made));
    TEST_EQUALITY(cached.cache.counts().plans, less == 1 ? 0u : 1u);
    most[0] = std::max(most[0], static_cast<long long>(cached.cache.counts().bytes));
    Trident::Impl::maximumEverywhere(Trident::Impl::rawComm(*world()), most, {});
  }
}

TEUCHOS_UNIT_TEST(PlanCache, HoldsNoMatrix) {
  Cached cached;
  Pair pair(60, world());
  for (int time = 0; time < 2; ++time) {
    pair.renew();
    const MatrixPtr C = pair.newC();
    const auto graph = pair.A->getCrsGraph();
    const int a = pair.A.strong_count(), b = pair.B.strong_count(), g = graph.strong_count();
    pair.formInto(cached.cache, *C);
    TEST_EQUALITY(pair.A.strong_count(), a);
    TEST_EQUALITY(pair.B.strong_count(), b);
    TEST_EQUALITY(graph.strong_count(), g);
    TEST_EQUALITY(C.strong_count(), 1);
    TEST_EQUALITY(C->getCrsGraph().strong_count(), newResult(*C)->getCrsGraph().strong_count());
  }
  TRIDENT_TEST_OK(cached.did(plain).empty() ? "no plan" : "");
}

/// Returns parameters by which plans read all structures again.
ListPtr rereading() {
  const ListPtr params = tridentList();
  params->sublist("Trident").sublist("expert").set("reread structures", true);
  return params;
}

// A caller may change the columns of a result, which shares them with the plan on hosts. No other
// result is spoiled, if plans are to look.
TEUCHOS_UNIT_TEST(PlanCache, ResultChangedBehindIt) {
  Cached cached;
  Pair pair(61, world());
  pair.renew();
  const MatrixPtr C = pair.newC();
  pair.formInto(cached.cache, *C, rereading());
  TRIDENT_TEST_OK(cached.did(made));
  const auto change = [&](int by) {
    const auto local = C->getLocalMatrixHost();
    if (local.nnz() > 0) local.graph.entries(0) += by;
  };
  if (!Trident::Impl::isHost<matrix_type::device_type>) return;  // nothing is shared
  change(1);
  TRIDENT_TEST_OK(pair.form(cached.cache, rereading()));
  TRIDENT_TEST_OK(cached.did(plain));
  change(-1);
  TRIDENT_TEST_OK(pair.form(cached.cache, rereading()));
  TRIDENT_TEST_OK(cached.did(reused));
}

// C may have more rows than the product, between its own.
TEUCHOS_UNIT_TEST(PlanCache, WiderResults) {
  const int ranks = world()->getSize(), rank = world()->getRank();
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  Indices rows, inner = contiguousIndices(12);
  rows.contiguous = false;
  Teuchos::Array<GO> narrow, wide;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < 6; ++i) {
      if (i % 2) rows.gids.push_back(6 * r + i);
      if (r != rank) continue;
      if (i % 2) narrow.push_back(6 * r + i);
      wide.push_back(6 * r + i);
    }
  const MapPtr rowMap = Teuchos::rcp(new map_type(any, narrow(), 0, world())),
               wideMap = Teuchos::rcp(new map_type(any, wide(), 0, world())),
               innerMap = Teuchos::rcp(new map_type(12, 0, world()));
  Random random(63);
  const Sparse a = randomSparse(random, rows.size(), 12, true),
               b = randomSparse(random, 12, 12, true);
  Cached cached;
  for (int time = 0; time < 3; ++time) {
    const MatrixPtr A = makeMatrix(withNewValues(a, random), rows, inner, rowMap, innerMap, rowMap);
    const MatrixPtr B =
        makeMatrix(withNewValues(b, random), inner, inner, innerMap, innerMap, innerMap);
    const MatrixPtr C = Teuchos::rcp(new matrix_type(wideMap, 0)),
                    expected = Teuchos::rcp(new matrix_type(wideMap, 0));
    cached->multiply(*A, false, *B, false, *C);
    TRIDENT_TEST_OK(cached.did(time ? reused : made));
    Trident::Multiply(*A, *B, *expected);
    TRIDENT_TEST_OK(compared(*C, *expected));
  }
}

// One reduction more for each product, another one where a plan is made, and where C is new and its
// rows come from other ranks.
TEUCHOS_UNIT_TEST(PlanCache, Collectives) {
  if (world()->getSize() == 1) return;
  Random random(64);
  const Sparse a = withNewValues(randomSparse(random, 40, 40, true), random);
  const MatrixPtr A = makeUniform(a, world()), B = makeUniform(a.transpose(), world()),
                  other = makeUniform(withNewValues(randomSparse(random, 40, 40, true), random),
                                      world());
  const auto count = [&](const std::function<void(matrix_type&)>& form,
                         MatrixPtr C = Teuchos::null) {
    if (C.is_null()) C = newResult(*A);
    collectives().clear();
    form(*C);
    return static_cast<int>(collectives().size());
  };
  const auto alone = [&](matrix_type& C) {
    Trident::Multiply(*A, false, *B, false, C, true, "", Teuchos::null);
  };
  const auto alonePlanned = [&](matrix_type& C) {
    Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type>(*A, *B, C);
  };
  Cached cached(plans(1));
  const auto form = [&](matrix_type& C) { cached->multiply(*A, false, *B, false, C); };
  count(alone);
  const int once = count(alone), planned = count(alonePlanned);
  const int first = count(form);
  TEST_EQUALITY(first, planned + 1);
  const MatrixPtr C = newResult(*A);
  const Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type> plan(*A, *B, *C);
  const int again = count([&](matrix_type& result) { plan.multiply(*A, *B, result); }, C);
  const int into = count(form, C), fresh = count(form);
  TEST_EQUALITY(into, again + 1);
  TEST_ASSERT(fresh <= again + 3);                                 // and the column Map
  cached->multiply(*other, false, *B, false, *newResult(*other));  // drives the plan out
  const int plainly = count(form);
  TEST_EQUALITY(plainly, once + 1);
}

// Input that the product itself refuses is refused in its words on every rank, and plans stay.
TEUCHOS_UNIT_TEST(PlanCache, BadInput) {
  Cached cached;
  Pair pair(62, world());
  TRIDENT_TEST_OK(pair.form(cached.cache));
  const int last = world()->getSize() - 1;
  const auto params = tridentList();
  if (world()->getRank() == last) params->sublist("Trident").set("partition", "uniform");
  const MatrixPtr C = pair.newC();
  if (last > 0)
    TRIDENT_TEST_OK(expectThrow<Trident::Error>(*world(), {"Trident::Multiply", "partition"},
                                                [&] { pair.formInto(cached.cache, *C, params); }));
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*world(), {"Trident::Multiply", "C is A"}, [&] {
    cached->multiply(*pair.A, false, *pair.B, false, *pair.A);
  }));
  const MatrixPtr open = newResult(*pair.A);
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*world(), {"A is not fill-complete"}, [&] {
    cached->multiply(*open, false, *pair.B, false, *C);
  }));
  cached.before = cached.cache.counts();
  TRIDENT_TEST_OK(pair.form(cached.cache));
  TRIDENT_TEST_OK(cached.did(reused));
}

TEUCHOS_UNIT_TEST(PlanCache, RandomSequence) {
  Random random(70);
  for (const std::size_t room : {2u, 100u}) {
    Cached cached(plans(room));
    std::vector<std::unique_ptr<Pair>> pairs;
    for (const std::uint64_t seed : {71, 72, 73})
      pairs.push_back(std::make_unique<Pair>(seed, world(), seed == 72, seed == 73));
    std::vector<MatrixPtr> results(pairs.size());
    for (int time = 0; time < 40; ++time) {
      const int which = random.below(3);
      Pair& pair = *pairs[which];
      if (random.chance(0.05)) pair.changeOneRow();
      pair.renew();
      MatrixPtr& C = results[which];
      C = pair.newC();
      pair.formInto(cached.cache, *C);
      TRIDENT_TEST_OK(pair.check(*C));
      if (random.chance(0.3)) {
        if (random.chance(0.5)) C->resumeFill();
        pair.renew();
        pair.formInto(cached.cache, *C);
        TRIDENT_TEST_OK(pair.check(*C));
      }
      const auto counts = cached.cache.counts();
      TEST_ASSERT(counts.plans <= room);
      std::vector<long long> numbers{counts.made, counts.reused, counts.plain, counts.dropped};
      for (int n = 0; n < 4; ++n) numbers.push_back(-numbers[n]);
      Trident::Impl::maximumEverywhere(Trident::Impl::rawComm(*world()), numbers, {});
      for (int n = 0; n < 4; ++n) TEST_EQUALITY(numbers[n], -numbers[n + 4]);
    }
    TEST_ASSERT(cached.cache.counts().reused > 5);
  }
}

TEUCHOS_UNIT_TEST(PlanCache, Limits) {
  TEST_EQUALITY(PlanLimit::parse("8").plans, 8u);
  TEST_EQUALITY(PlanLimit::parse("8").bytes, 0u);
  TEST_EQUALITY(PlanLimit::parse("2GB").bytes, 2000000000u);
  TEST_EQUALITY(PlanLimit::parse("1.5 MiB").bytes, 1572864u);
  TEST_EQUALITY(PlanLimit::parse("0.5kB").bytes, 500u);
  TEST_EQUALITY(PlanLimit::parse("500mb").plans, 0u);
  for (const char* text :
       {"", "0", "-1", "2.5", "GB", "8 plans", "nan", "1e30GB", "1e17TB", "0.5B", "8x"})
    TEST_THROW(PlanLimit::parse(text), Trident::Error);
}

}  // namespace
