// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MASKEDHOSTPRODUCT_HPP
#define TRIDENT_MASKEDHOSTPRODUCT_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_HostProduct.hpp"
#include "kernels/host/Trident_RowAccumulators.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"

// A·B on a host, within a mask or outside of it. A thread marks the columns of the mask's row. Then
// it adds only the terms in marked columns, or only the terms in unmarked columns.

namespace Trident::Impl {

/// A mask in a host's memory, for loops that must not pay for Views.
struct HostMask {
  const std::size_t* offsets;
  const int* columns;
  bool complement;

  template <class Device>
  explicit HostMask(const LocalMask<Device>& mask)
      : offsets(mask.offsets.data()), columns(mask.columns.data()), complement(mask.complement) {}

  std::size_t length(long long r) const { return offsets[r + 1] - offsets[r]; }
  const int* row(long long r) const { return columns + offsets[r]; }
};

/// A maker of rows within a mask. Each entry of the mask's row has a slot for its sum. A table has
/// the slot of each column. The mask's columns ascend, so the columns of formed rows ascend, too.
/// Sums are in the order of A's entries. For one thread. Takes memory only when it is made.
template <class Scalar, class Semiring>
class WithinFormer {
 public:
  /// @param columns number of B's columns
  explicit WithinFormer(int columns)
      : slots_(columns, 0), found_(columns), sums_(new Scalar[columns]) {}

  /// Writes row r, and returns the number of its entries.
  std::size_t form(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, const HostMask& mask,
                   long long r, int* columns, Scalar* values) {
    const int length = static_cast<int>(mask.length(r));
    const int* const inMask = mask.row(r);
    int* const slots = slots_.data();
    char* const found = found_.data();
    Scalar* const sums = sums_.get();
    for (int m = 0; m < length; ++m) {
      slots[inMask[m]] = m + 1;
      found[m] = 0;
      sums[m] = Semiring::zero();
    }
    forEachMultiplyAdd<Semiring>(A, B, r, [=](int column, const Scalar& product) {
      const int m = slots[column] - 1;
      if (m < 0) return;
      sums[m] = Semiring::plus(sums[m], product);
      found[m] = 1;
    });
    std::size_t entries = 0;
    for (int m = 0; m < length; ++m) {
      slots[inMask[m]] = 0;
      if (!found[m]) continue;
      columns[entries] = inMask[m];
      values[entries++] = sums[m];
    }
    return entries;
  }

 private:
  std::vector<int> slots_;          // slot + 1 of each column in the mask's row, 0 of other columns
  std::vector<char> found_;         // true for each slot that has a term
  std::unique_ptr<Scalar[]> sums_;  // sum of each slot
};

/// A maker of rows outside of a mask. Columns ascend. Sums are in the order of A's entries. For one
/// thread. Takes memory only when it is made.
template <class Scalar, class Semiring>
class OutsideFormer {
 public:
  /// @param columns number of B's columns
  explicit OutsideFormer(int columns) : sums_(columns), lastRow_(columns, -1) {}

  /// Writes row r, and returns the number of its entries. All calls must pass the same mask,
  /// because the marks of its columns are never removed.
  std::size_t form(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, const HostMask& mask,
                   long long r, int* columns, Scalar* values) {
    const int row = static_cast<int>(r);
    int* const lastRow = lastRow_.data();
    for (std::size_t m = 0; m < mask.length(r); ++m) lastRow[mask.row(r)[m]] = row;
    forEachMultiplyAdd<Semiring>(A, B, r, [&](int column, const Scalar& product) {
      if (lastRow[column] != row) sums_.add(column, product);
    });
    return sums_.take(columns, values).entries;
  }

 private:
  ColumnSums<Scalar, Semiring> sums_;
  std::vector<int> lastRow_;  // last row whose mask has the column; one for each column
};

/// A functor that copies an entry of `roomy` to `tight`, whose rows have no gaps between them.
template <class Scalar, class Device>
struct CopyFromRoom {
  CrsArrays<Scalar, Device> roomy, tight;

  KOKKOS_INLINE_FUNCTION void operator()(long long r, std::size_t e) const {
    const std::size_t from = roomy.offsets(r) + (e - tight.offsets(r));
    tight.columns(e) = roomy.columns(from);
    tight.values(e) = roomy.values(from);
  }
};

/// Returns rows without gaps. In `roomy`, row r fills only the first entries(r) slots of its room.
template <class Scalar, class Device>
CrsArrays<Scalar, Device> withoutGaps(const CrsArrays<Scalar, Device>& roomy,
                                      const Kokkos::View<std::size_t*, Device>& entries) {
  const auto tight = arraysForCounts<Scalar, Device>(entries);
  if (tight.columns.extent(0) == roomy.columns.extent(0)) return roomy;
  forRowEntries<Device>("Trident::withoutGaps", static_cast<long long>(entries.extent(0)) - 1,
                        static_cast<long long>(tight.columns.extent(0)), tight.offsets,
                        CopyFromRoom<Scalar, Device>{roomy, tight});
  return tight;
}

template <class Former, class Scalar, class Device>
CountedProduct<Scalar, Device> maskedProductBy(const LocalMatrix<Scalar, Device>& A,
                                               const LocalMatrix<Scalar, Device>& B,
                                               const LocalMask<Device>& mask,
                                               const ProgressHook& progressHook) {
  const HostOperands<Scalar, Device, Former> operands(A, B);
  const HostMask hostMask(mask);
  countMultiplyAdds(operands);
  const auto room = uninitialized<std::size_t, Device>("Trident::offsets", A.numRows() + 1);
  const HostWorkspaces<RowCounter, Device> counters(mask.complement ? B.numCols() : 0);
  // Within a mask, a row has room for the mask's entries or its multiply-adds, whichever are fewer.
  // Outside of a mask, a row has room for its entries, which are counted.
  forRows("Trident::roomOfRows", operands, progressHook, [=](long long r, int) {
    if (!hostMask.complement)
      room(r) = std::min(hostMask.length(r), operands.multiplyAdds(r));
    else
      counters.use([&](RowCounter& counter) {
        counter.leaveOut(hostMask.row(r), hostMask.length(r), r);
        room(r) = counter.count(operands.factors.left, operands.factors.tile, r, r);
      });
  });
  const auto roomy = arraysForCounts<Scalar, Device>(room);
  const auto entries = uninitialized<std::size_t, Device>("Trident::offsets", A.numRows() + 1);
  forRows("Trident::formMaskedRows", operands, progressHook, [=](long long r, int) {
    const std::size_t begin = roomy.offsets(r);
    entries(r) = 0;
    if (roomy.offsets(r + 1) == begin) return;
    operands.formers.use([&](Former& former) {
      entries(r) = former.form(operands.factors.left, operands.factors.tile, hostMask, r,
                               roomy.columns.data() + begin, roomy.values.data() + begin);
    });
  });
  return {withoutGaps(roomy, entries).matrix(B.numCols()),
          static_cast<long long>(operands.before(operands.rows))};
}

/// Forms the entries of A·B that a mask allows, as hostProduct() forms them. Within a mask, a row
/// takes memory for the mask's entries or its multiply-adds, whichever are fewer. Local.
template <class Semiring, class Scalar, class Device>
CountedProduct<Scalar, Device> maskedHostProduct(const LocalMatrix<Scalar, Device>& A,
                                                 const LocalMatrix<Scalar, Device>& B,
                                                 const LocalMask<Device>& mask,
                                                 const ProgressHook& progressHook = {}) {
  static_assert(isHost<Device>, "this product runs on hosts");
  return mask.complement
             ? maskedProductBy<OutsideFormer<Scalar, Semiring>>(A, B, mask, progressHook)
             : maskedProductBy<WithinFormer<Scalar, Semiring>>(A, B, mask, progressHook);
}

}  // namespace Trident::Impl

#endif
