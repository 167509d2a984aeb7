// SPDX-License-Identifier: BSD-3-Clause
// Matrices on the host, random ones, and dense oracles.
#ifndef TRIDENT_TESTDENSE_HPP
#define TRIDENT_TESTDENSE_HPP

#include <Kokkos_Core.hpp>
#include <Tpetra_Details_DefaultTypes.hpp>
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Trident_TestVerdict.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {
namespace TestTools {

/// The place of Tpetra's matrices by default: host memory, or a device's.
using Device = Tpetra::Details::DefaultTypes::node_type::device_type;

template <class T>
Kokkos::View<T*, Device> toDevice(const std::vector<T>& host, const std::string& label = "test") {
  const auto device = uninitialized<T, Device>(label, host.size());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> from(
      host.data(), host.size());
  Kokkos::deep_copy(device, from);
  return device;
}

template <class View>
auto toVector(const View& view) -> std::vector<typename View::non_const_value_type> {
  using T = typename View::non_const_value_type;
  std::vector<T> host(view.extent(0));
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  for (std::size_t n = 0; n < host.size(); ++n) host[n] = mirror(n);
  return host;
}

/// A matrix on the host, row by row.
template <class Scalar>
struct HostMatrix {
  int columns = 0;
  std::vector<std::vector<std::pair<int, Scalar>>> rows;

  explicit HostMatrix(int numRows = 0, int numColumns = 0) : columns(numColumns), rows(numRows) {}
  int numRows() const { return static_cast<int>(rows.size()); }
  long long entries() const {
    long long sum = 0;
    for (const auto& row : rows) sum += static_cast<long long>(row.size());
    return sum;
  }

  LocalMatrix<Scalar, Device> onDevice() const {
    std::vector<std::size_t> offsets(1, 0);
    std::vector<int> columnOf;
    std::vector<Scalar> values;
    for (const auto& row : rows) {
      for (const auto& entry : row) {
        columnOf.push_back(entry.first);
        values.push_back(entry.second);
      }
      offsets.push_back(columnOf.size());
    }
    const CrsArrays<Scalar, Device> arrays{toDevice(offsets), toDevice(columnOf), toDevice(values)};
    return arrays.matrix(columns);
  }
};

template <class Scalar>
HostMatrix<Scalar> fromDevice(const LocalMatrix<Scalar, Device>& matrix) {
  HostMatrix<Scalar> host(matrix.numRows(), matrix.numCols());
  const auto offsets = toVector(matrix.graph.row_map);
  const auto columns = toVector(matrix.graph.entries);
  const auto values = toVector(matrix.values);
  for (int r = 0; r < host.numRows(); ++r)
    for (std::size_t e = offsets[r]; e < offsets[r + 1]; ++e)
      host.rows[r].emplace_back(columns[e], values[e]);
  return host;
}

/// Values and, apart from them, how often each place is stored: structure must not depend on
/// values.
template <class Scalar>
struct Dense {
  int rows, columns;
  std::vector<Scalar> values;
  std::vector<long long> stored;
  long long outside = 0;

  Dense(int numRows, int numColumns)
      : rows(numRows),
        columns(numColumns),
        values(static_cast<std::size_t>(numRows) * numColumns, Scalar(0)),
        stored(values.size(), 0) {}
  std::size_t at(int r, int c) const { return static_cast<std::size_t>(r) * columns + c; }
  /// Adds a value. A column outside is counted: it is a failure of what is tested, and must not end
  /// the test.
  void add(int r, int c, const Scalar& value) {
    if (c < 0 || c >= columns) {
      ++outside;
      return;
    }
    values[at(r, c)] += value;
    ++stored[at(r, c)];
  }
};

template <class Scalar>
Dense<Scalar> dense(const HostMatrix<Scalar>& matrix) {
  Dense<Scalar> full(matrix.numRows(), matrix.columns);
  for (int r = 0; r < full.rows; ++r)
    for (const auto& entry : matrix.rows[r]) full.add(r, entry.first, entry.second);
  return full;
}

/// Forms A·B; a place counts as stored once if any pair of stored entries meets.
template <class Scalar>
Dense<Scalar> product(const Dense<Scalar>& A, const Dense<Scalar>& B) {
  Dense<Scalar> C(A.rows, B.columns);
  for (int r = 0; r < A.rows; ++r)
    for (int m = 0; m < A.columns; ++m)
      if (A.stored[A.at(r, m)])
        for (int c = 0; c < B.columns; ++c)
          if (B.stored[B.at(m, c)]) {
            C.values[C.at(r, c)] += A.values[A.at(r, m)] * B.values[B.at(m, c)];
            C.stored[C.at(r, c)] = 1;
          }
  return C;
}

/// Returns the first place where values or structure differ, and how many there are; an empty text
/// if none does. Test values are small integers: every sum is exact.
template <class Scalar>
std::string differences(const Dense<Scalar>& found, const Dense<Scalar>& expected) {
  using TridentTest::say;
  if (found.rows != expected.rows || found.columns != expected.columns)
    return say(found.rows, " x ", found.columns, ", not ", expected.rows, " x ", expected.columns);
  if (found.outside + expected.outside > 0)
    return say(found.outside + expected.outside, " entries in columns that do not exist");
  std::string first;
  long long wrong = 0;
  for (int r = 0; r < found.rows; ++r)
    for (int c = 0; c < found.columns; ++c) {
      const std::size_t n = found.at(r, c);
      if (found.stored[n] == expected.stored[n] && found.values[n] == expected.values[n]) continue;
      if (wrong++ == 0)
        first =
            say("(", r, ", ", c, ") is ", found.values[n], ", stored ", found.stored[n],
                " times, expected ", expected.values[n], ", stored ", expected.stored[n], " times");
    }
  return wrong == 0 ? "" : say(first, "; ", wrong, " places differ");
}

template <class Scalar>
bool isSorted(const HostMatrix<Scalar>& matrix) {
  for (const auto& row : matrix.rows)
    for (std::size_t e = 1; e < row.size(); ++e)
      if (row[e - 1].first >= row[e].first) return false;
  return true;
}

/// Draws entries with probability `density`; a tenth of them stored zeros, a fifth of the rows
/// empty.
template <class Scalar>
HostMatrix<Scalar> randomMatrix(std::mt19937_64& random, int rows, int columns, double density,
                                bool sorted = true) {
  HostMatrix<Scalar> matrix(rows, columns);
  const std::uint64_t threshold = static_cast<std::uint64_t>(density * 1e6);
  for (auto& row : matrix.rows) {
    if (random() % 5 == 0 && density < 1) continue;
    for (int c = 0; c < columns; ++c) {
      if (random() % 1000000 >= threshold) continue;
      const int value = random() % 10 == 0 ? 0 : static_cast<int>(random() % 7) - 3;
      row.emplace_back(c, Scalar(value));
    }
    if (!sorted)
      for (std::size_t e = row.size(); e > 1; --e) std::swap(row[e - 1], row[random() % e]);
  }
  return matrix;
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
