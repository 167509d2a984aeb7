// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_NextFunction.hpp"

#include <dlfcn.h>

#include <string>

#include "Trident_Error.hpp"

namespace Trident::Impl {

void* nextSymbol(const char* symbol) {
  if (void* const found = dlsym(RTLD_NEXT, symbol)) return found;
  throw Error("libtrident_dropin",
              std::string("no library behind it has Tpetra's ") + symbol +
                  "; the program has another Tpetra than this library was built for");
}

}  // namespace Trident::Impl
