// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEFINEDHERE_HPP
#define TRIDENT_DEFINEDHERE_HPP

#include "base/Trident_CompiledScalars.hpp"

namespace Trident::Impl {

/// Returns true_type, since this source defines products of all scalars.
template <class SC>
std::true_type definedHere(ScalarTag<SC>, int);

}  // namespace Trident::Impl

#endif
