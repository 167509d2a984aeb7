// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_Messages.hpp"

#include <algorithm>

#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {
namespace {

template <class Post>
void forEachMessage(std::size_t bytes, std::size_t messageBytes, Post&& post) {
  for (std::size_t at = 0; at < bytes; at += messageBytes)
    post(at, static_cast<int>(std::min(messageBytes, bytes - at)));
}

}  // namespace

long long messageCount(std::size_t bytes, std::size_t messageBytes) {
  return static_cast<long long>((bytes + messageBytes - 1) / messageBytes);
}

void postSend(const void* data, std::size_t bytes, int destination, int tag, MPI_Comm comm,
              std::size_t messageBytes, std::vector<MPI_Request>& requests) {
  forEachMessage(bytes, messageBytes, [&](std::size_t at, int count) {
    requests.push_back(MPI_REQUEST_NULL);
    TRIDENT_MPI_CHECK(MPI_Isend(static_cast<const char*>(data) + at, count, MPI_BYTE, destination,
                                tag, comm, &requests.back()));
  });
}

void postReceive(void* data, std::size_t bytes, int source, int tag, MPI_Comm comm,
                 std::size_t messageBytes, std::vector<MPI_Request>& requests) {
  forEachMessage(bytes, messageBytes, [&](std::size_t at, int count) {
    requests.push_back(MPI_REQUEST_NULL);
    TRIDENT_MPI_CHECK(MPI_Irecv(static_cast<char*>(data) + at, count, MPI_BYTE, source, tag, comm,
                                &requests.back()));
  });
}

void testAll(std::vector<MPI_Request>& requests) {
  if (requests.empty()) return;
  std::vector<int> done(requests.size());
  int count = 0;
  TRIDENT_MPI_CHECK(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count,
                                 done.data(), MPI_STATUSES_IGNORE));
  if (count > 0)  // completed requests have become MPI_REQUEST_NULL
    requests.erase(std::remove(requests.begin(), requests.end(), MPI_REQUEST_NULL), requests.end());
}

}  // namespace Trident::Impl
