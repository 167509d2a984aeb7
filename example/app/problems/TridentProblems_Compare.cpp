// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Compare.hpp"

#include <Kokkos_Core.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Hash.hpp"
#include "TridentProblems_Rows.hpp"

namespace Trident {
namespace Problems {

namespace {

using MatrixPtr = Teuchos::RCP<matrix_type>;

/// op(A) op(B) of two matrices, as Tpetra makes it.
struct Product {
  const matrix_type& A;
  bool transA;
  const matrix_type& B;
  bool transB;

  Teuchos::RCP<const map_type> rowMap() const { return transA ? A.getDomainMap() : A.getRowMap(); }
  Teuchos::RCP<const map_type> rangeMap() const {
    return transA ? A.getDomainMap() : A.getRangeMap();
  }
  Teuchos::RCP<const map_type> domainMap() const {
    return transB ? B.getRangeMap() : B.getDomainMap();
  }
  MatrixPtr multiply() const {
    const MatrixPtr result = Teuchos::rcp(new matrix_type(rowMap(), 0));
    Tpetra::MatrixMatrix::Multiply(A, transA, B, transB, *result);
    return result;
  }
};

/// Makes a matrix of the same positions whose values are f(value).
template <class Function>
MatrixPtr mapValues(const matrix_type& matrix, const Function& f) {
  using values_type = matrix_type::local_matrix_device_type::values_type;
  std::vector<scalar_type> mapped;
  {
    const RowReader rows(matrix);
    mapped.resize(rows.numEntries());
    for (std::size_t i = 0; i < mapped.size(); ++i) mapped[i] = f(rows.value(i));
  }
  values_type values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "values"), mapped.size());
  const auto host = Kokkos::create_mirror_view(values);
  std::copy(mapped.begin(), mapped.end(), host.data());
  Kokkos::deep_copy(values, host);
  const MatrixPtr result = Teuchos::rcp(new matrix_type(matrix.getCrsGraph(), values));
  result->fillComplete(matrix.getDomainMap(), matrix.getRangeMap());
  return result;
}

/// Forms the product of f(A) and f(B).
template <class Function>
MatrixPtr productOfMapped(const Product& product, const Function& f) {
  const MatrixPtr A = mapValues(product.A, f);
  if (&product.A == &product.B) return Product{*A, product.transA, *A, product.transB}.multiply();
  const MatrixPtr B = mapValues(product.B, f);
  return Product{*A, product.transA, *B, product.transB}.multiply();
}

struct RowCell {
  global_ordinal_type column;
  scalar_type value;
};

/// Writes the cells of a row, by ascending global column.
void sortedRow(const RowReader& rows, std::size_t row, std::vector<RowCell>& cells) {
  cells.clear();
  for (std::size_t entry = rows.begin(row); entry < rows.end(row); ++entry)
    cells.push_back({rows.column(entry), rows.value(entry)});
  std::sort(cells.begin(), cells.end(),
            [](const RowCell& a, const RowCell& b) { return a.column < b.column; });
}

/// Calls visit(column, cell of a or null, cell of b or null) for each column of two sorted rows.
template <class Visit>
void merge(const std::vector<RowCell>& a, const std::vector<RowCell>& b, const Visit& visit) {
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    const bool fromA = i != a.end() && (j == b.end() || i->column <= j->column);
    const bool fromB = j != b.end() && (i == a.end() || j->column <= i->column);
    visit(fromA ? i->column : j->column, fromA ? &*i : nullptr, fromB ? &*j : nullptr);
    if (fromA) ++i;
    if (fromB) ++j;
  }
}

double relativeError(double value, double expected, double bound) {
  if (value == expected || (std::isnan(value) && std::isnan(expected))) return 0;
  const double difference = std::abs(value - expected);
  if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
  // A bound that overflowed says nothing; one of zero makes any difference infinite.
  if (!std::isfinite(bound)) bound = std::max(std::abs(value), std::abs(expected));
  return difference / bound;
}

double bound(const std::vector<RowCell>& bounds, global_ordinal_type column) {
  const auto found =
      std::lower_bound(bounds.begin(), bounds.end(), column,
                       [](const RowCell& cell, global_ordinal_type c) { return cell.column < c; });
  return found != bounds.end() && found->column == column ? found->value : 0;
}

double maxErrorHere(const matrix_type& C, const matrix_type& T, const matrix_type& bounds) {
  const RowReader valueRows(C), expectedRows(T), boundRows(bounds);
  std::vector<RowCell> values, expected, rowBounds;
  double worst = 0;
  for (std::size_t row = 0; row < valueRows.numRows(); ++row) {
    sortedRow(valueRows, row, values);
    sortedRow(expectedRows, row, expected);
    sortedRow(boundRows, row, rowBounds);
    merge(values, expected, [&](global_ordinal_type column, const RowCell* c, const RowCell* t) {
      const double error = relativeError(c != nullptr ? c->value : 0, t != nullptr ? t->value : 0,
                                         bound(rowBounds, column));
      worst = std::max(worst, error);
    });
  }
  return worst;
}

/// Counts positions and keeps the first difference of this rank.
void compareStructureHere(const matrix_type& C, const matrix_type& pattern, Comparison& result) {
  const RowReader haveRows(C), wantRows(pattern);
  std::vector<RowCell> have, want;
  for (std::size_t row = 0; row < haveRows.numRows(); ++row) {
    sortedRow(haveRows, row, have);
    sortedRow(wantRows, row, want);
    merge(have, want, [&](global_ordinal_type column, const RowCell* c, const RowCell* w) {
      if (c != nullptr && w != nullptr) return;
      ++(c == nullptr ? result.missing : result.extra);
      if (result.detail.empty())
        result.detail = std::string("C ") + (c == nullptr ? "lacks" : "should not have") +
                        " the entry (" + std::to_string(haveRows.rowGid(row)) + ", " +
                        std::to_string(column) + ")";
    });
  }
}

/// Adds up the counts and keeps the lowest rank's detail, everywhere. Collective.
void combine(const Comm& comm, Comparison& result) {
  result.missing = comm.sum(result.missing);
  result.extra = comm.sum(result.extra);
  result.maxRelError = comm.max(result.maxRelError);
  const std::int64_t first = comm.min(result.detail.empty() ? comm.size() : comm.rank());
  if (first < comm.size()) result.detail = comm.broadcast(result.detail, static_cast<int>(first));
}

/// Returns the name of a wrong Map of C; an empty text if none is. Collective.
std::string wrongMap(const Product& product, const matrix_type& C) {
  const auto wrong = [](const Teuchos::RCP<const map_type>& have,
                        const Teuchos::RCP<const map_type>& want) {
    return !have->isSameAs(*want);
  };
  if (wrong(C.getRowMap(), product.rowMap()))
    return product.transA ? "C's row Map should be A's domain Map" : "C's row Map should be A's";
  if (wrong(C.getRangeMap(), product.rangeMap())) return "C's range Map should be that of op(A)";
  if (wrong(C.getDomainMap(), product.domainMap())) return "C's domain Map should be that of op(B)";
  return "";
}

}  // namespace

Comparison compareWithTpetra(const matrix_type& A, bool transA, const matrix_type& B, bool transB,
                             const matrix_type& C) {
  const Comm comm(*A.getComm());
  throwEverywhere(comm, !C.isFillComplete(), "compareWithTpetra: C is not fill-complete");
  const Product product{A, transA, B, transB};
  Comparison result;
  const std::string mapProblem = wrongMap(product, C);
  if (!C.getRowMap()->isSameAs(*product.rowMap())) {  // rows cannot be compared
    result.maxRelError = std::numeric_limits<double>::infinity();
    result.detail = mapProblem;
    return result;
  }
  {
    const MatrixPtr expected = product.multiply();
    const MatrixPtr bounds =
        productOfMapped(product, [](scalar_type value) { return std::abs(value); });
    result.maxRelError = maxErrorHere(C, *expected, *bounds);
  }
  const MatrixPtr pattern = productOfMapped(product, [](scalar_type) { return scalar_type(1); });
  compareStructureHere(C, *pattern, result);
  combine(comm, result);
  if (!mapProblem.empty()) result.detail = mapProblem;
  result.structureMatches = mapProblem.empty() && result.missing == 0 && result.extra == 0;
  return result;
}

double vectorError(const matrix_type& A, bool transA, const matrix_type& B, bool transB,
                   const matrix_type& C) {
  using vector_type = Tpetra::Vector<>;
  const Product product{A, transA, B, transB};
  vector_type x(product.domainMap()), inner(transB ? B.getDomainMap() : B.getRangeMap());
  vector_type expected(product.rangeMap()), got(product.rangeMap());
  {
    const auto gids = globalIndices(*x.getMap());
    const auto view = x.getDataNonConst();
    for (std::size_t i = 0; i < gids.size(); ++i)
      view[static_cast<Teuchos::Ordinal>(i)] =
          0.5 + std::ldexp(static_cast<double>(hash(1, static_cast<std::uint64_t>(gids[i]))), -64);
  }
  const auto mode = [](bool transposed) { return transposed ? Teuchos::TRANS : Teuchos::NO_TRANS; };
  B.apply(x, inner, mode(transB));
  A.apply(inner, expected, mode(transA));
  C.apply(x, got);
  got.update(-1.0, expected, 1.0);
  const double difference = got.normInf(), size = expected.normInf();
  return difference == 0 ? 0 : difference / size;
}

}  // namespace Problems
}  // namespace Trident
