// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMPILEDSCALARS_HPP
#define TRIDENT_COMPILEDSCALARS_HPP

#include <type_traits>

namespace Trident {

struct Report;

namespace Impl {

template <class SC>
struct ScalarTag {};

/// Returns false_type, since products of `SC` are not defined here. A source that defines them
/// includes an overload (Trident_DefinedHere.hpp).
template <class SC>
std::false_type definedHere(ScalarTag<SC>, long);

/// Returns true if products of this scalar can be linked. The library has no products of integers.
/// A program that multiplies integers includes the `_def.hpp` before it first names such a product.
/// Or it defines TRIDENT_WHOLE_NUMBERS, and compiles the products in another source.
template <class SC>
constexpr bool isCompiled() {
#ifdef TRIDENT_WHOLE_NUMBERS
  return true;
#else
  return !std::is_integral<SC>::value || decltype(definedHere(ScalarTag<SC>(), 0))::value;
#endif
}

template <class SC>
struct ReportOf {
  static_assert(isCompiled<SC>(),
                "Trident's library has no products of whole numbers: include the header that ends "
                "in _def.hpp before the first use (see \"Types\" in doc/library.md)");
  using type = Report;
};

/// Another name of the type Report. Does not compile unless isCompiled<SC>() is true.
template <class SC>
using ReportFor = typename ReportOf<SC>::type;

}  // namespace Impl

}  // namespace Trident

#endif
