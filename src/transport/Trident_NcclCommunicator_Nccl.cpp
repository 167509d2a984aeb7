// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <Kokkos_Core.hpp>
#include <deque>
#include <thread>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_Memory.hpp"
#include "base/Trident_Mpi.hpp"
#include "grid/Trident_Communicator.hpp"
#include "transport/Trident_Gpu.hpp"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {
namespace {

constexpr int noticeTag = 4;  // tag of messages that tell of a failure
constexpr const char* failedElsewhere = "another rank's NCCL communicator has failed";

/// Returns the settings with which a communicator and its split share their connections.
ncclConfig_t sharingConfig(bool blocking) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = blocking;
  config.splitShare = 1;
  return config;
}

}  // namespace

// A blocking NCCL communicator starts a group in 7 us on H100s. A nonblocking one takes 50 to 90
// us, because it uses a thread for each group. But if NCCL fails on one rank while a blocking
// communicator is made or connected, the other ranks hang. A nonblocking communicator can be
// aborted. So the constructor makes and connects a nonblocking communicator. Then it splits off a
// blocking one, which shares the connections (30 ms). After that start() waits for no other rank.
struct NcclCommunicator::State {
  explicit State(MPI_Comm mpi) : comm(Communicator::duplicate(mpi)) {}
  ~State();

  void prepare(ncclUniqueId& id);
  void make(const ncclUniqueId& id);
  void split();
  Ticket startGroup(const std::vector<NcclTransfer>& transfers);
  Ticket record();
  bool test(Ticket ticket);
  void poll();

  void check(cudaError_t code, const char* call) {
    if (code != cudaSuccess) fail(std::string(call) + " failed: " + cudaGetErrorString(code));
  }
  void check(ncclResult_t code, const char* call) {
    if (code != ncclSuccess)
      fail(std::string(call) + " failed: " + ncclGetErrorString(code) + ", " +
           ncclGetLastError(nccl) + "; NCCL_DEBUG=WARN says more");
  }
  /// Checks the result of a call that may still go on.
  void checkBegun(ncclResult_t code, const char* call) {
    if (code != ncclInProgress) check(code, call);
  }
  void awaitEnd(const char* call);
  void requireSound() const {
    if (!failure.empty()) throw Error("Trident::NcclCommunicator", failure);
  }
  [[noreturn]] void fail(const std::string& why, bool notify = true);
  [[noreturn]] void failAsOthers() { fail(failedElsewhere, false); }
  void abort();
  void destroy(ncclComm_t& which);
  bool receivedNotice();
  void notifyOthers();

  Communicator comm;
  int device = 0;
  cudaStream_t stream = nullptr;
  ncclComm_t nccl = nullptr;
  ncclComm_t child = nullptr;  // the blocking communicator, until it becomes `nccl`
  bool connected = false;
  std::string failure;
  bool failureWasElsewhere = false;  // true if another rank's notice is the cause of `failure`
  Ticket started = 0, done = 0;
  std::deque<std::pair<Ticket, cudaEvent_t>> open;  // events of work under way, in order of start
  std::vector<cudaEvent_t> spare;
};

/// Takes the local steps. If one fails here, no other rank waits in NCCL yet.
void NcclCommunicator::State::prepare(ncclUniqueId& id) {
  if (ncclGroupIsOpen()) throw Error(openNcclGroup);
  check(cudaGetDevice(&device), "cudaGetDevice");
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  // This stream does not wait for the default stream. On a busy device NCCL's kernels start first.
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest),
        "cudaStreamCreateWithPriority");
  if (comm.rank() == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
}

/// Makes the nonblocking communicator, with all ranks. Throws on every rank if one rank fails.
void NcclCommunicator::State::make(const ncclUniqueId& id) {
  ncclConfig_t config = sharingConfig(false);
  checkBegun(ncclCommInitRankConfig(&nccl, comm.size(), id, comm.rank(), &config),
             "ncclCommInitRankConfig");
  awaitEnd("ncclCommInitRankConfig");
}

/// Splits off the blocking communicator, with all ranks. Throws on every rank if one rank fails.
void NcclCommunicator::State::split() {
  ncclConfig_t config = sharingConfig(true);
  checkBegun(ncclCommSplit(nccl, 0, comm.rank(), &child, &config), "ncclCommSplit");
  awaitEnd("ncclCommSplit");
}

/// Waits for the end of a call. Throws if another rank has failed, because the call may hang then.
void NcclCommunicator::State::awaitEnd(const char* call) {
  ncclResult_t code = ncclInProgress;
  while (true) {
    check(ncclCommGetAsyncError(nccl, &code), "ncclCommGetAsyncError");
    if (code != ncclInProgress) return check(code, call);
    if (receivedNotice()) failAsOthers();
    std::this_thread::yield();
  }
}

NcclCommunicator::Ticket NcclCommunicator::State::startGroup(
    const std::vector<NcclTransfer>& transfers) {
  requireSound();
  check(cudaSetDevice(device), "cudaSetDevice");  // the calling thread may have set another device
  check(ncclGroupStart(), "ncclGroupStart");
  bool any = false;
  ncclResult_t code = ncclSuccess;
  for (const NcclTransfer& transfer : transfers) {
    if (transfer.bytes == 0 || (code != ncclSuccess && code != ncclInProgress)) continue;
    any = true;
    code = transfer.send
               ? ncclSend(transfer.data, transfer.bytes, ncclChar, transfer.peer, nccl, stream)
               : ncclRecv(transfer.data, transfer.bytes, ncclChar, transfer.peer, nccl, stream);
  }
  const ncclResult_t ended = ncclGroupEnd();  // even after an error, else the group stays open
  checkBegun(code, "ncclSend or ncclRecv");
  checkBegun(ended, "ncclGroupEnd");
  if (!any) return started;
  if (ended == ncclInProgress) awaitEnd("an NCCL group");
  return record();  // now the group is on the stream
}

/// Returns a ticket for all work that is on the stream now.
NcclCommunicator::Ticket NcclCommunicator::State::record() {
  if (spare.empty()) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    spare.push_back(event);
  }
  check(cudaEventRecord(spare.back(), stream), "cudaEventRecord");
  open.emplace_back(++started, spare.back());
  spare.pop_back();
  return started;
}

bool NcclCommunicator::State::test(Ticket ticket) {
  requireSound();
  while (done < ticket && !open.empty()) {
    const cudaError_t code = cudaEventQuery(open.front().second);
    if (code == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());  // clears cudaErrorNotReady, which is no failure
      poll();
      return false;
    }
    check(code, "cudaEventQuery");
    done = open.front().first;
    spare.push_back(open.front().second);
    open.pop_front();
  }
  return true;
}

/// Throws if NCCL has failed here or on another rank. Moves MPI on.
void NcclCommunicator::State::poll() {
  ncclResult_t asynchronous = ncclSuccess;
  check(ncclCommGetAsyncError(nccl, &asynchronous), "ncclCommGetAsyncError");
  if (asynchronous != ncclInProgress) check(asynchronous, "an NCCL group");
  if (receivedNotice()) failAsOthers();
}

void NcclCommunicator::State::fail(const std::string& why, bool notify) {
  failure = why;
  failureWasElsewhere = !notify;
  abort();
  if (notify) notifyOthers();
  throw Error("Trident::NcclCommunicator", failure);
}

void NcclCommunicator::State::abort() {
  for (ncclComm_t* which : {&child, &nccl}) {
    if (*which) static_cast<void>(ncclCommAbort(*which));  // if that fails, nothing is left to do
    *which = nullptr;
  }
}

/// Destroys a communicator. Collective over its ranks, none of which may have failed.
void NcclCommunicator::State::destroy(ncclComm_t& which) {
  ncclResult_t code = ncclCommFinalize(which);
  while (code == ncclInProgress) {
    std::this_thread::yield();
    if (ncclCommGetAsyncError(which, &code) != ncclSuccess) code = ncclInternalError;
  }
  if (code != ncclSuccess) return abort();
  static_cast<void>(ncclCommDestroy(which));
  which = nullptr;
}

/// Receives the notice of a rank that failed. Returns false if none has come.
bool NcclCommunicator::State::receivedNotice() {
  int flag = 0;
  MPI_Status status;
  TRIDENT_MPI_CHECK(MPI_Iprobe(MPI_ANY_SOURCE, noticeTag, comm.get(), &flag, &status));
  if (flag)
    TRIDENT_MPI_CHECK(MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, noticeTag, comm.get(),
                               MPI_STATUS_IGNORE));
  return flag != 0;
}

void NcclCommunicator::State::notifyOthers() {
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) continue;
    MPI_Request request = MPI_REQUEST_NULL;  // never waited for, because the message is empty
    TRIDENT_MPI_CHECK_NOTHROW(
        MPI_Isend(nullptr, 0, MPI_BYTE, rank, noticeTag, comm.get(), &request));
    if (request != MPI_REQUEST_NULL) TRIDENT_MPI_CHECK_NOTHROW(MPI_Request_free(&request));
  }
}

NcclCommunicator::State::~State() {
  int finalized = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalized(&finalized));
  try {
    while (!finalized && receivedNotice()) failure = failedElsewhere;
  } catch (const Error&) {
    failure = "MPI has failed";
  }
  if (deviceIsGone()) return;  // NCCL would call the device, which is gone after main()
  if (nccl && connected && failure.empty())
    destroy(nccl);
  else
    abort();
  for (const auto& ticket : open) spare.push_back(ticket.second);
  for (cudaEvent_t event : spare) static_cast<void>(cudaEventDestroy(event));
  if (stream) static_cast<void>(cudaStreamDestroy(stream));
}

std::string NcclCommunicator::whyNot(MPI_Comm comm) {
  if (std::string(Kokkos::DefaultExecutionSpace::name()) != "Cuda")
    return "Kokkos runs on hosts";  // property of the build, so equal on all ranks
  return whyGpusAreShared(comm);
}

NcclCommunicator::NcclCommunicator(MPI_Comm mpi) : state_(std::make_unique<State>(mpi)) {
  State& s = *state_;
  const MPI_Comm comm = s.comm.get();
  LocalFailure failure;
  const auto step = [&](const auto& work) {  // throws on every rank if `work` throws on one
    failure.guard(work);
    // A rank that failed only because of another rank passes no text. So all ranks throw the cause.
    throwEverywhere(comm, s.failureWasElsewhere ? std::string() : failure.text());
    if (failure.failed()) throw Error(failure.text());
  };
  ncclUniqueId id{};
  step([&] { s.prepare(id); });
  broadcast(&id, sizeof id, MPI_BYTE, 0, comm, "the identity of an NCCL communicator");
  step([&] { s.make(id); });
  // Connects all pairs now. Else a rank would wait for the other one in a pair's first transfer.
  MemoryBlock bytes;
  std::vector<NcclTransfer> transfers;
  step([&] {
    bytes = MemoryBlock(MemoryKind::Device, "Trident::connect", 1 + s.comm.size());
    s.check(cudaMemsetAsync(bytes.data(), 0, bytes.size(), s.stream), "cudaMemsetAsync");
    for (int peer = 0; peer < s.comm.size(); ++peer)
      if (peer != s.comm.rank()) {
        transfers.push_back({bytes.data(), 1, peer, true});
        transfers.push_back({bytes.data() + 1 + peer, 1, peer, false});
      }
  });
  step([&] { wait(s.startGroup(transfers)); });
  step([&] { s.split(); });
  std::swap(s.nccl, s.child);  // now `child` is the nonblocking communicator
  s.destroy(s.child);          // `nccl` keeps the connections
  s.connected = true;
}

NcclCommunicator::~NcclCommunicator() = default;

NcclCommunicator::Ticket NcclCommunicator::start(const std::vector<NcclTransfer>& transfers) {
  return state_->startGroup(transfers);
}

NcclCommunicator::Ticket NcclCommunicator::copyToHost(void* pinned, const void* device,
                                                      std::size_t bytes) {
  State& s = *state_;
  s.requireSound();
  s.check(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, s.stream),
          "cudaMemcpyAsync");
  return s.record();
}

bool NcclCommunicator::test(Ticket ticket) { return state_->test(ticket); }

void NcclCommunicator::wait(Ticket ticket) {
  while (!state_->test(ticket)) std::this_thread::yield();
}

bool NcclCommunicator::failed() const { return !state_->failure.empty(); }

}  // namespace Trident::Impl
