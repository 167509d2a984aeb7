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
  std::vector<std::vector<int>> places;  ///< of the columns of each row's entries

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
    for (const int place : touched) {
      C.rows[r].emplace_back(used.columns[place], sums[place]);
      sums[place] = Scalar(0);
    }
  }
  return C;
}

/// The values of a known structure, and how many products have no place in it.
template <class Scalar>
struct KnownStructure {
  HostMatrix<Scalar> C;
  long long strays = 0;
};

/// Forms A·B at the places of C. Each sum starts from +0, or from C's value there if `add`.
template <class Scalar>
KnownStructure<Scalar> valuesInOrder(const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B,
                                     const HostMatrix<Scalar>& C, bool add) {
  KnownStructure<Scalar> result{C};
  std::vector<Scalar> sums(C.columns, Scalar(0));
  std::vector<int> rowOf(C.columns, -1);
  for (int r = 0; r < C.numRows(); ++r) {
    for (const auto& entry : C.rows[r]) {
      sums[entry.first] = add ? entry.second : Scalar(0);
      rowOf[entry.first] = r;
    }
    for (const auto& a : A.rows[r])
      for (const auto& b : B.rows[a.first])
        if (rowOf[b.first] == r)
          addProduct(sums[b.first], a.second, b.second);
        else
          ++result.strays;
    for (auto& entry : result.C.rows[r]) entry.second = sums[entry.first];
  }
  return result;
}

/// Returns the first entry whose place or value differs; an empty text if none does.
/// @param same compares two values
template <class Scalar, class Same>
std::string firstDifference(const HostMatrix<Scalar>& found, const HostMatrix<Scalar>& expected,
                            const Same& same) {
  using TridentTest::say;
  if (found.numRows() != expected.numRows() || found.columns != expected.columns)
    return say(found.numRows(), " x ", found.columns, ", not ", expected.numRows(), " x ",
               expected.columns);
  for (int r = 0; r < found.numRows(); ++r) {
    const auto &x = found.rows[r], &y = expected.rows[r];
    for (std::size_t e = 0; e < std::min(x.size(), y.size()); ++e)
      if (x[e].first != y[e].first)
        return say("row ", r, ", entry ", e, ": column ", x[e].first, ", not ", y[e].first);
      else if (!same(x[e].second, y[e].second))
        return say("row ", r, ", column ", x[e].first, ": ", x[e].second, ", not ", y[e].second);
    if (x.size() != y.size()) return say("row ", r, ": ", x.size(), " entries, not ", y.size());
  }
  return "";
}

/// Returns the first difference of columns, their order, or values.
template <class Scalar>
std::string differences(const HostMatrix<Scalar>& found, const HostMatrix<Scalar>& expected) {
  return firstDifference(found, expected, [](const Scalar& x, const Scalar& y) { return x == y; });
}

/// Returns the first difference of columns, their order, or bits of values.
template <class Scalar>
std::string differencesInBits(const HostMatrix<Scalar>& found, const HostMatrix<Scalar>& expected) {
  return firstDifference(found, expected, [](const Scalar& x, const Scalar& y) {
    return std::memcmp(&x, &y, sizeof(Scalar)) == 0;
  });
}

/// Returns the first difference of the values of A·B in C's structure, overwritten and then added
/// to, or of how many products have no place there; an empty text if there is none.
/// @param inBits true if the values must have the bits of sums in the order of A's entries
/// @param form forms A·B into C, as (A, B, C, add), all on the device; returns that count
template <class Scalar, class Form>
std::string wrongValues(const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B,
                        HostMatrix<Scalar> C, bool inBits, const Form& form) {
  for (auto& row : C.rows)
    for (auto& entry : row) entry.second = Scalar(7);
  const auto a = A.onDevice(), b = B.onDevice(), c = C.onDevice();
  for (const bool add : {false, true}) {
    const KnownStructure<Scalar> expected = valuesInOrder(A, B, C, add);
    const long long strays = form(a, b, c, add);
    C = fromDevice<Scalar>(c);
    const std::string wrong = strays != expected.strays
                                  ? TridentTest::say(strays, " strays, not ", expected.strays)
                              : inBits ? differencesInBits(C, expected.C)
                                       : differences(C, expected.C);
    if (!wrong.empty()) return (add ? "added: " : "") + wrong;
  }
  return "";
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
