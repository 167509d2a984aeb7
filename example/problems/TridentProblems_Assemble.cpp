// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Assemble.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "TridentProblems_ColumnNumbering.hpp"
#include "TridentProblems_HostMemory.hpp"
#include "TridentProblems_Partition.hpp"

namespace Trident {
namespace Problems {

namespace {

struct Cell {
  global_ordinal_type column;
  scalar_type value;
};

/// A total order, also of NaNs and signed zeros: the order of a sum must not depend on which rank
/// an entry came from.
bool before(const Cell& a, const Cell& b) {
  if (a.column != b.column) return a.column < b.column;
  static_assert(sizeof(scalar_type) == sizeof(std::uint64_t), "values are doubles");
  std::uint64_t x, y;
  std::memcpy(&x, &a.value, sizeof x);
  std::memcpy(&y, &b.value, sizeof y);
  return x < y;
}

/// Whether a row is as it should be, as those of files by columns are on one rank.
bool ascends(const global_ordinal_type* begin, const global_ordinal_type* end) {
  return std::adjacent_find(begin, end, std::greater_equal<>()) == end;
}

/// Entries row by row, in each in the order that they came in.
LocalRows groupByRow(std::vector<Entry> entries, global_ordinal_type firstRow,
                     std::size_t numRows) {
  const auto rowOf = [&](const Entry& e) { return static_cast<std::size_t>(e.row - firstRow); };
  LocalRows rows;
  rows.offsets.assign(numRows + 1, 0);
  for (const Entry& entry : entries) ++rows.offsets[rowOf(entry) + 1];
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.columns.resize(entries.size());
  rows.values.resize(entries.size());
  for (const Entry& entry : entries) {  // turns offsets[i] from row i's begin into its end
    const std::size_t at = rows.offsets[rowOf(entry)]++;
    rows.columns[at] = entry.column;
    rows.values[at] = entry.value;
  }
  std::copy_backward(rows.offsets.begin(), rows.offsets.end() - 1, rows.offsets.end());
  rows.offsets[0] = 0;
  return rows;
}

/// Moves the entries [begin, end) up to `to`, where it is before them. \return what follows them
std::size_t moveUp(LocalRows& rows, std::size_t begin, std::size_t end, std::size_t to) {
  if (to == begin) return end;
  std::copy(rows.columns.data() + begin, rows.columns.data() + end, rows.columns.data() + to);
  std::copy(rows.values.data() + begin, rows.values.data() + end, rows.values.data() + to);
  return to + (end - begin);
}

/// Puts the entries [begin, end) in order at `to`, equal columns made one. \return what follows
/// them
std::size_t sortRow(LocalRows& rows, std::size_t begin, std::size_t end, std::size_t to,
                    Duplicates rule, std::vector<Cell>& cells) {
  const std::size_t first = to;
  cells.clear();
  for (std::size_t e = begin; e < end; ++e) cells.push_back({rows.columns[e], rows.values[e]});
  std::sort(cells.begin(), cells.end(), before);
  for (const Cell& cell : cells) {
    if (to > first && rows.columns[to - 1] == cell.column) {
      scalar_type& value = rows.values[to - 1];
      value = rule == Duplicates::sum ? value + cell.value : std::max(value, cell.value);
    } else {
      rows.columns[to] = cell.column;
      rows.values[to++] = cell.value;
    }
  }
  return to;
}

/// Sorts the rows that do not ascend. \return the entries that joined another
std::int64_t orderRows(LocalRows& rows, Duplicates rule) {
  std::vector<Cell> cells;
  std::size_t begin = 0, to = 0;
  for (std::size_t i = 0; i < rows.numRows(); ++i) {
    const std::size_t end = rows.offsets[i + 1];
    to = ascends(rows.columns.data() + begin, rows.columns.data() + end)
             ? moveUp(rows, begin, end, to)
             : sortRow(rows, begin, end, to, rule, cells);
    rows.offsets[i + 1] = to;
    begin = end;
  }
  rows.columns.resize(to);
  rows.values.resize(to);
  return static_cast<std::int64_t>(begin - to);
}

}  // namespace

Teuchos::RCP<const map_type> uniformMap(std::int64_t size,
                                        const Teuchos::RCP<const comm_type>& comm) {
  const std::int64_t most = std::numeric_limits<global_ordinal_type>::max();
  if (size > most)
    throw MatrixError("a dimension of " + std::to_string(size) +
                      " exceeds this Trilinos' global "
                      "ordinal (at most " +
                      std::to_string(most) +
                      "): build Trilinos with "
                      "-D Tpetra_INST_INT_LONG_LONG=ON");
  const std::int64_t mostHere = std::numeric_limits<local_ordinal_type>::max();
  if (size / comm->getSize() >= mostHere)
    throw MatrixError("a dimension of " + std::to_string(size) +
                      " gives each rank more indices than its local ordinals can number (" +
                      std::to_string(mostHere) + "): use more ranks");
  return Teuchos::rcp(new map_type(static_cast<Tpetra::global_size_t>(size), 0, comm));
}

LocalRows rowsFromEntries(std::vector<Entry> entries, global_ordinal_type firstRow,
                          std::size_t numRows, std::int64_t& duplicates, Duplicates rule) {
  LocalRows rows = groupByRow(std::move(entries), firstRow, numRows);
  duplicates += orderRows(rows, rule);
  return rows;
}

namespace {

/// Brings the columns that this rank owns to the front of each row: ascending global columns are
/// then ascending local ones, and no row needs another sort.
void rotateOwnedToFront(LocalRows& rows, const ColumnNumbering& numbering) {
  for (std::size_t i = 0; i < rows.numRows(); ++i) {
    auto* begin = rows.columns.data() + rows.offsets[i];
    auto* end = rows.columns.data() + rows.offsets[i + 1];
    auto* owned = std::lower_bound(begin, end, numbering.firstOwned());
    auto* ownedEnd = std::lower_bound(owned, end, numbering.endOwned());
    if (owned == begin || owned == ownedEnd) continue;
    auto* values = rows.values.data() + rows.offsets[i];
    std::rotate(values, values + (owned - begin), values + (ownedEnd - begin));
    std::rotate(begin, owned, ownedEnd);
  }
}

/// Copies `source(i)`, i < size, into a device view.
template <class View, class Source>
View deviceCopy(const std::string& label, std::size_t size, const Source& source) {
  View view(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), size);
  auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < size; ++i) host(i) = source(i);
  Kokkos::deep_copy(view, host);
  return view;
}

/// The rows on the device by local columns; empties `rows` on the way, array by array.
matrix_type::local_matrix_device_type deviceMatrix(LocalRows& rows,
                                                   const ColumnNumbering& numbering) {
  using local_type = matrix_type::local_matrix_device_type;
  using offsets_type = local_type::row_map_type::non_const_type;
  using columns_type = local_type::index_type::non_const_type;
  using values_type = local_type::values_type;
  rotateOwnedToFront(rows, numbering);
  const auto numRows = static_cast<local_ordinal_type>(rows.numRows());
  const std::size_t entries = rows.columns.size();
  const auto offsets = deviceCopy<offsets_type>("offsets", rows.offsets.size(),
                                                [&](std::size_t i) { return rows.offsets[i]; });
  const auto columns = deviceCopy<columns_type>(
      "columns", entries, [&](std::size_t i) { return numbering[rows.columns[i]]; });
  std::vector<global_ordinal_type>().swap(rows.columns);
  const auto values =
      deviceCopy<values_type>("values", entries, [&](std::size_t i) { return rows.values[i]; });
  std::vector<scalar_type>().swap(rows.values);
  const auto numColumns = static_cast<local_ordinal_type>(numbering.columnGids().size());
  return local_type("trident problems", numRows, numColumns,
                    static_cast<local_type::size_type>(entries), values, offsets, columns);
}

}  // namespace

Teuchos::RCP<matrix_type> matrixFromRows(LocalRows rows, const Teuchos::RCP<const map_type>& rowMap,
                                         const Teuchos::RCP<const map_type>& domainMap) {
  const Comm comm(*rowMap->getComm());
  matrix_type::local_matrix_device_type local;
  std::vector<global_ordinal_type> columnGids;
  collectively(comm, [&] {
    const ColumnNumbering numbering(rows, *domainMap);
    local = deviceMatrix(rows, numbering);
    columnGids = numbering.columnGids();
  });
  const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const auto columnMap = Teuchos::rcp(
      new map_type(unknown,
                   Teuchos::ArrayView<const global_ordinal_type>(
                       columnGids.data(), static_cast<Teuchos::Ordinal>(columnGids.size())),
                   0, rowMap->getComm()));
  return Teuchos::rcp(new matrix_type(local, rowMap, columnMap, domainMap, rowMap));
}

Teuchos::RCP<matrix_type> matrixFromEntries(std::vector<Entry> entries, std::int64_t rows,
                                            std::int64_t columns,
                                            const Teuchos::RCP<const comm_type>& teuchosComm,
                                            const Comm& comm, std::int64_t& duplicates,
                                            Duplicates rule) {
  const auto rowMap = uniformMap(rows, teuchosComm);
  const auto domainMap = rows == columns ? rowMap : uniformMap(columns, teuchosComm);
  const UniformPartition partition(rows, comm.size());
  // Of arrays by rows and by columns that live at one time below; entries have their memory.
  const double bytes = 2.0 * sizeof(std::size_t) * partition.count(comm.rank()) +
                       1.0 * sizeof(local_ordinal_type) * numLocalElements(*domainMap);
  requireMemory(bytes, "a matrix of " + std::to_string(rows) + " x " + std::to_string(columns),
                comm);
  entries = redistributeEntries(
      std::move(entries), [&](const Entry& entry) { return partition.owner(entry.row); }, comm);
  LocalRows local;
  std::int64_t merged = 0;
  collectively(comm, [&] {
    local = rowsFromEntries(std::move(entries),
                            static_cast<global_ordinal_type>(partition.begin(comm.rank())),
                            static_cast<std::size_t>(partition.count(comm.rank())), merged, rule);
  });
  duplicates = comm.sum(merged);
  return matrixFromRows(std::move(local), rowMap, domainMap);
}

}  // namespace Problems
}  // namespace Trident
