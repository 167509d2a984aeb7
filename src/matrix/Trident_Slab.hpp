// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLAB_HPP
#define TRIDENT_SLAB_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "grid/Trident_SliceShape.hpp"

namespace Trident::Impl {

/// A slice in its wire form: the arrays of a CSR slice inside one contiguous allocation, laid out
/// as SliceShape says. A view: it owns nothing.
template <class Scalar>
class Slab {
 public:
  Slab() = default;
  Slab(char* base, const SliceShape& shape)
      : values_(reinterpret_cast<Scalar*>(base + shape.valuesAt())),
        offsets_(base + shape.offsetsAt(sizeof(Scalar))),
        rowList_(reinterpret_cast<int*>(base + shape.rowListAt(sizeof(Scalar)))),
        columns_(base + shape.columnsAt(sizeof(Scalar))),
        rows_(shape.entries ? shape.rows : 0),
        entries_(shape.entries),
        wide_(shape.wideOffsets()),
        listed_(shape.listed != 0),
        narrow_(shape.narrow != 0) {}

  /// Rows stored; none where the slice is empty, whatever its shape.
  KOKKOS_INLINE_FUNCTION long long rows() const { return rows_; }
  KOKKOS_INLINE_FUNCTION long long entries() const { return entries_; }
  /// The slice's row that is stored m-th.
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

}  // namespace Trident::Impl

#endif
