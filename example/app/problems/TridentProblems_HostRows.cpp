// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_HostRows.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "TridentProblems_Comm.hpp"

namespace Trident {
namespace Problems {

namespace {

struct Cell {
  local_ordinal_type column;
  scalar_type value;
};

/// Orders all cells, also those of NaNs and signed zeros: the order of a sum must not depend on
/// which rank an entry came from.
bool isBefore(const Cell& a, const Cell& b) {
  if (a.column != b.column) return a.column < b.column;
  static_assert(sizeof(scalar_type) == sizeof(std::uint64_t), "values are doubles");
  std::uint64_t x, y;
  std::memcpy(&x, &a.value, sizeof x);
  std::memcpy(&y, &b.value, sizeof y);
  return x < y;
}

/// Returns true if a row is as it should be, as those of files by columns are.
bool ascends(const local_ordinal_type* begin, const local_ordinal_type* end) {
  return std::adjacent_find(begin, end, std::greater_equal<>()) == end;
}

/// Moves the entries [begin, end) up to `to`, where it is before them. \return what follows them
std::size_t moveUp(HostRows& rows, std::size_t begin, std::size_t end, std::size_t to) {
  if (to == begin) return end;
  std::copy(rows.columns.data() + begin, rows.columns.data() + end, rows.columns.data() + to);
  std::copy(rows.values.data() + begin, rows.values.data() + end, rows.values.data() + to);
  return to + (end - begin);
}

/// Puts the entries [begin, end) in order at `to`, equal columns made one. \return what follows
/// them
std::size_t sortRow(HostRows& rows, std::size_t begin, std::size_t end, std::size_t to,
                    Duplicates rule, std::vector<Cell>& cells) {
  const std::size_t first = to;
  cells.clear();
  for (std::size_t e = begin; e < end; ++e) cells.push_back({rows.columns(e), rows.values(e)});
  std::sort(cells.begin(), cells.end(), isBefore);
  for (const Cell& cell : cells) {
    if (to > first && rows.columns(to - 1) == cell.column) {
      scalar_type& value = rows.values(to - 1);
      value = rule == Duplicates::sum ? value + cell.value : std::max(value, cell.value);
    } else {
      rows.columns(to) = cell.column;
      rows.values(to++) = cell.value;
    }
  }
  return to;
}

/// Copies an array to the device; on a host it is the array itself.
template <class View, class T>
View onDevice(const HostArray<T>& host) {
  return Kokkos::create_mirror_view_and_copy(typename View::memory_space(), host);
}

}  // namespace

std::int64_t orderRows(HostRows& rows, Duplicates rule) {
  std::vector<Cell> cells;
  std::size_t begin = 0, to = 0;
  for (std::size_t i = 0; i < rows.numRows(); ++i) {
    const std::size_t end = rows.offsets(i + 1);
    to = ascends(rows.columns.data() + begin, rows.columns.data() + end)
             ? moveUp(rows, begin, end, to)
             : sortRow(rows, begin, end, to, rule, cells);
    rows.offsets(i + 1) = to;
    begin = end;
  }
  if (to < begin) {  // a copy, so that nobody sees arrays that are longer than their entries
    Kokkos::resize(rows.columns, to);
    Kokkos::resize(rows.values, to);
  }
  return static_cast<std::int64_t>(begin - to);
}

Teuchos::RCP<matrix_type> matrixFromHostRows(HostRows rows,
                                             const std::vector<global_ordinal_type>& columnGids,
                                             const Teuchos::RCP<const map_type>& rowMap,
                                             const Teuchos::RCP<const map_type>& domainMap) {
  using local_type = matrix_type::local_matrix_device_type;
  local_type local;
  collectively(Comm(*rowMap->getComm()), [&] {
    const auto offsets = onDevice<local_type::row_map_type::non_const_type>(rows.offsets);
    const auto columns = onDevice<local_type::index_type::non_const_type>(rows.columns);
    const auto values = onDevice<local_type::values_type>(rows.values);
    local = local_type("trident problems", static_cast<local_ordinal_type>(rows.numRows()),
                       static_cast<local_ordinal_type>(columnGids.size()),
                       static_cast<local_type::size_type>(rows.values.extent(0)), values, offsets,
                       columns);
    rows = HostRows();
  });
  const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const auto columnMap = Teuchos::rcp(
      new map_type(unknown,
                   Teuchos::ArrayView<const global_ordinal_type>(
                       columnGids.data(), static_cast<Teuchos::Ordinal>(columnGids.size())),
                   0, rowMap->getComm()));
  return Teuchos::rcp(new matrix_type(local, rowMap, columnMap, domainMap, rowMap));
}

}  // namespace Problems
}  // namespace Trident
