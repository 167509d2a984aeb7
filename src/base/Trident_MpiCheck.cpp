// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_MpiCheck.hpp"

#include <string>

#include "Trident_Error.hpp"

namespace Trident::Impl {

void checkMpi(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown MPI error";
  int length = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Error_string(code, text, &length));
  throw Error(std::string(file) + ":" + std::to_string(line) + ": " + call + " failed: " + text);
}

void requireMpi() {
  int initialized = 0, finalized = 0;
  TRIDENT_MPI_CHECK(MPI_Initialized(&initialized));
  TRIDENT_MPI_CHECK(MPI_Finalized(&finalized));
  if (!initialized || finalized)
    throw Error(std::string("MPI ") + (finalized ? "has ended" : "has not begun") +
                "; call Trident between MPI_Init and MPI_Finalize");
}

}  // namespace Trident::Impl
