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

#include "tpetra/Trident_TpetraCompat.hpp"

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

CommPtr world();

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

Indices contiguousIndices(int n, GO base = 0);

/// Draws contiguous indices, or large ones with large gaps, in no order.
Indices randomIndices(Random& random, int n);

enum class Layout { Uniform, Uneven, Cyclic, Scattered, OneRank };
constexpr const char* layoutNames[] = {"uniform", "uneven", "cyclic", "scattered", "one rank"};

Layout randomLayout(Random& random);

/// Places of each rank, in their local order.
std::vector<std::vector<int>> dealPlaces(Random& random, int n, Layout layout, int ranks);

/// Makes a one-to-one Map over `indices`. Collective; every rank passes equal arguments.
MapPtr makeMap(Random& random, const Indices& indices, Layout layout, const CommPtr& comm);

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

/// Draws small whole numbers, so that any order of summation gives one product, or reals.
Sparse randomSparse(Random& random, int m, int n, bool exact);

/// Makes the Tpetra matrix of a Sparse one. Collective.
MatrixPtr makeMatrix(const Sparse& A, const Indices& rows, const Indices& cols,
                     const MapPtr& rowMap, const MapPtr& domainMap, const MapPtr& rangeMap);

/// Makes a matrix on uniform Maps from 0.
MatrixPtr makeUniform(const Sparse& A, const CommPtr& comm);

MatrixPtr newResult(const matrix_type& A);

/// Ways in which a matrix gets its arrays.
enum class Arrays { Constructor, SetAll, LocalMatrix };

/// Makes a matrix like A whose arrays of indices and values are longer than its entries. Behind
/// these is what nothing may look at: one column again and again, and a negative number.
/// Collective.
MatrixPtr withRoom(const matrix_type& A, Arrays how, LO column);

/// Makes a list with a sublist "Trident", with the rest empty.
Teuchos::RCP<Teuchos::ParameterList> tridentList();

}  // namespace TridentTest

#endif
