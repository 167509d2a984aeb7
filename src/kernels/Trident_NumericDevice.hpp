// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICDEVICE_HPP
#define TRIDENT_NUMERICDEVICE_HPP

#include <algorithm>
#include <string>

#include "kernels/cuda/Trident_DeviceValues.hpp"
#include "kernels/teams/Trident_NumericLongRows.hpp"
#include "kernels/teams/Trident_NumericRows.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// How the values of a row of C are computed, by the lengths of C's and A's rows. A row of C whose
/// entries fill at most three quarters of a hash table of `slots` in scratch memory is computed
/// there: by one thread and its vector lanes, or by a team.
struct NumericClass {
  int slots;
  bool wholeTeam;
  long long longestA;  ///< entries in A's row
};
/// Rows past the last class are computed in global memory, each by as many teams as A's row needs.
constexpr NumericClass numericClasses[] = {
    {64, false, 256}, {256, false, 256}, {1024, true, 8192}, {2048, true, 8192}};
constexpr int longRowClass = 4;

/// Room for a hash table in any Kokkos' first level of scratch memory, whose size differs.
constexpr std::size_t tableBytesMost = 28 * 1024;

template <class Scalar>
constexpr int rowsMost(int c) {
  return HashTable<Scalar>::bytes(numericClasses[c].slots) <= tableBytesMost
             ? numericClasses[c].slots / 4 * 3
             : 0;
}

/// The class of a row, for kernels.
template <class Scalar, class Device>
struct NumericClassOf {
  decltype(LocalMatrix<Scalar, Device>().graph.row_map) offsetsA, offsetsC;
  int most[longRowClass];
  long long longestA[longRowClass];

  NumericClassOf(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& C)
      : offsetsA(A.graph.row_map), offsetsC(C.graph.row_map) {
    for (int c = 0; c < longRowClass; ++c) {
      most[c] = rowsMost<Scalar>(c);
      longestA[c] = numericClasses[c].longestA;
    }
  }

  /// longRowClass + 1 where C's row is empty and A's too: there is nothing to do.
  KOKKOS_INLINE_FUNCTION int operator()(long long r) const {
    const long long inA = offsetsA(r + 1) - offsetsA(r), inC = offsetsC(r + 1) - offsetsC(r);
    if (inA == 0 && inC == 0) return longRowClass + 1;
    for (int c = 0; c < longRowClass; ++c)
      if (inC <= most[c] && inA <= longestA[c]) return c;
    return longRowClass;
  }
};

/// The classes that occur, as bits.
template <class Device, class ClassOf>
int classesOf(const ClassOf& classOf, long long rows) {
  int classes = 0;
  Kokkos::parallel_reduce(
      "Trident::classesOfRows", Range<Device>(0, rows),
      TRIDENT_LAMBDA(long long r, int& bits) { bits |= 1 << classOf(r); },
      Kokkos::BOr<int>(classes));
  return classes;
}

/// Lists the rows of a class; a functor, as Kokkos asks a scan for its type.
template <class Device, class ClassOf>
struct ListRowsOfClass {
  using value_type = int;
  ClassOf classOf;
  int wanted;
  Kokkos::View<int*, Device> list;

  KOKKOS_INLINE_FUNCTION void operator()(long long r, int& at, bool final) const {
    if (classOf(r) != wanted) return;
    if (final) list(at) = static_cast<int>(r);
    ++at;
  }
};

/// The rows of a class, in their order.
template <class Device, class ClassOf>
Kokkos::View<int*, Device> rowsOfClass(const ClassOf& classOf, long long rows, int wanted,
                                       const Kokkos::View<int*, Device>& list) {
  int count = 0;
  Kokkos::parallel_scan("Trident::rowsOfClass", Range<Device>(0, rows),
                        ListRowsOfClass<Device, ClassOf>{classOf, wanted, list}, count);
  return Kokkos::subview(list, std::make_pair(0, count));
}

/// numericProduct() by teams; any execution space can run it, hosts and CUDA have better ones. The
/// order of additions varies for rows that several threads share.
template <class Scalar, class Device>
long long numericByTeams(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
                         const LocalMatrix<Scalar, Device>& C, bool add) {
  const NumericClassOf<Scalar, Device> classOf(A, C);
  const long long rows = C.numRows();
  const int classes = classesOf<Device>(classOf, rows);
  const bool oneClass = (classes & (classes - 1)) == 0;
  const auto list = uninitialized<int, Device>("Trident::rowsOfClass", oneClass ? 0 : rows);
  NumericOperands<Scalar, Device> operands{
      A, B, C, {}, add, Kokkos::View<long long, Device>("Trident::strays")};
  const int lanes = lanesFor(B.nnz(), B.numRows());
  for (int c = 0; c <= longRowClass; ++c) {
    if (!(classes >> c & 1)) continue;
    // One class is all rows in their order, which takes no list.
    operands.rows = oneClass ? list : rowsOfClass<Device>(classOf, rows, c, list);
    const long long count = oneClass ? rows : static_cast<long long>(operands.rows.extent(0));
    if (c == longRowClass)
      computeLongRows(operands, count);
    else if (numericClasses[c].wholeTeam)
      computeRowsByTeams(operands, count, numericClasses[c].slots, lanes);
    else
      computeRowsByThreads(operands, count, numericClasses[c].slots, lanes);
  }
  long long strays = 0;
  Kokkos::deep_copy(strays, operands.strays);
  return strays;
}

/// numericProduct() on a device: on CUDA by Trident's own kernels, where they know the scalar and
/// the columns of B's rows ascend; else by teams.
template <class Scalar, class Device>
long long numericOnDevice(const LocalMatrix<Scalar, Device>& A,
                          const LocalMatrix<Scalar, Device>& B,
                          const LocalMatrix<Scalar, Device>& C, bool add) {
  if constexpr (isCuda<Device> && deviceProductScalar<Scalar>) {
    const auto strays = computeValues<Scalar>(deviceOperand(A), deviceOperand(B), deviceOperand(C),
                                              C.values.data(), add);
    if (strays) return *strays;
  }
  return numericByTeams(A, B, C, add);
}

}  // namespace Trident::Impl

#endif
