// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_AllToAll.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"

namespace Trident::Impl {
namespace {

constexpr const char* countsOfOthers = "the counts of what others send";

/// Returns one of two tags, in turn, for a call on a communicator. Two tags suffice: while one rank
/// is still in a call, another rank may send messages of the next call, but not of later calls.
int nextTag(MPI_Comm comm) {
  constexpr int countTag = 5;  // first of two tags
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    TRIDENT_MPI_CHECK(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr));
    return made;
  }();
  void* calls = nullptr;
  int some = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_get_attr(comm, key, &calls, &some));
  const std::intptr_t before = some ? reinterpret_cast<std::intptr_t>(calls) : 0;
  TRIDENT_MPI_CHECK(MPI_Comm_set_attr(comm, key, reinterpret_cast<void*>(1 - before)));
  return countTag + static_cast<int>(before);
}

/// Sends each rank its counts, unless these are all 0. A send ends when it is received. If this
/// rank gives up, the sends are left to MPI.
class SparseSends {
 public:
  /// @param each number of counts for each rank
  SparseSends(MPI_Comm comm, int me, const std::vector<long long>& counts, int each, int tag)
      : sent_(std::make_unique<std::vector<long long>>()) {
    std::vector<int> ranks;
    for (int r = 0; r < static_cast<int>(counts.size()) / each; ++r) {
      const auto own = counts.begin() + static_cast<std::ptrdiff_t>(r) * each;
      if (r == me || std::all_of(own, own + each, [](long long n) { return n == 0; })) continue;
      ranks.push_back(r);
      sent_->insert(sent_->end(), own, own + each);
    }
    requests_.assign(ranks.size(), MPI_REQUEST_NULL);
    for (std::size_t n = 0; n < ranks.size(); ++n)
      start(sent_->data() + n * each, each, ranks[n], tag, comm, &requests_[n]);
  }
  ~SparseSends() {
    if (!done_) static_cast<void>(sent_.release());
  }
  SparseSends(const SparseSends&) = delete;
  SparseSends& operator=(const SparseSends&) = delete;

  bool done() {
    int all = 1;
    if (!done_)
      TRIDENT_MPI_CHECK(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all,
                                    MPI_STATUSES_IGNORE));
    return done_ = all != 0;
  }

 private:
  /// Starts one send. If it fails, keeps all counts in memory, as earlier sends may be under way.
  void start(const long long* counts, int each, int rank, int tag, MPI_Comm comm,
             MPI_Request* request) {
    try {
      TRIDENT_MPI_CHECK(MPI_Issend(counts, each, MPI_LONG_LONG, rank, tag, comm, request));
    } catch (...) {
      static_cast<void>(sent_.release());
      throw;
    }
  }

  std::unique_ptr<std::vector<long long>> sent_;
  std::vector<MPI_Request> requests_;
  bool done_ = false;
};

/// Receives a message of counts. Returns false if none has come.
bool receiveOne(MPI_Comm comm, int each, int tag, std::vector<long long>& received) {
  int some = 0;
  MPI_Status status;
  TRIDENT_MPI_CHECK(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &some, &status));
  if (some)
    TRIDENT_MPI_CHECK(MPI_Recv(received.data() + static_cast<std::size_t>(status.MPI_SOURCE) * each,
                               each, MPI_LONG_LONG, status.MPI_SOURCE, tag, comm,
                               MPI_STATUS_IGNORE));
  return some != 0;
}

std::vector<long long> offsetsOf(const std::vector<long long>& counts) {
  std::vector<long long> offsets(counts.size() + 1, 0);
  for (std::size_t r = 0; r < counts.size(); ++r) offsets[r + 1] = offsets[r] + counts[r];
  return offsets;
}

std::vector<bool> internodeTo(const GridRanks& ranks) {
  std::vector<bool> internode(ranks.size());
  for (int r = 0; r < ranks.size(); ++r) internode[r] = !ranks.sameNode(r);
  return internode;
}

}  // namespace

std::vector<long long> receiveCounts(MPI_Comm comm, const std::vector<long long>& sendCounts,
                                     int each) {
  const bool many = sendCounts.size() / each >= AllToAll::manyRanks;
  return many ? receiveCountsSparse(comm, sendCounts, each)
              : receiveCountsDense(comm, sendCounts, each);
}

std::vector<long long> receiveCountsDense(MPI_Comm comm, const std::vector<long long>& sendCounts,
                                          int each) {
  std::vector<long long> received(sendCounts.size());
  allToAll(sendCounts.data(), each, MPI_LONG_LONG, received.data(), comm, countsOfOthers);
  return received;
}

std::vector<long long> receiveCountsSparse(MPI_Comm comm, const std::vector<long long>& sendCounts,
                                           int each) {
  requireNotAbandoned();
  const WaitStatus waiting(countsOfOthers);
  const int tag = nextTag(comm);
  int me = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &me));
  std::vector<long long> received(sendCounts.size(), 0);
  const auto own = sendCounts.begin() + static_cast<std::ptrdiff_t>(me) * each;
  std::copy(own, own + each, received.begin() + (own - sendCounts.begin()));
  SparseSends sends(comm, me, sendCounts, each, tag);
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool inBarrier = false;
  Wait wait;
  for (int over = 0;;) {
    if (receiveOne(comm, each, tag, received)) continue;
    if (inBarrier) TRIDENT_MPI_CHECK(MPI_Test(&barrier, &over, MPI_STATUS_IGNORE));
    if (over) return received;
    if (!inBarrier && sends.done()) {
      TRIDENT_MPI_CHECK(MPI_Ibarrier(comm, &barrier));
      inBarrier = true;
    }
    wait.goOn();
  }
}

AllToAll::AllToAll(const GridRanks& ranks, std::vector<long long> sendCounts,
                   std::size_t messageBytes)
    : AllToAll(ranks.comm(), internodeTo(ranks), std::move(sendCounts), messageBytes) {}

AllToAll AllToAll::withSums(const GridRanks& ranks, const std::vector<long long>& sendCounts,
                            std::vector<long long>& sums, std::size_t messageBytes,
                            const LocalFailure& failure) {
  sums.push_back(failure.failed() ? 1 : 0);
  const std::size_t each = 1 + sums.size();
  std::vector<long long> all, received;
  for (const long long count : sendCounts) {
    all.push_back(count);
    all.insert(all.end(), sums.begin(), sums.end());
  }
  all = receiveCountsDense(ranks.comm(), all, static_cast<int>(each));
  std::fill(sums.begin(), sums.end(), 0);
  for (std::size_t r = 0; r < sendCounts.size(); ++r) {
    received.push_back(all[r * each]);
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n] += all[r * each + 1 + n];
  }
  const bool failed = sums.back() > 0;
  sums.pop_back();
  if (failed) throwEverywhere(ranks.comm(), failure.text());
  return AllToAll(ranks.comm(), internodeTo(ranks), sendCounts, received, messageBytes);
}

AllToAll::AllToAll(const ProcessGrid& grid, Factor line, std::vector<long long> sendCounts,
                   std::size_t messageBytes)
    : AllToAll(grid.line(line), grid.internodeOnLine(line), std::move(sendCounts), messageBytes) {}

AllToAll::AllToAll(MPI_Comm comm, std::vector<bool> internode, std::vector<long long> sendCounts,
                   std::size_t messageBytes)
    : AllToAll(comm, std::move(internode), sendCounts, receiveCounts(comm, sendCounts, 1),
               messageBytes) {}

AllToAll::AllToAll(MPI_Comm comm, std::vector<bool> internode,
                   const std::vector<long long>& sendCounts,
                   const std::vector<long long>& receiveCounts, std::size_t messageBytes)
    : comm_(comm),
      internode_(std::move(internode)),
      messageBytes_(messageBytes),
      sendOffsets_(offsetsOf(sendCounts)),
      receiveOffsets_(offsetsOf(receiveCounts)) {
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &me_));
}

std::pair<AllToAll, AllToAll> AllToAll::pair(const GridRanks& ranks,
                                             const std::vector<long long>& firstCounts,
                                             const std::vector<long long>& secondCounts,
                                             std::size_t messageBytes) {
  return pair(ranks.comm(), internodeTo(ranks), firstCounts, secondCounts, messageBytes);
}

std::pair<AllToAll, AllToAll> AllToAll::pair(const ProcessGrid& grid, Factor line,
                                             const std::vector<long long>& firstCounts,
                                             const std::vector<long long>& secondCounts,
                                             std::size_t messageBytes) {
  return pair(grid.line(line), grid.internodeOnLine(line), firstCounts, secondCounts, messageBytes);
}

std::pair<AllToAll, AllToAll> AllToAll::pair(MPI_Comm comm, const std::vector<bool>& internode,
                                             const std::vector<long long>& firstCounts,
                                             const std::vector<long long>& secondCounts,
                                             std::size_t messageBytes) {
  std::vector<long long> both;
  for (std::size_t r = 0; r < firstCounts.size(); ++r) {
    both.push_back(firstCounts[r]);
    both.push_back(secondCounts[r]);
  }
  both = receiveCounts(comm, both, 2);
  std::vector<long long> first, second;
  for (std::size_t r = 0; r < firstCounts.size(); ++r) {
    first.push_back(both[2 * r]);
    second.push_back(both[2 * r + 1]);
  }
  return {AllToAll(comm, internode, firstCounts, first, messageBytes),
          AllToAll(comm, internode, secondCounts, second, messageBytes)};
}

bool AllToAll::onlySelf() const {
  return sends() == sendOffsets_[me_ + 1] - sendOffsets_[me_] &&
         receives() == receiveOffsets_[me_ + 1] - receiveOffsets_[me_];
}

void AllToAll::exchange(const void* send, void* receive, std::size_t elementBytes,
                        Traffic& traffic) const {
  const auto peers = makeMpiTransfers(comm_, MemoryKind::Host, messageBytes_);
  exchange(send, receive, elementBytes, *peers, traffic);
}

void AllToAll::exchange(const void* send, void* receive, std::size_t elementBytes,
                        PeerTransfers& peers, Traffic& traffic) const {
  move({const_cast<char*>(static_cast<const char*>(send)), sendOffsets_, elementBytes},
       {static_cast<char*>(receive), receiveOffsets_, elementBytes}, peers, traffic);
}

void AllToAll::exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                            Traffic& traffic) const {
  const auto peers = makeMpiTransfers(comm_, MemoryKind::Host, messageBytes_);
  exchangeBack(answers, received, elementBytes, *peers, traffic);
}

void AllToAll::exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                            PeerTransfers& peers, Traffic& traffic) const {
  move({const_cast<char*>(static_cast<const char*>(answers)), receiveOffsets_, elementBytes},
       {static_cast<char*>(received), sendOffsets_, elementBytes}, peers, traffic);
}

void AllToAll::answerEach(const void* answers, void* received, std::size_t answerBytes,
                          Traffic& traffic) const {
  const auto peers = makeMpiTransfers(comm_, MemoryKind::Host, messageBytes_);
  char* const to = const_cast<char*>(static_cast<const char*>(answers));
  char* const from = static_cast<char*>(received);
  std::vector<PeerTransfer> all;
  for (int r = 0; r < static_cast<int>(internode_.size()); ++r) {
    if (r == me_) continue;
    if (sendOffsets_[r + 1] > sendOffsets_[r]) {
      all.push_back({from + r * answerBytes, answerBytes, r, false});
      traffic.count(internode_[r], answerBytes, peers->messages(r, answerBytes));
    }
    if (receiveOffsets_[r + 1] > receiveOffsets_[r])
      all.push_back({to + r * answerBytes, answerBytes, r, true});
  }
  peers->start(all);
  peers->wait();
}

/// Returns all transfers with other ranks, ordered by distance, so that not all ranks begin with
/// rank 0.
std::vector<PeerTransfer> AllToAll::transfers(const End& send, const End& receive) const {
  const int P = static_cast<int>(internode_.size());
  std::vector<PeerTransfer> all;
  for (int distance = 1; distance < P; ++distance) {
    const int from = (me_ - distance + P) % P, to = (me_ + distance) % P;
    if (receive.bytes(from) > 0)
      all.push_back({receive.of(from), receive.bytes(from), from, false});
    if (send.bytes(to) > 0) all.push_back({send.of(to), send.bytes(to), to, true});
  }
  return all;
}

void AllToAll::move(const End& send, const End& receive, PeerTransfers& peers,
                    Traffic& traffic) const {
  const std::vector<PeerTransfer> all = transfers(send, receive);
  for (const PeerTransfer& t : all)
    if (!t.send) traffic.count(internode_[t.peer], t.bytes, peers.messages(t.peer, t.bytes));
  const auto keepOwn = [&] {
    copyBytes(receive.of(me_), peers.memory(), send.of(me_), peers.memory(), send.bytes(me_));
  };
  // On a device the copy comes before start(): later its fence could wait for transfers, too.
  // On a host it comes after start(), so that messages travel meanwhile.
  const bool onDevice = peers.memory() == MemoryKind::Device;
  if (onDevice) keepOwn();
  peers.start(all);
  if (!onDevice) keepOwn();
  peers.wait();
}

}  // namespace Trident::Impl
