// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMPILEDSCALARS_HPP
#define TRIDENT_COMPILEDSCALARS_HPP

#include <type_traits>

namespace Trident {

struct Report;

namespace Impl {

template <class SC>
struct ScalarTag {};

/// What a source that has the definitions overloads (Trident_DefinedHere.hpp).
template <class SC>
std::false_type definedHere(ScalarTag<SC>, long);

/// Whether a program may call products of a scalar: the library has them of all that Tpetra was
/// built with but whole numbers, which the program compiles by itself, in this source or, where
/// TRIDENT_WHOLE_NUMBERS is defined, in another one. Else a call could not be linked.
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
                "in _def.hpp (see \"Types\" in doc/library.md)");
  using type = Report;
};

/// A Report, for scalars of which there are products.
template <class SC>
using ReportFor = typename ReportOf<SC>::type;

}  // namespace Impl

}  // namespace Trident

#endif
