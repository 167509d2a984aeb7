// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MPICHECK_HPP
#define TRIDENT_MPICHECK_HPP

#include <mpi.h>

namespace Trident::Impl {

/// Throws Trident::Error naming the call when `code` is not MPI_SUCCESS.
/// Trident's own communicators return errors (see exchange/Trident_Context), they never abort.
void checkMpi(int code, const char* call, const char* file, int line);

/// Throws Trident::Error where MPI has not begun or has ended, when no other call of it may be
/// made. Local.
void requireMpi();

}  // namespace Trident::Impl

/// Checks an MPI call; throws Trident::Error.
#define TRIDENT_MPI_CHECK(call) ::Trident::Impl::checkMpi((call), #call, __FILE__, __LINE__)

/// The twin for destructors and callbacks, where nothing may be thrown and a failure leaves nothing
/// to do.
#define TRIDENT_MPI_CHECK_NOTHROW(call) static_cast<void>(call)

#endif
