// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cuda/Trident_KernelQueue_Cuda.hpp"

#include <algorithm>
#include <utility>

#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"

namespace Trident::Impl {
namespace {

constexpr std::size_t blockLeast = std::size_t(1) << 20;

/// The block that the process keeps, and the size that the next product's first block should have.
struct KeptWorkspace {
  MemoryBlock block;
  std::size_t wanted = 0;
};

KeptWorkspace& ofProcess() {
  static Lasting<KeptWorkspace> only;
  return *only;
}

KeptWorkspace& keptWorkspace() {
  atKokkosEnd([] { ofProcess().block = MemoryBlock(); });
  return ofProcess();
}

}  // namespace

DeviceWorkspace::DeviceWorkspace(std::size_t most) : most_(most) {
  KeptWorkspace& last = keptWorkspace();
  if (last.block.size() > 0 && last.block.size() >= last.wanted)
    blocks_.push_back(std::exchange(last.block, MemoryBlock()));
  else
    last.block = MemoryBlock();  // too small, so freed before more is allocated
}

DeviceWorkspace::~DeviceWorkspace() {
  KeptWorkspace& last = keptWorkspace();
  last.wanted = std::min(largest_, most_);
  if (blocks_.empty() || blocks_.front().size() > std::max(most_, blockLeast)) return;
  if (blocks_.size() == 1) last.block = std::move(blocks_.front());
}

char* DeviceWorkspace::bytes(std::size_t count) {
  constexpr std::size_t alignment = 256;
  const std::size_t size = (count + alignment) / alignment * alignment;
  if (blocks_.empty() || used_ + size > blocks_.back().size()) {
    const std::size_t first = blocks_.empty() ? keptWorkspace().wanted : 0;
    blocks_.emplace_back(MemoryKind::Device, "Trident::deviceProduct",
                         std::max({size, first, blockLeast}));
    used_ = 0;
  }
  char* const data = blocks_.back().data() + used_;
  used_ += size;
  taken_ += size;
  largest_ = std::max(largest_, taken_);
  return data;
}

void DeviceWorkspace::returnTo(const Mark& mark) {
  // If the last block was taken after the mark, the whole block is free now.
  used_ = blocks_.size() == mark.blocks ? mark.used : 0;
  taken_ = mark.taken;
}

}  // namespace Trident::Impl
