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

/// A send or a receive of device memory. The n-th send of a rank to a peer goes to the n-th receive
/// of the peer from this rank. Transfers of 0 bytes are skipped, and do not count.
struct NcclTransfer {
  void* data;  ///< data, which a send only reads
  std::size_t bytes;
  int peer;  ///< rank in the NCCL communicator
  bool send;
};

/// Transfers between devices, on a stream of the communicator. Groups of transfers run one after
/// the other, while hosts and devices do other work. Used by one thread at a time.
///
/// All ranks must start matching groups in the same order. If ranks use several communicators, this
/// order includes the groups of all these communicators. A group ends only when all its ranks have
/// started it. Until then fences and allocations block. The program must have no NCCL group open on
/// the calling thread (see ncclGroupIsOpen()).
class NcclCommunicator {
 public:
  /// Returns the reason why the ranks of `comm` cannot use NCCL together; an empty text if they
  /// can. Reasons are a build without NCCL, Kokkos on hosts, and two ranks that share a GPU. The
  /// text is equal on all ranks. Collective over `comm`.
  static std::string whyNot(MPI_Comm comm);

  /// Makes a communicator of the ranks of `comm` in their order. Connects every pair of ranks, so
  /// that start() waits for nobody. Throws on every rank or on none, even if only one rank fails in
  /// NCCL, or only one rank's program has a group open. Collective over `comm`.
  explicit NcclCommunicator(MPI_Comm comm);
  ~NcclCommunicator();  ///< collective unless NCCL has failed. Must run before MPI ends
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  /// The number of a group or copy, for test() and wait(). Earlier groups and copies end first.
  using Ticket = std::uint64_t;

  /// Starts the transfers as one group, immediately. Kernels that write or read the data must have
  /// ended.
  Ticket start(const std::vector<NcclTransfer>& transfers);
  /// Starts a copy from device to pinned memory, which runs after all groups started so far. Local.
  Ticket copyToHost(void* pinned, const void* device, std::size_t bytes);
  /// Returns true if the group or the copy of a ticket is done. Throws if the communicator has
  /// failed here or on another rank.
  bool test(Ticket ticket);
  /// Waits for the group or the copy of a ticket. Meanwhile moves MPI on, because another rank may
  /// need a message of this rank before it can start the group.
  void wait(Ticket ticket);

  /// Returns true if NCCL or a device has reported an error here, or if this rank has learned of an
  /// error on another rank. After that every call throws, and only a new communicator works. A rank
  /// with an error aborts and tells the others, which abort, too. Else they would wait for ever.
  bool failed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns true if the program has an NCCL group open on the calling thread, as far as NCCL tells.
/// If so, Trident must start no transfers: these would begin only when the program's group ends,
/// but test() would return true for a ticket before that. Local.
bool ncclGroupIsOpen();

/// The error of a program that has an NCCL group open, with the remedy.
constexpr const char* openNcclGroup =
    "the program has an NCCL group open on this thread, so that nothing that Trident sends would "
    "begin; call ncclGroupEnd() before";

/// Returns NCCL's communicator of the ranks of `comm`, in their order. All grids share the
/// communicator, because to make one takes time and device memory. It is kept until MPI ends. After
/// a failure the next call makes another one. Collective; throws on every rank or on none.
std::shared_ptr<NcclCommunicator> sharedNccl(MPI_Comm comm);

/// Returns true if this rank can use `nccl` now: it exists, it has not failed, and the program has
/// no group open. Local.
inline bool isUsable(const std::shared_ptr<NcclCommunicator>& nccl) {
  return nccl && !nccl->failed() && !ncclGroupIsOpen();
}

}  // namespace Trident::Impl

#endif
