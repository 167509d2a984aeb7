// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices on the host by a loop, each sum in the order of A's entries, and what
// differs from them.
#ifndef TRIDENT_TESTSUMS_HPP
#define TRIDENT_TESTSUMS_HPP

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "Trident_TestDense.hpp"

namespace Trident::Impl {
namespace TestTools {

/// Adds a product to a sum: rounded, then added.
template <class Scalar>
void addProduct(Scalar& sum, const Scalar& a, const Scalar& b) {
  const Scalar product = static_cast<Scalar>(a * b);
  sum = static_cast<Scalar>(sum + product);
}

/// The columns of a matrix that have entries, in order. Sums of them fit into an array where
/// columns are as many as an int can count.
template <class Scalar>
struct UsedColumns {
  std::vector<int> columns;
  std::vector<std::vector<int>> places;  ///< places of the columns of each row's entries

  explicit UsedColumns(const HostMatrix<Scalar>& B) : places(B.rows.size()) {
    for (const auto& row : B.rows)
      for (const auto& entry : row) columns.push_back(entry.first);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (std::size_t r = 0; r < places.size(); ++r)
      for (const auto& entry : B.rows[r])
        places[r].push_back(static_cast<int>(
            std::lower_bound(columns.begin(), columns.end(), entry.first) - columns.begin()));
  }
};

/// Forms A·B with sorted rows. Each sum starts from +0.
template <class Scalar>
HostMatrix<Scalar> productInOrder(const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B) {
  const UsedColumns<Scalar> used(B);
  HostMatrix<Scalar> C(A.numRows(), B.columns);
  std::vector<Scalar> sums(used.columns.size(), Scalar(0));
  std::vector<int> rowOf(used.columns.size(), -1), touched;
  for (int r = 0; r < A.numRows(); ++r) {
    touched.clear();
    for (const auto& a : A.rows[r])
      for (std::size_t e = 0; e < B.rows[a.first].size(); ++e) {
        const int place = used.places[a.first][e];
        if (rowOf[place] != r) touched.push_back(place);
        rowOf[place] = r;
        addProduct(sums[place], a.second, B.rows[a.first][e].second);
      }
    std::sort(touched.begin(), touched.end());
    C.rows[r].reserve(touched.size());
    for (const int place : touched) {
      C.rows[r].emplace_back(used.columns[place], sums[place]);
      sums[place] = Scalar(0);
    }
  }
  return C;
}

/// Returns the first entry whose place or value differs; an empty text if none does.
/// @param same compares two values
template <class Scalar, class Same>
std::string firstDifference(const LocalMatrix<Scalar, Device>& found,
                            const HostMatrix<Scalar>& expected, const Same& same) {
  using TridentTest::say;
  if (found.numRows() != expected.numRows() || found.numCols() != expected.columns)
    return say(found.numRows(), " x ", found.numCols(), ", not ", expected.numRows(), " x ",
               expected.columns);
  const auto onHost = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  const auto offsets = onHost(found.graph.row_map);
  const auto columns = onHost(found.graph.entries);
  const auto values = onHost(found.values);
  for (int r = 0; r < expected.numRows(); ++r) {
    const auto& row = expected.rows[r];
    const std::size_t begin = offsets(r), entries = offsets(r + 1) - begin;
    for (std::size_t e = 0; e < std::min(entries, row.size()); ++e)
      if (columns(begin + e) != row[e].first)
        return say("row ", r, ", entry ", e, ": column ", columns(begin + e), ", not ",
                   row[e].first);
      else if (!same(values(begin + e), row[e].second))
        return say("row ", r, ", column ", row[e].first, ": ", values(begin + e), ", not ",
                   row[e].second);
    if (entries != row.size()) return say("row ", r, ": ", entries, " entries, not ", row.size());
  }
  return "";
}

/// Returns the first difference of columns, their order, or values.
template <class Scalar>
std::string differences(const LocalMatrix<Scalar, Device>& found,
                        const HostMatrix<Scalar>& expected) {
  return firstDifference(found, expected, [](const Scalar& x, const Scalar& y) { return x == y; });
}

/// Returns the first difference of columns, their order, or bits of values.
template <class Scalar>
std::string differencesInBits(const LocalMatrix<Scalar, Device>& found,
                              const HostMatrix<Scalar>& expected) {
  return firstDifference(found, expected, [](const Scalar& x, const Scalar& y) {
    return std::memcmp(&x, &y, sizeof(Scalar)) == 0;
  });
}

/// Returns a matrix of the same structure with other values.
template <class Scalar>
HostMatrix<Scalar> withOtherValues(HostMatrix<Scalar> matrix) {
  int n = 0;
  for (auto& row : matrix.rows)
    for (auto& entry : row) entry.second = entry.second * Scalar(n++ % 3 - 1);
  return matrix;
}

/// Returns the first difference of the values of A·B in C's structure, overwritten and then added
/// to, or of how many products have no place there; an empty text if there is none.
/// @param inBits true if the values must have the bits of sums in the order of A's entries
/// @param form forms A·B into C, as (A, B, C, add), all on the device; returns that count
template <class Scalar, class Form>
std::string wrongValues(const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B,
                        const HostMatrix<Scalar>& C, bool inBits, const Form& form) {
  using TridentTest::say;
  const auto a = A.onDevice(), b = B.onDevice(), c = C.onDevice();
  Kokkos::deep_copy(c.values, Scalar(7));
  std::vector<Kokkos::View<Scalar*, Kokkos::HostSpace>> found;
  std::vector<long long> strays;
  for (const bool add : {false, true}) {
    strays.push_back(form(a, b, c, add));
    found.emplace_back("values", c.values.extent(0));
    Kokkos::deep_copy(found.back(), c.values);
  }

  // Row by row: a second matrix of C's size would take more time than its sums.
  std::vector<Scalar> sums(C.columns, Scalar(0));
  std::vector<int> rowOf(C.columns, -1);
  std::size_t begin = 0;
  long long lost = 0;
  for (int r = 0; r < C.numRows(); begin += C.rows[r++].size()) {
    for (const auto& entry : C.rows[r]) {
      sums[entry.first] = Scalar(0);
      rowOf[entry.first] = r;
    }
    for (const bool add : {false, true}) {
      for (const auto& left : A.rows[r])
        for (const auto& right : B.rows[left.first])
          if (rowOf[right.first] == r)
            addProduct(sums[right.first], left.second, right.second);
          else
            lost += !add;
      for (std::size_t e = 0; e < C.rows[r].size(); ++e) {
        const int column = C.rows[r][e].first;
        const Scalar x = found[add](begin + e), y = sums[column];
        if (inBits ? std::memcmp(&x, &y, sizeof(Scalar)) != 0 : !(x == y))
          return say(add ? "added: " : "", "row ", r, ", column ", column, ": ", x, ", not ", y);
      }
    }
  }
  for (const bool add : {false, true})
    if (strays[add] != lost) return say(add ? "added: " : "", strays[add], " strays, not ", lost);
  return "";
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
