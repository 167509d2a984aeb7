// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Memory.hpp"

#include <Kokkos_Core.hpp>

#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_MemoryBounds.hpp"
#include "base/Trident_Scratch.hpp"

#if defined(__linux__)
#include <sys/mman.h>

#include <cstdint>
#endif

namespace Trident::Impl {
namespace {

using DeviceSpace = Kokkos::DefaultExecutionSpace::memory_space;
#if defined(KOKKOS_ENABLE_CUDA)
using PinnedSpace = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using PinnedSpace = Kokkos::Experimental::HIPHostPinnedSpace;
#else
using PinnedSpace = Kokkos::HostSpace;
#endif

template <class Space>
std::shared_ptr<char> allocate(const std::string& label, std::size_t bytes) {
  const Kokkos::View<char*, Space> view(Kokkos::view_alloc(Kokkos::WithoutInitializing, label),
                                        bytes);
  const HeldView held = holdView(std::make_shared<Kokkos::View<char*, Space>>(view));
  return std::shared_ptr<char>(view.data(), [held](char*) { letViewGo(held); });
}

template <class Space>
using Bytes = Kokkos::View<char*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Space>
using ConstBytes = Kokkos::View<const char*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Starts a copy on the device's default queue.
template <class To, class From>
void copy(void* to, const void* from, std::size_t bytes) {
  Kokkos::deep_copy(Kokkos::DefaultExecutionSpace(), Bytes<To>(static_cast<char*>(to), bytes),
                    ConstBytes<From>(static_cast<const char*>(from), bytes));
}

template <class To>
void copyTo(void* to, const void* from, MemoryKind fromKind, std::size_t bytes) {
  switch (fromKind) {
    case MemoryKind::Host:
      return copy<To, Kokkos::HostSpace>(to, from, bytes);
    case MemoryKind::Pinned:
      return copy<To, PinnedSpace>(to, from, bytes);
    case MemoryKind::Device:
      return copy<To, DeviceSpace>(to, from, bytes);
  }
}

}  // namespace

MemoryBlock::MemoryBlock(MemoryKind kind, const std::string& label, std::size_t bytes)
    : size_(bytes) {
  switch (kind) {
    case MemoryKind::Host:
      data_ = allocate<Kokkos::HostSpace>(label, bytes);
      adviseHugePages(data_.get(), bytes);
      break;
    case MemoryKind::Pinned:
      data_ = allocate<PinnedSpace>(label, bytes);
      break;
    case MemoryKind::Device:
      data_ = allocateForSure([&] { return allocate<DeviceSpace>(label, bytes); });
      break;
  }
}

void copyBytes(void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
               std::size_t bytes) {
  if (bytes == 0) return;
  startCopy(to, toKind, from, fromKind, bytes);
  Kokkos::fence();
}

void startCopy(void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
               std::size_t bytes) {
  if (bytes == 0) return;
  switch (toKind) {
    case MemoryKind::Host:
      return copyTo<Kokkos::HostSpace>(to, from, fromKind, bytes);
    case MemoryKind::Pinned:
      return copyTo<PinnedSpace>(to, from, fromKind, bytes);
    case MemoryKind::Device:
      return copyTo<DeviceSpace>(to, from, fromKind, bytes);
  }
}

namespace {

constexpr bool hasDevice = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, DeviceSpace>::accessible;

}  // namespace

double availableBytes(MemoryKind kind, int ranks) {
  return kind == MemoryKind::Device && hasDevice
             ? freeDeviceBytes() / ranks
             : bytesLeftForRank(memoryBounds(ranks, !hasDevice));
}

double usableBytes(MemoryKind kind, int ranks) {
  return kind == MemoryKind::Device && hasDevice ? totalDeviceBytes() / ranks
                                                 : bytesOfRank(memoryBounds(ranks, !hasDevice));
}

#if defined(__linux__) && defined(MADV_HUGEPAGE)

void adviseHugePages(void* array, std::size_t bytes) {
  constexpr std::uintptr_t page = std::uintptr_t(1) << 21;
  constexpr std::size_t worthwhile = 8 * page;
  if (bytes < worthwhile) return;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(array);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t end = (begin + bytes) / page * page;
  // Advises whole pages inside the array only. A refusal costs nothing but speed.
  static_cast<void>(madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
}

#else

void adviseHugePages(void*, std::size_t) {}

#endif

}  // namespace Trident::Impl
