// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Redistribute.hpp"

#include <algorithm>
#include <cstring>

namespace Trident {
namespace Problems {
namespace Details {

namespace {

constexpr std::int64_t maxMessageBytes = std::int64_t{1} << 26;
constexpr int tag = 71;

std::vector<std::int64_t> offsetsOf(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> offsets(counts.size() + 1, 0);
  for (std::size_t p = 0; p < counts.size(); ++p) offsets[p + 1] = offsets[p] + counts[p];
  return offsets;
}

/// Calls post(offset, bytes) for each message of a block. Messages of one pair arrive in order,
/// so one tag is enough.
template <class Post>
void forEachMessage(std::int64_t blockBytes, const Post& post) {
  for (std::int64_t done = 0; done < blockBytes; done += maxMessageBytes)
    post(done, static_cast<int>(std::min(maxMessageBytes, blockBytes - done)));
}

}  // namespace

std::vector<std::int64_t> exchangeCounts(const std::vector<std::int64_t>& counts,
                                         const Comm& comm) {
  std::vector<std::int64_t> result(counts.size(), 0);
  checkMpi(MPI_Alltoall(counts.data(), 1, MPI_INT64_T, result.data(), 1, MPI_INT64_T, comm.get()),
           "MPI_Alltoall");
  return result;
}

void exchangeBlocks(const char* send, const std::vector<std::int64_t>& sendBytes, char* receive,
                    const std::vector<std::int64_t>& receiveBytes, const Comm& comm) {
  const std::vector<std::int64_t> sendAt = offsetsOf(sendBytes);
  const std::vector<std::int64_t> receiveAt = offsetsOf(receiveBytes);
  const int ranks = comm.size(), me = comm.rank();
  const auto self = static_cast<std::size_t>(me);
  if (sendBytes[self] > 0)
    std::memcpy(receive + receiveAt[self], send + sendAt[self],
                static_cast<std::size_t>(sendBytes[self]));
  std::vector<MPI_Request> requests;
  // One partner at a time in each direction: requests and unexpected messages stay few.
  for (int shift = 1; shift < ranks; ++shift) {
    const int to = (me + shift) % ranks, from = (me - shift + ranks) % ranks;
    const auto t = static_cast<std::size_t>(to), f = static_cast<std::size_t>(from);
    requests.clear();
    forEachMessage(receiveBytes[f], [&](std::int64_t at, int bytes) {
      requests.emplace_back();
      checkMpi(MPI_Irecv(receive + receiveAt[f] + at, bytes, MPI_BYTE, from, tag, comm.get(),
                         &requests.back()),
               "MPI_Irecv");
    });
    forEachMessage(sendBytes[t], [&](std::int64_t at, int bytes) {
      requests.emplace_back();
      checkMpi(
          MPI_Isend(send + sendAt[t] + at, bytes, MPI_BYTE, to, tag, comm.get(), &requests.back()),
          "MPI_Isend");
    });
    checkMpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
             "MPI_Waitall");
  }
}

}  // namespace Details
}  // namespace Problems
}  // namespace Trident
