// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICEEXCHANGE_HPP
#define TRIDENT_SLICEEXCHANGE_HPP

#include <cstddef>
#include <functional>
#include <vector>

#include "base/Trident_Traffic.hpp"

namespace Trident::Impl {

/// The byte that follows every slice: whether its sender had failed by then, so that others stop
/// multiplying in vain. Not counted as payload.
constexpr char soundMark = 1, failedMark = 0;

/// Returns a mark that stays where it is while it is being sent.
inline const char* markToSend(bool failed) {
  static const char marks[2] = {soundMark, failedMark};
  return &marks[failed];
}

/// A slice, or a part of one, that a rank sends.
struct SentSlice {
  const void* data;
  std::size_t bytes;
};

/// The slices of one factor for one product, seen from one rank of a line. Slices and landings lie
/// where GridExchanges::messageMemory says.
struct LineSlices {
  std::vector<std::size_t> bytes;  ///< size of every segment's slice, as it lands on this rank
  /// The own slices that this rank sends, in segment order; live until end(). Where members get
  /// different parts of a slice, one for each member in turn.
  std::vector<SentSlice> own;
  int partsOfSlice = 1;  ///< 1: all members get the same; else the number of members
  std::size_t messageBytes = std::size_t(1) << 26;  ///< longest message; equal on all members
  /// Returns once the bytes of own slices that lie before `end` are there. `end` is behind a byte
  /// of one. Called by any thread, one at a time, until end() has returned, also after it has
  /// thrown; empty where they are there from the beginning.
  std::function<void(const char* end)> await;

  /// Returns the part of the m-th own slice that `member` gets.
  const SentSlice& sent(int m, int member) const {
    return own[m * partsOfSlice + (partsOfSlice > 1 ? member : 0)];
  }
};

/// Moves one factor's slices along a line of the grid, in bytes; the algorithm cannot tell which
/// kind it has. One product is begin(), then for each round in ascending order request() and,
/// later, wait(), then end(). Only rounds whose slice another rank owns are requested; a rank that
/// failed goes on with all of it.
/// Every rank of the line goes through the same products; none of the calls synchronizes the line.
class SliceExchange {
 public:
  virtual ~SliceExchange() = default;

  virtual void begin(const LineSlices& slices) = 0;
  /// Asks for the slice of `round`, to land at `landing`, which holds bytes[segment of round].
  virtual void request(int round, void* landing, Traffic& traffic) = 0;
  /// Returns true if the slice of `round` has landed, so that wait() would return at once.
  virtual bool landed(int round) = 0;
  /// Blocks until the slice of `round` has landed; at once where it was not requested.
  /// @return whether its sender had not failed when it sent; of an empty slice it may be true
  /// anyway
  virtual bool wait(int round) = 0;
  /// Moves transfers on; called between kernels.
  virtual void progress() = 0;
  /// Returns true if transfers stand still while nobody calls progress().
  virtual bool needsProgress() const = 0;
  /// Marks later sends of this rank in this product as coming from a failed rank.
  virtual void markFailed() = 0;
  /// Blocks until every peer has had this rank's slices.
  virtual void end() = 0;
};

/// The exchange of a line with one member: every slice is there, and nothing is requested.
class NoExchange : public SliceExchange {
 public:
  void begin(const LineSlices&) override {}
  void request(int, void*, Traffic&) override {}
  bool landed(int) override { return true; }
  bool wait(int) override { return true; }
  void progress() override {}
  bool needsProgress() const override { return false; }
  void markFailed() override {}
  void end() override {}
};

}  // namespace Trident::Impl

#endif
