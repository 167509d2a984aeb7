// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_TestProduct.hpp"

namespace TridentTest {

Sizes randomSizes(Random& random) {
  const auto any = [&] { return random.between(1, 40); };
  switch (random.below(16)) {
    case 0:
      return {0, 0, 0};
    case 1:
      return {0, any(), any()};
    case 2:
      return {any(), 0, any()};
    case 3:
      return {any(), any(), 0};
    case 4:
      return {1, any(), any()};
    case 5:
      return {any(), any(), 1};
    case 6:
      return {any(), 1, any()};
    case 7:
      return {0, 0, any()};
    case 8:
      return {random.between(60, 120), random.between(1, 12), random.between(1, 12)};
    case 9:
      return {random.between(1, 12), random.between(1, 12), random.between(60, 120)};
    case 10:
      return {random.between(1, 12), random.between(60, 120), random.between(1, 12)};
    case 11:
    case 12: {
      const int n = random.between(20, 60);
      return {n, n, n};
    }
    default:
      return {any(), any(), any()};
  }
}

int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

Teuchos::RCP<Teuchos::ParameterList> randomParameters(Random& random, int ranks, int& lambda,
                                                      std::string& shape) {
  const auto list = tridentList();
  Teuchos::ParameterList& t = list->sublist("Trident");
  Teuchos::ParameterList& experts = t.sublist("expert");
  lambda = gcd(random.oneOf<int>({1, 2, 4}), ranks);
  t.set("ranks per node", lambda);
  const bool summa = random.chance(0.2);
  if (summa) {
    experts.set("algorithm", "summa");
    experts.set("exchange", random.oneOf<std::string>({"auto", "ring", "prefetch"}));
    lambda = 1;  // its grid is one of ranks
  } else {
    experts.set("exchange", random.oneOf<std::string>({"auto", "auto", "prefetch"}));
  }
  const int nodes = ranks / lambda;
  std::string grid = random.oneOf<std::string>({"auto", "square", "", ""});
  if (grid.empty()) {
    int rows = random.between(1, nodes);
    while (nodes % rows) --rows;
    if (random.chance(0.5)) rows = nodes / rows;
    grid = std::to_string(rows) + "x" + std::to_string(nodes / rows);
    shape = grid + "x" + std::to_string(lambda);
  }
  t.set("grid", grid);
  t.set("partition", random.oneOf<std::string>({"aligned", "uniform", "balanced", "work"}));
  if (random.chance(0.5)) experts.set("partition imbalance", random.oneOf<double>({1.0, 100.0}));
  experts.set("fuse rounds", random.below(3));
  experts.set("prefetch depth", random.below(3));
  experts.set("gather", random.oneOf<std::string>({"auto", "mpi", "shared"}));
  t.set("memory bytes", random.oneOf<double>({0, 0, 1, 3000}));
  experts.set("workspace bytes", random.oneOf<double>({0, 0, 1}));
  experts.set("predict volume", random.chance(0.2));
  return list;
}

std::string checkReport(const Trident::Report& report, const Sparse& A, const Sparse& B,
                        const Expected& expected, int lambda, const std::string& shape,
                        const Teuchos::Comm<int>& comm) {
  const auto sum = Trident::summarize(report, comm);
  if (report.grid.lambda != lambda) return say("lambda ", report.grid.lambda, " not ", lambda);
  if (report.grid.ranks() != comm.getSize()) return "the grid has not all ranks";
  if (!shape.empty() && report.grid.name() != shape) return "grid " + report.grid.name();
  const auto& operands = sum.operands;
  if (operands.size() != 2) return say("report: ", operands.size(), " operands");
  if (operands[0].entries != A.entries()) return say("report: A has ", operands[0].entries);
  if (operands[1].entries != B.entries()) return say("report: B has ", operands[1].entries);
  if (sum.entriesC != expected.entries()) return say("report: C has ", sum.entriesC, " entries");
  if (sum.multiplyAdds != expected.multiplyAdds)
    return say("report: ", sum.multiplyAdds, " multiply-adds, not ", expected.multiplyAdds);
  if (report.rounds != report.grid.segments()) return say("report: ", report.rounds, " rounds");
  return "";
}

const char* nameOf(Promise promise) {
  switch (promise) {
    case Promise::Call:
      return "the call returns";
    case Promise::Form:
      return "C has the Maps, the columns' order and the importer that Tpetra gives";
    case Promise::RowMap:
      return "C's row Map is the object that it was";
    case Promise::Entries:
      return "C's entries are those of the dense product";
    case Promise::Operands:
      return "A and B are what they were";
    case Promise::Count:
      return "C's count of all entries is right";
    case Promise::Report:
      return "the report says what was asked for and done";
    case Promise::Apply:
      return "C times a vector is what A and B make of it";
    case Promise::Tpetra:
      return "C is Tpetra's product";
  }
  return "";
}

namespace {

/// Returns the first problem of any rank, on every rank, behind the promise that it breaks; or an
/// empty text. Collective.
std::string broken(Promise promise, const std::string& problem, const Teuchos::Comm<int>& comm) {
  const std::string first = everywhere(comm, problem);
  return first.empty() ? "" : say("broken promise \"", nameOf(promise), "\": ", first);
}

}  // namespace

std::string checkProduct(const matrix_type& A, const Sparse& a, const matrix_type& B,
                         const Sparse& b, const Indices& rows, const Indices& cols,
                         const Teuchos::RCP<Teuchos::ParameterList>& params, bool exact, int lambda,
                         const std::string& shape) {
  const Teuchos::Comm<int>& comm = *A.getComm();
  const Snapshot beforeA(A), beforeB(B);
  const MatrixPtr C = newResult(A);
  const MapPtr rowMap = C->getRowMap();
  Trident::Report report;
  std::string problem;
  try {
    report = Trident::Multiply(A, B, *C, params);
  } catch (const std::exception& e) {
    problem = say("exception: ", e.what());
  }
  problem = broken(Promise::Call, problem, comm);
  const Expected expected(a, b);
  const auto check = [&](Promise promise, const auto& work) {
    if (problem.empty()) problem = broken(promise, work(), comm);
  };
  check(Promise::Form, [&] { return checkForm(A, B, *C); });  // the rest needs C to be complete
  check(Promise::RowMap,
        [&] { return C->getRowMap().get() == rowMap.get() ? "" : "it is another object"; });
  check(Promise::Entries, [&] { return checkEntries(*C, expected, rows, cols, exact); });
  check(Promise::Operands, [&] {
    const std::string changes = beforeA.changes();
    return changes.empty() ? beforeB.changes() : changes;
  });
  check(Promise::Count, [&] {
    const auto count = static_cast<long long>(C->getGlobalNumEntries());
    return count == expected.entries() ? "" : say(count, ", not ", expected.entries());
  });
  if (lambda > 0)
    check(Promise::Report,
          [&] { return checkReport(report, a, b, expected, lambda, shape, comm); });
  check(Promise::Apply, [&] { return checkApply(A, B, *C, expected, rows, cols, exact); });
  if (problem.empty() && tpetraCan(A, B))
    check(Promise::Tpetra, [&] { return checkAgainstTpetra(A, false, B, false, *C, exact); });
  return problem;
}

std::string checkRandomProduct(std::uint64_t seed, const CommPtr& comm) {
  Random random(seed);
  Sizes size = randomSizes(random);
  const bool square = size.m == size.l && size.l == size.n;
  const bool oneIndexSet = square && random.chance(0.6);
  const Indices rows = randomIndices(random, size.m);
  const Indices inner = oneIndexSet ? rows : randomIndices(random, size.l);
  const Indices cols = oneIndexSet ? rows : randomIndices(random, size.n);
  std::string text = say(size.m, " x ", size.l, " x ", size.n);
  const auto map = [&](const Indices& indices) {
    const Layout layout = randomLayout(random);
    text += say(", ", indices.contiguous ? "" : "sparse ", layoutNames[static_cast<int>(layout)]);
    return makeMap(random, indices, layout, comm);
  };
  const MapPtr rowsA = map(rows);
  const MapPtr rowsB = oneIndexSet && random.chance(0.6) ? rowsA : map(inner);
  const MapPtr domainA = random.chance(0.5) ? rowsB : map(inner);
  const MapPtr domainB = oneIndexSet && random.chance(0.6) ? rowsA : map(cols);
  const MapPtr rangeA = random.chance(0.7) ? rowsA : map(rows);
  const MapPtr rangeB = random.chance(0.7) ? rowsB : map(inner);
  const bool exact = random.chance(0.8);
  const Sparse a = randomSparse(random, size.m, size.l, exact);
  const bool oneFactor = rowsB == rowsA && random.chance(0.4);
  const Sparse b = oneFactor ? a : randomSparse(random, size.l, size.n, exact);
  const MatrixPtr A = makeMatrix(a, rows, inner, rowsA, domainA, rangeA);
  const MatrixPtr B = oneFactor ? A : makeMatrix(b, inner, cols, rowsB, domainB, rangeB);
  int lambda = 1;
  std::string shape;
  const auto params = randomParameters(random, comm->getSize(), lambda, shape);
  text += say(oneFactor ? ", B is A" : "", "\n", *params);

  std::string problem;
  try {
    problem = checkProduct(*A, a, *B, b, rows, cols, params, exact, lambda, shape);
  } catch (const std::exception& e) {
    problem = std::string("exception: ") + e.what();
  }
  if (problem.empty()) return "";
  return say(
      "seed ", seed, ": ", problem, "\n", text, "To run it again: mpirun -n ", comm->getSize(),
      " Trident_Multiply_Random.exe --show-test-details=ALL --first-seed=", seed, " --cases=1\n");
}

}  // namespace TridentTest
