// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_Types.hpp"
#include "exchange/Trident_RequestMessages.hpp"
#include "exchange/Trident_RequestSlots.hpp"
#include "transport/Trident_Window.hpp"

namespace Trident::Impl {
namespace {

// A slot's number: the count is in the lower bits, the mark in the upper ones.
constexpr int countBits = 40;  // enough for twelve days of a million requests a second
constexpr std::uint64_t countMask = (std::uint64_t(1) << countBits) - 1;
constexpr std::uint64_t proof = countMask;  // more than any count

constexpr double secondsToProve = 2;

/// Returns the mark of requests from `asker` to `owner` on a grid. Never 0, so that cleared memory
/// holds no request.
std::uint64_t markOf(std::uint64_t gridMark, int asker, int owner) {
  const auto pair = static_cast<std::uint64_t>(asker) << 32 | static_cast<std::uint32_t>(owner);
  return (mixBits(gridMark ^ mixBits(pair)) | 1) << countBits;
}

/// Returns a mark that rank 0 draws from its clock, process number and an address. Collective.
std::uint64_t drawGridMark(MPI_Comm comm) {
  std::uint64_t mark = 0;
  const double now = steadySeconds();
  std::memcpy(&mark, &now, sizeof mark);
  mark = mixBits(mark) ^ mixBits(static_cast<std::uint64_t>(getpid())) ^
         mixBits(reinterpret_cast<std::uintptr_t>(&now));
  broadcast(&mark, 1, MPI_UINT64_T, 0, comm, "the mark of a request window");
  return mark;
}

/// Returns the first slot of a line in a rank's part of the window. A's line comes first.
int firstSlot(const GridShape& shape, Factor factor) {
  return factor == Factor::A ? 0 : shape.nodeCols;
}

MPI_Aint slotBytes(const GridShape& shape) {
  return static_cast<MPI_Aint>((shape.nodeCols + shape.nodeRows) * sizeof(std::uint64_t));
}

void put(const Window& window, std::uint64_t number, int rank, int slot) {
  TRIDENT_MPI_CHECK(MPI_Put(&number, 1, MPI_UINT64_T, rank,
                            static_cast<MPI_Aint>(slot * sizeof(std::uint64_t)), 1, MPI_UINT64_T,
                            window.get()));
  // Without a flush a put may stay on this rank (seen with osc/ucx over TCP).
  TRIDENT_MPI_CHECK(MPI_Win_flush(rank, window.get()));
}

std::uint64_t numberIn(const Window& window, int slot) {
  return static_cast<const volatile std::uint64_t*>(window.base())[slot];
}

/// Counters in a window. Member m alone writes slot m of this rank, by MPI_Put, and this rank reads
/// the slot. A put that is half done looks like a wrong number. Then a slice may travel early,
/// but never one that the product has not, because the serving thread counts the slices.
class WindowCounters : public RequestCounters {
 public:
  /// @param ranks ranks of the line's members in the window
  WindowCounters(const Window& window, std::uint64_t gridMark, MPI_Comm line,
                 std::vector<int> ranks, int me, int firstSlot)
      : window_(window),
        gridMark_(gridMark),
        ranks_(std::move(ranks)),
        me_(me),
        firstSlot_(firstSlot),
        again_(line, static_cast<int>(ranks_.size())) {}

  void ask(int owner, std::uint64_t count) override {
    put(window_, markOf(gridMark_, ranks_[me_], ranks_[owner]) | count, ranks_[owner],
        firstSlot_ + me_);
  }

  void askAgain(int owner, std::uint64_t count) override { again_.send(owner, count); }

  void poll() override {
    again_.receive();
    window_.sync();
  }
  std::uint64_t asked(int member) const override {
    const std::uint64_t number = numberIn(window_, firstSlot_ + member);
    const bool ours = (number & ~countMask) == markOf(gridMark_, ranks_[member], ranks_[me_]);
    return std::max(again_.asked(member), ours ? number & countMask : 0);
  }

 private:
  const Window& window_;
  const std::uint64_t gridMark_;
  std::vector<int> ranks_;
  int me_, firstSlot_;
  RequestMessages again_;
};

/// Slots in an MPI window. Open MPI 4.1 mixes up the memory of windows that disjoint communicators
/// make on one host at the same time, because osc/rdma names a window's file by job and context
/// alone. So all lines of a grid share one window. Three measures protect this window against
/// windows of other grids:
///
/// 1. When the window is made, every rank puts a proof into its slot at each member of its lines. A
///    proof is unique to grid, asker and owner. Each owner looks for all its proofs.
/// 2. Every later number carries a mark of grid, asker and owner. So a number of another grid is
///    not taken for a request.
/// 3. If a request gets lost all the same, the asker repeats it by a message.
class RequestWindow : public RequestSlots {
 public:
  explicit RequestWindow(const ProcessGrid& grid);
  const char* name() const override { return "a window"; }
  std::unique_ptr<RequestCounters> counters(Factor factor) override;

 private:
  template <class Visit>
  void forPeers(Visit&& visit) const;
  void putProofs();
  void requireProofs();

  const ProcessGrid& grid_;
  std::uint64_t gridMark_;  // number that no other grid on the same hosts has
  Window window_;
};

RequestWindow::RequestWindow(const ProcessGrid& grid)
    : grid_(grid),
      gridMark_(drawGridMark(grid.comm())),
      window_(Window::allocate(grid.comm(), grid.host().size(), slotBytes(grid.shape()))) {
  LocalFailure failure;
  failure.guard([&] { putProofs(); });
  barrier(grid.comm(), "all proofs of a request window");
  failure.guard([&] { requireProofs(); });
  throwEverywhere(grid.comm(), failure.text());
  failure.guard([&] { window_.clear(); });
  throwEverywhere(grid.comm(), failure.text());
}

/// Calls `visit(rank, slot, slotThere)` for each other member of both lines. `rank` is the member's
/// rank in the window, `slot` its slot here, and `slotThere` this rank's slot there.
template <class Visit>
void RequestWindow::forPeers(Visit&& visit) const {
  for (Factor factor : {Factor::A, Factor::B}) {
    const LineSchedule line(grid_.shape(), grid_.me(), factor);
    const std::vector<int> ranks = grid_.lineRanks(factor);
    const int first = firstSlot(grid_.shape(), factor);
    for (int m = 0; m < line.members(); ++m)
      if (m != line.ownMember()) visit(ranks[m], first + m, first + line.ownMember());
  }
}

void RequestWindow::putProofs() {
  forPeers([&](int rank, int, int slotThere) {
    put(window_, markOf(gridMark_, grid_.rank(), rank) | proof, rank, slotThere);
  });
}

/// Waits until all proofs are here, as MPI may show flushed puts late. Throws after secondsToProve.
void RequestWindow::requireProofs() {
  const double start = steadySeconds();
  for (;;) {
    window_.sync();
    int missing = -1;
    forPeers([&](int rank, int slot, int) {
      if (numberIn(window_, slot) != (markOf(gridMark_, rank, grid_.rank()) | proof))
        missing = rank;
    });
    if (missing < 0) return;
    if (steadySeconds() - start > secondsToProve)
      throw Error("what rank " + std::to_string(missing) +
                  " put does not arrive: MPI mixes this window up with another");
    std::this_thread::yield();
  }
}

std::unique_ptr<RequestCounters> RequestWindow::counters(Factor factor) {
  const LineSchedule line(grid_.shape(), grid_.me(), factor);
  return std::make_unique<WindowCounters>(window_, gridMark_, grid_.line(factor),
                                          grid_.lineRanks(factor), line.ownMember(),
                                          firstSlot(grid_.shape(), factor));
}

}  // namespace

std::unique_ptr<RequestSlots> makeRequestWindow(const ProcessGrid& grid) {
  return std::make_unique<RequestWindow>(grid);
}

}  // namespace Trident::Impl
