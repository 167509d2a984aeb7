// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SEMIRING_HPP
#define TRIDENT_SEMIRING_HPP

#include <Kokkos_Core.hpp>
#include <limits>
#include <string>
#include <type_traits>

#include "Trident_Error.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_Options.hpp"
#include "matrix/Trident_Single.hpp"

// The operations by which a product adds and multiplies, under the names of GraphBLAS. A semiring
// is a type with functions for hosts and devices:
//   times(a, b)  a term: the product of an entry of A and an entry of B
//   plus(a, b)   a sum plus the next term; terms come in the order of A's entries
//   zero()       start of each sum: plus(zero(), p) is p for every term p, except that plus-times
//                and plus-second turn -0 into 0
// C stores an entry even if its sum is zero(), so that C's structure does not depend on values.
// Minimum and maximum have the same bits in any order of terms, because -0 is below 0 and a NaN
// stays a NaN. So they have the same result on all grids and in all kernels.

namespace Trident::Impl {

/// The ordinary semiring, the only one whose sums may have another type than the entries.
template <class Scalar>
struct PlusTimes {
  using Sum = SumOf<Scalar>;
  KOKKOS_INLINE_FUNCTION static Sum zero() { return Sum(0); }
  KOKKOS_INLINE_FUNCTION static Sum plus(const Sum& a, const Sum& b) {
    return static_cast<Sum>(a + b);
  }
  KOKKOS_INLINE_FUNCTION static Sum times(const Scalar& a, const Scalar& b) {
    return static_cast<Sum>(static_cast<Sum>(a) * static_cast<Sum>(b));
  }
};

/// The largest and the smallest number, infinite if possible; and a NaN, or 0 if there is none.
template <class Scalar>
struct Extremes {
  using Limits = std::numeric_limits<Scalar>;
  static constexpr Scalar nan = Limits::has_quiet_NaN ? Limits::quiet_NaN() : Scalar(0);
  static constexpr Scalar most = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr Scalar least = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
};

/// Returns the smaller of two numbers; -0 is below 0. If either is a NaN, returns a NaN, always
/// with the same bits.
template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar smallerOf(const Scalar& a, const Scalar& b) {
  const Scalar smaller = a < b ? a : b;
  if constexpr (!std::numeric_limits<Scalar>::is_integer) {
    if (!(a < b || b < a)) {
      if (a != b) return Extremes<Scalar>::nan;
      if (a == 0) return 1 / a < 0 ? a : b;
    }
  }
  return smaller;
}

/// Returns the larger of two numbers; -0 is below 0. If either is a NaN, returns a NaN, always with
/// the same bits.
template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar largerOf(const Scalar& a, const Scalar& b) {
  const Scalar larger = b < a ? a : b;
  if constexpr (!std::numeric_limits<Scalar>::is_integer) {
    if (!(a < b || b < a)) {
      if (a != b) return Extremes<Scalar>::nan;
      if (a == 0) return 1 / a < 0 ? b : a;
    }
  }
  return larger;
}

/// Semiring of shortest paths: an entry is the length of an edge. zero() is infinity, or the
/// largest integer, and means that there is no path. So times() of zero() and any length is zero(),
/// even if the length is minus infinity. Only a NaN gives a NaN.
template <class Scalar>
struct MinPlus {
  KOKKOS_INLINE_FUNCTION static Scalar zero() { return Extremes<Scalar>::most; }
  KOKKOS_INLINE_FUNCTION static Scalar plus(const Scalar& a, const Scalar& b) {
    return smallerOf(a, b);
  }
  KOKKOS_INLINE_FUNCTION static Scalar times(const Scalar& a, const Scalar& b) {
    if constexpr (std::numeric_limits<Scalar>::is_integer) {
      if (a == zero() || b == zero() || (b > 0 && a > zero() - b)) return zero();
      if (b < 0 && a < std::numeric_limits<Scalar>::lowest() - b)
        return std::numeric_limits<Scalar>::lowest();
      return static_cast<Scalar>(a + b);
    } else {
      const Scalar sum = a + b;
      if (sum == sum) return sum;
      return a == a && b == b ? zero() : Extremes<Scalar>::nan;  // infinity - infinity is no path
    }
  }
};

/// Semiring of widest paths: an entry is the width of an edge. A NaN stays a NaN.
template <class Scalar>
struct MaxMin {
  KOKKOS_INLINE_FUNCTION static Scalar zero() { return Extremes<Scalar>::least; }
  KOKKOS_INLINE_FUNCTION static Scalar plus(const Scalar& a, const Scalar& b) {
    return largerOf(a, b);
  }
  KOKKOS_INLINE_FUNCTION static Scalar times(const Scalar& a, const Scalar& b) {
    return smallerOf(a, b);
  }
};

/// Semiring of reachability: an entry of C is 1 if a term multiplies two nonzero entries, else 0.
template <class Scalar>
struct OrAnd {
  KOKKOS_INLINE_FUNCTION static Scalar zero() { return Scalar(0); }
  KOKKOS_INLINE_FUNCTION static Scalar plus(const Scalar& a, const Scalar& b) {
    return Scalar(a != Scalar(0) || b != Scalar(0));
  }
  KOKKOS_INLINE_FUNCTION static Scalar times(const Scalar& a, const Scalar& b) {
    return Scalar(a != Scalar(0) && b != Scalar(0));
  }
};

/// Semiring that sums entries of B. The values of A do not matter, only its structure.
template <class Scalar>
struct PlusSecond {
  KOKKOS_INLINE_FUNCTION static Scalar zero() { return Scalar(0); }
  KOKKOS_INLINE_FUNCTION static Scalar plus(const Scalar& a, const Scalar& b) {
    return static_cast<Scalar>(a + b);
  }
  KOKKOS_INLINE_FUNCTION static Scalar times(const Scalar&, const Scalar& b) { return b; }
};

/// True if a scalar has all semirings. Other scalars, such as complex ones, have only PlusTimes.
template <class Scalar>
constexpr bool hasSemirings = std::is_arithmetic<Scalar>::value;

/// Calls work(semiring) with the semiring of this kind, and returns its result. Throws
/// Trident::Error if the scalar lacks this semiring.
template <class Scalar, class Work>
constexpr auto withSemiring(SemiringKind kind, const Work& work) {
  if constexpr (hasSemirings<Scalar>) {
    switch (kind) {
      case SemiringKind::PlusTimes:
        break;
      case SemiringKind::MinPlus:
        return work(MinPlus<Scalar>());
      case SemiringKind::MaxMin:
        return work(MaxMin<Scalar>());
      case SemiringKind::OrAnd:
        return work(OrAnd<Scalar>());
      case SemiringKind::PlusSecond:
        return work(PlusSecond<Scalar>());
    }
  }
  if (kind != SemiringKind::PlusTimes)
    throw Error("no semiring \"" + std::string(nameOf(kind)) + "\" for this scalar");
  return work(PlusTimes<Scalar>());
}

/// Returns true if withSemiring() has every semiring that a parameter can name. If one is missing,
/// a static_assert that calls this function does not compile.
constexpr bool everyNameHasItsSemiring() {
  for (const Named<SemiringKind>& named : NamesOf<SemiringKind>::all)
    withSemiring<double>(named.value, [](auto) { return true; });
  return true;
}
static_assert(everyNameHasItsSemiring(),
              "withSemiring() lacks a semiring of NamesOf<SemiringKind>");

/// Returns the reason why a product over this semiring, or within a mask, is not possible, and a
/// remedy; "" if it is possible.
template <class Scalar>
std::string whyNoSemiring(const KernelOptions& options, bool masked) {
  const bool ordinary = options.semiring == SemiringKind::PlusTimes;
  if (!ordinary && !hasSemirings<Scalar>)
    return "\"semiring\" = \"" + std::string(nameOf(options.semiring)) +
           "\" is for real and whole numbers; use \"plus-times\"";
  if ((!ordinary || masked) && options.kernel == KernelKind::KokkosKernels)
    return "\"kernel\" = \"" + std::string(nameOf(options.kernel)) +
           "\" forms products over plus-times alone, and without a mask; use \"auto\"";
  return "";
}

}  // namespace Trident::Impl

#endif
