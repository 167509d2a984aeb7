// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PEERMEMORY_HPP
#define TRIDENT_PEERMEMORY_HPP

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "transport/Trident_IpcDevice.hpp"

namespace Trident::Impl {

/// One array of bytes for each rank of a node, on the rank's device. All ranks of the node can read
/// and write all arrays there. Ranks may share a GPU.
///
/// A rank opens another rank's allocation by a handle. In another container the handle could mean
/// another allocation. So a random mark travels with the handle, and the opened allocation must
/// begin with this mark. The check copies the mark between the devices, so later copies work, too.
class PeerMemory {
 public:
  /// Allocates the memory, with any content. Throws the same Error on every rank of `node`, or on
  /// none. A throw frees the memory. Collective over `node`, which outlives this object.
  /// @param bytes equal on all ranks
  /// @param label name of the memory for Kokkos' tools
  /// @param device outlives this object
  PeerMemory(MPI_Comm node, std::size_t bytes, const std::string& label,
             IpcDevice& device = cudaIpc());
  /// Closes the other ranks' memory. Waits until they have closed this rank's memory, because
  /// nobody may free memory that others have open. Then frees this rank's memory. Collective over
  /// `node`, before MPI ends. Frees nothing if this process has given up a wait.
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  char* data() const { return arrays_[me_]; }
  /// Returns the memory of rank k of the node.
  char* of(int k) const { return arrays_[k]; }

 private:
  struct Offer;
  Offer offer();
  void open(const std::vector<Offer>& offers);
  void requireMarks(const std::vector<Offer>& offers);
  void noteFreed();
  void leave() noexcept;

  MPI_Comm node_;
  std::string label_;
  IpcDevice& device_;
  int me_ = 0;
  std::size_t bytes_ = 0;
  bool noted_ = false;         // true if Kokkos' tools know of the memory
  std::vector<char*> arrays_;  // arrays of the node's ranks; null if not there or not open
};

}  // namespace Trident::Impl

#endif
