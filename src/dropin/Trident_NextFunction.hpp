// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NEXTFUNCTION_HPP
#define TRIDENT_NEXTFUNCTION_HPP

namespace Trident::Impl {

/// Returns the function that the loader would have found for a symbol, had this library not been
/// before it. Throws Trident::Error if no library behind this one has it.
void* nextSymbol(const char* symbol);

template <class Function>
Function* nextFunction(const char* symbol) {
  return reinterpret_cast<Function*>(nextSymbol(symbol));
}

}  // namespace Trident::Impl

#endif
