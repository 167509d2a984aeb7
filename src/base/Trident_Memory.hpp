// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MEMORY_HPP
#define TRIDENT_MEMORY_HPP

#include <cstddef>
#include <memory>
#include <string>

namespace Trident::Impl {

/// The kinds of memory: a host's; pages of a host's that a device reads and writes without a
/// detour; a device's. If Kokkos runs on hosts only, all three are the host's.
enum class MemoryKind { Host, Pinned, Device };

/// A labelled array of bytes, not initialized, that Kokkos allocated, and so its tools see. Freed
/// with its last copy, or when Kokkos ends; holders may live longer. Throws std::bad_alloc (or
/// Kokkos' exception) where there is not so much memory.
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

/// Copies bytes wherever they lie; returns when they are there, after the kernels before it.
void copyBytes(void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
               std::size_t bytes);

/// Starts a copy of bytes wherever they lie, after the kernels before it. Kernels after it find the
/// bytes; a host does after Kokkos::fence(). Only between a device and pinned memory the host goes
/// on meanwhile.
void startCopy(void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
               std::size_t bytes);

/// Asks the system to back a large new array by huge pages; the first touch of a result page by
/// page took 0.4 s per 600 MB (doc/results/decisions.md). A hint: where the system has none,
/// or the array is small, nothing happens.
void adviseHugePages(void* array, std::size_t bytes);

/// Returns the bytes of a kind of memory that a rank can still take: its part of the rest. The rest
/// is that of the host, the control groups and the limits of this process, or of its device
/// (Trident_MemoryBounds.hpp). It is 0 if the system does not say.
/// @param ranks that share the host, or the device
double availableBytes(MemoryKind kind, int ranks);

/// Returns all bytes that a rank may have, those that are taken and those that are not.
double usableBytes(MemoryKind kind, int ranks);

}  // namespace Trident::Impl

#endif
