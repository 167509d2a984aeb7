// SPDX-License-Identifier: BSD-3-Clause
// The entries that a filter should leave of rows, found by sorting them.
#ifndef TRIDENT_TESTFILTER_HPP
#define TRIDENT_TESTFILTER_HPP

#include <algorithm>
#include <utility>
#include <vector>

#include "Trident_TestDense.hpp"
#include "matrix/Trident_FilterRows.hpp"

namespace Trident::Impl {
namespace TestTools {

/// Columns, ascending, and values.
template <class Scalar>
using TestRow = std::vector<std::pair<int, Scalar>>;

/// Returns the entries that a DropRule keeps of a row, by sorting it.
template <class Scalar>
TestRow<Scalar> expectedRow(const DropRule<Scalar>& rule, const TestRow<Scalar>& row) {
  using Magnitude = MagnitudeOf<Scalar>;
  // Sums as Trident adds them: 32 lanes, then the lanes in their order.
  std::vector<Magnitude> lanes(32, Magnitude(0));
  Magnitude largest(0), sum(0);
  for (std::size_t e = 0; e < row.size(); ++e) {
    lanes[e % 32] += magnitude(row[e].second);
    largest = std::max(largest, magnitude(row[e].second));
  }
  for (const Magnitude& lane : lanes) sum += lane;
  auto tolerance = rule.tolerance;
  if (rule.relative == DropRelativeTo::Largest) tolerance *= largest;
  if (rule.relative == DropRelativeTo::Sum) tolerance *= sum;
  TestRow<Scalar> kept;
  for (const auto& entry : row)
    if (magnitude(entry.second) >= tolerance) kept.push_back(entry);
  const std::size_t k = static_cast<std::size_t>(rule.keepLargest);
  if (k == 0 || kept.size() <= k) return kept;
  std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return magnitude(a.second) > magnitude(b.second);
  });
  kept.resize(k);
  std::sort(kept.begin(), kept.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return kept;
}

/// Returns the entries that a DropRule keeps of all rows of a matrix.
template <class Scalar>
Dense<Scalar> expectedRows(const DropRule<Scalar>& rule, const Dense<Scalar>& full) {
  Dense<Scalar> kept(full.rows, full.columns);
  for (int r = 0; r < full.rows; ++r) {
    TestRow<Scalar> row;
    for (int c = 0; c < full.columns; ++c)
      if (full.stored[full.at(r, c)]) row.emplace_back(c, full.values[full.at(r, c)]);
    for (const auto& entry : expectedRow(rule, row)) kept.add(r, entry.first, entry.second);
  }
  return kept;
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
