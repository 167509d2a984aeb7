// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAMPLEPRODUCT_HPP
#define TRIDENT_SAMPLEPRODUCT_HPP

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "Trident_AllToAll.hpp"
#include "Trident_Interval.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_MapNumbering.hpp"

namespace Trident {

/// A few rows of C = A·B, structure only, drawn with probability proportional to the length of A's
/// row: a sum over the rows of C is estimated by Σ weight · x(row), with far less scatter on graphs
/// with heavy rows than rows drawn alike would give. Host memory of bounded size.
struct SampledRow {
  int row;                        ///< local row of A
  double weight;                  ///< rows of C that this one stands for
  std::vector<Position> columns;  ///< numbers, ascending and distinct
};

namespace Impl {

// What is asked and fetched on a rank, and never more than an eighth of its own entries, so that a
// small product is not dwarfed by its sample. At least one row is taken whatever it costs.
constexpr int sampleRows = 256;
constexpr long long sampleEntriesOfA = 1 << 15;
constexpr long long sampleProducts = 1 << 17;

/// Parts of rows of a local matrix, columns as numbers: rows drawn, or rows asked for.
struct HostRows {
  std::vector<long long> offsets{0};
  std::vector<Position> columns;
};

template <class Matrix, class Device = typename Matrix::device_type>
std::vector<int> rowLengths(const Matrix& matrix, const std::vector<int>& rows) {
  const auto offsets = matrix.graph.row_map;
  const auto wanted = toDevice<int, Device>(rows);
  const auto lengths = uninitialized<int, Device>("Trident::rowLengths", rows.size());
  Kokkos::parallel_for(
      "Trident::rowLengths", Range<Device>(0, rows.size()), KOKKOS_LAMBDA(long long m) {
        lengths(m) = static_cast<int>(offsets(wanted(m) + 1) - offsets(wanted(m)));
      });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lengths);
  return std::vector<int>(host.data(), host.data() + host.extent(0));
}

/// Fetches rows of a local matrix to the host. Local.
template <class Matrix, class Device = typename Matrix::device_type>
HostRows fetchRows(const Matrix& matrix, const Kokkos::View<Position*, Device>& numbers,
                   const std::vector<int>& rows, const std::vector<int>& lengths) {
  HostRows fetched;
  for (int length : lengths) fetched.offsets.push_back(fetched.offsets.back() + length);
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto wanted = toDevice<int, Device>(rows);
  const auto to = toDevice<long long, Device>(fetched.offsets);
  const auto out = uninitialized<Position, Device>("Trident::fetchedRows", fetched.offsets.back());
  Kokkos::parallel_for(
      "Trident::fetchRows", Range<Device>(0, rows.size()), KOKKOS_LAMBDA(long long m) {
        long long at = to(m);
        for (std::size_t e = offsets(wanted(m)); e < offsets(wanted(m) + 1); ++e)
          out(at++) = numbers(columns(e));
      });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  fetched.columns.assign(host.data(), host.data() + host.extent(0));
  return fetched;
}

/// Rows that hold the entries at evenly spread places. Any first part of the list is evenly spread
/// too (multiples of the golden ratio), so it can be cut anywhere.
template <class Matrix, class Device = typename Matrix::device_type>
std::vector<int> drawRows(const Matrix& matrix) {
  const long long entries = matrix.nnz(), rows = matrix.numRows();
  const int count = static_cast<int>(std::min<long long>(sampleRows, entries));
  const auto offsets = matrix.graph.row_map;
  const auto drawn = uninitialized<int, Device>("Trident::drawnRows", count);
  Kokkos::parallel_for(
      "Trident::drawRows", Range<Device>(0, count), KOKKOS_LAMBDA(long long m) {
        const double place = (m + 0.5) * 0.61803398874989485;
        const std::size_t entry =
            static_cast<std::size_t>((place - static_cast<long long>(place)) * entries);
        drawn(m) = static_cast<int>(intervalOf(offsets, rows, entry));
      });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), drawn);
  return std::vector<int>(host.data(), host.data() + host.extent(0));
}

/// Items that a running sum of costs admits; at least one, where there is one.
inline std::size_t withinBudget(const std::vector<long long>& costs, long long budget) {
  long long sum = 0;
  for (std::size_t m = 0; m < costs.size(); ++m)
    if ((sum += costs[m]) > budget) return std::max<std::size_t>(m, 1);
  return costs.size();
}

/// Questions about rows of B, grouped by the rank that owns the row.
struct RowQuestions {
  std::vector<long long> counts;      // by grid rank
  std::vector<int> lids;              // grouped
  std::vector<std::size_t> position;  // of each number's question among the grouped ones
};

template <class LO, class GO, class NO>
RowQuestions groupByOwner(const std::vector<Position>& numbers,
                          const MapNumbering<LO, GO, NO>& inner) {
  RowQuestions q;
  q.counts.assign(inner.rankBegin.size() - 1, 0);
  std::vector<int> owner(numbers.size());
  for (std::size_t n = 0; n < numbers.size(); ++n) ++q.counts[owner[n] = inner.owner(numbers[n])];
  std::vector<std::size_t> next(q.counts.size(), 0);
  for (std::size_t g = 1; g < next.size(); ++g) next[g] = next[g - 1] + q.counts[g - 1];
  q.lids.resize(numbers.size());
  q.position.resize(numbers.size());
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    q.position[n] = next[owner[n]]++;
    q.lids[q.position[n]] = static_cast<int>(numbers[n] - inner.rankBegin[owner[n]]);
  }
  return q;
}

}  // namespace Impl

/// Draws rows of C = A·B on every rank. Collective over `grid`.
/// @param A, B          local matrices
/// @param columnsA      number, along `inner`, of each local column of A
/// @param columnsB      number of each local column of B
template <class Matrix, class LO, class GO, class NO, class Device = typename NO::device_type>
std::vector<SampledRow> sampleProduct(const ProcessGrid& grid, const Matrix& A, const Matrix& B,
                                      const Kokkos::View<Position*, Device>& columnsA,
                                      const Kokkos::View<Position*, Device>& columnsB,
                                      const MapNumbering<LO, GO, NO>& inner,
                                      std::size_t messageBytes, Traffic& traffic) {
  std::vector<int> rows = Impl::drawRows(A);
  std::vector<int> lengths = Impl::rowLengths(A, rows);
  rows.resize(Impl::withinBudget({lengths.begin(), lengths.end()},
                                 std::min<long long>(Impl::sampleEntriesOfA, A.nnz() / 16)));
  lengths.resize(rows.size());
  Impl::HostRows drawn = Impl::fetchRows(A, columnsA, rows, lengths);

  // First the lengths of the rows of B that are met, then, as far as the budget goes, the rows.
  const Impl::RowQuestions first = Impl::groupByOwner(drawn.columns, inner);
  const AllToAll lengthPlan(grid, first.counts, messageBytes);
  std::vector<int> asked(lengthPlan.receives()), met(first.lids.size());
  lengthPlan.exchange(first.lids.data(), asked.data(), sizeof(int), traffic);
  lengthPlan.exchangeBack(Impl::rowLengths(B, asked).data(), met.data(), sizeof(int), traffic);
  std::vector<long long> products(rows.size(), 0);
  for (std::size_t m = 0; m < rows.size(); ++m)
    for (long long e = drawn.offsets[m]; e < drawn.offsets[m + 1]; ++e)
      products[m] += met[first.position[e]];
  const std::size_t kept =
      Impl::withinBudget(products, std::min<long long>(Impl::sampleProducts, A.nnz() / 8));
  drawn.columns.resize(drawn.offsets[kept]);

  const Impl::RowQuestions second = Impl::groupByOwner(drawn.columns, inner);
  const AllToAll rowPlan(grid, second.counts, messageBytes);
  asked.resize(rowPlan.receives());
  rowPlan.exchange(second.lids.data(), asked.data(), sizeof(int), traffic);
  const std::vector<int> answerLengths = Impl::rowLengths(B, asked);
  const Impl::HostRows answers = Impl::fetchRows(B, columnsB, asked, answerLengths);
  std::vector<int> rowLength(second.lids.size());
  rowPlan.exchangeBack(answerLengths.data(), rowLength.data(), sizeof(int), traffic);
  std::vector<long long> entriesTo(second.counts.size());
  for (std::size_t g = 0; g < entriesTo.size(); ++g)
    entriesTo[g] = answers.offsets[rowPlan.receiveOffsets()[g + 1]] -
                   answers.offsets[rowPlan.receiveOffsets()[g]];
  const AllToAll entryPlan(grid, entriesTo, messageBytes);
  std::vector<Position> columns(entryPlan.receives());
  entryPlan.exchange(answers.columns.data(), columns.data(), sizeof(Position), traffic);

  std::vector<std::size_t> begin(rowLength.size() + 1, 0);
  for (std::size_t q = 0; q < rowLength.size(); ++q) begin[q + 1] = begin[q] + rowLength[q];
  std::vector<SampledRow> sample(kept);
  for (std::size_t m = 0; m < kept; ++m) {
    SampledRow& row = sample[m];
    row.row = rows[m];
    row.weight = static_cast<double>(A.nnz()) / static_cast<double>(kept) / lengths[m];
    for (long long e = drawn.offsets[m]; e < drawn.offsets[m + 1]; ++e) {
      const std::size_t q = second.position[e];
      row.columns.insert(row.columns.end(), columns.begin() + begin[q],
                         columns.begin() + begin[q + 1]);
    }
    std::sort(row.columns.begin(), row.columns.end());
    row.columns.erase(std::unique(row.columns.begin(), row.columns.end()), row.columns.end());
  }
  return sample;
}

}  // namespace Trident

#endif
