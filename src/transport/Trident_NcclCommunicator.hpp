// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NCCLCOMMUNICATOR_HPP
#define TRIDENT_NCCLCOMMUNICATOR_HPP

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Trident::Impl {

/// A send or a receive of device memory. A rank's sends to a peer meet the peer's receives in the
/// order of both lists. Both sides leave out transfers of 0 bytes.
struct NcclTransfer {
  void* data;  ///< data, which a send only reads
  std::size_t bytes;
  int peer;  ///< rank in the NCCL communicator
  bool send;
};

/// Transfers between devices, on a stream of the communicator. They go on while hosts and devices
/// do something else, one group after the other. Used by one thread at a time.
///
/// All ranks must start matching groups in one order. If ranks use several communicators, that
/// order must include the groups of all of them. A group ends only when all its ranks have started
/// it. Until then fences and allocations block. The program must have no NCCL group open on the
/// calling thread (see ncclGroupIsOpen()).
class NcclCommunicator {
 public:
  /// Returns the reason why the ranks of `comm` cannot use NCCL together; an empty text if they
  /// can. Reasons are a build without NCCL, Kokkos on hosts, and two ranks that share a GPU. Equal
  /// on all ranks. Collective over `comm`.
  static std::string whyNot(MPI_Comm comm);

  /// Makes a communicator of the ranks of `comm` in their order. Connects every pair of them, so
  /// that start() waits for nobody. Throws on every rank or on none, even if NCCL fails on one rank
  /// alone, or one rank's program has a group open. Collective.
  explicit NcclCommunicator(MPI_Comm comm);
  ~NcclCommunicator();  ///< called before MPI ends; collective unless NCCL has failed
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  /// The number of a group or copy, for test() and wait(). They end in the order of their start.
  using Ticket = std::uint64_t;

  /// Starts the transfers as one group, immediately. So kernels that write or read their data must
  /// have ended.
  Ticket start(const std::vector<NcclTransfer>& transfers);
  /// Starts a copy from device to pinned memory, behind all groups so far. Local.
  Ticket copyToHost(void* pinned, const void* device, std::size_t bytes);
  /// Returns true if the group or the copy of a ticket is done. Throws if the communicator has
  /// failed here or on another rank.
  bool test(Ticket ticket);
  /// Waits for the group or the copy of a ticket. Moves MPI on meanwhile, since others may need a
  /// message before they can start theirs.
  void wait(Ticket ticket);

  /// Returns true if NCCL or a device has reported an error. Then every call throws, and the holder
  /// must make a new communicator. A failed one is aborted immediately. The other ranks are told
  /// and abort theirs, because they would wait for ever.
  bool failed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns true if the program has an NCCL group open on the calling thread, as far as NCCL tells.
/// Trident must start nothing then. Groups nest, so its transfers would begin only when the
/// program's group ends, while the event behind them would say earlier that they are done. Local.
bool ncclGroupIsOpen();

/// The error of a program that has an NCCL group open, with the remedy.
constexpr const char* openNcclGroup =
    "the program has an NCCL group open on this thread, so that nothing that Trident sends would "
    "begin; call ncclGroupEnd() before";

/// Returns NCCL's communicator of the ranks of `comm`, in their order. All grids share it, because
/// making one takes time and device memory. It is kept until MPI ends. If it fails, the next call
/// makes another one. Collective; throws on every rank or on none.
std::shared_ptr<NcclCommunicator> sharedNccl(MPI_Comm comm);

/// Returns true if this rank can use `nccl` now: there is one, it has not failed, and the program
/// has no group open. Local.
inline bool isUsable(const std::shared_ptr<NcclCommunicator>& nccl) {
  return nccl && !nccl->failed() && !ncclGroupIsOpen();
}

}  // namespace Trident::Impl

#endif
