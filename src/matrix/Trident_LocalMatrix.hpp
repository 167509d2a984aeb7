// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LOCALMATRIX_HPP
#define TRIDENT_LOCALMATRIX_HPP

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Memory.hpp"
#include "base/Trident_Types.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_ScratchArrays.hpp"

namespace Trident::Impl {

/// A rank's part of a matrix on its device. Local indices are `int`, offsets `size_t`.
template <class Scalar, class Device>
using LocalMatrix = KokkosSparse::CrsMatrix<Scalar, int, Device, void, std::size_t>;

/// Range of a loop over rows or entries; 64-bit, as a rank may hold more than 2^31 entries.
template <class Device>
using Range = Kokkos::RangePolicy<typename Device::execution_space, Kokkos::IndexType<long long>>;

/// Returns the range [1, count), for loops that also look at the element before. If count is 0, the
/// range is empty, because Kokkos 5 ends a program whose range ends before its begin.
template <class Device>
Range<Device> afterFirst(long long count) {
  return Range<Device>(1, count > 1 ? count : 1);
}

/// A Range for rows that differ in work. On a host, a thread that has finished takes the next rows.
template <class Device>
using DynamicRange =
    Kokkos::RangePolicy<typename Device::execution_space, Kokkos::Schedule<Kokkos::Dynamic>,
                        Kokkos::IndexType<long long>>;

/// Makes a labelled array without setting its elements.
template <class T, class Device>
Kokkos::View<T*, Device> uninitialized(const std::string& label, std::size_t size) {
  const auto allocate = [&] {
    return Kokkos::View<T*, Device>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), size);
  };
  const Kokkos::View<T*, Device> array = allocateForSure(allocate);
  if constexpr (Kokkos::SpaceAccessibility<
                    Kokkos::HostSpace, typename Kokkos::View<T*, Device>::memory_space>::accessible)
    adviseHugePages(array.data(), size * sizeof(T));
  return array;
}

/// Makes an array for use inside of a call. Its elements are not set. Once no View holds the array,
/// a later scratch array takes over its memory, because memory from the system takes longer than
/// most kernels. Kernels that still use the old array are safe, because later kernels run after
/// them. Copies and messages are safe only if they run in the order of the kernels, too. Arrays of
/// a Tpetra matrix must not come from here, because Tpetra counts who holds its arrays.
template <class T, class Device>
Kokkos::View<T*, Device> scratch(const std::string& label, std::size_t size) {
  if (isWorthABlock<Device>(size * sizeof(T)))
    return ScratchBlocks<T, Device>::ofProcess().lend(size);
  return uninitialized<T, Device>(label, size);
}
/// Makes a scratch() array of zeros.
template <class T, class Device>
Kokkos::View<T*, Device> zeroScratch(const std::string& label, std::size_t size) {
  const auto zeros = scratch<T, Device>(label, size);
  Kokkos::deep_copy(typename Device::execution_space(), zeros, T(0));
  return zeros;
}

/// Copies numbers from the host to a scratch() array.
template <class T, class Device>
Kokkos::View<T*, Device> toDevice(const std::vector<T>& host) {
  const auto device = scratch<T, Device>("Trident::fromHost", host.size());
  const Kokkos::View<const T*, Kokkos::HostSpace> from(host.data(), host.size());
  if (isCuda<Device> && !readsPageableLate())
    Kokkos::deep_copy(typename Device::execution_space(), device, from);
  else
    Kokkos::deep_copy(device, from);
  return device;
}

/// Copies numbers from a device to the host.
template <class T, class Device>
std::vector<T> toHost(const Kokkos::View<T*, Device>& numbers) {
  std::vector<T> host(numbers.extent(0));
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace>(host.data(), host.size()), numbers);
  return host;
}

/// Arrays of a matrix that is being built. The lengths of its rows are known.
template <class Scalar, class Device>
struct CrsArrays {
  Kokkos::View<const std::size_t*, Device> offsets;  ///< rows + 1 offsets
  Kokkos::View<int*, Device> columns;
  Kokkos::View<Scalar*, Device> values;

  LocalMatrix<Scalar, Device> matrix(int numColumns) const {
    const int rows = static_cast<int>(offsets.extent(0)) - 1;
    return LocalMatrix<Scalar, Device>("Trident::matrix", rows, numColumns, columns.extent(0),
                                       values, offsets, columns);
  }
};

/// Kernel that replaces each count by the sum of all earlier counts, for Kokkos::parallel_scan().
template <class T, class Device>
struct SumsBefore {
  using value_type = T;
  Kokkos::View<T*, Device> counts;
  long long n;

  KOKKOS_INLINE_FUNCTION void operator()(long long i, T& sum, bool final) const {
    const T count = i < n ? counts(i) : T(0);
    if (final) counts(i) = sum;
    sum += count;
  }
};

/// Turns counts(0..n-1) into offsets(0..n) in place; counts(n) is ignored. Returns the sum.
template <class T, class Device>
T countsToOffsets(const Kokkos::View<T*, Device>& counts) {
  const long long n = static_cast<long long>(counts.extent(0)) - 1;
  T total = 0;
  Kokkos::parallel_scan("Trident::countsToOffsets", Range<Device>(0, n + 1),
                        SumsBefore<T, Device>{counts, n}, total);
  return total;
}

/// Makes the arrays of a matrix whose row r has counts(r) entries. Turns `counts`, of rows + 1
/// elements, into the offsets.
template <class Scalar, class Device>
CrsArrays<Scalar, Device> arraysForCounts(const Kokkos::View<std::size_t*, Device>& counts) {
  const std::size_t entries = countsToOffsets<std::size_t, Device>(counts);
  return {counts, uninitialized<int, Device>("Trident::columns", entries),
          uninitialized<Scalar, Device>("Trident::values", entries)};
}

/// Makes arrays as arraysForCounts() does, but takes columns and values from scratch().
template <class Scalar, class Device>
CrsArrays<Scalar, Device> scratchForCounts(const Kokkos::View<std::size_t*, Device>& counts) {
  const std::size_t entries = countsToOffsets<std::size_t, Device>(counts);
  return {counts, scratch<int, Device>("Trident::columns", entries),
          scratch<Scalar, Device>("Trident::values", entries)};
}

/// Returns the bytes of a matrix's three arrays.
template <class Matrix>
std::size_t matrixBytes(const Matrix& matrix) {
  return matrix.nnz() * (sizeof(int) + sizeof(typename Matrix::non_const_value_type)) +
         (matrix.numRows() + 1) * sizeof(std::size_t);
}

template <class Scalar, class Device>
LocalMatrix<Scalar, Device> emptyMatrix(int rows, int columns) {
  CrsArrays<Scalar, Device> arrays;
  arrays.offsets = Kokkos::View<std::size_t*, Device>("Trident::offsets", rows + 1);
  return arrays.matrix(columns);
}

/// The number of each local index, for kernels: consecutive numbers, or those of an array.
template <class Device>
class IndexNumbers {
 public:
  IndexNumbers() = default;
  IndexNumbers(Position first, long long count) : first_(first), count_(count) {}
  explicit IndexNumbers(const Kokkos::View<Position*, Device>& numbers)
      : consecutive_(false), count_(static_cast<long long>(numbers.extent(0))), numbers_(numbers) {}

  long long size() const { return count_; }
  /// Returns true if the numbers are known to be consecutive, from first() on. Local.
  bool areConsecutive() const { return consecutive_; }
  Position first() const { return first_; }
  /// Returns true if each number is known to equal its local index. Local.
  bool isIdentity() const { return consecutive_ && first_ == 0; }
  KOKKOS_INLINE_FUNCTION Position operator()(long long index) const {
    return consecutive_ ? first_ + index : numbers_(index);
  }

 private:
  bool consecutive_ = true;
  Position first_ = 0;
  long long count_ = 0;
  Kokkos::View<Position*, Device> numbers_;
};

/// Returns true if each number equals its index. Local.
template <class T, class Device>
bool isIdentity(const Kokkos::View<T*, Device>& numbers) {
  long long moved = 0;
  Kokkos::parallel_reduce(
      "Trident::isIdentity", Range<Device>(0, numbers.extent(0)),
      TRIDENT_LAMBDA(long long l, long long& sum) { sum += numbers(l) != l; }, moved);
  return moved == 0;
}

/// One rank's part of a matrix: some of its rows, or parts of rows. Each local row and each local
/// column has its number.
template <class Scalar, class Device>
struct NumberedMatrix {
  LocalMatrix<Scalar, Device> matrix;
  IndexNumbers<Device> rowNumbers;
  IndexNumbers<Device> columnNumbers;
  /// True if each row lies on one rank, and the row numbers of a rank are consecutive. False if
  /// several ranks may have parts of a row, as in a transpose. Equal on all ranks.
  bool wholeRows = true;
};

/// Returns the index of the first negative number; if there is none, the count of numbers. Local.
template <class T, class Device>
long long firstNegative(const Kokkos::View<T*, Device>& numbers) {
  const long long count = numbers.extent(0);
  long long first = count;
  Kokkos::parallel_reduce(
      "Trident::firstNegative", Range<Device>(0, count),
      TRIDENT_LAMBDA(long long e, long long& least) {
        if (numbers(e) < 0 && e < least) least = e;
      },
      Kokkos::Min<long long>(first));
  return std::min(first, count);
}

/// Mask of a product: the product may have only entries inside of a structure, or only entries
/// outside of it. A handle, for kernels too.
template <class Device>
struct LocalMask {
  Kokkos::View<const std::size_t*, Device> offsets;
  Kokkos::View<int*, Device> columns;  ///< columns of the structure; strictly ascending in each row
  bool complement = false;             ///< true: only entries outside the structure are allowed

  LocalMask() = default;
  /// @param others true: the product may have only entries outside of the structure of `matrix`
  template <class Scalar>
  LocalMask(const LocalMatrix<Scalar, Device>& matrix, bool others)
      : offsets(matrix.graph.row_map), columns(matrix.graph.entries), complement(others) {}
};

}  // namespace Trident::Impl

#endif
