// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICEEXCHANGE_HPP
#define TRIDENT_SLICEEXCHANGE_HPP

#include <cstddef>
#include <functional>
#include <vector>

#include "base/Trident_Traffic.hpp"

namespace Trident::Impl {

/// The mark that follows a slice: a byte that tells if the sender had failed before it sent the
/// slice. If so, receivers need not go on multiplying. Marks do not count as payload.
constexpr char soundMark = 1, failedMark = 0;

/// Returns the address of the mark that a sender sends. The address stays valid. A copy of two
/// bytes from markToSend(false) gets both marks.
inline const char* markToSend(bool failed) {
  static const char marks[2] = {soundMark, failedMark};
  return &marks[failed];
}

/// A slice, or a part of a slice, that a rank sends.
struct SentSlice {
  const void* data;
  std::size_t bytes;
};

/// The slices of one factor for one product, as one rank of a line sees them. Slices and landings
/// must lie in the memory that GridExchanges::messageMemory() returns.
struct LineSlices {
  std::vector<std::size_t> bytes;  ///< size of each segment's slice, as it lands on this rank
  /// Own slices that this rank sends, in the order of segments. Their data must live until end().
  /// If members get different parts of a slice, the parts follow each other, by member.
  std::vector<SentSlice> own;
  int partsOfSlice = 1;  ///< 1 if all members get the same bytes, else the number of members
  std::size_t messageBytes = std::size_t(1) << 26;  ///< longest message; equal on all members
  /// Waits until all bytes of own slices before the address `end` are written; `end[-1]` is such a
  /// byte. If all bytes are written from the beginning, the function is empty. Any thread may call
  /// the function until SliceExchange::end() returns, one thread at a time, even after it threw.
  std::function<void(const char* end)> await;

  /// Returns the part of the m-th own slice that `member` gets.
  const SentSlice& sent(int m, int member) const {
    return own[m * partsOfSlice + (partsOfSlice > 1 ? member : 0)];
  }
};

/// Moves one factor's slices along a line of the grid, as bytes. The algorithm cannot tell the
/// kinds of exchanges apart. A product calls begin(), then for each round, in ascending order,
/// request() and later wait(), then end(). Rounds whose slice this rank owns need no request(). A
/// rank that has failed makes all calls, too. Every rank of the line goes through the same
/// products. No call synchronizes the line.
class SliceExchange {
 public:
  virtual ~SliceExchange() = default;

  virtual void begin(const LineSlices& slices) = 0;
  /// Asks for the slice of `round`. `landing` must have room for its bytes (LineSlices::bytes).
  virtual void request(int round, void* landing, Traffic& traffic) = 0;
  /// Returns true if the slice of `round` has landed. Then wait() returns immediately.
  virtual bool landed(int round) = 0;
  /// Blocks until the slice of `round` has landed. Returns immediately if no slice was requested.
  /// @return false if the sender had failed before it sent the slice; an empty slice may give true
  virtual bool wait(int round) = 0;
  /// Moves transfers on. Called between kernels.
  virtual void progress() = 0;
  /// Returns true if transfers stand still while nobody calls progress().
  virtual bool needsProgress() const = 0;
  /// Marks all later sends of this product with failedMark, because this rank has failed.
  virtual void markFailed() = 0;
  /// Blocks until all sends of this product are complete. Then own slices may be overwritten.
  virtual void end() = 0;
};

/// The exchange of a line with one member: every slice is own, and nothing is requested.
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
