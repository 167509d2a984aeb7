// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RINGEXCHANGE_HPP
#define TRIDENT_RINGEXCHANGE_HPP

#include <memory>
#include <vector>

#include "exchange/Trident_SliceExchange.hpp"
#include "grid/Trident_GridShape.hpp"
#include "transport/Trident_Line.hpp"

namespace Trident::Impl {

/// Broadcasts along a line as a pipelined ring: each member forwards a slice, chunk by chunk, to
/// the next, until all have it. Only for grids in SUMMA's order, where round t is the same
/// segment on every member.
///
/// Messages of a pair travel in round order, chunks in order inside a round; a slice's mark is its
/// owner's. A member forwards round t while it waits for any round, so that nothing depends on
/// whether it waits for t. A slice is forwarded from where it landed, so a request whose landing
/// was another round's first waits until that one is forwarded; it waits for rounds before its own
/// only, which ends.
class RingExchange : public SliceExchange {
 public:
  /// Bytes that are forwarded at once: few enough to fill the pipeline.
  static constexpr std::size_t usualPiece = std::size_t(1) << 17;

  /// @param chunkBytes bytes that are forwarded at once
  RingExchange(std::unique_ptr<Line> line, const LineSchedule& schedule,
               std::size_t chunkBytes = usualPiece);
  void begin(const LineSlices& slices) override;
  void request(int round, void* landing, Traffic& traffic) override;
  bool landed(int round) override;
  bool wait(int round) override;
  void progress() override;
  bool needsProgress() const override { return true; }
  void markFailed() override { failed_ = true; }
  void end() override;

 private:
  /// One round's slice on its way through this member.
  struct Forwarding {
    const char* data = nullptr;                      ///< null: not asked for yet
    std::vector<std::unique_ptr<Transfers>> chunks;  ///< incoming chunks; none of the own slice
    std::unique_ptr<Transfers> sends;
    std::size_t arrived = 0, forwarded = 0;  ///< chunks
    char mark = 0;
  };

  bool own(int round) const { return schedule_.owner(round) == schedule_.me(); }
  std::size_t chunks(int round) const;
  std::size_t chunkBytes(int round, std::size_t chunk) const;
  bool forwards(int round) const;
  void open(int round, const char* data);
  void openOwn(int round);
  void awaitForwarded(const char* landing, std::size_t bytes);
  void advance();
  void forwardArrived(Forwarding& slice, int round);
  int left() const { return (schedule_.me() + schedule_.members() - 1) % schedule_.members(); }
  int right() const { return (schedule_.me() + 1) % schedule_.members(); }

  std::unique_ptr<Line> line_;
  LineSchedule schedule_;
  std::size_t chunkBytes_;
  LineSlices slices_;
  bool failed_ = false;
  std::vector<Forwarding> forwarding_;  // one for each round
  int asked_ = 0;                       // rounds below are open: requested, or own
  int next_ = 0;                        // the first round not wholly forwarded
};

}  // namespace Trident::Impl

#endif
