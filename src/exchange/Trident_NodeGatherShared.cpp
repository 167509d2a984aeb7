// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <exception>
#include <optional>

#include "Trident_GatherSlots.hpp"
#include "Trident_MpiCheck.hpp"
#include "Trident_NodeGather.hpp"
#include "Trident_Window.hpp"

namespace Trident {
namespace {

class SharedGather : public NodeGather {
 public:
  explicit SharedGather(MPI_Comm node) : node_(node) {}
  const char* name() const override { return "shared"; }
  MemoryKind memory() const override { return MemoryKind::Host; }
  bool overlaps() const override { return false; }  // open() and finish() wait for the others

  void reserve(std::size_t bytes, int slots) override {
    if (window_ && bytes <= stride_ && slots <= slots_) return;
    const std::size_t stride = std::max(stride_, slotStride(bytes));
    const int most = std::max(slots_, slots);
    window_.reset();  // first, so that two of them never stand side by side
    stride_ = 0;
    slots_ = 0;
    window_.emplace(Window::allocateShared(node_, static_cast<MPI_Aint>(most * stride)));
    stride_ = stride;
    slots_ = most;
  }

  void* open(int slot) override {
    TRIDENT_MPI_CHECK(MPI_Barrier(node_));
    return static_cast<char*>(window_->base()) + slot * stride_;
  }

  void start(int, const std::vector<GatherBlock>&, Traffic&) override { window_->sync(); }

  void finish(int) override {
    TRIDENT_MPI_CHECK(MPI_Barrier(node_));
    window_->sync();
  }

 private:
  MPI_Comm node_;
  std::optional<Window> window_;
  std::size_t stride_ = 0;
  int slots_ = 0;
};

}  // namespace

std::unique_ptr<NodeGather> makeSharedGather(MPI_Comm node) {
  return std::make_unique<SharedGather>(node);
}

bool canShareMemory(MPI_Comm node) {
  int k = 0, size = 1, sharing = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(node, &k));
  TRIDENT_MPI_CHECK(MPI_Comm_size(node, &size));
  MPI_Comm domain = MPI_COMM_NULL;
  TRIDENT_MPI_CHECK(MPI_Comm_split_type(node, MPI_COMM_TYPE_SHARED, k, MPI_INFO_NULL, &domain));
  TRIDENT_MPI_CHECK(MPI_Comm_size(domain, &sharing));
  TRIDENT_MPI_CHECK(MPI_Comm_free(&domain));
  int together = sharing == size ? 1 : 0;
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &together, 1, MPI_INT, MPI_MIN, node));
  if (!together) return false;
  try {
    Window::allocateShared(node, 1);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace Trident
