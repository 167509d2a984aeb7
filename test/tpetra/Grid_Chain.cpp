// SPDX-License-Identifier: BSD-3-Clause
// Matrices that stay on the grid from one product to the next, on grids of every form.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_ColumnNumbers.hpp"
#include "Trident_Context.hpp"
#include "Trident_ExportMatrix.hpp"
#include "Trident_GridMultiply.hpp"
#include "Trident_ImportMatrix.hpp"
#include "Trident_SpaceCuts.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using NO = map_type::node_type;
using Device = NO::device_type;
using Space = Trident::MapSpace<LO, GO, NO>;
using GridMatrix = Trident::GridMatrix<double, Device>;

/// What a program needs to take Tpetra matrices onto one grid and back.
class OneGrid {
 public:
  OneGrid(const CommPtr& comm, const Trident::GridShape& shape, const Trident::GridOptions& options)
      : context_(Trident::Context::of(Trident::rawComm(*comm))),
        layout_(context_.layout(shape.lambda)),
        shape_(shape),
        options_(options),
        transport_(context_.grid(shape.lambda, shape)) {}

  /// The space of a row Map, balanced, where asked, by this matrix's rows.
  Space space(const MapPtr& map, const matrix_type& rowsOf) const {
    const auto numbering = Trident::numberMap(map, context_.comm(), layout_);
    const auto weights = Trident::rowWeights(rowsOf.getLocalMatrixDevice(),
                                             Trident::RowNumbers<Device>(numbering.begin()));
    return cut(numbering, weights);
  }
  /// The space of the columns of `M` in the order of another Map.
  Space columnSpace(const MapPtr& map, const matrix_type& M) const {
    const auto numbering = Trident::numberMap(map, context_.comm(), layout_);
    return cut(numbering, Trident::columnWeights(M.getLocalMatrixDevice(), numbers(M, numbering)));
  }
  GridMatrix import(const matrix_type& M, const Space& rows, const Space& cols) const {
    Trident::Traffic traffic;
    return Trident::importMatrix(M, transport_, rows, cols, numbers(M, cols.numbering), 1000,
                                 traffic);
  }
  MatrixPtr toTpetra(const GridMatrix& M, const Space& rows, const Space& cols,
                     const MapPtr& range) const {
    Trident::Traffic traffic;
    const auto result = Trident::exportMatrix<double, LO, GO, NO>(M, rows, cols, 1000, traffic);
    const MatrixPtr C = Teuchos::rcp(new matrix_type(rows.numbering.map, 0));
    Trident::commitResult(result, cols.numbering.map, range, {}, true, *C);
    return C;
  }

 private:
  template <class Numbering>
  Kokkos::View<Trident::Position*, Device> numbers(const matrix_type& M,
                                                   const Numbering& numbering) const {
    Trident::Traffic traffic;
    return Trident::columnNumbers(M, numbering, layout_, context_.comm(), traffic);
  }
  template <class Numbering>
  Space cut(const Numbering& numbering, const Trident::EntryWeights<Device>& weights) const {
    std::string reasons;
    return {numbering, Trident::cutSpace(numbering, weights, shape_, options_, "a space",
                                         context_.comm(), reasons)};
  }

  Trident::Context& context_;
  const Trident::NodeLayout& layout_;
  Trident::GridShape shape_;
  Trident::GridOptions options_;
  std::shared_ptr<Trident::GridTransport> transport_;
};

/// A is m × n and B n × m, all four Maps different.
struct Pair {
  Indices rows, inner;
  MapPtr rowsA, domainA, rowsB, domainB;
  Sparse a, b;
  MatrixPtr A, B;

  Pair(Random& random, const CommPtr& comm)
      : rows(randomIndices(random, random.between(1, 50))),
        inner(randomIndices(random, random.between(1, 40))),
        rowsA(makeMap(random, rows, randomLayout(random), comm)),
        domainA(makeMap(random, inner, randomLayout(random), comm)),
        rowsB(makeMap(random, inner, randomLayout(random), comm)),
        domainB(makeMap(random, rows, randomLayout(random), comm)),
        a(randomSparse(random, rows.size(), inner.size(), true)),
        b(randomSparse(random, inner.size(), rows.size(), true)),
        A(makeMatrix(a, rows, inner, rowsA, domainA, rowsA)),
        B(makeMatrix(b, inner, rows, rowsB, domainB, rowsB)) {}
};

std::vector<Trident::GridShape> shapes(int P) {
  std::vector<Trident::GridShape> fitting;
  for (const auto& nodes : std::vector<std::pair<int, int>>{{2, 3}, {3, 2}, {1, 4}, {4, 1}, {2, 2}})
    if (P % (nodes.first * nodes.second) == 0)
      fitting.push_back({nodes.first, nodes.second, P / (nodes.first * nodes.second)});
  return fitting;
}

Trident::RoundOptions randomRounds(Random& random) {
  Trident::RoundOptions rounds;
  rounds.fuseRounds = random.below(3);
  rounds.prefetchDepth = random.below(3);
  rounds.messageBytes = random.oneOf<std::size_t>({64, 1000});
  return rounds;
}

std::string checkChain(std::uint64_t seed, const Trident::GridShape& shape) {
  Random random(seed);
  const CommPtr comm = world();
  const Pair p(random, comm);
  Trident::GridOptions options;
  options.partition = random.oneOf<Trident::PartitionKind>({Trident::PartitionKind::Aligned,
                                                            Trident::PartitionKind::Uniform,
                                                            Trident::PartitionKind::Balanced});
  options.permute = random.chance(0.3);
  options.seed = random.below(1000);
  const Trident::RoundOptions rounds = randomRounds(random);
  const OneGrid grid(comm, shape, options);
  const Space m = grid.space(p.rowsA, *p.A), n = grid.space(p.rowsB, *p.B);
  const Space domain = grid.columnSpace(p.domainA, *p.A);
  const GridMatrix a = grid.import(*p.A, m, n), b = grid.import(*p.B, n, m);
  const GridMatrix last = grid.import(*p.A, m, domain);  // columns in A's own order

  const GridMatrix ab = multiply(a, b, rounds), ba = multiply(b, a, rounds);
  const Sparse ab_ = Expected(p.a, p.b).sparse(), ba_ = Expected(p.b, p.a).sparse();
  const auto check = [&](const GridMatrix& product, const Space& rows, const Space& cols,
                         const Indices& r, const Indices& c, const Expected& expected) {
    const MatrixPtr C = grid.toTpetra(product, rows, cols, rows.numbering.map);
    std::string problem = C->getDomainMap()->isSameAs(*cols.numbering.map) ? "" : "domain Map";
    if (problem.empty()) problem = checkEntries(*C, expected, r, c, true);
    return everywhere(*comm, problem);
  };
  std::string problem = check(ab, m, m, p.rows, p.rows, Expected(p.a, p.b));
  if (problem.empty())
    problem = check(multiply(ab, a, rounds), m, n, p.rows, p.inner, Expected(ab_, p.a));
  if (problem.empty())
    problem = check(multiply(a, ba, rounds), m, n, p.rows, p.inner, Expected(p.a, ba_));
  if (problem.empty())
    problem = check(multiply(ab, last, rounds), m, domain, p.rows, p.inner, Expected(ab_, p.a));
  if (problem.empty())
    problem = check(multiply(ba, multiply(b, ab)), n, m, p.inner, p.rows,
                    Expected(ba_, Expected(p.b, ab_).sparse()));
  if (problem.empty())  // in and out again, nothing lost
    problem = check(a, m, n, p.rows, p.inner, [&] {
      Sparse one(p.inner.size(), p.inner.size());
      for (int i = 0; i < p.inner.size(); ++i) one.rows[i][i] = 1;
      return Expected(p.a, one);
    }());
  return problem.empty() ? "" : say("seed ", seed, ", grid ", shape.name(), ": ", problem);
}

TEUCHOS_UNIT_TEST(Chain, RandomOnEveryGrid) {
  for (const auto& shape : shapes(world()->getSize()))
    for (int seed = 1; seed <= (world()->getSize() > 8 ? 8 : 25); ++seed)
      TRIDENT_TEST_OK(checkChain(seed, shape));
}

// With factors whose Maps meet, Tpetra can follow the chain.
TEUCHOS_UNIT_TEST(Chain, EqualsTpetra) {
  const CommPtr comm = world();
  Random random(3);
  const Indices indices = contiguousIndices(70);
  const MapPtr map = makeMap(random, indices, Layout::Uneven, comm);
  const Sparse a = randomSparse(random, 70, 70, true);
  const MatrixPtr A = makeMatrix(a, indices, indices, map, map, map);
  matrix_type AA(map, 0);
  Tpetra::MatrixMatrix::Multiply(*A, false, *A, false, AA);
  for (const auto& shape : shapes(comm->getSize())) {
    const OneGrid grid(comm, shape, {});
    const Space s = grid.space(map, *A);
    const GridMatrix g = grid.import(*A, s, s), gg = multiply(g, g);
    const MatrixPtr C = grid.toTpetra(multiply(gg, g), s, s, map);
    TRIDENT_TEST_OK(checkForm(*A, *A, *C));
    TRIDENT_TEST_OK(everywhere(*comm, checkAgainstTpetra(AA, false, *A, false, *C, true)));
    const MatrixPtr D = grid.toTpetra(multiply(gg, gg), s, s, map);
    TRIDENT_TEST_OK(everywhere(*comm, checkAgainstTpetra(AA, false, AA, false, *D, true)));
  }
}

TEUCHOS_UNIT_TEST(Chain, SpacesOrGridsThatDiffer) {
  const CommPtr comm = world();
  Random random(4);
  const Pair p(random, comm);
  const auto all = shapes(comm->getSize());
  const OneGrid grid(comm, all[0], {}), other(comm, all[1], {});
  const Space m = grid.space(p.rowsA, *p.A), n = grid.space(p.rowsB, *p.B);
  const GridMatrix a = grid.import(*p.A, m, n), b = grid.import(*p.B, n, m);
  const Space again = grid.space(p.rowsB, *p.B);  // alike, but not the same
  const std::string sizes = say(p.rows.size(), " x ", p.inner.size(), " on a ", all[0].name());
  const std::vector<std::string> words{"Trident::multiply: ", "space", "import", sizes};
  const GridMatrix stranger = grid.import(*p.B, again, m);
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*comm, words, [&] { multiply(a, stranger); }));
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*comm, words, [&] { multiply(a, a); }));
  const Space m2 = other.space(p.rowsA, *p.A), n2 = other.space(p.rowsB, *p.B);
  const GridMatrix elsewhere = other.import(*p.B, n2, m2);
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*comm, {"different grids", "one grid", all[1].name()},
                                              [&] { multiply(a, elsewhere); }));
  const MatrixPtr C = grid.toTpetra(multiply(a, b), m, m, p.rowsA);
  TRIDENT_TEST_OK(everywhere(*comm, checkEntries(*C, Expected(p.a, p.b), p.rows, p.rows, true)));
}

}  // namespace
