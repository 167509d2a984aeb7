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

/// A send or a receive of device memory. Transfers of a pair of ranks meet in the order in which
/// both list them; those of 0 bytes are left out on both sides.
struct NcclTransfer {
  void* data;  ///< read only, if it is sent
  std::size_t bytes;
  int peer;  ///< rank in the communicator
  bool send;
};

/// Transfers between devices that go on while hosts and devices do something else, on a stream of
/// its own, one group after the other. Used by one thread at a time.
///
/// Every rank starts matching groups in one order. If ranks use several communicators, the starts
/// of all of them together must have an order that every rank keeps to. A group ends only when all
/// its ranks have started it. Until then fences and allocations block. The calling thread has no
/// group of the program's open (see ncclGroupIsOpen()).
class NcclCommunicator {
 public:
  /// Returns the reason why the ranks of `comm` cannot use NCCL together; an empty text if they
  /// can. The reasons are a build without NCCL, Kokkos on hosts, or two ranks that share a GPU. All
  /// ranks get an equal text. Collective over `comm`.
  static std::string whyNot(MPI_Comm comm);

  /// Makes a communicator of the ranks of `comm` in their order, and connects every pair of them,
  /// so that start() waits for nobody. Collective. Throws on every rank or on none, also if NCCL
  /// fails on one rank alone, or one rank's program has a group open.
  explicit NcclCommunicator(MPI_Comm comm);
  ~NcclCommunicator();  ///< called before MPI ends; collective unless NCCL has failed
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  /// The number of a group for test() and wait(); groups end in the order of their start.
  using Ticket = std::uint64_t;

  /// Starts the transfers as one group, at once: kernels that write or read their data have
  /// finished.
  Ticket start(const std::vector<NcclTransfer>& transfers);
  /// Starts a copy from device to pinned memory behind the groups so far. Local.
  Ticket copyToHost(void* pinned, const void* device, std::size_t bytes);
  /// Returns true if the work of a ticket is done; throws if the communicator has failed here or on
  /// another rank.
  bool test(Ticket ticket);
  /// Waits for a ticket's work, moving MPI on, since others may need a message to get to their
  /// start.
  void wait(Ticket ticket);

  /// Returns true if NCCL or a device has given an error, after which every call throws; the holder
  /// makes a new one. A failed communicator is aborted at once. The other ranks, which would wait
  /// for ever, are told and abort theirs.
  bool failed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns true if the program has an NCCL group open on the calling thread, as far as NCCL tells.
/// Groups nest: what Trident starts inside would begin when the program's group ends. The event
/// that Trident records behind it would say too early that it is done. Local.
bool ncclGroupIsOpen();

/// The fault of a program that has a group open, and the remedy.
constexpr const char* openNcclGroup =
    "the program has an NCCL group open on this thread, so that nothing that Trident sends would "
    "begin; call ncclGroupEnd() before";

/// Returns NCCL among the ranks of `comm`, in their order. Making one takes long, and device
/// memory. So all grids share it, and it is kept until MPI ends or it fails: then the next call
/// makes another. Collective; throws on every rank or on none.
std::shared_ptr<NcclCommunicator> sharedNccl(MPI_Comm comm);

/// Returns true if this rank can use `nccl` now: it has not failed, and the program has no group
/// open. Local.
inline bool isUsable(const std::shared_ptr<NcclCommunicator>& nccl) {
  return nccl && !nccl->failed() && !ncclGroupIsOpen();
}

}  // namespace Trident::Impl

#endif
