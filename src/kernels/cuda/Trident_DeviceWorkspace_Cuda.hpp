// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEVICEWORKSPACE_CUDA_HPP
#define TRIDENT_DEVICEWORKSPACE_CUDA_HPP

#include <cstddef>
#include <vector>

#include "base/Trident_Memory.hpp"

namespace Trident::Impl {

/// Device memory for what a product needs beside its operands and C. The process keeps one block of
/// it from product to product, as large as the last one needed, until Kokkos ends: an allocation
/// takes longer than a small product. One thread at a time; all on Kokkos' stream, so that what is
/// still running may read it when the next product takes it.
class DeviceWorkspace {
 public:
  /// @param most bytes that are kept, and that a product should do with
  explicit DeviceWorkspace(std::size_t most);
  ~DeviceWorkspace();
  DeviceWorkspace(const DeviceWorkspace&) = delete;
  DeviceWorkspace& operator=(const DeviceWorkspace&) = delete;

  /// Not initialized. Throws where there is no memory.
  template <class T>
  T* take(std::size_t count) {
    return reinterpret_cast<T*>(bytes(count * sizeof(T)));
  }
  std::size_t most() const { return most_; }
  /// Of them, those that were not taken yet.
  std::size_t left() const { return taken_ < most_ ? most_ - taken_ : 0; }

  /// What all after this takes is free again once it is told to returnTo() this.
  struct Mark {
    std::size_t blocks, used, taken;
  };
  Mark mark() const { return {blocks_.size(), used_, taken_}; }
  void returnTo(const Mark& mark);

 private:
  char* bytes(std::size_t count);

  std::vector<MemoryBlock> blocks_;
  std::size_t most_, used_ = 0;          // of the last block
  std::size_t taken_ = 0, largest_ = 0;  // of all
};

/// Default of the bound, where C is not known; a tenth of C comes to it.
constexpr std::size_t workspaceDefault = std::size_t(256) << 20;

}  // namespace Trident::Impl

#endif
