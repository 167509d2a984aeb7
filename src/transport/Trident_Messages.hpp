// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MESSAGES_HPP
#define TRIDENT_MESSAGES_HPP

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "base/Trident_Wait.hpp"

namespace Trident::Impl {

/// Nonblocking transfers of any length as messages of at most `messageBytes` each, so that staging,
/// sending and receiving pipeline and no count exceeds an int. Both sides cut alike.

/// Counts the messages that a transfer of `bytes` takes.
long long messageCount(std::size_t bytes, std::size_t messageBytes);

/// Appends the requests of one send to `requests`; `data` must live until they complete.
void postSend(const void* data, std::size_t bytes, int destination, int tag, MPI_Comm comm,
              std::size_t messageBytes, std::vector<MPI_Request>& requests);

/// Appends the requests of one receive to `requests`.
void postReceive(void* data, std::size_t bytes, int source, int tag, MPI_Comm comm,
                 std::size_t messageBytes, std::vector<MPI_Request>& requests);

/// Lets MPI progress; drops completed requests. waitAll() of Trident_Wait.hpp waits for them.
void testAll(std::vector<MPI_Request>& requests);

}  // namespace Trident::Impl

#endif
