// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTMATRICES_HPP
#define TRIDENT_TESTMATRICES_HPP

#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "Trident_TpetraCompat.hpp"

/// \file Trident_TestMatrices.hpp
/// Random Maps and small matrices. Every rank draws the same numbers from the same seed, so that
/// every rank knows the whole of each matrix.

namespace TridentTest {

using matrix_type = Tpetra::CrsMatrix<>;
using map_type = Tpetra::Map<>;
using vector_type = Tpetra::Vector<>;
using LO = map_type::local_ordinal_type;
using GO = map_type::global_ordinal_type;
using MapPtr = Teuchos::RCP<const map_type>;
using MatrixPtr = Teuchos::RCP<matrix_type>;
using CommPtr = Teuchos::RCP<const Teuchos::Comm<int>>;

inline CommPtr world() { return Tpetra::getDefaultComm(); }

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15ull + 1) {
    engine_.discard(8);
  }
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  double real() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double p) { return real() < p; }
  template <class T>
  T oneOf(const std::vector<T>& values) {
    return values[below(static_cast<int>(values.size()))];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (int i = static_cast<int>(values.size()) - 1; i > 0; --i)
      std::swap(values[i], values[below(i + 1)]);
  }

 private:
  std::mt19937_64 engine_;
};

/// The global indices of a space, by place 0..n-1.
struct Indices {
  std::vector<GO> gids;
  GO base = 0;
  bool contiguous = true;

  int size() const { return static_cast<int>(gids.size()); }
  std::map<GO, int> places() const {
    std::map<GO, int> place;
    for (int p = 0; p < size(); ++p) place[gids[p]] = p;
    return place;
  }
};

inline Indices contiguousIndices(int n, GO base = 0) {
  Indices indices{std::vector<GO>(n), base, true};
  std::iota(indices.gids.begin(), indices.gids.end(), base);
  return indices;
}

/// Contiguous ones, or large ones with large gaps, in no order.
inline Indices randomIndices(Random& random, int n) {
  const GO base = random.below(2);
  Indices indices = contiguousIndices(n, base);
  if (random.chance(0.4)) {
    const GO gap = sizeof(GO) > 4 ? GO(1) << 33 : GO(1) << 20;
    GO next = base + random.below(1000);
    for (GO& gid : indices.gids) {
      gid = next;
      next +=
          1 + static_cast<GO>(random.real() * static_cast<double>(random.chance(0.5) ? 3 : gap));
    }
    random.shuffle(indices.gids);
    indices.contiguous = false;
  }
  return indices;
}

enum class Layout { Uniform, Uneven, Cyclic, Scattered, OneRank };
constexpr const char* layoutNames[] = {"uniform", "uneven", "cyclic", "scattered", "one rank"};

inline Layout randomLayout(Random& random) { return static_cast<Layout>(random.below(5)); }

/// Places of each rank, in their local order.
inline std::vector<std::vector<int>> dealPlaces(Random& random, int n, Layout layout, int ranks) {
  std::vector<std::vector<int>> places(ranks);
  std::vector<int> cuts(ranks + 1, 0);
  cuts[ranks] = n;
  for (int r = 1; r < ranks; ++r)  // uneven cuts meet often, which leaves ranks empty
    cuts[r] = layout == Layout::Uneven ? random.below(n + 1) / 4 * 4
                                       : static_cast<int>(static_cast<long long>(n) * r / ranks);
  std::sort(cuts.begin(), cuts.end());
  const int only = random.below(ranks);
  const int among = random.between(1, ranks);  // the last ranks may be empty
  for (int p = 0; p < n; ++p) {
    int owner = 0;
    switch (layout) {
      case Layout::Uniform:
      case Layout::Uneven:
        while (p >= cuts[owner + 1]) ++owner;
        break;
      case Layout::Cyclic:
        owner = p % ranks;
        break;
      case Layout::Scattered:
        owner = random.below(among);
        break;
      case Layout::OneRank:
        owner = only;
        break;
    }
    places[owner].push_back(p);
  }
  if (layout == Layout::Scattered)
    for (auto& mine : places) random.shuffle(mine);
  return places;
}

/// A one-to-one Map over `indices`. Collective; every rank passes the same.
inline MapPtr makeMap(Random& random, const Indices& indices, Layout layout, const CommPtr& comm) {
  const auto places = dealPlaces(random, indices.size(), layout, comm->getSize());
  const auto& mine = places[comm->getRank()];
  const Tpetra::global_size_t size = indices.size();
  if (indices.contiguous && (layout == Layout::Uniform || layout == Layout::Uneven)) {
    if (layout == Layout::Uniform) return Teuchos::rcp(new map_type(size, indices.base, comm));
    return Teuchos::rcp(new map_type(size, mine.size(), indices.base, comm));
  }
  Teuchos::Array<GO> gids;
  for (int p : mine) gids.push_back(indices.gids[p]);
  return Teuchos::rcp(new map_type(size, gids(), indices.base, comm));
}

/// A matrix by places, whole on every rank. An entry that is there may be zero.
struct Sparse {
  int cols = 0;
  std::vector<std::map<int, double>> rows;

  Sparse() = default;
  Sparse(int m, int n) : cols(n), rows(m) {}
  int numRows() const { return static_cast<int>(rows.size()); }
  long long entries() const {
    long long sum = 0;
    for (const auto& row : rows) sum += static_cast<long long>(row.size());
    return sum;
  }
  Sparse transpose() const {
    Sparse t(cols, numRows());
    for (int i = 0; i < numRows(); ++i)
      for (const auto& entry : rows[i]) t.rows[entry.first][i] = entry.second;
    return t;
  }
};

/// Small whole numbers, so that any order of summation gives the same product, or reals.
inline Sparse randomSparse(Random& random, int m, int n, bool exact) {
  Sparse A(m, n);
  if (n == 0 || random.chance(0.05)) return A;
  const double density = random.oneOf<double>({0.02, 0.1, 0.1, 0.4});
  for (auto& row : A.rows) {
    if (random.chance(0.2)) continue;
    const double p = random.chance(0.05) ? 1.0 : density;
    for (int j = 0; j < n; ++j)
      if (random.chance(p))
        row[j] = random.chance(0.1) ? 0.0
                 : exact            ? random.oneOf<double>({-3, -2, -1, 1, 2, 3})
                                    : 2 * random.real() - 1;
  }
  return A;
}

/// The Tpetra matrix of a Sparse one. Collective.
inline MatrixPtr makeMatrix(const Sparse& A, const Indices& rows, const Indices& cols,
                            const MapPtr& rowMap, const MapPtr& domainMap, const MapPtr& rangeMap) {
  std::size_t longest = 1;
  for (const auto& row : A.rows) longest = std::max(longest, row.size());
  const MatrixPtr matrix = Teuchos::rcp(new matrix_type(rowMap, longest));
  const auto place = rows.places();
  for (const GO gid : Trident::localGids(*rowMap)) {
    Teuchos::Array<GO> columns;
    Teuchos::Array<double> values;
    for (const auto& entry : A.rows[place.at(gid)]) {
      columns.push_back(cols.gids[entry.first]);
      values.push_back(entry.second);
    }
    if (columns.size() > 0) matrix->insertGlobalValues(gid, columns(), values());
  }
  matrix->fillComplete(domainMap, rangeMap);
  return matrix;
}

/// A matrix on uniform Maps from 0.
inline MatrixPtr makeUniform(const Sparse& A, const CommPtr& comm) {
  Random none(0);
  const Indices rows = contiguousIndices(A.numRows()), cols = contiguousIndices(A.cols);
  const MapPtr rowMap = makeMap(none, rows, Layout::Uniform, comm);
  const MapPtr colMap = A.numRows() == A.cols ? rowMap : makeMap(none, cols, Layout::Uniform, comm);
  return makeMatrix(A, rows, cols, rowMap, colMap, rowMap);
}

inline MatrixPtr newResult(const matrix_type& A) {
  return Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
}

/// Parameters of the sublist "Trident" with the rest empty.
inline Teuchos::RCP<Teuchos::ParameterList> tridentList() {
  const auto list = Teuchos::parameterList();
  list->sublist("Trident");
  return list;
}

}  // namespace TridentTest

#endif
