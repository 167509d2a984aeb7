// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_RequestWindow.hpp"

#include <array>
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
      : window_(window),
        comm_(comm),
        ranks_(std::move(ranks)),
        me_(me),
        firstSlot_(firstSlot),
        told_(ranks_.size()) {}

  void ask(int owner, std::uint64_t count) override {
    const std::size_t place = count % told_[owner].size();
    if (place == 0) flush(owner);  // numbers told long ago leave their places
    told_[owner][place] = count;
    const auto slot = static_cast<MPI_Aint>((firstSlot_ + me_) * sizeof(std::uint64_t));
    TRIDENT_MPI_CHECK(MPI_Put(&told_[owner][place], 1, MPI_UINT64_T, ranks_[owner], slot, 1,
                              MPI_UINT64_T, window_.get()));
  }
  void flush(int owner) override {
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
  /// Where numbers stay while they are being put. A flush, even a local one, may wait for the owner
  /// to enter MPI (osc/ucx over TCP), so there is one in 64 requests and not one in each.
  std::vector<std::array<std::uint64_t, 64>> told_;
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
