// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTPRODUCT_HPP
#define TRIDENT_HOSTPRODUCT_HPP

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "Trident_HostCsr.hpp"
#include "Trident_HostWorkspaces.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_RowFormer.hpp"
#include "Trident_RowParts.hpp"

namespace Trident::Impl {

/// Work on a host's rows that is cut in pieces, so that something else gets its turn between them.
struct Interruption {
  long long rowsAtOnce = 0;  ///< 0: all
  std::function<void()> between;
};

template <class Scalar, class Device>
struct CountProductsOfRow {
  HostCsr<Scalar> A, B;
  Kokkos::View<std::size_t*, Device> products;

  void operator()(long long r) const { products(r) = countRowProducts(A, B, r); }
};

/// Forms the next rows of a part, as many as are asked for or as its arrays have room for.
template <class Scalar, class Device>
struct FormPart {
  HostCsr<Scalar> A, B;
  HostWorkspaces<RowFormer<Scalar>, Device> formers;
  RowPart<Scalar, Device>* parts;
  const std::size_t* before;  ///< products of the rows before each
  std::size_t* counts;        ///< of C's rows
  long long rowsAtOnce;

  void operator()(long long p) const {
    RowPart<Scalar, Device>& part = parts[p];
    const long long end = std::min(part.end, part.next + rowsAtOnce);
    int* const columns = part.columns.data();
    Scalar* const values = part.values.data();
    formers.use([&](RowFormer<Scalar>& former) {
      for (; part.next < end; ++part.next) {
        const std::size_t products = before[part.next + 1] - before[part.next];
        const long long entries = former.form(A, B, part.next, products, part.room(),
                                              columns + part.used, values + part.used);
        part.full = entries < 0;
        if (part.full) return;
        counts[part.next] = static_cast<std::size_t>(entries);
        part.used += static_cast<std::size_t>(entries);
      }
    });
  }
};

template <class Scalar, class Device>
struct CopyPart {
  const RowPart<Scalar, Device>* parts;
  CrsArrays<Scalar, Device> to;

  void operator()(long long p) const {
    const RowPart<Scalar, Device>& part = parts[p];
    const std::size_t first = to.offsets(part.begin);
    std::copy_n(part.columns.data(), part.used, to.columns.data() + first);
    std::copy_n(part.values.data(), part.used, to.values.data() + first);
  }
};

/// One product on a host, in one pass: rows are formed where they are to lie, in arrays of the size
/// that a sample of the rows makes expect. Where there are several threads, each has parts of the
/// rows, of about equal products, which are put together at the end.
template <class Scalar, class Device>
class OnePassProduct {
  using Matrix = LocalMatrix<Scalar, Device>;
  using Part = RowPart<Scalar, Device>;

 public:
  OnePassProduct(const Matrix& A, const Matrix& B, const Interruption& interruption)
      : A_(A),
        B_(B),
        rows_(A.numRows()),
        columns_(B.numCols()),
        interruption_(interruption),
        threads_(Device::execution_space::concurrency()),
        formers_(columns_),
        counts_(uninitialized<std::size_t, Device>("Trident::offsets", rows_ + 1)) {}

  Matrix run() {
    const auto before = uninitialized<std::size_t, Device>("Trident::productsBefore", rows_ + 1);
    Kokkos::parallel_for("Trident::countProducts", Range<Device>(0, rows_),
                         CountProductsOfRow<Scalar, Device>{A_, B_, before});
    countsToOffsets<std::size_t, Device>(before);
    // Several parts a thread, as parts of equal products need not take equal time.
    parts_ = cutRows<Scalar, Device>(before, threads_ == 1 ? 1 : 4 * threads_);
    reserve(before);
    while (form(before)) grow(before);
    const std::size_t entries = countsToOffsets<std::size_t, Device>(counts_);
    return parts_.size() == 1 ? wholePart(entries) : joinParts(entries);
  }

 private:
  template <class Work>
  void forParts(const char* label, long long begin, long long end, const Work& work) const {
    DynamicRange<Device> range(begin, end);
    range.set_chunk_size(1);
    Kokkos::parallel_for(label, range, work);
  }

  /// Room for the entries that a sample of the rows makes expect, and a little more.
  void reserve(const Kokkos::View<std::size_t*, Device>& before) {
    const double ratio = entriesPerProduct(before);
    const double more = parts_.size() == 1 ? 1.125 : 1.5;  // a part may be unlike the sample
    for (Part& part : parts_) {
      const std::size_t products = before(part.end) - before(part.begin);
      part.reserve(std::min(products, static_cast<std::size_t>(products * ratio * more) + 4096));
    }
  }

  /// Entries of C for each multiply-add, of every so many rows.
  double entriesPerProduct(const Kokkos::View<std::size_t*, Device>& before) const {
    constexpr std::size_t few = 1 << 22;  // products that are not worth a sample: 50 MB of doubles
    if (before(rows_) <= few) return 1;
    const long long step = std::max<long long>(64, rows_ / 4096);
    constexpr std::size_t room = 1 << 16;
    std::vector<int> columns(room);
    std::vector<Scalar> values(room);
    double products = 0, entries = 0;
    formers_.use([&](RowFormer<Scalar>& former) {
      for (long long r = step / 2; r < rows_; r += step) {
        const std::size_t ofRow = before(r + 1) - before(r);
        const long long found = former.form(A_, B_, r, ofRow, room, columns.data(), values.data());
        products += ofRow;
        entries += found < 0 ? std::min<std::size_t>(ofRow, columns_) : found;
      }
    });
    return products > 0 ? entries / products : 1;
  }

  /// Forms rows until all are formed, or a part is full; whether one is.
  bool form(const Kokkos::View<std::size_t*, Device>& before) {
    const long long parts = static_cast<long long>(parts_.size());
    const long long atOnce =
        interruption_.rowsAtOnce > 0 ? std::max(1ll, interruption_.rowsAtOnce / parts) : rows_;
    for (;;) {
      forParts("Trident::formRows", 0, parts,
               FormPart<Scalar, Device>{A_, B_, formers_, parts_.data(), before.data(),
                                        counts_.data(), atOnce});
      bool full = false, done = true;
      for (const Part& part : parts_) {
        full |= part.full;
        done &= part.next == part.end;
      }
      if (full || done) return full;
      interruption_.between();
    }
  }

  /// Gives full parts room for what is expected by now, at least for their next row.
  void grow(const Kokkos::View<std::size_t*, Device>& before) {
    for (Part& part : parts_) {
      if (!part.full) continue;
      const std::size_t first = before(part.begin), done = before(part.next) - first;
      const std::size_t next = before(part.next + 1) - before(part.next);
      const double ratio = done > 0 ? static_cast<double>(part.used) / done : 1;
      const std::size_t expected =
          static_cast<std::size_t>((before(part.end) - first) * ratio * 1.125);
      part.reserve(std::max(expected, part.used + std::min<std::size_t>(next, columns_)));
    }
  }

  Matrix wholePart(std::size_t entries) const {
    const std::pair<std::size_t, std::size_t> used(0, entries);
    return CrsArrays<Scalar, Device>{counts_, Kokkos::subview(parts_[0].columns, used),
                                     Kokkos::subview(parts_[0].values, used)}
        .matrix(columns_);
  }

  /// All parts in one; each is freed soon after it was copied.
  Matrix joinParts(std::size_t entries) {
    const CrsArrays<Scalar, Device> C{counts_,
                                      uninitialized<int, Device>("Trident::columns", entries),
                                      uninitialized<Scalar, Device>("Trident::values", entries)};
    const long long parts = static_cast<long long>(parts_.size());
    for (long long begin = 0; begin < parts; begin += threads_) {
      const long long end = std::min<long long>(parts, begin + threads_);
      forParts("Trident::joinParts", begin, end, CopyPart<Scalar, Device>{parts_.data(), C});
      for (long long p = begin; p < end; ++p) parts_[p] = Part();
    }
    return C.matrix(columns_);
  }

  HostCsr<Scalar> A_, B_;
  long long rows_;
  int columns_;
  const Interruption& interruption_;
  int threads_;
  HostWorkspaces<RowFormer<Scalar>, Device> formers_;
  Kokkos::View<std::size_t*, Device> counts_;  // of C's rows; then its offsets
  std::vector<Part> parts_;
};

/// C = A·B on a host by Gustavson's algorithm, rows sorted. Structure does not depend on values;
/// sums are in the order of A's entries, however many threads there are. Local. doc/algorithm.md
/// has it beside KokkosKernels' products.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> hostProduct(const LocalMatrix<Scalar, Device>& A,
                                        const LocalMatrix<Scalar, Device>& B,
                                        const Interruption& interruption = {}) {
  static_assert(isHost<Device>, "this product runs on hosts");
  return OnePassProduct<Scalar, Device>(A, B, interruption).run();
}

}  // namespace Trident::Impl

#endif
