// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTPRODUCT_HPP
#define TRIDENT_HOSTPRODUCT_HPP

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "Trident_HostWorkspaces.hpp"
#include "Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Work on a host's rows that is cut in pieces, so that something else gets its turn between them.
struct Interruption {
  long long rowsAtOnce = 0;  ///< 0: all
  std::function<void()> between;
};

/// What a thread knows of each column of the tile: the last row that met it, or its last entry.
/// Narrow where that suffices, so that the slots of a tile stay in cache longer.
template <class Slot>
struct ColumnSlots {
  explicit ColumnSlots(int columns) : slot(columns, -1) {}
  std::vector<Slot> slot;
};

/// Loops over the products of row r of A·B: visit(entry of A, entry of B). On unstructured matrices
/// every row of B is a cache miss, so rows ahead are prefetched.
template <class Matrix, class Visit>
void forEachProduct(const Matrix& A, const Matrix& B, long long r, bool withValues, Visit&& visit) {
  constexpr std::size_t near = 4, far = 8;
  const std::size_t* const offsets = B.graph.row_map.data();
  const int* const columns = B.graph.entries.data();
  const int* const inner = A.graph.entries.data();
  const std::size_t last = A.nnz();
  for (std::size_t a = A.graph.row_map(r); a < A.graph.row_map(r + 1); ++a) {
    if (a + far < last) __builtin_prefetch(offsets + inner[a + far]);
    if (a + near < last) {
      const std::size_t b = offsets[inner[a + near]];
      __builtin_prefetch(columns + b);
      if (withValues) {
        __builtin_prefetch(B.values.data() + b);
        __builtin_prefetch(B.values.data() + b + 64 / sizeof(B.values(0)));
      }
    }
    for (std::size_t b = offsets[inner[a]]; b < offsets[inner[a] + 1]; ++b) visit(a, b);
  }
}

template <class Scalar, class Device>
struct CountProductRow {
  LocalMatrix<Scalar, Device> A, B;
  HostWorkspaces<ColumnSlots<int>, Device> workspaces;
  Kokkos::View<std::size_t*, Device> counts;

  void operator()(long long r) const {
    workspaces.use([&](ColumnSlots<int>& seen) {
      std::size_t count = 0;
      const int row = static_cast<int>(r);
      int* const slot = seen.slot.data();
      const int* const columns = B.graph.entries.data();
      forEachProduct(A, B, r, false, [&](std::size_t, std::size_t b) {
        count += slot[columns[b]] != row;
        slot[columns[b]] = row;
      });
      counts(r) = count;
    });
  }
};

template <class Slot, class Scalar, class Device>
struct ComputeProductRow {
  LocalMatrix<Scalar, Device> A, B;
  HostWorkspaces<ColumnSlots<Slot>, Device> workspaces;
  CrsArrays<Scalar, Device> C;

  void operator()(long long r) const {
    workspaces.use([&](ColumnSlots<Slot>& seen) {
      // A slot outside [begin, end) is of another row, or none.
      const Slot begin = static_cast<Slot>(C.offsets(r));
      Slot end = begin;
      Slot* const slot = seen.slot.data();
      const int* const columns = B.graph.entries.data();
      const Scalar* const valuesA = A.values.data();
      const Scalar* const valuesB = B.values.data();
      int* const columnsC = C.columns.data();
      Scalar* const valuesC = C.values.data();
      forEachProduct(A, B, r, true, [&](std::size_t a, std::size_t b) {
        const int column = columns[b];
        const Scalar product = valuesA[a] * valuesB[b];
        if (slot[column] < begin || slot[column] >= end) {
          slot[column] = end;
          columnsC[end] = column;
          valuesC[end++] = product;
        } else {
          valuesC[slot[column]] += product;
        }
      });
    });
  }
};

/// Runs `rowWork` for all rows, `rowsAtOnce` in one kernel, and `between` between the kernels.
template <class Device, class RowWork>
void forRows(const char* label, long long rows, const Interruption& interruption,
             const RowWork& rowWork) {
  const long long atOnce = interruption.rowsAtOnce > 0 ? interruption.rowsAtOnce : rows;
  for (long long begin = 0; begin < rows; begin += atOnce) {
    if (begin > 0) interruption.between();
    Kokkos::parallel_for(label, Range<Device>(begin, std::min(rows, begin + atOnce)), rowWork);
  }
}

template <class Slot, class Scalar, class Device>
void computeProduct(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
                    const CrsArrays<Scalar, Device>& C, const Interruption& interruption) {
  const HostWorkspaces<ColumnSlots<Slot>, Device> workspaces(B.numCols());
  forRows<Device>("Trident::computeProductRows", A.numRows(), interruption,
                  ComputeProductRow<Slot, Scalar, Device>{A, B, workspaces, C});
}

/// C = A·B on a host by Gustavson's algorithm with a dense row of slots, rows not sorted. Structure
/// does not depend on values. Local. doc/algorithm.md has it beside KokkosKernels' products.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> hostProduct(const LocalMatrix<Scalar, Device>& A,
                                        const LocalMatrix<Scalar, Device>& B,
                                        const Interruption& interruption = {}) {
  static_assert(isHost<Device>, "this product runs on hosts");
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", A.numRows() + 1);
  {
    const HostWorkspaces<ColumnSlots<int>, Device> workspaces(B.numCols());
    forRows<Device>("Trident::countProductRows", A.numRows(), interruption,
                    CountProductRow<Scalar, Device>{A, B, workspaces, counts});
  }
  const auto C = arraysForCounts<Scalar, Device>(counts);
  if (C.columns.extent(0) < static_cast<std::size_t>(std::numeric_limits<int>::max()))
    computeProduct<int>(A, B, C, interruption);
  else
    computeProduct<long long>(A, B, C, interruption);
  return C.matrix(B.numCols());
}

}  // namespace Trident::Impl

#endif
