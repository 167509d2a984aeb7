// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_StubNccl.hpp"

#include <atomic>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "nccl.h"

namespace {

constexpr int maxRanks = 8, maxIds = 256, slots = 32, maxBytes = 64;

/// Messages of one rank to another, in order. Memory that all ranks share starts as zeros.
struct Mail {
  std::atomic<unsigned> sent, taken;
  char bytes[slots][maxBytes];
};
struct Shared {
  std::atomic<int> nextId;
  std::atomic<int> joined[2 * maxIds];  // ranks, by communicator; the second half are children's
  Mail mail[maxRanks][maxRanks];
};
Shared* shared = nullptr;

struct Transfer {
  void* data;
  std::size_t bytes;
  int from, to;
  bool send;

  /// Does the transfer, if it can; returns whether it could.
  bool done() const {
    Mail& mail = shared->mail[from][to];
    char* slot = mail.bytes[(send ? mail.sent : mail.taken) % slots];
    if (send) {
      if (mail.sent - mail.taken == slots) return false;
      std::memcpy(slot, data, bytes);
      ++mail.sent;
    } else {
      if (mail.sent == mail.taken) return false;
      std::memcpy(data, slot, bytes);
      ++mail.taken;
    }
    return true;
  }
};

struct Queued {
  ncclComm_t comm;
  cudaStream_t stream;
  Transfer transfer;
};

thread_local int depth = 0;
thread_local std::vector<Queued> group;

}  // namespace

struct StubStream {
  std::deque<Transfer> waiting;
  std::size_t added = 0, ended = 0;
  void progress() {
    for (; !waiting.empty() && waiting.front().done(); waiting.pop_front()) ++ended;
  }
};

struct StubEvent {
  cudaStream_t stream = nullptr;
  std::size_t after = 0;  // count of the stream's transfers before this event
};

struct StubComm {
  int rank, ranks, id;
  bool blocking, fails;
  StubComm* child = nullptr;  // result of the split that is under way
  bool made = false;
  int polls = 0;  // queries until begun work has ended
  std::vector<Queued> begun = {};

  ncclResult_t state() {
    if (polls > 0) --polls;
    if (polls > 0) return ncclInProgress;
    if (fails) return ncclInternalError;
    if (!made && shared->joined[id] < ranks) return ncclInProgress;
    made = true;
    if (child) {
      const ncclResult_t code = child->state();
      if (code == ncclInProgress) return code;
      fails = code != ncclSuccess;
      if (!fails) child = nullptr;
      return code;
    }
    for (const bool send : {true, false})
      for (const Queued& one : begun)
        if (one.transfer.send == send) {
          one.stream->waiting.push_back(one.transfer);
          ++one.stream->added;
        }
    begun.clear();
    return ncclSuccess;
  }
};

namespace TridentTest {

StubNccl& stubNccl() {
  static StubNccl stub;
  return stub;
}

void startStubNccl(MPI_Comm comm) {
  int rank = 0, unit = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Aint bytes = rank == 0 ? sizeof(Shared) : 0;
  MPI_Win window = MPI_WIN_NULL;
  void* base = nullptr;
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm, &base, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &base);
  if (rank == 0) std::memset(base, 0, sizeof(Shared));
  shared = static_cast<Shared*>(base);
  MPI_Barrier(comm);
}

}  // namespace TridentTest

using TridentTest::stubNccl;

cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "the stub's error"; }
cudaError_t cudaDeviceGetStreamPriorityRange(int*, int*) { return cudaSuccess; }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return *stream = new StubStream, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete stream, cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = new StubEvent, cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->stream = stream;
  event->after = stream->added;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  event->stream->progress();
  return event->stream->ended >= event->after ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t) {
  return std::memset(data, value, bytes), cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}

namespace {

ncclComm_t newComm(int rank, int ranks, int id, bool blocking, bool fails) {
  const ncclComm_t comm = new StubComm{rank, ranks, id, blocking, fails};
  ++stubNccl().alive;
  if (!fails) ++shared->joined[id];
  comm->polls = 5;
  return comm;
}

}  // namespace

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  id->number = shared->nextId++;
  return id->number < maxIds ? ncclSuccess : ncclInternalError;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  using Fails = TridentTest::StubNccl::Fails;
  const Fails fails = stubNccl().fails;
  *comm = nullptr;
  if (config->blocking) return ncclInvalidArgument;  // it would wait for the others
  if (fails == Fails::AtOnce) return ncclInternalError;
  *comm = newComm(rank, ranks, id.number, false, fails == Fails::Later);
  return ncclInProgress;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int, int key, ncclComm_t* child, ncclConfig_t* config) {
  using Fails = TridentTest::StubNccl::Fails;
  const Fails fails = stubNccl().fails;
  if (comm->blocking || comm->state() != ncclSuccess) return ncclInvalidUsage;
  if (fails == Fails::SplitAtOnce) return ncclInternalError;
  comm->child = newComm(key, comm->ranks, maxIds + comm->id, config->blocking != 0,
                        fails == Fails::SplitLater);
  *child = comm->child;
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* code) {
  *code = comm->state();
  return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  comm->polls = 5;
  return comm->blocking ? comm->state() : ncclInProgress;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) { return ncclCommAbort(comm); }
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  --stubNccl().alive;
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() { return ++depth, ncclSuccess; }
ncclResult_t ncclGroupEnd() {
  if (depth == 0) return ncclInvalidUsage;
  if (--depth > 0) return ncclSuccess;
  ncclResult_t code = ncclSuccess;
  for (const Queued& one : group) {
    one.comm->begun.push_back(one);
    one.comm->polls = 5;
    if (!one.comm->blocking) code = ncclInProgress;
  }
  for (const Queued& one : group)
    if (one.comm->blocking)
      while (one.comm->state() == ncclInProgress) continue;
  group.clear();
  return code;
}
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* info) {
  if (depth == 0) return ncclInvalidUsage;
  if (--depth > 0) return ncclSuccess;
  group.clear();
  return info->magic == 0 ? ncclInvalidArgument : ncclSuccess;
}

namespace {

ncclResult_t add(const Transfer& transfer, ncclComm_t comm, cudaStream_t stream) {
  if (depth == 0 || transfer.bytes > maxBytes) return ncclInvalidArgument;
  if (comm->state() != ncclSuccess) return ncclInvalidUsage;
  group.push_back({comm, stream, transfer});
  return ncclSuccess;
}

}  // namespace

ncclResult_t ncclSend(const void* data, std::size_t count, ncclDataType_t, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return add({const_cast<void*>(data), count, comm->rank, peer, true}, comm, stream);
}
ncclResult_t ncclRecv(void* data, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({data, count, peer, comm->rank, false}, comm, stream);
}
const char* ncclGetErrorString(ncclResult_t) { return "the stub's error"; }
const char* ncclGetLastError(ncclComm_t) { return "as it was told to"; }
