// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_EXPANSIONSTEPS_HPP
#define TRIDENT_EXPANSIONSTEPS_HPP

// The steps of Trident_Expansion.cpp on a matrix beside its product.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_HashPermutation.hpp"
#include "TridentProblems_Rows.hpp"
#include "matrix/Trident_FilterRows.hpp"

namespace Trident::Expansion {

using matrix_type = Problems::matrix_type;
using MatrixPtr = Teuchos::RCP<matrix_type>;
using Device = matrix_type::device_type;

/// Appends a row with a loop as heavy as its heaviest edge, or 1 if there is none, so that it sums
/// to 1. Local.
/// @param numbers what nodes are called
template <class Numbers>
void appendStochasticRow(std::vector<Problems::Entry>& entries, const Problems::RowReader& reader,
                         std::size_t row, const Numbers& numbers) {
  const auto own = reader.rowGid(row);
  const std::size_t first = entries.size();
  double heaviest = 0, sum = 0;
  for (std::size_t e = reader.begin(row); e < reader.end(row); ++e) {
    if (reader.column(e) == own) continue;
    entries.push_back({numbers(own), numbers(reader.column(e)), reader.value(e)});
    heaviest = std::max(heaviest, reader.value(e));
    sum += reader.value(e);
  }
  const double loop = heaviest > 0 ? heaviest : 1;
  entries.push_back({numbers(own), numbers(own), loop});
  for (std::size_t e = first; e < entries.size(); ++e) entries[e].value /= sum + loop;
}

/// Makes the matrix that Markov clustering begins with. Collective; throws on every rank.
/// @param A of a graph: square (or throws), weights from 0 on
/// @param shuffle true if nodes get other numbers, at random
inline MatrixPtr stochastic(const matrix_type& A, bool shuffle) {
  const Problems::Comm comm(*A.getComm());
  const auto nodes = static_cast<std::int64_t>(A.getGlobalNumRows());
  if (A.getDomainMap()->getGlobalNumElements() != A.getGlobalNumRows())
    throw Problems::MatrixError("a graph has a row and a column for each node");
  const Problems::HashPermutation random(1, nodes);
  std::vector<Problems::Entry> entries;
  Problems::collectively(comm, [&] {
    const Problems::RowReader reader(A);
    const auto numbers = [&](Problems::global_ordinal_type node) {
      return shuffle ? static_cast<Problems::global_ordinal_type>(random(node)) : node;
    };
    for (std::size_t row = 0; row < reader.numRows(); ++row)
      appendStochasticRow(entries, reader, row, numbers);
  });
  std::int64_t duplicates = 0;
  return Problems::matrixFromEntries(std::move(entries), nodes, nodes, A.getComm(), comm,
                                     duplicates);
}

/// Squares the values of a row, and makes it sum to 1. A row without entries stays so.
struct InflateRow {
  matrix_type::local_matrix_device_type matrix;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    double sum = 0;
    for (std::size_t e = matrix.graph.row_map(r); e < matrix.graph.row_map(r + 1); ++e)
      sum += matrix.values(e) * matrix.values(e);
    for (std::size_t e = matrix.graph.row_map(r); e < matrix.graph.row_map(r + 1); ++e)
      matrix.values(e) *= matrix.values(e) / sum;
  }
};

/// Inflates by 2. Local.
inline void inflate(matrix_type& M) {
  const auto local = M.getLocalMatrixDevice();
  Kokkos::parallel_for("Trident::Expansion::inflate", Impl::Range<Device>(0, local.numRows()),
                       InflateRow{local});
  Kokkos::fence();
}

/// Makes a matrix of the entries from `threshold` on. It keeps the column Map and its Import: to
/// make new ones would communicate. Local.
inline MatrixPtr pruned(const matrix_type& C, double threshold) {
  Impl::DropRule<double> rule;
  rule.tolerance = threshold;
  const auto kept = Impl::filterRows(C.getLocalMatrixDevice(), rule);
  return Teuchos::rcp(new matrix_type(kept, C.getRowMap(), C.getColMap(), C.getDomainMap(),
                                      C.getRangeMap(), C.getCrsGraph()->getImporter(),
                                      C.getCrsGraph()->getExporter()));
}

}  // namespace Trident::Expansion

#endif
