// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MESSAGES_HPP
#define TRIDENT_MESSAGES_HPP

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "base/Trident_Wait.hpp"

namespace Trident::Impl {

/// Nonblocking transfers of any length, cut into messages of at most `messageBytes` each, on both
/// sides in the same way. So staging, sending and receiving overlap, and no count exceeds an int.

/// Returns the number of messages for a transfer of `bytes`.
long long messageCount(std::size_t bytes, std::size_t messageBytes);

/// Starts a send. Appends its requests to `requests`. `data` must live until these are complete.
void postSend(const void* data, std::size_t bytes, int destination, int tag, MPI_Comm comm,
              std::size_t messageBytes, std::vector<MPI_Request>& requests);

/// Starts a receive. Appends its requests to `requests`.
void postReceive(void* data, std::size_t bytes, int source, int tag, MPI_Comm comm,
                 std::size_t messageBytes, std::vector<MPI_Request>& requests);

/// Moves MPI on, and drops completed requests. waitAll() (Trident_Wait.hpp) waits for the rest.
void testAll(std::vector<MPI_Request>& requests);

}  // namespace Trident::Impl

#endif
