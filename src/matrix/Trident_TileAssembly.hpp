// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TILEASSEMBLY_HPP
#define TRIDENT_TILEASSEMBLY_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_PackedSlice.hpp"
#include "matrix/Trident_RowLoops.hpp"

namespace Trident::Impl {

/// CSR arrays of a tile. Several ranks or rounds write the arrays, each a range of rows. Raw
/// pointers, because the λ ranks of a node may share the memory.
template <class Scalar>
struct TileCsr {
  std::size_t* offsets;
  int* columns;
  Scalar* values;
};

/// Place of a range of rows in TileCsr.
struct PlaceInTile {
  long long rowBegin;
  int rows;
  std::size_t entryBegin;
};

template <class Scalar, class Device>
void writeRowsOnHost(const LocalMatrix<Scalar, Device>& matrix, int firstRow,
                     const PlaceInTile& block, const TileCsr<Scalar>& tile) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto values = matrix.values;
  const PlaceInTile p = block;
  const TileCsr<Scalar> t = tile;
  Kokkos::parallel_for(
      "Trident::writeRows", Range<Device>(0, p.rows), TRIDENT_LAMBDA(long long r) {
        const std::size_t first = offsets(firstRow), begin = offsets(firstRow + r);
        t.offsets[p.rowBegin + r] = p.entryBegin + (begin - first);
        for (std::size_t e = begin; e < offsets(firstRow + r + 1); ++e) {
          t.columns[p.entryBegin + (e - first)] = columns(e);
          t.values[p.entryBegin + (e - first)] = values(e);
        }
      });
}

/// Functor that returns a matrix's offsets from row firstRow on, for forRowEntries().
template <class Offsets>
struct OffsetsFrom {
  Offsets offsets;
  int firstRow;
  KOKKOS_INLINE_FUNCTION std::size_t operator()(long long r) const { return offsets(firstRow + r); }
};

/// Writes rows as writeRows() does, with several threads on each row.
template <class Scalar, class Device>
void writeRowsOnDevice(const LocalMatrix<Scalar, Device>& matrix, int firstRow,
                       const PlaceInTile& block, const TileCsr<Scalar>& tile) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto values = matrix.values;
  const PlaceInTile p = block;
  const TileCsr<Scalar> t = tile;
  if (p.rows == 0) return;
  Kokkos::parallel_for(
      "Trident::writeOffsets", Range<Device>(0, p.rows), TRIDENT_LAMBDA(long long r) {
        t.offsets[p.rowBegin + r] = p.entryBegin + (offsets(firstRow + r) - offsets(firstRow));
      });
  // The mean length of all rows decides how many threads share a row. To learn the mean of the
  // block's rows, the host would have to wait for the device.
  const double share = static_cast<double>(p.rows) / matrix.numRows();
  forRowEntries<Device>(
      "Trident::writeRows", p.rows, 1 + static_cast<long long>(matrix.nnz() * share),
      OffsetsFrom<decltype(matrix.graph.row_map)>{offsets, firstRow},
      TRIDENT_LAMBDA(long long, std::size_t e) {
        const std::size_t to = p.entryBegin + (e - offsets(firstRow));
        t.columns[to] = columns(e);
        t.values[to] = values(e);
      });
}

/// Writes rows [firstRow, firstRow + block.rows) of a matrix to their block of a tile. The caller
/// writes the tile's last offset. Local.
template <class Scalar, class Device>
void writeRows(const LocalMatrix<Scalar, Device>& matrix, int firstRow, const PlaceInTile& block,
               const TileCsr<Scalar>& tile) {
  if constexpr (isHost<Device>)
    writeRowsOnHost(matrix, firstRow, block, tile);
  else
    writeRowsOnDevice(matrix, firstRow, block, tile);
}

/// A packed slice of A, and the slice's first column in the joined A of a batch.
template <class Scalar>
struct PackedColumns {
  PackedSlice<Scalar> packed;
  int columnBegin;
};

/// Functor that returns a packed slice's offsets, for forRowEntries().
template <class Scalar>
struct PackedOffsets {
  PackedSlice<Scalar> packed;
  KOKKOS_INLINE_FUNCTION std::size_t operator()(long long m) const { return packed.begin(m); }
};

/// Appends the entries of a packed slice to rows. cursor(r) is the place of row r's next entry;
/// this function advances the cursor.
template <class Scalar, class Device>
void appendOnHost(const PackedColumns<Scalar>& part, const CrsArrays<Scalar, Device>& to,
                  const Kokkos::View<std::size_t*, Device>& cursor) {
  const PackedSlice<Scalar> packed = part.packed;
  const int columnBegin = part.columnBegin;
  const auto toColumns = to.columns;
  const auto toValues = to.values;
  Kokkos::parallel_for(
      "Trident::fillRows", Range<Device>(0, packed.rows()), TRIDENT_LAMBDA(long long m) {
        std::size_t at = cursor(packed.row(m));
        for (std::size_t e = packed.begin(m); e < packed.end(m); ++e, ++at) {
          toColumns(at) = columnBegin + packed.column(e);
          toValues(at) = packed.value(e);
        }
        cursor(packed.row(m)) = at;
      });
}

/// Appends entries as appendOnHost() does, with several threads on each row.
template <class Scalar, class Device>
void appendOnDevice(const PackedColumns<Scalar>& part, const CrsArrays<Scalar, Device>& to,
                    const Kokkos::View<std::size_t*, Device>& cursor) {
  const PackedSlice<Scalar> packed = part.packed;
  const int columnBegin = part.columnBegin;
  const auto toColumns = to.columns;
  const auto toValues = to.values;
  forRowEntries<Device>(
      "Trident::fillRows", packed.rows(), packed.entries(), PackedOffsets<Scalar>{packed},
      TRIDENT_LAMBDA(long long m, std::size_t e) {
        const std::size_t at = cursor(packed.row(m)) + (e - packed.begin(m));
        toColumns(at) = columnBegin + packed.column(e);
        toValues(at) = packed.value(e);
      });
  Kokkos::parallel_for(
      "Trident::moveCursors", Range<Device>(0, packed.rows()),
      TRIDENT_LAMBDA(long long m) { cursor(packed.row(m)) += packed.end(m) - packed.begin(m); });
}

/// Joins packed slices side by side into one matrix. The result's rows are sorted if the rows of
/// each slice are sorted and the slices are given in the order of their columns. Local.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> concatenateColumns(
    const std::vector<PackedColumns<Scalar>>& packedSlices, int rows, int columns) {
  const Kokkos::View<std::size_t*, Device> offsets("Trident::offsets", rows + 1);
  for (const PackedColumns<Scalar>& part : packedSlices) {
    const PackedSlice<Scalar> packed = part.packed;
    Kokkos::parallel_for(
        "Trident::countRows", Range<Device>(0, packed.rows()),
        TRIDENT_LAMBDA(long long m) { offsets(packed.row(m)) += packed.end(m) - packed.begin(m); });
  }
  const auto to = arraysForCounts<Scalar, Device>(offsets);

  const auto cursor = uninitialized<std::size_t, Device>("Trident::cursor", rows + 1);
  Kokkos::deep_copy(cursor, offsets);
  for (const PackedColumns<Scalar>& part : packedSlices) {
    if constexpr (isHost<Device>)
      appendOnHost(part, to, cursor);
    else
      appendOnDevice(part, to, cursor);
  }
  return to.matrix(columns);
}

template <class Scalar, class Device>
void writePackedOnHost(const PackedSlice<Scalar>& packed, const PlaceInTile& block,
                       const TileCsr<Scalar>& tile) {
  const long long stored = packed.rows();
  const PlaceInTile p = block;
  const TileCsr<Scalar> t = tile;
  Kokkos::parallel_for(
      "Trident::writePacked", Range<Device>(0, stored + 1), TRIDENT_LAMBDA(long long m) {
        // Rows that are not stored are empty: they begin where the next stored row begins.
        const int from = m == 0 ? 0 : packed.row(m - 1) + 1;
        const int to = m == stored ? p.rows - 1 : packed.row(m);
        const std::size_t begin = p.entryBegin + (stored == 0 ? 0 : packed.begin(m));
        for (int r = from; r <= to; ++r) t.offsets[p.rowBegin + r] = begin;
        if (m == stored) return;
        for (std::size_t e = packed.begin(m); e < packed.end(m); ++e) {
          t.columns[p.entryBegin + e] = packed.column(e);
          t.values[p.entryBegin + e] = packed.value(e);
        }
      });
}

/// Writes a packed slice by two kernels. First, a thread for each row of the block finds the row's
/// offset. Then a thread for each entry copies the entry. Entries keep their order.
template <class Scalar, class Device>
void writePackedOnDevice(const PackedSlice<Scalar>& packed, const PlaceInTile& block,
                         const TileCsr<Scalar>& tile) {
  const long long stored = packed.rows();
  const PlaceInTile p = block;
  const TileCsr<Scalar> t = tile;
  Kokkos::parallel_for(
      "Trident::writeOffsets", Range<Device>(0, p.rows), TRIDENT_LAMBDA(long long r) {
        // Rows that are not stored are empty: they begin where the next stored row begins.
        long long low = 0, high = stored;
        while (low < high) {
          const long long middle = (low + high) / 2;
          if (packed.row(middle) < r)
            low = middle + 1;
          else
            high = middle;
        }
        t.offsets[p.rowBegin + r] = p.entryBegin + (stored == 0 ? 0 : packed.begin(low));
      });
  Kokkos::parallel_for(
      "Trident::writePacked", Range<Device>(0, packed.entries()), TRIDENT_LAMBDA(long long e) {
        t.columns[p.entryBegin + e] = packed.column(e);
        t.values[p.entryBegin + e] = packed.value(e);
      });
}

/// Writes the offsets and the entries of a packed slice to the slice's block of a tile. The caller
/// writes the tile's last offset. Local.
template <class Scalar, class Device>
void writePacked(const PackedSlice<Scalar>& packed, const PlaceInTile& block,
                 const TileCsr<Scalar>& tile) {
  if constexpr (isHost<Device>)
    writePackedOnHost<Scalar, Device>(packed, block, tile);
  else
    writePackedOnDevice<Scalar, Device>(packed, block, tile);
}

}  // namespace Trident::Impl

#endif
