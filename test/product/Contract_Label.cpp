// SPDX-License-Identifier: BSD-3-Clause
// The names of a call that tools see: Teuchos' timers and Kokkos' regions have its function's name
// and its label.

#include <Kokkos_Core.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "Trident_Grid.hpp"
#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyKeeping.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_Nodes.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using Teuchos::TimeMonitor;
using Grid = Trident::Grid<double, LO, GO, matrix_type::node_type>;

/// Collects the regions that Kokkos' tools are told of, while it lives.
class Regions {
 public:
  Regions() {
    depth() = least() = 0;
    names().clear();
    Kokkos::Tools::Experimental::set_push_region_callback([](const char* name) {
      ++depth();
      names().insert(name);
    });
    Kokkos::Tools::Experimental::set_pop_region_callback(
        [] { least() = std::min(least(), --depth()); });
  }
  ~Regions() {
    Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
    Kokkos::Tools::Experimental::set_pop_region_callback(nullptr);
  }
  static bool balanced() { return depth() == 0 && least() == 0; }
  static bool has(const std::string& name) { return names().count(name) > 0; }
  static bool hasPhase(const std::string& call) {
    const auto next = names().lower_bound(call + ": ");
    return next != names().end() && next->rfind(call + ": ", 0) == 0;
  }

 private:
  static int& depth() {
    static int open = 0;
    return open;
  }
  static int& least() {
    static int fewest = 0;
    return fewest;
  }
  static std::set<std::string>& names() {
    static std::set<std::string> all;
    return all;
  }
};

int numCalls(const std::string& name) {
  const auto timer = TimeMonitor::lookupCounter(name);
  if (timer.is_null()) return 0;
  return timer->isRunning() ? -1 : timer->numCalls();
}

struct KeepAll {
  template <class Facts>
  KOKKOS_INLINE_FUNCTION bool operator()(long long, long long, double, const Facts&) const {
    return true;
  }
};

/// The matrices of the calls below.
struct Matrices {
  MatrixPtr A = makeUniform(square(), world()), C = newResult(*A), D = newResult(*A),
            E = newResult(*A);
  vector_type inverse{A->getRowMap()};
  Grid grid{world(), {A->getRowMap()}};
  Grid::Matrix a = grid.fromTpetra(*A);

  Matrices() { inverse.putScalar(0.5); }
  static Sparse square() {
    Random random(5);
    return randomSparse(random, 20, 20, true);
  }
};

struct Named {
  std::string name;
  std::function<void()> call;
  bool moves = true;  ///< true if it has phases
};

/// Returns a call of each public function that is timed; those of `label` with one.
std::vector<Named> callsOf(const Matrices& m, const std::string& label) {
  using NO = matrix_type::node_type;
  const auto multiplied = std::make_shared<Trident::MultiplyPlan<double, LO, GO, NO>>();
  const auto galerkin = std::make_shared<Trident::MultiplyRAPPlan<double, LO, GO, NO>>();
  const auto smoothed = std::make_shared<Trident::JacobiPlan<double, LO, GO, NO>>();
  const auto& A = *m.A;
  const auto none = Teuchos::RCP<Teuchos::ParameterList>();
  std::vector<Named> calls{
      {"Multiply", [=, &A] { Trident::Multiply(A, false, A, false, *newResult(A), true, label); }},
      {"MultiplyRAP",
       [=, &A] { Trident::MultiplyRAP(A, true, A, false, A, false, *newResult(A), true, label); }},
      {"Jacobi",
       [=, &A, &m] { Trident::Jacobi(0.5, m.inverse, A, A, *newResult(A), true, label); }},
      {"MultiplyPlan",
       [=, &A, &m] {
         *multiplied = {A, A, *m.C, none, label};
       }},
      {"MultiplyPlan::multiply", [=, &A, &m] { multiplied->multiply(A, A, *m.C); }},
      {"MultiplyRAPPlan",
       [=, &A, &m] { *galerkin = {A, true, A, false, A, false, *m.D, none, label}; }},
      {"MultiplyRAPPlan::multiply", [=, &A, &m] { galerkin->multiply(A, A, A, *m.D); }},
      {"JacobiPlan", [=, &A, &m] { *smoothed = {0.5, m.inverse, A, A, *m.E, none, label}; }},
      {"JacobiPlan::multiply", [=, &A, &m] { smoothed->multiply(0.5, m.inverse, A, A, *m.E); }}};
  if (!label.empty()) return calls;
  const Grid& grid = m.grid;
  const auto& a = m.a;
  const std::vector<Named> more{
      {"Multiply", [&] { Trident::Multiply(A, A, *newResult(A)); }},
      {"Grid", [&] { Grid(world(), {A.getRowMap()}); }, false},
      {"Grid::fromTpetra", [&] { grid.fromTpetra(A); }, false},
      {"Grid::fromTpetra", [&] { grid.fromTpetra(A.getCrsGraph()); }, false},
      {"Grid::multiply", [&] { grid.multiply(a, a); }},
      {"Grid::multiplyWithin", [&] { grid.multiplyWithin(a, a, a); }},
      {"Grid::multiplyOutside", [&] { grid.multiplyOutside(a, a, a); }},
      {"Grid::multiplyKeeping", [&] { grid.multiplyKeeping(a, a, KeepAll()); }},
      {"Grid::multiplyInPieces", [&] { grid.multiplyInPieces(a, a, [](const Grid::Piece&) {}); }},
      {"Grid::transpose", [&] { grid.transpose(a); }, false},
      {"Grid::add", [&] { grid.add(1, a, 2, a); }, false},
      {"Grid::toTpetra", [&] { grid.toTpetra(a, *newResult(A)); }, false},
      {"nodesOfRanks", [&] { Trident::nodesOfRanks(*world()); }, false}};
  calls.insert(calls.end(), more.begin(), more.end());
  return calls;
}

TEUCHOS_UNIT_TEST(Label, EachFunctionHasATimerAndARegion) {
  for (const std::string& label : {std::string(), std::string("level 3")}) {
    const Matrices m;
    for (const Named& each : callsOf(m, label)) {
      out << each.name << "\n";
      const std::string call = "Trident: " + each.name;
      const std::string timer = label.empty() ? call : "Trident " + label + ": " + each.name;
      const int before = numCalls(timer);
      const Regions regions;
      each.call();
      TEST_EQUALITY(numCalls(timer), before + 1);
      TEST_ASSERT(Regions::has(timer));
      TEST_EQUALITY(Regions::has(call), label.empty());
      if (each.moves) TEST_ASSERT(Regions::hasPhase(call));
      TEST_ASSERT(Regions::balanced());
    }
  }
  TEST_ASSERT(numCalls("Trident: MultiplyRAP: export") > 0);
  TEST_ASSERT(TimeMonitor::lookupCounter("Trident : Multiply").is_null());
}

TEUCHOS_UNIT_TEST(Label, EndsWhereACallThrows) {
  const Matrices m;
  const Fixture f(world()), g(world(), 11, 8, 9);
  const Grid other(world(), {m.A->getRowMap()});
  const Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type> plan(*m.A, *m.A, *m.C);
  const auto throws = [&](const std::string& name, const std::function<void()>& call) {
    const Regions regions;
    TRIDENT_TEST_OK(expectThrow<std::exception>(*world(), {}, call));
    TEST_ASSERT(Regions::has("Trident: " + name));
    TEST_ASSERT(Regions::balanced());
    TEST_ASSERT(numCalls("Trident: " + name) > 0);
  };
  throws("Multiply", [&] { Trident::Multiply(*f.A, *g.B, *newResult(*f.A)); });
  throws("Multiply", [&] {  // after its phases
    const MatrixPtr C = makeUniform(Sparse(20, 20), world());
    Trident::Multiply(*m.A, *m.A, *C);
  });
  throws("MultiplyRAP",
         [&] { Trident::MultiplyRAP(*f.A, true, *g.B, false, *f.A, false, *newResult(*f.A)); });
  throws("Jacobi", [&] { Trident::Jacobi(0.5, m.inverse, *f.A, *g.B, *newResult(*f.A)); });
  throws("MultiplyPlan::multiply", [&] { plan.multiply(*f.A, *f.B, *m.C); });
  throws("Grid::multiply",
         [&] { static_cast<void>(m.grid.multiply(m.a, other.fromTpetra(*m.A))); });
  throws("Grid::multiplyInPieces", [&] {
    m.grid.multiplyInPieces(m.a, m.a, [](const Grid::Piece&) { throw std::runtime_error("no"); });
  });
}

}  // namespace
