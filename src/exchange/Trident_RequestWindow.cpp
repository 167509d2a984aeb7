// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_RequestWindow.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "Trident_MpiCheck.hpp"

namespace Trident {
namespace {

/// Slot m of this rank's part is written by member m alone, by MPI_Put, and read here. Where a put
/// were seen half done the number could be wrong for a moment; the reader bounds what it serves by
/// the schedule, so that a slice would travel early and nothing else.
class WindowCounters : public RequestCounters {
 public:
  /// @param ranks of the line's members in the window; `firstSlot` is where the line's slots begin
  WindowCounters(const Window& window, MPI_Comm comm, std::vector<int> ranks, int me, int firstSlot)
      : window_(window), comm_(comm), ranks_(std::move(ranks)), me_(me), firstSlot_(firstSlot) {}

  void ask(int owner, std::uint64_t count) override {
    const auto slot = static_cast<MPI_Aint>((firstSlot_ + me_) * sizeof(std::uint64_t));
    TRIDENT_MPI_CHECK(
        MPI_Put(&count, 1, MPI_UINT64_T, ranks_[owner], slot, 1, MPI_UINT64_T, window_.get()));
    // Without it a put may stay here until somebody flushes (seen with osc/ucx over TCP).
    TRIDENT_MPI_CHECK(MPI_Win_flush(ranks_[owner], window_.get()));
  }

  void poll() override {
    int flag = 0;
    // Puts into memory that a network card cannot write need this rank inside MPI.
    TRIDENT_MPI_CHECK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE));
    window_.sync();
  }
  std::uint64_t asked(int member) const override {
    return static_cast<const volatile std::uint64_t*>(window_.base())[firstSlot_ + member];
  }

 private:
  const Window& window_;
  MPI_Comm comm_;
  std::vector<int> ranks_;
  int me_, firstSlot_;
};

MPI_Aint slotBytes(const GridShape& shape) {
  return static_cast<MPI_Aint>((shape.nodeCols + shape.nodeRows) * sizeof(std::uint64_t));
}

}  // namespace

RequestWindow::RequestWindow(const ProcessGrid& grid)
    : grid_(grid), window_(Window::allocate(grid.comm(), slotBytes(grid.shape()))) {}

std::unique_ptr<RequestCounters> RequestWindow::counters(Factor factor) {
  const bool a = factor == Factor::A;
  return std::make_unique<WindowCounters>(window_, grid_.line(factor), grid_.lineRanks(factor),
                                          a ? grid_.me().j : grid_.me().i,
                                          a ? 0 : grid_.shape().nodeCols);
}

}  // namespace Trident
