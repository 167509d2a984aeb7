// SPDX-License-Identifier: BSD-3-Clause
#include <exception>

#include "Trident_Agreement.hpp"
#include "Trident_MpiCheck.hpp"
#include "Trident_NodeGather.hpp"

namespace Trident {
namespace {

/// One allocation on rank 0 of the node, mapped by all; locked for its whole life, so that loads,
/// stores and MPI_Win_sync are all it takes.
class SharedWindow {
 public:
  /// Collective over `node`; throws on every rank of the node or on none.
  SharedWindow(MPI_Comm node, std::size_t bytes) {
    int k = 0;
    TRIDENT_MPI_CHECK(MPI_Comm_rank(node, &k));
    LocalFailure failure;
    failure.guard([&] { allocate(node, k == 0 ? bytes : 0); });
    try {
      throwEverywhere(node, "Trident::Multiply", failure.text());
    } catch (...) {
      free();
      throw;
    }
  }
  ~SharedWindow() { free(); }
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  void* base() const { return base_; }
  void sync() { TRIDENT_MPI_CHECK(MPI_Win_sync(window_)); }

 private:
  void allocate(MPI_Comm node, MPI_Aint bytes) {
    void* mine = nullptr;
    TRIDENT_MPI_CHECK(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node, &mine, &window_));
    TRIDENT_MPI_CHECK(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
    MPI_Aint size = 0;
    int unit = 1;
    TRIDENT_MPI_CHECK(MPI_Win_shared_query(window_, 0, &size, &unit, &base_));
    TRIDENT_MPI_CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    locked_ = true;
  }
  void free() {
    int finalized = 0;
    TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalized(&finalized));
    if (window_ == MPI_WIN_NULL || finalized) return;
    if (locked_) TRIDENT_MPI_CHECK_NOTHROW(MPI_Win_unlock_all(window_));
    TRIDENT_MPI_CHECK_NOTHROW(MPI_Win_free(&window_));
  }

  MPI_Win window_ = MPI_WIN_NULL;
  bool locked_ = false;
  void* base_ = nullptr;
};

class SharedGather : public NodeGather {
 public:
  explicit SharedGather(MPI_Comm node) : node_(node) {}
  const char* name() const override { return "shared"; }

  void reserve(std::size_t bytes) override {
    if (window_ && bytes <= bytes_) return;
    window_.reset();  // first, so that two tiles never stand side by side
    bytes_ = 0;
    window_ = std::make_unique<SharedWindow>(node_, bytes);
    bytes_ = bytes;
  }

  void* open() override {
    TRIDENT_MPI_CHECK(MPI_Barrier(node_));
    return window_->base();
  }

  void gather(const std::vector<GatherBlock>&, Traffic&) override {
    window_->sync();
    TRIDENT_MPI_CHECK(MPI_Barrier(node_));
    window_->sync();
  }

 private:
  MPI_Comm node_;
  std::unique_ptr<SharedWindow> window_;
  std::size_t bytes_ = 0;
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
    SharedWindow probe(node, 1);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace Trident
