// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MEMORY_HPP
#define TRIDENT_MEMORY_HPP

#include <cstddef>
#include <memory>
#include <string>

namespace Trident::Impl {

/// The kinds of memory. Pinned is memory of a host that a device reads and writes directly. If
/// Kokkos runs on hosts only, all three are a host's memory.
enum class MemoryKind { Host, Pinned, Device };

/// A labelled array of bytes, not initialized. Kokkos allocates the array, so Kokkos' tools see it.
/// The array is freed with the last copy of the block, at the latest when Kokkos ends. Throws
/// std::bad_alloc (or Kokkos' exception) if memory lacks.
class MemoryBlock {
 public:
  MemoryBlock() = default;
  MemoryBlock(MemoryKind kind, const std::string& label, std::size_t bytes);

  char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  /// Returns true if no other copy of this block holds the array.
  bool isSole() const { return data_.use_count() == 1; }

 private:
  std::shared_ptr<char> data_;
  std::size_t size_ = 0;
};

/// Copies bytes between any kinds of memory, after the kernels that were started before. Waits
/// until the copy is done.
void copyBytes(void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
               std::size_t bytes);

/// Starts a copy of bytes between any kinds of memory, after the kernels that were started before.
/// Later kernels find the copy done. The host must call Kokkos::fence() before it uses the copy or
/// writes to the source. Does not wait for a copy between a device and pinned memory.
void startCopy(void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
               std::size_t bytes);

/// Asks the system to back a large new array with huge pages. Small pages made the first touch of a
/// result take 0.4 s per 600 MB (doc/results/decisions.md). Has no effect if the array is small, or
/// the system has no huge pages.
void adviseHugePages(void* array, std::size_t bytes);

/// Returns the bytes of this kind that a rank can still take, if `ranks` share the free memory
/// equally. Memory of a host is bounded by the host, by control groups and by limits of this
/// process (Trident_MemoryBounds.hpp). Returns 0 if the system does not say.
/// @param ranks number of ranks that share the host, or the device
double availableBytes(MemoryKind kind, int ranks);

/// Returns the bytes of this kind that a rank can have in all. See availableBytes().
double usableBytes(MemoryKind kind, int ranks);

}  // namespace Trident::Impl

#endif
