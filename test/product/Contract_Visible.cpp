// SPDX-License-Identifier: BSD-3-Clause
// Contract: what a program sees of C beside its entries. All is as in Tpetra's product but the
// column Map and what follows from it. The used remote columns are in one order in both, and so is
// all where the column Maps are equal, but in Jacobi, where Tpetra orders them otherwise.
// 1,000 products over all rank counts of test/product/CMakeLists.txt.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <Tpetra_Details_determineLocalTriangularStructure.hpp>
#include <Tpetra_Details_getNumDiags.hpp>
#include <Tpetra_Distributor.hpp>
#include <vector>

#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestContract.hpp"

namespace {

using namespace TridentTest;
using Trident::Impl::localGids;
using Trident::Impl::localSize;

template <class List>
std::string listed(const List& list) {
  std::string text;
  for (const auto& item : list) text += say(item, ' ');
  return text;
}
template <class View>
std::string listedView(const View& view) {
  std::string text;
  for (std::size_t i = 0; i < view.extent(0); ++i) text += say(view(i), ' ');
  return text;
}
template <class Pointer>
std::string address(const Pointer& pointer) {
  return say(static_cast<const void*>(pointer.get()));
}
/// Returns `of(row)` of every local row.
template <class Of>
std::string ofRows(const matrix_type& C, const Of& of) {
  std::string text;
  for (LO r = 0; r < static_cast<LO>(localSize(*C.getRowMap())); ++r) text += say(of(r), ' ');
  return text;
}

/// Lists the remote columns of C's column Map that an entry has, in the Map's order.
std::string usedRemotes(const matrix_type& C) {
  const auto gids = localGids(*C.getColMap());
  const auto graph = C.getCrsGraph()->getLocalGraphHost();
  std::vector<bool> used(gids.size(), false);
  for (std::size_t e = 0; e < graph.entries.extent(0); ++e) used[graph.entries(e)] = true;
  std::string text;
  for (std::size_t c = 0; c < used.size(); ++c)
    if (used[c] && !C.getDomainMap()->isNodeGlobalElement(gids[c])) text += say(gids[c], ' ');
  return text;
}

/// A trait of a matrix on this rank, as text.
struct Trait {
  const char* name;
  std::string (*of)(const matrix_type&);
};

// Traits of a C that is open or fill-complete.
const std::vector<Trait> ofEach{
    {"row Map", [](const matrix_type& C) { return address(C.getRowMap()); }},
    {"domain Map", [](const matrix_type& C) { return address(C.getDomainMap()); }},
    {"range Map", [](const matrix_type& C) { return address(C.getRangeMap()); }},
    {"communicator", [](const matrix_type& C) { return address(C.getComm()); }},
    {"label", [](const matrix_type& C) { return C.getObjectLabel(); }},
    {"graph's label", [](const matrix_type& C) { return C.getCrsGraph()->getObjectLabel(); }},
    {"entries here", [](const matrix_type& C) { return say(Trident::Impl::localEntries(C)); }},
    {"lengths of rows",
     [](const matrix_type& C) {
       return ofRows(C, [&](LO r) { return C.getNumEntriesInLocalRow(r); });
     }},
    {"room of rows",
     [](const matrix_type& C) {
       return ofRows(C, [&](LO r) { return C.getCrsGraph()->getNumAllocatedEntriesInLocalRow(r); });
     }},
    {"kind of indices",
     [](const matrix_type& C) {
       return say(C.hasColMap(), C.isLocallyIndexed(), C.isGloballyIndexed());
     }},
    {"fill state",
     [](const matrix_type& C) {
       return say(C.isFillComplete(), C.isFillActive(), C.getCrsGraph()->isFillComplete(),
                  C.getCrsGraph()->isFillActive());
     }},
    {"storage", [](const matrix_type& C) {
       return say(C.isStorageOptimized(), C.getCrsGraph()->isStorageOptimized(), C.isStaticGraph(),
                  C.supportsRowViews(), C.hasTransposeApply());
     }}};

// Traits of a fill-complete C.
const std::vector<Trait> ofComplete{
    {"exporter", [](const matrix_type& C) { return address(C.getGraph()->getExporter()); }},
    {"base of the column Map",
     [](const matrix_type& C) { return say(C.getColMap()->getIndexBase()); }},
    {"global sizes",
     [](const matrix_type& C) {
       return say(C.getGlobalNumRows(), ' ', C.getGlobalNumCols(), ' ', C.getIndexBase());
     }},
    {"global constants",
     [](const matrix_type& C) {
       return say(C.haveGlobalConstants(), ' ', C.getGlobalNumEntries(), ' ',
                  C.getGlobalMaxNumRowEntries(), ' ', Trident::Impl::longestLocalRow(C));
     }},
    {"sorted", [](const matrix_type& C) { return say(C.getCrsGraph()->isSorted()); }},
    {"lengths of arrays",
     [](const matrix_type& C) {
       const auto local = C.getLocalMatrixHost();
       return say(local.numRows(), ' ', local.nnz(), ' ', local.graph.row_map.extent(0), ' ',
                  local.graph.entries.extent(0), ' ', local.values.extent(0));
     }},
    {"row offsets",
     [](const matrix_type& C) { return listedView(C.getLocalMatrixHost().graph.row_map); }},
    {"diagonals",
     [](const matrix_type& C) {
       return say(Tpetra::Details::getLocalNumDiags(*C.getCrsGraph()), ' ',
                  Tpetra::Details::getGlobalNumDiags(*C.getCrsGraph()));
     }},
    {"norm", [](const matrix_type& C) { return say(C.getFrobeniusNorm()); }},
    {"description",
     [](const matrix_type& C) { return C.description() + C.getCrsGraph()->description(); }}};

// Traits of a fill-complete C where the column Map is Tpetra's.
const std::vector<Trait> byColumnMap{
    {"local columns",
     [](const matrix_type& C) { return listedView(C.getLocalMatrixHost().graph.entries); }},
    {"count of local columns",
     [](const matrix_type& C) { return say(C.getLocalMatrixHost().numCols()); }},
    {"triangular",
     [](const matrix_type& C) {
       const auto found = Tpetra::Details::determineLocalTriangularStructure(
           C.getCrsGraph()->getLocalGraphDevice(), C.getRowMap()->getLocalMap(),
           C.getColMap()->getLocalMap(), true);
       return say(found.couldBeLowerTriangular, found.couldBeUpperTriangular);
     }},
    {"importer", [](const matrix_type& C) -> std::string {
       const auto importer = C.getGraph()->getImporter();
       if (importer.is_null()) return "none";
       const auto& distributor = importer->getDistributor();
       return say(importer->getSourceMap() == C.getDomainMap(),
                  importer->getTargetMap() == C.getColMap(), importer->isLocallyComplete(),
                  importer->areRemoteLIDsContiguous(), importer->areExportLIDsContiguous(),
                  importer->isLocallyFitted(), importer->getNumSameIDs(), "; ",
                  listed(importer->getPermuteFromLIDs()), listed(importer->getPermuteToLIDs()),
                  "; ", listed(importer->getRemoteLIDs()), "; ", listed(importer->getExportLIDs()),
                  listed(importer->getExportPIDs()), "; ", listed(distributor.getProcsFrom()),
                  listed(distributor.getLengthsFrom()), "; ", listed(distributor.getProcsTo()),
                  listed(distributor.getLengthsTo()), "; ", distributor.getTotalReceiveLength(),
                  ' ', distributor.getMaxSendLength(), ' ', distributor.hasSelfMessage());
     }}};

/// Returns the first of the traits that C and T do not share on this rank. Collective, as some
/// traits are.
std::string difference(const std::vector<Trait>& traits, const matrix_type& C,
                       const matrix_type& T) {
  std::string problem;
  for (const Trait& trait : traits) {
    const std::string mine = trait.of(C), theirs = trait.of(T);
    if (mine != theirs && problem.empty())
      problem = say(trait.name, ": ", mine, ", and Tpetra's: ", theirs, "\n");
  }
  return problem;
}

/// Compares two open matrices, or two fill-complete ones. Collective.
std::string compare(const matrix_type& C, const matrix_type& T, bool jacobi = false) {
  std::string problem = difference(ofEach, C, T);
  if (onAll(*world(), C.isFillComplete() && T.isFillComplete())) {
    problem += difference(ofComplete, C, T);
    if (!jacobi) {
      problem += difference({{"used remote columns", usedRemotes}}, C, T);
      if (C.getColMap()->isSameAs(*T.getColMap())) problem += difference(byColumnMap, C, T);
    }
  }
  return everywhere(*world(), problem);
}

/// Gives stored zeros another value: Tpetra's kernels for hosts leave out what comes from them.
void fillZeros(Sparse& matrix) {
  for (auto& row : matrix.rows)
    for (auto& entry : row)
      if (entry.second == 0) entry.second = 1;
}

/// Returns the first seed of this number of ranks.
int firstSeed() { return 1000 * world()->getSize(); }

TEUCHOS_UNIT_TEST(Visible, Multiply) {
  for (int seed = firstSeed(); seed < firstSeed() + 28; ++seed)
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        Operands o(seed, transA, transB);
        fillZeros(o.a);
        fillZeros(o.b);
        o.form();
        matrix_type C(o.rowMap, 0), T(o.rowMap, 0);
        C.setObjectLabel("label");
        T.setObjectLabel("label");
        o.multiply(C, true);
        Tpetra::MatrixMatrix::Multiply(*o.A, transA, *o.B, transB, T);
        TRIDENT_TEST_OK(o.verdict(seed, compare(C, T)));
      }
}

TEUCHOS_UNIT_TEST(Visible, LeftOpen) {
  for (int seed = firstSeed(); seed < firstSeed() + 7; ++seed)
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        Operands o(seed, transA, transB);
        fillZeros(o.a);
        fillZeros(o.b);
        o.form();
        matrix_type C(o.rowMap, 41), T(o.rowMap, 41);  // Tpetra makes no room
        o.multiply(C, false);
        Tpetra::MatrixMatrix::Multiply(*o.A, transA, *o.B, transB, T, false);
        TRIDENT_TEST_OK(o.verdict(seed, compare(C, T)));
      }
}

/// A square matrix and a thin one.
struct Smoothing {
  MapPtr rowMap, colMap;
  MatrixPtr A, P;

  explicit Smoothing(int seed) {
    Random random(seed);
    const int n = random.between(1, 40), m = random.between(1, 20);
    const Indices rows = randomIndices(random, n), cols = randomIndices(random, m);
    rowMap = makeMap(random, rows, randomLayout(random), world());
    colMap = makeMap(random, cols, randomLayout(random), world());
    Sparse a = randomSparse(random, n, n, true), p = randomSparse(random, n, m, true);
    fillZeros(a);
    fillZeros(p);
    for (int i = 0; i < n; ++i) a.rows[i][i] = 2;
    A = makeMatrix(a, rows, rows, rowMap, rowMap, rowMap);
    P = makeMatrix(p, rows, cols, rowMap, colMap, rowMap);
  }
};

TEUCHOS_UNIT_TEST(Visible, Jacobi) {
  for (int seed = firstSeed(); seed < firstSeed() + 30; ++seed) {
    const Smoothing s(seed);
    vector_type inverse(s.rowMap);
    inverse.putScalar(0.5);
    matrix_type C(s.rowMap, 0), T(s.rowMap, 0);
    Trident::Jacobi(0.5, inverse, *s.A, *s.P, C);
    Tpetra::MatrixMatrix::Jacobi(0.5, inverse, *s.A, *s.P, T);
    const std::string problem = compare(C, T, true);
    TRIDENT_TEST_OK(problem.empty() ? "" : say("seed ", seed, ": ", problem));
  }
}

TEUCHOS_UNIT_TEST(Visible, MultiplyRAP) {
  for (int seed = firstSeed(); seed < firstSeed() + 30; ++seed) {
    const Smoothing s(seed);
    matrix_type C(s.colMap, 0), T(s.colMap, 0);
    Trident::MultiplyRAP(*s.P, true, *s.A, false, *s.P, false, C);
    Tpetra::TripleMatrixMultiply::MultiplyRAP(*s.P, true, *s.A, false, *s.P, false, T);
    const std::string problem = compare(C, T);
    TRIDENT_TEST_OK(problem.empty() ? "" : say("seed ", seed, ": ", problem));
  }
}

}  // namespace
