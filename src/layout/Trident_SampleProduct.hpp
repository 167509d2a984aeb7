// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAMPLEPRODUCT_HPP
#define TRIDENT_SAMPLEPRODUCT_HPP

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {

/// A row of C = A·B in a sample, without values. A row is drawn with a probability in proportion to
/// the length of A's row. Σ weight · x(row) over the sample estimates the sum of x over all rows.
/// On graphs with long rows, the estimate scatters far less than with equal probabilities.
struct SampledRow {
  int row;                        ///< local row of A
  double weight;                  ///< number of C's rows that this row stands for
  std::vector<Position> columns;  ///< column numbers, strictly ascending
};

// Limits of a rank's sample: rows, entries of A, multiply-adds. The last two are less if A has few
// entries, so that the sample costs less than the product. One row at least is always taken.
constexpr int sampleRows = 256;
constexpr long long sampleEntriesOfA = 1 << 15;
constexpr long long sampleMultiplyAdds = 1 << 17;

/// Rows of a local matrix on the host: column numbers, no values.
struct HostStructure {
  std::vector<long long> offsets{0};
  std::vector<Position> columns;
};

template <class Matrix, class Device = typename Matrix::device_type>
std::vector<int> rowLengths(const Matrix& matrix, const std::vector<int>& rows) {
  const auto offsets = matrix.graph.row_map;
  const auto wanted = toDevice<int, Device>(rows);
  const auto lengths = scratch<int, Device>("Trident::rowLengths", rows.size());
  Kokkos::parallel_for(
      "Trident::rowLengths", Range<Device>(0, rows.size()), TRIDENT_LAMBDA(long long m) {
        lengths(m) = static_cast<int>(offsets(wanted(m) + 1) - offsets(wanted(m)));
      });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lengths);
  return std::vector<int>(host.data(), host.data() + host.extent(0));
}

/// Copies rows of a local matrix to the host. Local.
template <class Matrix, class Device = typename Matrix::device_type>
HostStructure fetchRows(const Matrix& matrix, const IndexNumbers<Device>& numbers,
                        const std::vector<int>& rows, const std::vector<int>& lengths) {
  HostStructure fetched;
  for (int length : lengths) fetched.offsets.push_back(fetched.offsets.back() + length);
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto wanted = toDevice<int, Device>(rows);
  const auto to = toDevice<long long, Device>(fetched.offsets);
  const auto out = scratch<Position, Device>("Trident::fetchedRows", fetched.offsets.back());
  Kokkos::parallel_for(
      "Trident::fetchRows", Range<Device>(0, rows.size()), TRIDENT_LAMBDA(long long m) {
        long long at = to(m);
        for (std::size_t e = offsets(wanted(m)); e < offsets(wanted(m) + 1); ++e)
          out(at++) = numbers(columns(e));
      });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  fetched.columns.assign(host.data(), host.data() + host.extent(0));
  return fetched;
}

/// Draws entries at evenly spread offsets (by multiples of the golden ratio). Returns the entries'
/// rows. The first rows of the list are evenly spread, too, so the caller may cut the list.
template <class Matrix, class Device = typename Matrix::device_type>
std::vector<int> drawRows(const Matrix& matrix) {
  const long long entries = matrix.nnz(), rows = matrix.numRows();
  const int count = static_cast<int>(std::min<long long>(sampleRows, entries));
  const auto offsets = matrix.graph.row_map;
  const auto drawn = scratch<int, Device>("Trident::drawnRows", count);
  Kokkos::parallel_for(
      "Trident::drawRows", Range<Device>(0, count), TRIDENT_LAMBDA(long long m) {
        const double turns = (static_cast<double>(m) + 0.5) * 0.61803398874989485;
        const double part = turns - static_cast<double>(static_cast<long long>(turns));
        const auto entry = static_cast<std::size_t>(part * static_cast<double>(entries));
        drawn(m) = static_cast<int>(intervalOf(offsets, rows, entry));
      });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), drawn);
  return std::vector<int>(host.data(), host.data() + host.extent(0));
}

/// Returns the number of leading items, at least 1, whose costs together stay within a budget.
inline std::size_t withinBudget(const std::vector<long long>& costs, long long budget) {
  long long sum = 0;
  for (std::size_t m = 0; m < costs.size(); ++m)
    if ((sum += costs[m]) > budget) return std::max<std::size_t>(m, 1);
  return costs.size();
}

/// Questions about rows of B, grouped by the rank that owns the row.
struct RowQuestions {
  std::vector<long long> counts;      // number of questions to each grid rank
  std::vector<int> lids;              // local index of each row on its owner, grouped by owner
  std::vector<std::size_t> position;  // index of each question in `lids`
};

inline RowQuestions groupByOwner(const std::vector<Position>& numbers, const Numbering& inner) {
  RowQuestions q;
  q.counts.assign(inner.ranks(), 0);
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

/// Drawn rows of A. `entries` has the numbers of the rows of B that the drawn rows meet.
struct DrawnRows {
  std::vector<int> rows, lengths;
  HostStructure entries;
};

template <class Matrix, class Device = typename Matrix::device_type>
DrawnRows drawWithinBudget(const Matrix& A, const IndexNumbers<Device>& columnsA) {
  DrawnRows drawn;
  drawn.rows = drawRows(A);
  drawn.lengths = rowLengths(A, drawn.rows);
  drawn.rows.resize(withinBudget({drawn.lengths.begin(), drawn.lengths.end()},
                                 std::min<long long>(sampleEntriesOfA, A.nnz() / 16)));
  drawn.lengths.resize(drawn.rows.size());
  drawn.entries = fetchRows(A, columnsA, drawn.rows, drawn.lengths);
  return drawn;
}

/// Keeps the first drawn rows, as many as stay within a budget of multiply-adds.
/// @param met length of the row of B that each question asks for
inline void keepWithinBudget(DrawnRows& drawn, const RowQuestions& questions,
                             const std::vector<int>& met, long long budget) {
  std::vector<long long> multiplyAdds(drawn.rows.size(), 0);
  for (std::size_t m = 0; m < drawn.rows.size(); ++m)
    for (long long e = drawn.entries.offsets[m]; e < drawn.entries.offsets[m + 1]; ++e)
      multiplyAdds[m] += met[questions.position[e]];
  drawn.rows.resize(withinBudget(multiplyAdds, budget));
  drawn.entries.columns.resize(drawn.entries.offsets[drawn.rows.size()]);
}

/// Returns the number of entries in the answers to each grid rank.
inline std::vector<long long> answersTo(const HostStructure& answers, const AllToAll& questions) {
  std::vector<long long> entries(questions.receiveOffsets().size() - 1);
  for (std::size_t g = 0; g < entries.size(); ++g)
    entries[g] = answers.offsets[questions.receiveOffsets()[g + 1]] -
                 answers.offsets[questions.receiveOffsets()[g]];
  return entries;
}

/// Forms the sampled rows of C, from the drawn rows of A and the rows of B that were asked for.
/// @param lengths lengths of these rows of B
/// @param entries number of A's entries on this rank
inline std::vector<SampledRow> joinRows(const DrawnRows& drawn, const RowQuestions& questions,
                                        const std::vector<int>& lengths,
                                        const std::vector<Position>& columns, long long entries) {
  std::vector<std::size_t> begin(lengths.size() + 1, 0);
  for (std::size_t q = 0; q < lengths.size(); ++q) begin[q + 1] = begin[q] + lengths[q];
  const std::size_t kept = drawn.rows.size();
  std::vector<SampledRow> sample(kept);
  for (std::size_t m = 0; m < kept; ++m) {
    SampledRow& row = sample[m];
    row.row = drawn.rows[m];
    row.weight = static_cast<double>(entries) / static_cast<double>(kept) / drawn.lengths[m];
    for (long long e = drawn.entries.offsets[m]; e < drawn.entries.offsets[m + 1]; ++e) {
      const std::size_t q = questions.position[e];
      row.columns.insert(row.columns.end(), columns.begin() + begin[q],
                         columns.begin() + begin[q + 1]);
    }
    std::sort(row.columns.begin(), row.columns.end());
    row.columns.erase(std::unique(row.columns.begin(), row.columns.end()), row.columns.end());
  }
  return sample;
}

/// Samples rows of C = A·B on every rank. Collective over `all`, the ranks of a grid of any shape.
/// The ranks agree before every exchange. If a rank lacks memory for the exchange, throws
/// Trident::Error on every rank.
/// @param A, B local matrices
/// @param columnsA numbers of A's local columns in the numbering `inner`
/// @param columnsB numbers of B's local columns
template <class Matrix, class Device = typename Matrix::device_type>
std::vector<SampledRow> sampleProduct(const GridRanks& all, const Matrix& A, const Matrix& B,
                                      const IndexNumbers<Device>& columnsA,
                                      const IndexNumbers<Device>& columnsB, const Numbering& inner,
                                      std::size_t messageBytes, Traffic& traffic,
                                      LocalFailure& failure) {
  const std::size_t ranks = all.size();
  const auto agree = [&] { throwEverywhere(all.comm(), failure.text()); };
  DrawnRows drawn;
  RowQuestions first, second;
  failure.guard([&] {
    drawn = drawWithinBudget(A, columnsA);
    first = groupByOwner(drawn.entries.columns, inner);
  });
  first.counts.resize(ranks, 0);  // a rank that lacks memory asks for nothing

  // Ranks ask first for the lengths of B's rows that they meet, then for rows within the budget.
  const AllToAll lengthPlan(all, first.counts, messageBytes);
  std::vector<int> asked, lengths, met;
  failure.guard([&] {
    asked.resize(lengthPlan.receives());
    lengths.resize(lengthPlan.receives());
    met.resize(lengthPlan.sends());
  });
  agree();
  lengthPlan.exchange(first.lids.data(), asked.data(), sizeof(int), traffic);
  failure.guard([&] { lengths = rowLengths(B, asked); });
  lengthPlan.exchangeBack(lengths.data(), met.data(), sizeof(int), traffic);
  failure.guard([&] {
    keepWithinBudget(drawn, first, met, std::min<long long>(sampleMultiplyAdds, A.nnz() / 8));
    second = groupByOwner(drawn.entries.columns, inner);
  });
  second.counts.resize(ranks, 0);

  const AllToAll rowPlan(all, second.counts, messageBytes);
  failure.guard([&] {
    asked.resize(rowPlan.receives());
    lengths.resize(rowPlan.receives());
    met.resize(rowPlan.sends());
  });
  agree();
  rowPlan.exchange(second.lids.data(), asked.data(), sizeof(int), traffic);
  HostStructure answers;
  std::vector<long long> entriesTo;
  failure.guard([&] {
    lengths = rowLengths(B, asked);
    answers = fetchRows(B, columnsB, asked, lengths);
    entriesTo = answersTo(answers, rowPlan);
  });
  entriesTo.resize(ranks, 0);
  rowPlan.exchangeBack(lengths.data(), met.data(), sizeof(int), traffic);

  const AllToAll entryPlan(all, entriesTo, messageBytes);
  std::vector<Position> columns;
  failure.guard([&] { columns.resize(entryPlan.receives()); });
  agree();
  entryPlan.exchange(answers.columns.data(), columns.data(), sizeof(Position), traffic);
  std::vector<SampledRow> sample;
  failure.guard([&] { sample = joinRows(drawn, second, met, columns, A.nnz()); });
  return sample;
}

}  // namespace Trident::Impl

#endif
