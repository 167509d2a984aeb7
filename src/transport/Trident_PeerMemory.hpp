// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PEERMEMORY_HPP
#define TRIDENT_PEERMEMORY_HPP

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "transport/Trident_IpcDevice.hpp"

namespace Trident::Impl {

/// An array of bytes of each rank of a node on its device, which all others of the node can read
/// and write there. The GPUs need not be distinct.
///
/// Each allocation is opened by its handle, and then checked: a handle could mean another
/// allocation in another container. A random mark travels with the handle, and must stand at the
/// first byte. The check copies it from device to device, as all later copies go.
class PeerMemory {
 public:
  /// Throws the same Error on every rank of `node`, or on none; then nothing is left of it. The
  /// content is whatever. Collective over `node`, which outlives it.
  /// @param bytes equal on all ranks
  /// @param label that Kokkos' tools see
  /// @param device outlives it
  PeerMemory(MPI_Comm node, std::size_t bytes, const std::string& label,
             IpcDevice& device = cudaIpc());
  /// Closes all memory, meets the others, and frees its own, as nobody may free memory that others
  /// have open. Collective over `node`, before MPI ends. If this process has given a wait up, the
  /// memory is left.
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
  bool noted_ = false;         // true if Kokkos' tools were told of the memory
  std::vector<char*> arrays_;  // one of each rank of the node; null if this rank has not opened it
};

}  // namespace Trident::Impl

#endif
