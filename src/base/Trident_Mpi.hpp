// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MPI_HPP
#define TRIDENT_MPI_HPP

#include <mpi.h>

namespace Trident::Impl {

/// Throws Trident::Error, with the text of the call, if `code` is not MPI_SUCCESS. Trident's own
/// communicators return errors and never abort (see exchange/Trident_Context).
void checkMpi(int code, const char* call, const char* file, int line);

/// Returns true if MPI has begun and has not ended. Local.
bool mpiRuns() noexcept;

/// Throws Trident::Error if MPI has not begun, or has ended. Call it before MPI's functions. Local.
void requireMpi();

/// MPI's collectives. Each function throws Trident::Error if MPI returns an error. The status of
/// this process names `what`, a literal, as awaited. If this thread polls (TimeoutScope), a
/// function works on copies of its arguments. MPI keeps the copies if the function gives up. Send
/// and receive types are equal. Counts have the same meaning as in MPI.

void barrier(MPI_Comm comm, const char* what);
void broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, const char* what);
/// @param mine may be MPI_IN_PLACE
void allReduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               const char* what);
void allGather(const void* mine, int count, MPI_Datatype type, void* all, MPI_Comm comm,
               const char* what);
void allGatherV(const void* mine, int count, MPI_Datatype type, void* all, const int* counts,
                const int* offsets, MPI_Comm comm, const char* what);
/// Reduces over the ranks before this one. On the first rank, `before` is left unchanged.
void exclusiveScan(const void* mine, void* before, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, const char* what);
void allToAll(const void* mine, int count, MPI_Datatype type, void* all, MPI_Comm comm,
              const char* what);

}  // namespace Trident::Impl

/// Throws Trident::Error if an MPI call fails.
#define TRIDENT_MPI_CHECK(call) ::Trident::Impl::checkMpi((call), #call, __FILE__, __LINE__)

/// Calls MPI where nothing may be thrown (destructors, callbacks). Ignores failures, since nothing
/// is left to do after one.
#define TRIDENT_MPI_CHECK_NOTHROW(call) static_cast<void>(call)

#endif
