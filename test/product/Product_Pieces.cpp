// SPDX-License-Identifier: BSD-3-Clause
// Products by Trident::Grid that go to a function piece by piece, against products worked out
// without Trident.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Grid.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using Grid = Trident::Grid<double, LO, GO, map_type::node_type>;
using List = Teuchos::RCP<Teuchos::ParameterList>;

constexpr int size = 60;

/// A random matrix with rows without entries. Its Maps are contiguous: numbers are global indices.
struct Square {
  Sparse a;
  MatrixPtr A;

  explicit Square(unsigned seed) : a(size, size) {
    Random random(seed);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j)
        if (i % 7 != 3 && random.between(0, 5) == 0) a.rows[i][j] = random.between(1, 3);
    A = makeUniform(a, world());
  }
};

/// Lists the grids that the ranks can be.
std::vector<List> lists() {
  const int P = world()->getSize();
  std::vector<List> all;
  for (const auto& nodes : std::vector<std::pair<int, int>>{
           {1, 1}, {1, P}, {P, 1}, {2, 2}, {2, 3}, {3, 2}, {1, 2}, {4, 2}})
    if (P % (nodes.first * nodes.second) == 0) {
      all.push_back(tridentList());
      all.back()
          ->sublist("Trident")
          .set("ranks per node", P / (nodes.first * nodes.second))
          .set("grid", std::to_string(nodes.first) + "x" + std::to_string(nodes.second));
    }
  return all;
}

template <class View>
auto onHost(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// The entries that pieces have brought to all ranks: how often each row and entry came, and the
/// values.
class Collected {
 public:
  void add(const Grid::Piece& piece) {
    ++calls_;
    const auto rows = onHost(piece.rows), columns = onHost(piece.columns);
    const auto offsets = onHost(piece.offsets);
    const auto values = onHost(piece.values);
    const std::size_t count = rows.extent(0);
    if (count == 0 || offsets.extent(0) != count + 1 || offsets(0) != 0 ||
        offsets(count) != columns.extent(0) || values.extent(0) != columns.extent(0))
      throw std::runtime_error("a piece of wrong lengths");
    for (std::size_t r = 0; r < count; ++r) {
      rowCame_.at(rows(r)) += 1;
      if (r > 0 && rows(r) <= rows(r - 1)) throw std::runtime_error("rows descend");
      for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) {
        if (e > offsets(r) && columns(e) <= columns(e - 1))
          throw std::runtime_error("columns descend");
        entryCame_.at(rows(r) * size + columns(e)) += 1;
        value_.at(rows(r) * size + columns(e)) += values(e);
      }
    }
  }

  /// Returns an empty text if the product is `expected`, each row on one rank. Collective.
  std::string against(const Sparse& expected) {
    for (std::vector<double>* all : {&rowCame_, &entryCame_, &value_})
      MPI_Allreduce(MPI_IN_PLACE, all->data(), static_cast<int>(all->size()), MPI_DOUBLE, MPI_SUM,
                    MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i) {
      if (rowCame_[i] != 1) return "row " + std::to_string(i) + " did not come once";
      for (int j = 0; j < size; ++j) {
        const auto found = expected.rows[i].find(j);
        const bool any = found != expected.rows[i].end();
        const std::string entry = "entry " + std::to_string(i) + ", " + std::to_string(j);
        if (entryCame_[i * size + j] != (any ? 1 : 0)) return entry + " did not come as it is";
        if (any && value_[i * size + j] != found->second) return entry + " is another";
      }
    }
    return "";
  }
  /// Returns the most calls of a rank. Collective.
  int calls() const {
    int most = calls_;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
  }

 private:
  int calls_ = 0;
  std::vector<double> rowCame_ = std::vector<double>(size, 0);
  std::vector<double> entryCame_ = std::vector<double>(size * size, 0);
  std::vector<double> value_ = std::vector<double>(size * size, 0);
};

Teuchos::ParameterList bound(double bytes) {
  Teuchos::ParameterList options;
  options.sublist("expert").set("product memory bytes", bytes);
  return options;
}

// Together the pieces are the product, however many there are; the grid's own filter filters none.
TEUCHOS_UNIT_TEST(GridPieces, TogetherAreTheProduct) {
  const Square s(1);
  const Sparse expected = Expected(s.a, s.a).sparse();
  long long entries = 0;
  for (const auto& row : expected.rows) entries += static_cast<long long>(row.size());
  for (const List& list : lists()) {
    list->sublist("Trident").set("keep largest", 1.0);
    const Grid grid(world(), {s.A->getRowMap()}, list);
    out << grid.description() << "\n";
    const auto a = grid.fromTpetra(*s.A);
    for (const double bytes : {1.0, 20000.0, 0.0}) {
      Collected pieces;
      const Trident::Report report = grid.multiplyInPieces(
          a, a, [&](const Grid::Piece& piece) { pieces.add(piece); }, bound(bytes));
      TRIDENT_TEST_OK(pieces.against(expected));
      const auto all = Trident::summarize(report, *world());
      TEST_EQUALITY(all.entriesC, entries);
      TEST_COMPARE(all.pieces, >=, pieces.calls());
      TEST_COMPARE(all.pieceBytes, <=, all.predictedPieceBytes);
      if (bytes == 1.0) TEST_COMPARE(pieces.calls(), >, 1);
    }
  }
}

TEUCHOS_UNIT_TEST(GridPieces, OverAnotherSemiring) {
  const Square s(2);
  Sparse least(size, size);
  for (int i = 0; i < size; ++i)
    for (const auto& of : s.a.rows[i])
      for (const auto& to : s.a.rows[of.first]) {
        const auto at = least.rows[i].emplace(to.first, of.second + to.second).first;
        at->second = std::min(at->second, of.second + to.second);
      }
  for (const List& list : lists()) {
    const Grid grid(world(), {s.A->getRowMap()}, list);
    const auto a = grid.fromTpetra(*s.A);
    Collected pieces;
    grid.multiplyInPieces(
        a, a, [&](const Grid::Piece& piece) { pieces.add(piece); },
        bound(5000).set("semiring", std::string("min-plus")));
    TRIDENT_TEST_OK(pieces.against(least));
  }
}

/// A consumer that throws at its n-th call on one rank; other ranks go on.
struct ThrowingConsumer {
  int victim, calls = 0, at = 0;

  void operator()(const Grid::Piece&) {
    if (world()->getRank() == victim && calls++ == at) throw std::runtime_error("the disk is full");
  }
};

// Whoever throws, at whichever piece, all ranks get one Error with its words, and the next product
// is whole.
TEUCHOS_UNIT_TEST(GridPieces, AConsumerThatThrows) {
  const Square s(3);
  const Sparse expected = Expected(s.a, s.a).sparse();
  for (const List& list : lists()) {
    const Grid grid(world(), {s.A->getRowMap()}, list);
    const auto a = grid.fromTpetra(*s.A);
    for (const int victim : {0, world()->getSize() / 2, world()->getSize() - 1}) {
      ThrowingConsumer counting{victim, 0, -1};
      grid.multiplyInPieces(a, a, std::ref(counting), bound(5000));
      int calls = counting.calls;  // of the victim
      MPI_Bcast(&calls, 1, MPI_INT, victim, MPI_COMM_WORLD);
      for (const int at : {0, calls / 2, calls - 1})
        if (at >= 0 && calls > 0)
          TRIDENT_TEST_OK(expectThrow<Trident::Error>(
              *world(), {"Trident::Grid::multiplyInPieces: ", "the disk is full"}, [&] {
                grid.multiplyInPieces(a, a, ThrowingConsumer{victim, 0, at}, bound(5000));
              }));
    }
    Collected pieces;
    grid.multiplyInPieces(a, a, [&](const Grid::Piece& piece) { pieces.add(piece); });
    TRIDENT_TEST_OK(pieces.against(expected));
  }
}

TEUCHOS_UNIT_TEST(GridPieces, BadCalls) {
  const Square s(4);
  const Grid grid(world(), {s.A->getRowMap()});
  const auto a = grid.fromTpetra(*s.A);
  const bool odd = world()->getRank() == world()->getSize() - 1;
  const auto nothing = [](const Grid::Piece&) {};
  const auto refused = [&](std::vector<std::string> words, const auto& call) {
    words.push_back("Trident::Grid::multiplyInPieces: ");
    return expectThrow<Trident::Error>(*world(), words, call);
  };
  TRIDENT_TEST_OK(refused({"no function"}, [&] {
    std::function<void(const Grid::Piece&)> none;
    if (!odd) none = nothing;
    grid.multiplyInPieces(a, a, none);
  }));
  TRIDENT_TEST_OK(refused({"keep largest", "consumer"}, [&] {
    grid.multiplyInPieces(a, a, nothing, Teuchos::ParameterList().set("keep largest", 2));
  }));
  TRIDENT_TEST_OK(
      refused({"A is no matrix yet"}, [&] { grid.multiplyInPieces(Grid::Matrix(), a, nothing); }));
  if (world()->getSize() > 1)
    TRIDENT_TEST_OK(refused({"product memory bytes"}, [&] {
      grid.multiplyInPieces(a, a, nothing, bound(odd ? 1000 : 2000));
    }));
}

}  // namespace
