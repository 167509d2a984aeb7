// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MPI_HPP
#define TRIDENT_MPI_HPP

#include <mpi.h>

namespace Trident::Impl {

/// Throws Trident::Error naming the call when `code` is not MPI_SUCCESS.
/// Trident's own communicators return errors (see exchange/Trident_Context), they never abort.
void checkMpi(int code, const char* call, const char* file, int line);

/// Returns true if MPI has begun and has not ended. Local.
bool mpiRuns() noexcept;

/// Throws Trident::Error where MPI has not begun or has ended, when no other call of it may be
/// made. Local.
void requireMpi();

/// MPI's collectives as Trident calls them: return codes are checked, this process says that it
/// waits for `what` (a literal) meanwhile, and where it polls (TimeoutScope) it can give up. Then
/// MPI keeps copies of the arguments, so that the caller's may go. They throw Trident::Error. Send
/// and receive types are equal; counts are those of MPI's arguments.

void barrier(MPI_Comm comm, const char* what);
void broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, const char* what);
/// @param mine may be MPI_IN_PLACE
void allReduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               const char* what);
void allGather(const void* mine, int count, MPI_Datatype type, void* all, MPI_Comm comm,
               const char* what);
void allGatherV(const void* mine, int count, MPI_Datatype type, void* all, const int* counts,
                const int* offsets, MPI_Comm comm, const char* what);
/// Reduces over the ranks before this one; on the first rank `before` stays as it is.
void exclusiveScan(const void* mine, void* before, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, const char* what);
void allToAll(const void* mine, int count, MPI_Datatype type, void* all, MPI_Comm comm,
              const char* what);

}  // namespace Trident::Impl

/// Checks an MPI call; throws Trident::Error.
#define TRIDENT_MPI_CHECK(call) ::Trident::Impl::checkMpi((call), #call, __FILE__, __LINE__)

/// The twin for destructors and callbacks, where nothing may be thrown and a failure leaves nothing
/// to do.
#define TRIDENT_MPI_CHECK_NOTHROW(call) static_cast<void>(call)

#endif
