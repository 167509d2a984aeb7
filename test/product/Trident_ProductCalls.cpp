// SPDX-License-Identifier: BSD-3-Clause
// Every public call, on the matrices of one seed: what each chose, moved and formed, rank by rank,
// or how it was refused. For the script `products`, which compares that with another build's.
//
// Usage: LAYOUT [PARAMETER=VALUE ...], a layout of rows (Trident_TestMatrices.hpp) and Trident's
// parameters, with - for blanks: "one-rank fetch=needed-rows ranks-per-node=2".

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "Trident_Grid.hpp"
#include "Trident_Jacobi.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyKeeping.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_ScopeGuard.hpp"
#include "Trident_TestMatrices.hpp"

namespace TridentTest {
namespace {

using List = Teuchos::ParameterList;
using ListPtr = Teuchos::RCP<List>;
using Report = Trident::Report;
using Grid = Trident::Grid<>;
using NO = map_type::node_type;
using Plan = Trident::MultiplyPlan<double, LO, GO, NO>;
using GalerkinPlan = Trident::MultiplyRAPPlan<double, LO, GO, NO>;
using SmoothingPlan = Trident::JacobiPlan<double, LO, GO, NO>;

/// A and B are square, P is n x m and R m x n. New values can be set in the same structure.
struct Problem {
  Random random{2};
  Indices fine, coarse;
  MapPtr fineMap, coarseMap;
  Sparse a, b, p, r;
  MatrixPtr A, B, P, R;
  Teuchos::RCP<vector_type> inverse;

  explicit Problem(Layout layout) {
    const int n = 60, m = 23;
    fine = randomIndices(random, n);
    coarse = contiguousIndices(m, 1);
    fineMap = makeMap(random, fine, layout, world());
    coarseMap = makeMap(random, coarse, layout, world());
    a = draw(n, n);
    b = draw(n, n);
    p = draw(n, m);
    r = draw(m, n);
    inverse = Teuchos::rcp(new vector_type(fineMap));
    inverse->putScalar(0.25);
    form();
  }

  Sparse draw(int rows, int columns) {
    Sparse drawn(rows, columns);
    for (auto& row : drawn.rows) {
      const double density = random.oneOf<double>({0, 0.05, 0.05, 0.1, 0.3});
      for (int j = 0; j < columns; ++j)
        if (random.chance(density)) row[j] = 2 * random.real() - 1;
    }
    return drawn;
  }
  void form() {
    A = makeMatrix(a, fine, fine, fineMap, fineMap, fineMap);
    B = makeMatrix(b, fine, fine, fineMap, fineMap, fineMap);
    P = makeMatrix(p, fine, coarse, fineMap, coarseMap, fineMap);
    R = makeMatrix(r, coarse, fine, coarseMap, fineMap, coarseMap);
  }
  void renewValues() {
    for (Sparse* sparse : {&a, &b, &p, &r})
      for (auto& row : sparse->rows)
        for (auto& entry : row) entry.second = 2 * random.real() - 1;
    form();
  }
};

/// Bits of some numbers, in their order (FNV).
class Hash {
 public:
  template <class Number>
  void add(Number number) {
    unsigned char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    for (const unsigned char byte : bytes) state_ = (state_ ^ byte) * 1099511628211ull;
  }
  long long value() const { return static_cast<long long>(state_ >> 1); }

 private:
  unsigned long long state_ = 14695981039346656037ull;
};

/// Says the numbers of every rank, a line for each. Collective.
void sayByRank(const std::vector<long long>& mine) {
  const int ranks = world()->getSize(), count = static_cast<int>(mine.size());
  std::vector<long long> all(mine.size() * ranks);
  Teuchos::gatherAll(*world(), count, mine.data(), static_cast<int>(all.size()), all.data());
  if (world()->getRank() != 0) return;
  for (int rank = 0; rank < ranks; ++rank) {
    std::printf("  rank %d:", rank);
    for (int n = 0; n < count; ++n) std::printf(" %lld", all[rank * count + n]);
    std::printf("\n");
  }
}

/// Prints the choices. Then it prints of each rank the multiply-adds, entries from other nodes,
/// entries of C, bytes of slices, tile and result, and pieces. Last come bytes and messages of
/// setup, import, rounds and export, between nodes and inside. Collective.
void say(const Report& report) {
  if (world()->getRank() == 0)
    std::printf(
        "  grid %s, partition %s, fetch %s, exchange %s, gather %s, kernel %s\n"
        "  rounds %d, up to %d in one; %s\n",
        report.grid.name().c_str(), report.partition.c_str(), report.fetch.c_str(),
        report.exchange.c_str(), report.gather.c_str(), report.kernel.c_str(), report.rounds,
        report.fusedRounds, report.reasons.c_str());
  const auto size = [](std::size_t bytes) { return static_cast<long long>(bytes); };
  std::vector<long long> mine{report.multiplyAdds,     report.internodeEntries,
                              report.entriesC,         size(report.sliceBytes),
                              size(report.tileBytes),  size(report.resultBytes),
                              report.pieces,           size(report.predictedPieceBytes),
                              size(report.pieceBytes), report.sliceEntries};
  const Trident::TrafficByPart& t = report.traffic;
  for (const Trident::Traffic* part : {&t.setup, &t.import, &t.rounds, &t.export_})
    mine.insert(mine.end(), {part->internodeBytes, part->internodeMessages, part->intranodeBytes,
                             part->intranodeMessages});
  sayByRank(mine);
}

/// Prints C's entries on each rank: how many, and a hash of their values and global indices in the
/// order in which they are stored. Collective.
void say(const matrix_type& C) {
  Hash hash;
  long long entries = 0;
  const auto local = C.getLocalMatrixHost();
  for (LO row = 0; row < local.numRows(); ++row) {
    hash.add(C.getRowMap()->getGlobalElement(row));
    for (auto e = local.graph.row_map(row); e < local.graph.row_map(row + 1); ++e) {
      hash.add(C.getColMap()->getGlobalElement(local.graph.entries(e)));
      hash.add(local.values(e));
      ++entries;
    }
  }
  sayByRank({entries, hash.value()});
}

/// Prints the name of a call and makes it, or prints the reason of a refusal. Collective.
void make(const std::string& name, const std::function<void()>& call) {
  std::string refused;
  if (world()->getRank() == 0) std::printf("%s\n", name.c_str());
  try {
    call();
  } catch (const std::exception& e) {
    refused = e.what();
  }
  if (world()->getRank() == 0 && !refused.empty()) std::printf("  refused: %s\n", refused.c_str());
  std::fflush(stdout);
}

MatrixPtr newOn(const MapPtr& map) { return Teuchos::rcp(new matrix_type(map, 0)); }

void sayBoth(const Report& report, const matrix_type& C) {
  say(report);
  say(C);
}

/// Keeps what is large, of a row, or near the diagonal.
struct KeepNearOrLarge {
  template <class Facts>
  KOKKOS_INLINE_FUNCTION bool operator()(long long row, long long column, double value,
                                         const Facts& facts) const {
    return (row - column < 4 && column - row < 4) || value == facts.largest;
  }
};

/// Calls of a Grid, each by its name. All are collective.
class GridCalls {
 public:
  GridCalls(const Problem& problem, const ListPtr& params)
      : problem_(problem), grid_(world(), {problem.fineMap, problem.coarseMap}, params) {
    a_ = grid_.fromTpetra(*problem.A);
    b_ = grid_.fromTpetra(*problem.B);
    p_ = grid_.fromTpetra(*problem.P);
    small_.sublist("expert").set("product memory bytes", 3000);
  }

  void all() const {
    if (world()->getRank() == 0) std::printf("  %s\n", grid_.description().c_str());
    products();
    masked();
    filtered();
    make("grid: A B in pieces", [&] { inPieces(); });
    make("grid: A + B / 2", [&] { takeOut(grid_.add(1, a_, 0.5, b_)); });
    make("grid: A + P", [&] { takeOut(grid_.add(1, a_, 1, p_)); });
    make("grid: A^T", [&] { takeOut(grid_.transpose(a_)); });
    make("grid: P^T", [&] { takeOut(grid_.transpose(p_)); });
    make("grid: B from its graph", [&] { takeOut(grid_.fromTpetra(problem_.B->getCrsGraph())); });
  }

 private:
  void takeOut(const Grid::Matrix& matrix) const {
    const MatrixPtr C = newOn(matrix.rowMap());
    grid_.toTpetra(matrix, *C);
    say(*C);
  }

  void product(const std::string& name, const std::function<Grid::Matrix()>& form) const {
    make("grid: " + name, [&] {
      const Grid::Matrix C = form();
      say(C.report());
      takeOut(C);
    });
  }

  void products() const {
    product("A B", [&] { return grid_.multiply(a_, b_); });
    product("A A", [&] { return grid_.multiply(a_, a_); });
    product("A P", [&] { return grid_.multiply(a_, p_); });
    product("P^T (A P)",
            [&] { return grid_.multiply(grid_.transpose(p_), grid_.multiply(a_, p_)); });
    product("P A", [&] { return grid_.multiply(p_, a_); });
    product("A with no matrix", [&] { return grid_.multiply(a_, Grid::Matrix()); });
  }

  void masked() const {
    for (const char* semiring : {"plus-times", "min-plus", "plus-second"}) {
      List options;
      options.set<std::string>("semiring", semiring);
      const std::string over = std::string(", ") + semiring;
      product("A B" + over, [&] { return grid_.multiply(a_, b_, options); });
      product("A B within A" + over, [&] { return grid_.multiplyWithin(a_, b_, a_, options); });
    }
    product("A B outside of B", [&] { return grid_.multiplyOutside(a_, b_, b_); });
    product("A P within P", [&] { return grid_.multiplyWithin(a_, p_, p_); });
    product("A B within P", [&] { return grid_.multiplyWithin(a_, b_, p_); });
  }

  void filtered() const {
    List largest;
    largest.set("keep largest", 3);
    product("A B, the 3 largest", [&] { return grid_.multiply(a_, b_, largest); });
    product("A B, by a functor",
            [&] { return grid_.multiplyKeeping(a_, b_, KeepNearOrLarge(), small_); });
    product("A B, by a functor and a number",
            [&] { return grid_.multiplyKeeping(a_, b_, KeepNearOrLarge(), largest); });
    product("A B within A, the 3 largest",
            [&] { return grid_.multiplyWithin(a_, b_, a_, largest); });
  }

  void inPieces() const {
    Hash hash;
    long long pieces = 0;
    const auto consume = [&](const Grid::Piece& piece) {
      const auto onHost = [](const auto& view) {
        return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
      };
      const auto rows = onHost(piece.rows), columns = onHost(piece.columns);
      const auto values = onHost(piece.values);
      for (std::size_t n = 0; n < rows.extent(0); ++n) hash.add(rows(n));
      for (std::size_t n = 0; n < values.extent(0); ++n) {
        hash.add(columns(n));
        hash.add(values(n));
      }
      ++pieces;
    };
    say(grid_.multiplyInPieces(a_, b_, consume, small_));
    sayByRank({pieces, hash.value()});
  }

  const Problem& problem_;
  Grid grid_;
  Grid::Matrix a_, b_, p_;
  List small_;
};

/// Calls that take Tpetra's matrices, each by its name. All are collective.
class Calls {
 public:
  Calls(Layout layout, const ListPtr& params) : problem_(layout), params_(params) {}

  void all() {
    products();
    patterns();
    plans();
    galerkin();
    jacobi();
    make("grid", [&] { GridCalls(problem_, params_).all(); });
    refusals();
  }

 private:
  template <class T>
  ListPtr with(const std::string& name, const T& value) const {
    const ListPtr list = Teuchos::parameterList(*params_);
    List& trident = list->sublist("Trident");
    const bool expert = Trident::getValidParameters()->sublist("expert").isParameter(name);
    (expert ? trident.sublist("expert") : trident).set(name, value);
    return list;
  }

  void multiply(const std::string& name, const matrix_type& A, bool transposeA,
                const matrix_type& B, bool transposeB, const MatrixPtr& C, const ListPtr& params,
                bool complete = true) const {
    make(name, [&] {
      const Report report =
          Trident::Multiply(A, transposeA, B, transposeB, *C, complete, "", params);
      if (!complete) C->fillComplete(problem_.fineMap, problem_.fineMap);
      sayBoth(report, *C);
    });
  }

  void products() const {
    const auto& [A, B, P, R] = std::tie(problem_.A, problem_.B, problem_.P, problem_.R);
    for (const bool transposeA : {false, true})
      for (const bool transposeB : {false, true})
        multiply(std::string("A") + (transposeA ? "^T" : "") + " B" + (transposeB ? "^T" : ""), *A,
                 transposeA, *B, transposeB, newOn(problem_.fineMap), params_);
    multiply("A A", *A, false, *A, false, newOn(problem_.fineMap), params_);
    multiply("A P", *A, false, *P, false, newOn(problem_.fineMap), params_);
    multiply("R P", *R, false, *P, false, newOn(problem_.coarseMap), params_);
    multiply("P^T R^T", *P, true, *R, true, newOn(problem_.coarseMap), params_);
    multiply("A B, left open", *A, false, *B, false, newOn(problem_.fineMap), params_, false);
    for (const char* semiring : {"min-plus", "max-min", "or-and", "plus-second"})
      multiply(std::string("A B, ") + semiring, *A, false, *B, false, newOn(problem_.fineMap),
               with<std::string>("semiring", semiring));
    multiply("A B, the 3 largest", *A, false, *B, false, newOn(problem_.fineMap),
             with("keep largest", 3));
    const ListPtr alike = with("keep largest", 3);
    alike->sublist("Trident").set<std::string>("semiring", "or-and");
    multiply("A B, or-and, the 3 largest", *A, false, *B, false, newOn(problem_.fineMap), alike);
    multiply("A B, predicted", *A, false, *B, false, newOn(problem_.fineMap),
             with("predict volume", true));
  }

  /// Forms products into a C that has a pattern: the product's, a wider one, and a narrower one.
  void patterns() {
    const MatrixPtr C = newOn(problem_.fineMap), wide = newOn(problem_.fineMap);
    multiply("A B, whose pattern stays", *problem_.A, false, *problem_.B, false, C, params_);
    Sparse full(problem_.a.numRows(), problem_.a.numRows());
    for (auto& row : full.rows)
      for (int j = 0; j < full.cols; ++j) row[j] = 9;
    const MatrixPtr dense = makeMatrix(full, problem_.fine, problem_.fine, problem_.fineMap,
                                       problem_.fineMap, problem_.fineMap);
    problem_.renewValues();
    const auto &A = *problem_.A, &B = *problem_.B;
    multiply("A B into its pattern", A, false, B, false, C, params_);
    C->resumeFill();
    multiply("A B into its open pattern", A, false, B, false, C, params_);
    multiply("A B into a full pattern", A, false, B, false, dense, params_);
    const MatrixPtr narrow = makeMatrix(problem_.a, problem_.fine, problem_.fine, problem_.fineMap,
                                        problem_.fineMap, problem_.fineMap);
    multiply("A B into A's pattern", A, false, B, false, narrow, params_);
    multiply("A B into its pattern, min-plus", A, false, B, false, C,
             with<std::string>("semiring", "min-plus"));
  }

  void plans() {
    const MatrixPtr C = newOn(problem_.fineMap), D = newOn(problem_.coarseMap);
    std::shared_ptr<Plan> plan, transposed;
    make("plan of A B", [&] {
      plan = std::make_shared<Plan>(*problem_.A, *problem_.B, *C, params_);
      sayBoth(plan->report(), *C);
    });
    make("plan of P^T R^T", [&] {
      transposed = std::make_shared<Plan>(*problem_.P, true, *problem_.R, true, *D, params_);
      sayBoth(transposed->report(), *D);
    });
    problem_.renewValues();
    for (const char* time : {"again", "a third time"}) {
      make(std::string("A B by its plan, ") + time,
           [&] { sayBoth(plan->multiply(*problem_.A, *problem_.B, *C), *C); });
      make(std::string("P^T R^T by its plan, ") + time,
           [&] { sayBoth(transposed->multiply(*problem_.P, *problem_.R, *D), *D); });
    }
    make("A A by the plan of A B",
         [&] { sayBoth(plan->multiply(*problem_.A, *problem_.A, *C), *C); });
    make("A B by its plan into another C", [&] {
      const MatrixPtr other = newOn(problem_.fineMap);
      sayBoth(plan->multiply(*problem_.A, *problem_.B, *other), *other);
    });
    make("plan of A A", [&] {
      const MatrixPtr E = newOn(problem_.fineMap);
      const Plan squared(*problem_.A, *problem_.A, *E, params_);
      sayBoth(squared.multiply(*problem_.A, *problem_.A, *E), *E);
    });
    for (const auto& [name, list] :
         {std::make_pair("that filters", with("keep largest", 2)),
          std::make_pair("over a semiring", with<std::string>("semiring", "min-plus"))})
      make(std::string("plan of A B ") + name,
           [&, list = list] { Plan(*problem_.A, *problem_.B, *newOn(problem_.fineMap), list); });
  }

  void galerkin() {
    const MatrixPtr C = newOn(problem_.coarseMap);
    const auto rap = [&](const std::string& name, const ListPtr& params, bool implicit,
                         const MatrixPtr& result) {
      make(name, [&] {
        const matrix_type& R = implicit ? *problem_.P : *problem_.R;
        sayBoth(Trident::MultiplyRAP(R, implicit, *problem_.A, false, *problem_.P, false, *result,
                                     true, "", params),
                *result);
      });
    };
    rap("R A P", params_, false, newOn(problem_.coarseMap));
    rap("P^T A P", params_, true, C);
    rap("R A P, max-min", with<std::string>("semiring", "max-min"), false,
        newOn(problem_.coarseMap));
    rap("R A P, the 2 largest", with("keep largest", 2), false, newOn(problem_.coarseMap));
    problem_.renewValues();
    rap("P^T A P into a complete matrix", params_, true, C);
    C->resumeFill();
    rap("P^T A P into its pattern", params_, true, C);
    std::shared_ptr<GalerkinPlan> plan;
    const MatrixPtr D = newOn(problem_.coarseMap);
    make("plan of P^T A P", [&] {
      plan = std::make_shared<GalerkinPlan>(*problem_.P, true, *problem_.A, false, *problem_.P,
                                            false, *D, params_);
      sayBoth(plan->report(), *D);
    });
    problem_.renewValues();
    for (const char* time : {"again", "a third time"})
      make(std::string("P^T A P by its plan, ") + time,
           [&] { sayBoth(plan->multiply(*problem_.P, *problem_.A, *problem_.P, *D), *D); });
    make("P^T A P by its plan, R another matrix",
         [&] { sayBoth(plan->multiply(*problem_.R, *problem_.A, *problem_.P, *D), *D); });
    make("plan of R A P", [&] {
      const MatrixPtr E = newOn(problem_.coarseMap);
      const GalerkinPlan explicitly(*problem_.R, false, *problem_.A, true, *problem_.P, false, *E,
                                    params_);
      sayBoth(explicitly.multiply(*problem_.R, *problem_.A, *problem_.P, *E), *E);
    });
  }

  void jacobi() {
    const MatrixPtr C = newOn(problem_.fineMap), D = newOn(problem_.fineMap);
    const auto step = [&](const std::string& name, const ListPtr& params, const MatrixPtr& result) {
      make(name, [&] {
        sayBoth(Trident::Jacobi(0.5, *problem_.inverse, *problem_.A, *problem_.P, *result, true, "",
                                params),
                *result);
      });
    };
    step("Jacobi step", params_, C);
    problem_.renewValues();
    step("Jacobi step into a complete matrix", params_, C);
    C->resumeFill();
    step("Jacobi step into its pattern", params_, C);
    step("Jacobi step, the 2 largest", with("keep largest", 2), newOn(problem_.fineMap));
    step("Jacobi step, min-plus", with<std::string>("semiring", "min-plus"),
         newOn(problem_.fineMap));
    std::shared_ptr<SmoothingPlan> plan;
    make("plan of a Jacobi step", [&] {
      plan = std::make_shared<SmoothingPlan>(0.5, *problem_.inverse, *problem_.A, *problem_.P, *D,
                                             params_);
      sayBoth(plan->report(), *D);
    });
    problem_.renewValues();
    for (const char* time : {"again", "a third time"})
      make(std::string("Jacobi step by its plan, ") + time, [&] {
        sayBoth(plan->multiply(0.75, *problem_.inverse, *problem_.A, *problem_.P, *D), *D);
      });
  }

  void refusals() const {
    const auto &A = *problem_.A, &B = *problem_.B;
    multiply("A R", A, false, *problem_.R, false, newOn(problem_.fineMap), params_);
    multiply("A B into C on another Map", A, false, B, false, newOn(problem_.coarseMap), params_);
    multiply("A A into A", A, false, A, false, problem_.A, params_);
    matrix_type open(problem_.fineMap, 3);
    multiply("an open A", open, false, B, false, newOn(problem_.fineMap), params_);
    const auto refused = [&](const std::string& name, const ListPtr& list) {
      multiply("A B, " + name, A, false, B, false, newOn(problem_.fineMap), list);
    };
    refused("an unknown parameter", with("grdi", 1));
    refused("a text for a number", with<std::string>("fuse rounds", "one"));
    refused("a number for a text", with("grid", 2));
    refused("a number for a bool", with("synchronize", 1));
    refused("a negative bound", with("memory bytes", -1.0));
    refused("an impossible timeout", with("timeout", -1.0));
    refused("parameters that differ", with("fuse rounds", 7 + world()->getRank()));
    const ListPtr misspelt = Teuchos::parameterList();
    misspelt->sublist("trident");
    refused("a sublist of another name", misspelt);
    const ListPtr plain = Teuchos::parameterList();
    plain->set("Trident", 1);
    refused("no sublist", plain);
  }

  Problem problem_;
  ListPtr params_;
};

std::string withBlanks(std::string text) {
  std::replace(text.begin(), text.end(), '-', ' ');
  return text;
}

Layout layoutOf(const std::string& name) {
  for (int layout = 0; layout < 5; ++layout)
    if (withBlanks(name) == layoutNames[layout]) return static_cast<Layout>(layout);
  throw std::runtime_error("there is no layout " + name);
}

void setParameter(const std::string& text, List& list) {
  const std::size_t equals = text.find('=');
  const std::string name = withBlanks(text.substr(0, equals)), value = text.substr(equals + 1);
  const auto valid = Trident::getValidParameters();
  const bool expert = valid->sublist("expert").isParameter(name);
  const List& known = expert ? valid->sublist("expert") : *valid;
  List& to = expert ? list.sublist("expert") : list;
  if (known.isType<int>(name))
    to.set(name, std::stoi(value));
  else if (known.isType<double>(name))
    to.set(name, std::stod(value));
  else if (known.isType<bool>(name))
    to.set(name, value == "true");
  else
    to.set(name, value);
}

}  // namespace
}  // namespace TridentTest

int main(int argc, char* argv[]) {
  using namespace TridentTest;
  const Trident::ScopeGuard scope(&argc, &argv);
  if (argc < 2) return 2;
  const ListPtr params = tridentList();
  for (int n = 2; n < argc; ++n) setParameter(argv[n], params->sublist("Trident"));
  Calls(layoutOf(argv[1]), params).all();
}
