// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SINGLE_HPP
#define TRIDENT_SINGLE_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Trident::Impl {

/// A real number that is stored in single precision. Computations convert the number to `double`.
/// Matrices of such values take less memory.
class Single {
 public:
  Single() = default;
  KOKKOS_INLINE_FUNCTION Single(double value) : value_(static_cast<float>(value)) {}
  KOKKOS_INLINE_FUNCTION operator double() const { return value_; }

  /// Returns the value in single precision.
  KOKKOS_INLINE_FUNCTION float stored() const { return value_; }

 private:
  float value_;
};

template <class Scalar>
struct SumType {
  using type = Scalar;
};
template <>
struct SumType<Single> {
  using type = double;
};
/// Type of products of two matrix values, and of sums of products until they are stored.
template <class Scalar>
using SumOf = typename SumType<Scalar>::type;

/// True if sums have another type than values. Then a product is possible only with one batch of
/// rounds, a kernel of Trident's own, plus-times, and no mask.
template <class Scalar>
constexpr bool sumsAreWider = !std::is_same<Scalar, SumOf<Scalar>>::value;

}  // namespace Trident::Impl

#endif
