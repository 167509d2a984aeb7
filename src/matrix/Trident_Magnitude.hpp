// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MAGNITUDE_HPP
#define TRIDENT_MAGNITUDE_HPP

#include <Kokkos_Complex.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "matrix/Trident_Single.hpp"

namespace Trident::Impl {

template <class Scalar>
struct MagnitudeType {
  using type = Scalar;
};
template <class Real>
struct MagnitudeType<Kokkos::complex<Real>> {
  using type = Real;
};
template <>
struct MagnitudeType<Single> {
  using type = float;
};
/// Type of a scalar's magnitude: the real type of a complex scalar, else the type of the number.
template <class Scalar>
using MagnitudeOf = typename MagnitudeType<Scalar>::type;

/// True if keyOfMagnitude() can order a scalar's magnitudes by their bits. This holds for integers,
/// Single, float, double, and complex numbers of the last two.
template <class Scalar>
constexpr bool hasOrderedMagnitude =
    std::is_same<MagnitudeOf<Scalar>, float>::value ||
    std::is_same<MagnitudeOf<Scalar>, double>::value || std::is_integral<Scalar>::value;

/// Returns |x|, never -0. If a signed integer's magnitude overflows, returns the largest integer.
template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar magnitude(const Scalar& x) {
  if constexpr (std::is_integral<Scalar>::value) {
    using Bits = std::make_unsigned_t<Scalar>;
    const bool negative = std::is_signed<Scalar>::value && x < Scalar(0);
    const Scalar size = negative ? static_cast<Scalar>(Bits(0) - static_cast<Bits>(x)) : x;
    return negative && size < Scalar(0) ? static_cast<Scalar>(~size) : size;
  } else {
    return x <= Scalar(0) ? Scalar(0) - x : x;
  }
}
template <class Real>
KOKKOS_INLINE_FUNCTION Real magnitude(const Kokkos::complex<Real>& x) {
  return Kokkos::abs(x);
}
KOKKOS_INLINE_FUNCTION float magnitude(const Single& x) { return magnitude(x.stored()); }

/// Type of a magnitude's key, an integer. Keys ascend as magnitudes do; NaNs have the largest keys.
template <class Magnitude>
using KeyOf = std::conditional_t<sizeof(Magnitude) <= 4, std::uint32_t, std::uint64_t>;

template <class Magnitude>
KOKKOS_INLINE_FUNCTION KeyOf<Magnitude> keyOfMagnitude(const Magnitude& x) {
  using Key = KeyOf<Magnitude>;
  if constexpr (std::is_integral<Magnitude>::value) {
    return static_cast<Key>(x);
  } else {
    static_assert(sizeof(Key) == sizeof(Magnitude), "float or double");
    Key bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits & ~(Key(1) << (8 * sizeof(Key) - 1));  // clears a NaN's sign
  }
}
template <class Magnitude>
KOKKOS_INLINE_FUNCTION Magnitude magnitudeOfKey(KeyOf<Magnitude> key) {
  if constexpr (std::is_integral<Magnitude>::value) {
    return static_cast<Magnitude>(key);
  } else {
    Magnitude x;
    std::memcpy(&x, &key, sizeof x);
    return x;
  }
}

}  // namespace Trident::Impl

#endif
