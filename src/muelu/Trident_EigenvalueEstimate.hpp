// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_EIGENVALUEESTIMATE_HPP
#define TRIDENT_EIGENVALUEESTIMATE_HPP

#include <Teuchos_RCP.hpp>
#include <Teuchos_ScalarTraits.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/Trident_Mpi.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Magnitude.hpp"
#include "tpetra/Trident_Fingerprint.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// A functor that draws a vector. Each entry is a hash of its global row, in [-1, 1), so the vector
/// is the same on any number of ranks.
template <class Map, class Entries>
struct DrawVector {
  typename Map::local_map_type rows;
  Entries x;

  KOKKOS_INLINE_FUNCTION void operator()(long long l) const {
    using Scalar = typename Entries::non_const_value_type;
    const auto row = static_cast<std::uint64_t>(
        rows.getGlobalElement(static_cast<typename Map::local_ordinal_type>(l)));
    // With one step of hashing, successive rows get evenly spaced numbers, and estimates are too
    // small. The start of the hash is the best of 30000 numbers: with it, estimates deviate least
    // from the mean of random vectors' estimates (by at most 0.83 standard deviations, for cubes of
    // 5³ to 50³ points, with 7 or 27 entries in a row).
    const std::uint64_t hash = mixedInto(mixedInto(mixedInto(0x33C2B317321B7F13ull, row), 0), 0);
    x(l, 0) =
        Scalar(static_cast<MagnitudeOf<Scalar>>(static_cast<double>(hash >> 11) * 0x1p-52 - 1));
  }
};

/// A functor that scales y = A·x by D⁻¹, and sums |x|², |y|² and the real and the imaginary part of
/// x·y, in one pass over the vectors.
template <class Read, class Write>
struct ScaleAndSum {
  using value_type = double[];
  static constexpr unsigned value_count = 4;
  Read inverse, x;
  Write y;

  KOKKOS_INLINE_FUNCTION void operator()(long long l, double* sums) const {
    const auto scaled = inverse(l, 0) * y(l, 0);
    y(l, 0) = scaled;
    add(x(l, 0), scaled, sums);
  }

 private:
  template <class Real>
  KOKKOS_INLINE_FUNCTION static void add(const Real& a, const Real& b, double* sums) {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    sums[0] += x * x;
    sums[1] += y * y;
    sums[2] += x * y;
  }
  template <class Real>
  KOKKOS_INLINE_FUNCTION static void add(const Kokkos::complex<Real>& a,
                                         const Kokkos::complex<Real>& b, double* sums) {
    add(a.real(), b.real(), sums);
    add(a.imag(), b.imag(), sums);
    sums[3] += static_cast<double>(a.real()) * static_cast<double>(b.imag()) -
               static_cast<double>(a.imag()) * static_cast<double>(b.real());
  }
};

template <class SC>
SC scalarOf(double real, double imaginary) {
  using Real = typename Teuchos::ScalarTraits<SC>::magnitudeType;
  if constexpr (Teuchos::ScalarTraits<SC>::isComplex)
    return {static_cast<Real>(real), static_cast<Real>(imaginary)};
  else
    return static_cast<SC>(real);
}

/// Estimates the largest eigenvalue of D⁻¹·A by power iterations. Returns the Rayleigh quotient of
/// the last step, as MueLu does. Vectors stay on their device. A step is a product of A with a
/// vector, one pass over vectors and one reduction. Collective.
/// @param A fill-complete matrix whose row, domain and range Maps are the same
/// @param inverse D⁻¹
/// @param steps number of steps; without a step the estimate is 0
template <class SC, class LO, class GO, class NO>
SC estimateEigenvalue(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                      const Tpetra::Vector<SC, LO, GO, NO>& inverse, int steps) {
  namespace Access = Tpetra::Access;
  using Map = Tpetra::Map<LO, GO, NO>;
  using Vector = Tpetra::Vector<SC, LO, GO, NO>;
  using Device = typename Vector::device_type;
  using Write = typename Vector::dual_view_type::t_dev;
  using Read = typename Vector::dual_view_type::t_dev_const;
  const auto map = A.getDomainMap();
  const auto rows = static_cast<long long>(localSize(*map));
  Vector first(map, false), second(map, false);
  Vector *x = &first, *y = &second;
  Kokkos::parallel_for(
      "Trident::drawVector", Range<Device>(0, rows),
      DrawVector<Map, Write>{map->getLocalMap(), x->getLocalViewDevice(Access::OverwriteAll)});
  SC lambda = Teuchos::ScalarTraits<SC>::zero();
  double scale = 1;  // from the second step on, scale·x has the length 1
  for (int step = 0; step < steps; ++step) {
    A.apply(*x, *y, Teuchos::NO_TRANS, scalarOf<SC>(scale, 0));
    std::array<double, 4> sums{};
    Kokkos::parallel_reduce(
        "Trident::scaleAndSum", Range<Device>(0, rows),
        ScaleAndSum<Read, Write>{inverse.getLocalViewDevice(Access::ReadOnly),
                                 x->getLocalViewDevice(Access::ReadOnly),
                                 y->getLocalViewDevice(Access::ReadWrite)},
        Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(sums.data(), 4));
    typename Device::execution_space().fence();  // a reduction into a View may be asynchronous
    allReduce(MPI_IN_PLACE, sums.data(), 4, MPI_DOUBLE, MPI_SUM, rawComm(*A.getComm()),
              "sums of a power iteration");
    lambda = scalarOf<SC>(sums[2] / (scale * sums[0]), sums[3] / (scale * sums[0]));
    scale = 1 / std::sqrt(sums[1]);
    std::swap(x, y);
  }
  return lambda;
}

}  // namespace Trident::Impl

#endif
