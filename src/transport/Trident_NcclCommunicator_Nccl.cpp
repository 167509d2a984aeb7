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

constexpr int noticeTag = 4;  // of the only messages on the communicator's duplicate
constexpr const char* failedElsewhere = "another rank's NCCL communicator has failed";

/// Returns the settings of communicators that share connections when one is split from another.
ncclConfig_t sharingConfig(bool blocking) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = blocking;
  config.splitShare = 1;
  return config;
}

}  // namespace

// A blocking NCCL communicator starts a group in 7 us on H100s, a nonblocking one, with a thread
// for each group, in 50 to 90. But where NCCL fails on one rank while a blocking one is made or
// connected, it leaves the other ranks inside. A nonblocking one can be aborted. So that is made
// and connected, and then split into a blocking one of all ranks that shares its connections (30
// ms). After the constructor no call waits for other ranks.
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
  /// Checks a call that may go on when it returns.
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
  ncclComm_t child = nullptr;  // the blocking one, until it takes the other's place
  bool connected = false;
  std::string failure;
  bool failureWasElsewhere = false;  // the first one that this rank knew of
  Ticket started = 0, done = 0;
  std::deque<std::pair<Ticket, cudaEvent_t>> open;  // events of what is under way, in order
  std::vector<cudaEvent_t> spare;
};

/// Does the local steps, before others depend on this rank.
void NcclCommunicator::State::prepare(ncclUniqueId& id) {
  if (ncclGroupIsOpen()) throw Error(openNcclGroup);
  check(cudaGetDevice(&device), "cudaGetDevice");
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  // Not ordered behind the default stream, and before the blocks of a kernel that wait for room.
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest),
        "cudaStreamCreateWithPriority");
  if (comm.rank() == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
}

/// Makes the communicator with all ranks; throws on each of them if it fails on one.
void NcclCommunicator::State::make(const ncclUniqueId& id) {
  ncclConfig_t config = sharingConfig(false);
  checkBegun(ncclCommInitRankConfig(&nccl, comm.size(), id, comm.rank(), &config),
             "ncclCommInitRankConfig");
  awaitEnd("ncclCommInitRankConfig");
}

/// Splits the communicator with all ranks; throws on each of them if it fails on one.
void NcclCommunicator::State::split() {
  ncclConfig_t config = sharingConfig(true);
  checkBegun(ncclCommSplit(nccl, 0, comm.rank(), &child, &config), "ncclCommSplit");
  awaitEnd("ncclCommSplit");
}

/// Waits for the end of a call, or for another rank's failure, without which the call may not end.
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
  check(cudaSetDevice(device), "cudaSetDevice");  // any thread may call
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
  const ncclResult_t ended = ncclGroupEnd();  // also after an error: groups nest by thread
  checkBegun(code, "ncclSend or ncclRecv");
  checkBegun(ended, "ncclGroupEnd");
  if (!any) return started;
  if (ended == ncclInProgress) awaitEnd("an NCCL group");  // only then it is on the stream
  return record();
}

/// Returns the ticket of all that is on the stream by now.
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
      static_cast<void>(cudaGetLastError());  // no error, and nobody else shall meet it
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

/// Looks for failures here and elsewhere, and moves MPI on.
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
    if (*which) static_cast<void>(ncclCommAbort(*which));  // nothing is left to do where it fails
    *which = nullptr;
  }
}

/// Destroys a communicator with all ranks, none of which has failed.
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

/// Returns true if a rank said that it failed.
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
    MPI_Request request = MPI_REQUEST_NULL;  // without a byte, so nobody has to wait for it
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
  if (deviceIsGone()) return;  // behind main(): NCCL would call it
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
    return "Kokkos runs on hosts";  // as it was built, so on every rank
  return whyGpusAreNotTheirOwn(comm);
}

NcclCommunicator::NcclCommunicator(MPI_Comm mpi) : state_(std::make_unique<State>(mpi)) {
  State& s = *state_;
  const MPI_Comm comm = s.comm.get();
  LocalFailure failure;
  const auto step = [&](const auto& work) {  // everywhere or nowhere
    failure.guard(work);
    // The cause, and not what follows from it.
    throwEverywhere(comm, s.failureWasElsewhere ? std::string() : failure.text());
    if (failure.failed()) throw Error(failure.text());
  };
  ncclUniqueId id{};
  step([&] { s.prepare(id); });
  broadcast(&id, sizeof id, MPI_BYTE, 0, comm, "the identity of an NCCL communicator");
  step([&] { s.make(id); });
  // NCCL connects a pair at its first transfer, and then one rank would wait for the other.
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
  std::swap(s.nccl, s.child);
  s.destroy(s.child);  // the connections are the other's too
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
