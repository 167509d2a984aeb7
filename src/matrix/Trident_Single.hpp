// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SINGLE_HPP
#define TRIDENT_SINGLE_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Trident::Impl {

/// A real number that is stored in single precision, and that is a `double` as soon as anything is
/// computed with it: the value of a matrix that is to take less memory.
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
/// The type of products of two values of a matrix and of their sums, before a sum is stored.
template <class Scalar>
using SumOf = typename SumType<Scalar>::type;

/// True if sums have another type than values. Products of these are of one batch of rounds, by
/// Trident's own kernels, over plus-times and without a mask.
template <class Scalar>
constexpr bool sumsAreWider = !std::is_same<Scalar, SumOf<Scalar>>::value;

}  // namespace Trident::Impl

#endif
