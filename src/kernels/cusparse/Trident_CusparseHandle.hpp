// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUSPARSEHANDLE_HPP
#define TRIDENT_CUSPARSEHANDLE_HPP

#include <cstddef>

struct cusparseContext;  // cuSPARSE's own name, so that its header need not be seen here

namespace Trident::Impl {

/// Throws Trident::Error naming the call when `status`, a cusparseStatus_t, is not success.
void checkCusparse(int status, const char* call, const char* file, int line);

/// The handle of this process on its present device, made at first use and destroyed before Kokkos
/// ends; it runs on Kokkos' default stream. Throws Trident::Error.
cusparseContext* cusparseHandle();

/// Device memory of at least that many bytes, kept with the handle for calls of one thread, one
/// after the other; what was in it is lost with the next call.
void* cusparseWorkspace(std::size_t bytes);

}  // namespace Trident::Impl

/// Checks a cuSPARSE call; throws Trident::Error.
#define TRIDENT_CUSPARSE_CHECK(call) \
  ::Trident::Impl::checkCusparse((call), #call, __FILE__, __LINE__)

/// The twin for destructors and callbacks.
#define TRIDENT_CUSPARSE_CHECK_NOTHROW(call) static_cast<void>(call)

#endif
