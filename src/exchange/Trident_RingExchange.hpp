// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RINGEXCHANGE_HPP
#define TRIDENT_RINGEXCHANGE_HPP

#include <memory>
#include <vector>

#include "exchange/Trident_SliceExchange.hpp"
#include "grid/Trident_GridShape.hpp"
#include "transport/Trident_Line.hpp"

namespace Trident::Impl {

/// Broadcasts slices along a line by a pipelined ring: each member forwards a slice to the next
/// member, chunk by chunk, until all have the slice. Only for grids in SUMMA's order, where round t
/// has the same segment on every member.
///
/// Messages between two members travel in the order of rounds, and chunks in the order of the
/// slice. Members forward the owner's mark unchanged. In every wait a member forwards the slices of
/// all rounds that it has requested. So the next member may get round t before this member waits
/// for t. A slice is forwarded out of its landing. So a later request for this landing first waits
/// until the slice is forwarded. That wait ends, because the slice is of an earlier round.
class RingExchange : public SliceExchange {
 public:
  /// The usual length of a chunk: short enough to fill the pipeline.
  static constexpr std::size_t usualChunk = std::size_t(1) << 17;

  /// @param chunkBytes length of a chunk, which is forwarded as a whole
  RingExchange(std::unique_ptr<Line> line, const LineSchedule& schedule,
               std::size_t chunkBytes = usualChunk);
  void begin(const LineSlices& slices) override;
  void request(int round, void* landing, Traffic& traffic) override;
  bool landed(int round) override;
  bool wait(int round) override;
  void progress() override;
  bool needsProgress() const override { return true; }
  void markFailed() override { failed_ = true; }
  void end() override;

 private:
  /// The slice of one round, on its way through this member.
  struct Forwarding {
    const char* data = nullptr;  ///< start of the slice; null: not asked for yet
    std::vector<std::unique_ptr<Transfers>> chunks;  ///< incoming chunks; none if the slice is own
    std::unique_ptr<Transfers> sends;
    std::size_t arrived = 0, forwarded = 0;  ///< numbers of chunks
    char mark = 0;
  };

  bool own(int round) const { return schedule_.owner(round) == schedule_.ownMember(); }
  std::size_t chunks(int round) const;
  std::size_t chunkBytes(int round, std::size_t chunk) const;
  bool forwards(int round) const;
  void open(int round, const char* data);
  void openOwn(int round);
  void awaitForwarded(const char* landing, std::size_t bytes);
  void advance();
  void forwardArrived(Forwarding& slice, int round);
  int left() const {
    return (schedule_.ownMember() + schedule_.members() - 1) % schedule_.members();
  }
  int right() const { return (schedule_.ownMember() + 1) % schedule_.members(); }

  std::unique_ptr<Line> line_;
  LineSchedule schedule_;
  std::size_t chunkBytes_;
  LineSlices slices_;
  bool failed_ = false;
  std::vector<Forwarding> forwarding_;  // slices by round
  int asked_ = 0;                       // number of rounds that are open: requested, or own
  int next_ = 0;                        // number of rounds that are wholly forwarded
};

}  // namespace Trident::Impl

#endif
