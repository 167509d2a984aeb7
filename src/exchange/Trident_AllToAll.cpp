// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_AllToAll.hpp"

#include <cstring>

#include "Trident_Messages.hpp"
#include "Trident_MpiCheck.hpp"

namespace Trident {
namespace {

constexpr int tag = 1;

std::vector<long long> offsetsOf(const std::vector<long long>& counts) {
  std::vector<long long> offsets(counts.size() + 1, 0);
  for (std::size_t r = 0; r < counts.size(); ++r) offsets[r + 1] = offsets[r] + counts[r];
  return offsets;
}

}  // namespace

AllToAll::AllToAll(const ProcessGrid& grid, std::vector<long long> sendCounts,
                   std::size_t messageBytes)
    : grid_(grid), messageBytes_(messageBytes), sendOffsets_(offsetsOf(sendCounts)) {
  std::vector<long long> receiveCounts(sendCounts.size());
  TRIDENT_MPI_CHECK(MPI_Alltoall(sendCounts.data(), 1, MPI_LONG_LONG, receiveCounts.data(), 1,
                                 MPI_LONG_LONG, grid.comm()));
  receiveOffsets_ = offsetsOf(receiveCounts);
}

bool AllToAll::onlySelf() const {
  const int me = grid_.rank();
  return sends() == sendOffsets_[me + 1] - sendOffsets_[me] &&
         receives() == receiveOffsets_[me + 1] - receiveOffsets_[me];
}

void AllToAll::exchange(const void* send, void* receive, std::size_t elementBytes,
                        Traffic& traffic) const {
  move(static_cast<const char*>(send), sendOffsets_, static_cast<char*>(receive), receiveOffsets_,
       elementBytes, traffic);
}

void AllToAll::exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                            Traffic& traffic) const {
  move(static_cast<const char*>(answers), receiveOffsets_, static_cast<char*>(received),
       sendOffsets_, elementBytes, traffic);
}

void AllToAll::move(const char* send, const std::vector<long long>& sendOffsets, char* receive,
                    const std::vector<long long>& receiveOffsets, std::size_t elementBytes,
                    Traffic& traffic) const {
  const int P = grid_.shape().ranks(), me = grid_.rank();
  std::vector<MPI_Request> requests;
  // Peers are visited from the own rank on, so that not everybody starts with rank 0.
  for (int step = 1; step < P; ++step) {
    const int source = (me - step + P) % P;
    const std::size_t bytes = (receiveOffsets[source + 1] - receiveOffsets[source]) * elementBytes;
    postReceive(receive + receiveOffsets[source] * elementBytes, bytes, source, tag, grid_.comm(),
                messageBytes_, requests);
    traffic.count(!grid_.sameNode(source), bytes, messageCount(bytes, messageBytes_));
  }
  for (int step = 1; step < P; ++step) {
    const int destination = (me + step) % P;
    postSend(send + sendOffsets[destination] * elementBytes,
             (sendOffsets[destination + 1] - sendOffsets[destination]) * elementBytes, destination,
             tag, grid_.comm(), messageBytes_, requests);
  }
  const std::size_t ownBytes = (sendOffsets[me + 1] - sendOffsets[me]) * elementBytes;
  if (ownBytes > 0)
    std::memcpy(receive + receiveOffsets[me] * elementBytes, send + sendOffsets[me] * elementBytes,
                ownBytes);
  waitAll(requests);
}

}  // namespace Trident
