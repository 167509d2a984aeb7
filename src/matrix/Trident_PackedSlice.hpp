// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PACKEDSLICE_HPP
#define TRIDENT_PACKEDSLICE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "grid/Trident_SliceShape.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"

namespace Trident::Impl {

/// A slice in the form in which it is sent: CSR arrays in one contiguous piece of memory, laid out
/// as SliceShape says. A view: it owns no memory.
template <class Scalar>
class PackedSlice {
 public:
  PackedSlice() = default;
  PackedSlice(char* base, const SliceShape& shape)
      : values_(reinterpret_cast<Scalar*>(base + shape.valuesAt())),
        offsets_(base + shape.offsetsAt(sizeof(Scalar))),
        rowList_(reinterpret_cast<int*>(base + shape.rowListAt(sizeof(Scalar)))),
        columns_(base + shape.columnsAt(sizeof(Scalar))),
        rows_(shape.entries ? shape.rows : 0),
        entries_(shape.entries),
        wide_(shape.wideOffsets()),
        listed_(shape.listed != 0),
        narrow_(shape.narrow != 0) {}

  /// Returns the number of stored rows; 0 if the slice has no entries, whatever its shape says.
  KOKKOS_INLINE_FUNCTION long long rows() const { return rows_; }
  KOKKOS_INLINE_FUNCTION long long entries() const { return entries_; }
  /// Returns the index, in the slice, of stored row m.
  KOKKOS_INLINE_FUNCTION int row(long long m) const {
    return listed_ ? rowList_[m] : static_cast<int>(m);
  }
  KOKKOS_INLINE_FUNCTION std::size_t begin(long long m) const {
    return wide_ ? static_cast<const std::uint64_t*>(offsets_)[m]
                 : static_cast<const std::uint32_t*>(offsets_)[m];
  }
  KOKKOS_INLINE_FUNCTION std::size_t end(long long m) const { return begin(m + 1); }
  KOKKOS_INLINE_FUNCTION int column(std::size_t e) const {
    return narrow_ ? static_cast<const std::uint16_t*>(columns_)[e]
                   : static_cast<const int*>(columns_)[e];
  }
  KOKKOS_INLINE_FUNCTION Scalar value(std::size_t e) const { return values_[e]; }

  KOKKOS_INLINE_FUNCTION void setRow(long long m, int row) const {
    if (listed_) rowList_[m] = row;
  }
  KOKKOS_INLINE_FUNCTION void setBegin(long long m, std::size_t offset) const {
    if (wide_)
      static_cast<std::uint64_t*>(offsets_)[m] = offset;
    else
      static_cast<std::uint32_t*>(offsets_)[m] = static_cast<std::uint32_t>(offset);
  }
  KOKKOS_INLINE_FUNCTION void setEntry(std::size_t e, int column, const Scalar& value) const {
    if (narrow_)
      static_cast<std::uint16_t*>(columns_)[e] = static_cast<std::uint16_t>(column);
    else
      static_cast<int*>(columns_)[e] = column;
    values_[e] = value;
  }

 private:
  Scalar* values_ = nullptr;
  void* offsets_ = nullptr;
  int* rowList_ = nullptr;
  void* columns_ = nullptr;
  long long rows_ = 0;
  long long entries_ = 0;
  bool wide_ = false;
  bool listed_ = false;
  bool narrow_ = false;
};

/// A rectangle of a local matrix: rows [rowBegin, rowEnd) × columns [columnBegin, columnEnd).
struct Rectangle {
  int rowBegin, rowEnd, columnBegin, columnEnd;
  KOKKOS_INLINE_FUNCTION int rows() const { return rowEnd - rowBegin; }
  KOKKOS_INLINE_FUNCTION int columns() const { return columnEnd - columnBegin; }
  KOKKOS_INLINE_FUNCTION bool hasColumn(int column) const {
    return column >= columnBegin && column < columnEnd;
  }
};

/// Packed slices in one allocation, ready to be sent. cutSlices() makes one slice of each
/// rectangle. The slice's rows and columns count from the rectangle's corner.
template <class Scalar, class Device>
struct CutSlices {
  std::vector<SliceShape> shapes;
  std::vector<std::size_t> at;  ///< start of each packed slice in `storage`; then storage's size
  Kokkos::View<char*, Device> storage;

  PackedSlice<Scalar> packed(std::size_t s) const {
    return PackedSlice<Scalar>(storage.data() + at[s], shapes[s]);
  }
};

/// Allocates packed slices of these shapes, without content. Each slice is aligned for any scalar.
template <class Scalar, class Device>
CutSlices<Scalar, Device> slabsOfShapes(std::vector<SliceShape> shapes) {
  CutSlices<Scalar, Device> slices;
  slices.at.push_back(0);
  for (const SliceShape& shape : shapes)
    slices.at.push_back(slices.at.back() + (shape.bytes(sizeof(Scalar)) + 63) / 64 * 64);
  slices.shapes = std::move(shapes);
  slices.storage = scratch<char, Device>("Trident::packedSlices", slices.at.back());
  return slices;
}

/// Places of a rectangle's rows in a packed slice. Each array has one more element, the total.
/// All slices use the same arrays in turn, to save memory.
template <class Device>
struct PackedRowPlaces {
  Kokkos::View<std::size_t*, Device> entriesBefore;  ///< number of entries before each row
  Kokkos::View<int*, Device> listedBefore;           ///< number of non-empty rows before each row
  long long entries = 0, nonEmpty = 0;
};

/// Counts the entries of each row inside the rectangle, on a host.
template <class Scalar, class Device>
void countCutOnHost(const LocalMatrix<Scalar, Device>& matrix, const Rectangle& cut,
                    const PackedRowPlaces<Device>& rows) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto entriesBefore = rows.entriesBefore;
  const Rectangle c = cut;
  Kokkos::parallel_for(
      "Trident::countCut", Range<Device>(0, c.rows()), TRIDENT_LAMBDA(long long r) {
        std::size_t count = 0;
        for (std::size_t e = offsets(c.rowBegin + r); e < offsets(c.rowBegin + r + 1); ++e)
          count += c.hasColumn(columns(e));
        entriesBefore(r) = count;
      });
}

/// Base of kernels over a rectangle's rows. A thread of a team works on a row by vector lanes.
template <class Scalar, class Device>
struct RectangleKernel {
  using Policy = Kokkos::TeamPolicy<typename Device::execution_space>;
  using Member = typename Policy::member_type;

  LocalMatrix<Scalar, Device> matrix;
  Rectangle cut;
  PackedRowPlaces<Device> rows;

  Policy policy() const {
    int lanes = 4;
    while (lanes < 32 && static_cast<std::size_t>(matrix.numRows()) * lanes < matrix.nnz())
      lanes *= 2;
    lanes = std::min(lanes, Policy::vector_length_max());
    const int size = isHost<Device> ? 1 : 128 / lanes;
    return Policy((cut.rows() + size - 1) / size, size, lanes);
  }
  KOKKOS_INLINE_FUNCTION static long long rowOf(const Member& member) {
    return static_cast<long long>(member.league_rank()) * member.team_size() + member.team_rank();
  }
};

/// Kernel that counts each row's entries inside the rectangle, by several vector lanes.
template <class Scalar, class Device>
struct CountCut : RectangleKernel<Scalar, Device> {
  explicit CountCut(const RectangleKernel<Scalar, Device>& rows)
      : RectangleKernel<Scalar, Device>(rows) {}

  KOKKOS_INLINE_FUNCTION void operator()(
      const typename RectangleKernel<Scalar, Device>::Member& member) const {
    const long long r = this->rowOf(member);
    if (r >= this->cut.rows()) return;
    const auto& graph = this->matrix.graph;
    const std::size_t begin = graph.row_map(this->cut.rowBegin + r);
    const int length = static_cast<int>(graph.row_map(this->cut.rowBegin + r + 1) - begin);
    int count = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, length),
        [&](int e, int& sum) { sum += this->cut.hasColumn(graph.entries(begin + e)); }, count);
    Kokkos::single(Kokkos::PerThread(member), [&] { this->rows.entriesBefore(r) = count; });
  }
};

/// Kernel that copies each row's entries inside the rectangle to the packed slice, in their order,
/// by several vector lanes.
template <class Scalar, class Device>
struct FillCut : RectangleKernel<Scalar, Device> {
  PackedSlice<Scalar> packed;
  FillCut(const RectangleKernel<Scalar, Device>& rows, const PackedSlice<Scalar>& to)
      : RectangleKernel<Scalar, Device>(rows), packed(to) {}

  KOKKOS_INLINE_FUNCTION void operator()(
      const typename RectangleKernel<Scalar, Device>::Member& member) const {
    const long long r = this->rowOf(member);
    if (r >= this->cut.rows()) return;
    const std::size_t first = this->rows.entriesBefore(r);
    if (this->rows.entriesBefore(r + 1) == first) return;
    const auto& graph = this->matrix.graph;
    const std::size_t begin = graph.row_map(this->cut.rowBegin + r);
    const int length = static_cast<int>(graph.row_map(this->cut.rowBegin + r + 1) - begin);
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member, length), [&](int e, int& at,
                                                                         bool final) {
      const int column = graph.entries(begin + e);
      if (!this->cut.hasColumn(column)) return;
      if (final)
        packed.setEntry(first + at, column - this->cut.columnBegin, this->matrix.values(begin + e));
      ++at;
    });
  }
};

/// Counts the entries of each row of a rectangle. The rectangle must have all columns.
template <class Scalar, class Device>
void countWholeRows(const LocalMatrix<Scalar, Device>& matrix, const Rectangle& cut,
                    const PackedRowPlaces<Device>& rows) {
  const auto offsets = matrix.graph.row_map;
  const auto entriesBefore = rows.entriesBefore;
  const int rowBegin = cut.rowBegin;
  Kokkos::parallel_for(
      "Trident::countCut", Range<Device>(0, cut.rows()), TRIDENT_LAMBDA(long long r) {
        entriesBefore(r) = offsets(rowBegin + r + 1) - offsets(rowBegin + r);
      });
}

/// Sets listedBefore to 1 for each non-empty row, else to 0. countCut() then sums these numbers.
template <class Device>
void countListed(const Rectangle& cut, const PackedRowPlaces<Device>& rows) {
  const auto entriesBefore = rows.entriesBefore;
  const auto listedBefore = rows.listedBefore;
  Kokkos::parallel_for(
      "Trident::countListed", Range<Device>(0, cut.rows()),
      TRIDENT_LAMBDA(long long r) { listedBefore(r) = entriesBefore(r) > 0; });
}

template <class Scalar, class Device>
void countCut(const LocalMatrix<Scalar, Device>& matrix, const Rectangle& cut,
              PackedRowPlaces<Device>& rows) {
  // The arrays have room for the largest rectangle, so only their first elements are used.
  PackedRowPlaces<Device> here;
  here.entriesBefore = Kokkos::subview(rows.entriesBefore, std::make_pair(0, cut.rows() + 1));
  here.listedBefore = Kokkos::subview(rows.listedBefore, std::make_pair(0, cut.rows() + 1));
  if (cut.columnBegin == 0 && cut.columnEnd == matrix.numCols()) {
    countWholeRows(matrix, cut, here);
  } else if constexpr (isHost<Device>) {
    countCutOnHost(matrix, cut, here);
  } else {
    const CountCut<Scalar, Device> count(RectangleKernel<Scalar, Device>{matrix, cut, here});
    Kokkos::parallel_for("Trident::countCut", count.policy(), count);
  }
  countListed(cut, here);
  rows.entries = countsToOffsets<std::size_t, Device>(here.entriesBefore);
  rows.nonEmpty = countsToOffsets<int, Device>(here.listedBefore);
}

/// Writes the offsets and the row list of a packed slice.
template <class Scalar, class Device>
void fillCutOffsets(const Rectangle& cut, const PackedRowPlaces<Device>& rows, bool listed,
                    const PackedSlice<Scalar>& packed) {
  const auto entriesBefore = rows.entriesBefore;
  const auto listedBefore = rows.listedBefore;
  const long long rowCount = cut.rows();
  Kokkos::parallel_for(
      "Trident::fillCutOffsets", Range<Device>(0, rowCount + 1), TRIDENT_LAMBDA(long long r) {
        const bool nonEmpty = r < rowCount && entriesBefore(r + 1) > entriesBefore(r);
        const long long m = listed ? listedBefore(r) : r;
        // For r = rowCount, this writes the end of the last row.
        if (!listed || nonEmpty || r == rowCount) packed.setBegin(m, entriesBefore(r));
        if (nonEmpty) packed.setRow(m, static_cast<int>(r));
      });
}

template <class Scalar, class Device>
void fillCutOnHost(const LocalMatrix<Scalar, Device>& matrix, const Rectangle& cut,
                   const PackedRowPlaces<Device>& rows, const PackedSlice<Scalar>& packed) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto values = matrix.values;
  const auto entriesBefore = rows.entriesBefore;
  const Rectangle c = cut;
  Kokkos::parallel_for(
      "Trident::fillCut", Range<Device>(0, cut.rows()), TRIDENT_LAMBDA(long long r) {
        std::size_t to = entriesBefore(r);
        if (to == entriesBefore(r + 1)) return;
        for (std::size_t e = offsets(c.rowBegin + r); e < offsets(c.rowBegin + r + 1); ++e)
          if (c.hasColumn(columns(e))) packed.setEntry(to++, columns(e) - c.columnBegin, values(e));
      });
}

template <class Scalar, class Device>
void fillCut(const LocalMatrix<Scalar, Device>& matrix, const Rectangle& cut,
             const PackedRowPlaces<Device>& rows, const SliceShape& shape,
             const PackedSlice<Scalar>& packed) {
  fillCutOffsets(cut, rows, shape.listed != 0, packed);
  if constexpr (isHost<Device>) {
    fillCutOnHost(matrix, cut, rows, packed);
  } else {
    const FillCut<Scalar, Device> fill(RectangleKernel<Scalar, Device>{matrix, cut, rows}, packed);
    Kokkos::parallel_for("Trident::fillCut", fill.policy(), fill);
  }
}

/// Copies rectangles of a matrix to packed slices. Reads the rows for each rectangle anew. Local.
template <class Scalar, class Device>
CutSlices<Scalar, Device> cutSlices(const LocalMatrix<Scalar, Device>& matrix,
                                    const std::vector<Rectangle>& cuts) {
  int rows = 0;
  for (const Rectangle& cut : cuts) rows = std::max(rows, cut.rows());
  PackedRowPlaces<Device> work;
  work.entriesBefore = scratch<std::size_t, Device>("Trident::entriesBefore", rows + 1);
  work.listedBefore = scratch<int, Device>("Trident::listedBefore", rows + 1);

  std::vector<SliceShape> shapes;
  for (const Rectangle& cut : cuts) {
    countCut(matrix, cut, work);
    shapes.push_back(SliceShape::ofCut(cut.rows(), work.nonEmpty, work.entries, cut.columns()));
  }
  auto slices = slabsOfShapes<Scalar, Device>(std::move(shapes));
  for (std::size_t s = 0; s < cuts.size(); ++s) {
    if (slices.shapes[s].entries == 0) continue;
    if (cuts.size() > 1) countCut(matrix, cuts[s], work);
    fillCut(matrix, cuts[s], work, slices.shapes[s], slices.packed(s));
  }
  return slices;
}

/// Lists of rows of a matrix, for packRows(). Each list becomes a packed slice with the rows in the
/// order of the list. The selection depends only on the matrix's structure.
template <class Device>
struct RowSelection {
  Kokkos::View<int*, Device> rows;                   ///< rows of all lists, one after another
  std::vector<long long> begin;                      ///< start of each list in `rows`, then the end
  Kokkos::View<std::size_t*, Device> entriesBefore;  ///< entries before each row, then the total
  std::vector<SliceShape> shapes;                    ///< shapes of the packed slices
};

/// Functor that returns the offsets of a list's rows, for forRowEntries().
template <class Device>
struct OffsetsOfList {
  Kokkos::View<std::size_t*, Device> entriesBefore;
  long long firstRow;
  KOKKOS_INLINE_FUNCTION std::size_t operator()(long long m) const {
    return entriesBefore(firstRow + m);
  }
};

/// Writes the rows of the m-th list to its packed slice.
template <class Scalar, class Device>
void packList(const LocalMatrix<Scalar, Device>& matrix, const RowSelection<Device>& selection,
              std::size_t m, const PackedSlice<Scalar>& packed) {
  const auto rows = selection.rows;
  const auto entriesBefore = selection.entriesBefore;
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto values = matrix.values;
  const long long first = selection.begin[m], count = selection.begin[m + 1] - first;
  Kokkos::parallel_for(
      "Trident::packOffsets", Range<Device>(0, count + 1), TRIDENT_LAMBDA(long long r) {
        packed.setBegin(r, entriesBefore(first + r) - entriesBefore(first));
      });
  forRowEntries<Device>(
      "Trident::packRows", count, selection.shapes[m].entries,
      OffsetsOfList<Device>{entriesBefore, first}, TRIDENT_LAMBDA(long long r, std::size_t e) {
        const std::size_t from = offsets(rows(first + r)) + (e - entriesBefore(first + r));
        packed.setEntry(e - entriesBefore(first), columns(from), values(from));
      });
}

/// Prepares lists of rows for packRows(). Local.
/// @param begin start of each list in `rows`, and the end of the last
template <class Scalar, class Device>
RowSelection<Device> selectRows(const LocalMatrix<Scalar, Device>& matrix,
                                const std::vector<int>& rows, std::vector<long long> begin) {
  RowSelection<Device> selection;
  selection.rows = toDevice<int, Device>(rows);
  selection.entriesBefore =
      uninitialized<std::size_t, Device>("Trident::entriesBefore", rows.size() + 1);
  const auto listed = selection.rows;
  const auto counts = selection.entriesBefore;
  const auto offsets = matrix.graph.row_map;
  Kokkos::deep_copy(counts, std::size_t(0));
  if (matrix.nnz() > 0)
    Kokkos::parallel_for(
        "Trident::countSelected", Range<Device>(0, listed.extent(0)),
        TRIDENT_LAMBDA(long long r) { counts(r) = offsets(listed(r) + 1) - offsets(listed(r)); });
  countsToOffsets<std::size_t, Device>(counts);

  const auto deviceBegin = toDevice<long long, Device>(begin);
  const auto at = scratch<std::size_t, Device>("Trident::listBegin", begin.size());
  Kokkos::parallel_for(
      "Trident::listBegin", Range<Device>(0, at.extent(0)),
      TRIDENT_LAMBDA(long long m) { at(m) = counts(deviceBegin(m)); });
  const std::vector<std::size_t> entries = toHost<std::size_t, Device>(at);
  for (std::size_t m = 0; m + 1 < begin.size(); ++m)
    selection.shapes.push_back(
        SliceShape::ofRows(begin[m + 1] - begin[m],
                           static_cast<long long>(entries[m + 1] - entries[m]), matrix.numCols()));
  selection.begin = std::move(begin);
  return selection;
}

/// Copies each list's rows, with all columns, to a packed slice. Local; does not wait for kernels.
/// @param matrix the matrix that selectRows() got, or one of the same structure
template <class Scalar, class Device>
CutSlices<Scalar, Device> packRows(const LocalMatrix<Scalar, Device>& matrix,
                                   const RowSelection<Device>& selection) {
  CutSlices<Scalar, Device> slices = slabsOfShapes<Scalar, Device>(selection.shapes);
  for (std::size_t m = 0; m < slices.shapes.size(); ++m)
    if (slices.shapes[m].entries > 0) packList(matrix, selection, m, slices.packed(m));
  return slices;
}

}  // namespace Trident::Impl

#endif
