// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMPARERESULTS_HPP
#define TRIDENT_COMPARERESULTS_HPP

#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "matrix/Trident_Magnitude.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// This rank's rows of a fill-complete matrix, on the host.
template <class SC, class LO, class GO, class NO>
class HostRows {
  using Matrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;

 public:
  using Scalar = typename Matrix::impl_scalar_type;
  using Row = std::vector<std::pair<GO, Scalar>>;

  explicit HostRows(const Matrix& matrix) {
    const auto local = localMatrixOf(matrix);
    offsets_ = onHost<std::size_t>(local.graph.row_map);
    values_ = onHost<Scalar>(local.values);
    for (const LO column : onHost<LO>(local.graph.entries))
      columns_.push_back(matrix.getColMap()->getGlobalElement(column));
  }

  std::size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }

  /// Its entries, by global column.
  Row row(std::size_t r) const {
    Row row;
    for (std::size_t e = offsets_[r]; e < offsets_[r + 1]; ++e)
      row.emplace_back(columns_[e], values_[e]);
    std::sort(row.begin(), row.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return row;
  }

 private:
  template <class T, class View>
  static std::vector<T> onHost(const View& view) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    return std::vector<T>(host.data(), host.data() + host.extent(0));
  }

  std::vector<std::size_t> offsets_;
  std::vector<GO> columns_;
  std::vector<Scalar> values_;
};

/// How far two numbers are apart. Infinities of one sign are alike, and so are two that are no
/// numbers; one that is none is as far from a number as can be.
template <class Scalar>
double distance(const Scalar& x, const Scalar& y) {
  const bool noX = x != x, noY = y != y;
  if (x == y || (noX && noY)) return 0;
  const double far = std::numeric_limits<double>::max();
  return noX || noY ? far : std::min(far, static_cast<double>(magnitude(x - y)));
}

/// Largest difference of entries of two fill-complete matrices of one row Map, on this rank. An
/// entry that only one has is compared with zero. Local.
/// @param largest gets the largest magnitude of an entry of `other`
template <class SC, class LO, class GO, class NO>
double largestDifference(const Tpetra::CrsMatrix<SC, LO, GO, NO>& matrix,
                         const Tpetra::CrsMatrix<SC, LO, GO, NO>& other, double& largest) {
  using Rows = HostRows<SC, LO, GO, NO>;
  using Scalar = typename Rows::Scalar;
  const Rows mine(matrix), others(other);
  double difference = 0;
  for (std::size_t r = 0; r < mine.size(); ++r) {
    const auto a = mine.row(r), b = others.row(r);
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      const bool takeA = j == b.size() || (i < a.size() && a[i].first <= b[j].first);
      const bool takeB = i == a.size() || (j < b.size() && b[j].first <= a[i].first);
      const Scalar x = takeA ? a[i++].second : Scalar(0), y = takeB ? b[j++].second : Scalar(0);
      difference = std::max(difference, distance(x, y));
      const double size = distance(y, Scalar(0));
      if (size < std::numeric_limits<double>::max()) largest = std::max(largest, size);
    }
  }
  return difference;
}

}  // namespace Trident::Impl

#endif
