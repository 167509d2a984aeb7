// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Memory.hpp"

#include <Kokkos_Core.hpp>

#include "base/Trident_HugePages.hpp"

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
  return std::shared_ptr<char>(view.data(), [view](char*) {});
}

template <class Space>
using Bytes = Kokkos::View<char*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Space>
using ConstBytes = Kokkos::View<const char*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class To, class From>
void copy(void* to, const void* from, std::size_t bytes) {
  Kokkos::deep_copy(Bytes<To>(static_cast<char*>(to), bytes),
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
      data_ = allocate<DeviceSpace>(label, bytes);
      break;
  }
}

void copyBytes(void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
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

}  // namespace Trident::Impl
