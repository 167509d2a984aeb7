// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORWAY_HPP
#define TRIDENT_FACTORWAY_HPP

#include <mpi.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Memory.hpp"
#include "exchange/Trident_SliceExchange.hpp"
#include "grid/Trident_LineSchedule.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_SliceCut.hpp"
#include "rounds/Trident_FactorSlices.hpp"
#include "rounds/Trident_FusePlan.hpp"
#include "rounds/Trident_Holder.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

/// The way of one factor's slices along its line in one product, seen from one rank: the slices
/// that it sends, their exchange, and where those of other nodes land. Where the line has one
/// member nothing travels, and the steps of the rounds do nothing.
template <class Scalar, class Device>
class FactorWay {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// Collective over the grid, as GridTransport::exchange().
  /// @param counters get what travels
  FactorWay(GridTransport& transport, Factor factor, ExchangeKind kind, const RoundOptions& options,
            RoundCounters& counters)
      : line_(transport.grid().shape(), transport.grid().me(), factor),
        comm_(transport.grid().line(factor)),
        internode_(transport.grid().internodeOnLine(factor)),
        exchange_(transport.exchange(factor, kind, options.prefetchDepth)),
        messages_(GridTransport::messageMemory(options.deviceMessages, kind, memoryOf<Device>)),
        messageBytes_(options.messageBytes),
        counters_(counters) {}

  bool travels() const { return line_.members() > 1; }
  /// Whether the slice of a segment comes from another node.
  bool comes(int segment) const { return line_.owner(segment) != line_.me(); }
  /// Which of the own ones a segment is.
  int ownNumber(int segment) const { return segment - line_.firstOwnSegment(); }
  /// Of all slices that this line's members own, by segment; as they land on this rank.
  const std::vector<SliceShape>& shapes() const { return shapes_; }
  /// What the slice of a segment takes where it lands; 0 where nothing travels.
  long long landingBytes(int segment) const {
    return travels() ? shapes_[segment].bytes(sizeof(Scalar)) : 0;
  }

  // Before the rounds: shareSlices(), or sendParts() and expect(); then stage() and allocate().

  /// Cuts the own slices: a rectangle for each segment. Local.
  void cut(const Matrix& matrix, const std::vector<Rectangle>& cuts) {
    own_ = cutSlices<Scalar, Device>(matrix, cuts);
  }

  /// Cuts them, where they travel, and exchanges the shapes of all slices. Where nothing travels
  /// rectangles have all columns. Collective over the line, also for a rank that fails: it has as
  /// many slices as others expect.
  /// @param known the shapes, if they are: then nothing is exchanged
  void shareSlices(const Matrix& matrix, const std::vector<Rectangle>& cuts, LocalFailure& failure,
                   const std::vector<SliceShape>* known) {
    std::vector<SliceShape> own;
    failure.guard([&] {
      if (travels()) cut(matrix, cuts);
      if (!known) own = travels() ? own_.shapes : shapesOfRows(matrix, cuts);
    });
    if (known) return expect(*known);
    own.resize(cuts.size());
    shapes_ = allShapesOfLine(comm_, own, line_.rounds());
    for (int m = 0; m < line_.members(); ++m)
      if (m != line_.me())
        counters_.traffic.setup.count(
            internode_[m], static_cast<long long>(sizeof(SliceShape)) * line_.ownSegments());
  }

  /// Sends each member a part of its own of each slice that this rank has. Local.
  /// @param parts by segment, then by member
  void sendParts(CutSlices<Scalar, Device> parts) {
    own_ = std::move(parts);
    partsOfSlice_ = line_.members();
  }
  /// @param shapes of what lands on this rank, by segment
  void expect(std::vector<SliceShape> shapes) { shapes_ = std::move(shapes); }

  /// Stages the own slices once, for all peers, where messages must lie in pinned memory. Local.
  void stage() {
    if (!travels() || messages_ != MemoryKind::Pinned) return;
    const std::size_t bytes = own_.storage.extent(0);
    staged_ = MemoryBlock(MemoryKind::Pinned, "Trident::staged", bytes);
    copyBytes(staged_.data(), MemoryKind::Pinned, own_.storage.data(), MemoryKind::Device, bytes);
  }

  /// Makes room for what lands. Local.
  /// @param held how many groups are held at a time
  void allocate(const std::vector<RoundGroup>& groups, std::size_t held) {
    std::size_t bytes = 0;
    for (const RoundGroup& group : groups)
      bytes = std::max(bytes, Holder<Scalar>::bytesFor(group, line_, shapes_));
    holders_.resize(held);
    for (Holder<Scalar>& holder : holders_) holder.allocate(messages_, bytes);
  }

  // The rounds, as SliceExchange has them. Group g takes the place of group g - held.

  void begin() {
    if (travels()) exchange_.begin(slices());
  }
  void open(std::size_t g, const RoundGroup& group) { holder(g).open(group, line_, shapes_); }
  /// Asks for the slice of a round of group g, if it comes from another node.
  void request(std::size_t g, int round) {
    const int segment = line_.segmentOfRound(round);
    if (!comes(segment)) return;
    if (internode_[line_.owner(segment)]) counters_.internodeEntries += shapes_[segment].entries;
    exchange_.request(round, holder(g).landing(segment), counters_.traffic.rounds);
  }
  bool landed(int round) { return !travels() || exchange_.landed(round); }
  void wait(int round) {
    if (travels() && !exchange_.wait(round)) senderFailed_ = true;
  }
  /// Whether a slice came from a rank that had failed.
  bool senderFailed() const { return senderFailed_; }
  bool needsProgress() const { return travels() && exchange_.needsProgress(); }
  void progress() {
    if (travels()) exchange_.progress();
  }
  void markFailed() {
    if (travels()) exchange_.markFailed();
  }
  void end() {
    if (travels()) exchange_.end();
  }

  /// Brings what has landed for group g to where slab() says.
  void toDevice(std::size_t g) {
    if (travels()) holder(g).toDevice();
  }
  /// The slice of a segment of group g, landed or cut.
  Slab<Scalar> slab(std::size_t g, int segment) {
    return comes(segment) ? holder(g).slab(segment, shapes_[segment])
                          : own_.slab(ownNumber(segment));
  }

 private:
  Holder<Scalar>& holder(std::size_t g) { return holders_[g % holders_.size()]; }

  LineSlices slices() const {
    const char* const own = staged_.data() ? staged_.data() : own_.storage.data();
    LineSlices line;
    line.messageBytes = messageBytes_;
    line.partsOfSlice = partsOfSlice_;
    for (const SliceShape& shape : shapes_) line.bytes.push_back(shape.bytes(sizeof(Scalar)));
    for (std::size_t s = 0; s < own_.shapes.size(); ++s)
      line.own.push_back({own + own_.at[s], own_.shapes[s].bytes(sizeof(Scalar))});
    return line;
  }

  LineSchedule line_;
  MPI_Comm comm_;
  std::vector<bool> internode_;  // by member: on another node of the machine
  SliceExchange& exchange_;
  MemoryKind messages_;  // where slices lie when they are sent and received
  std::size_t messageBytes_;
  RoundCounters& counters_;

  CutSlices<Scalar, Device> own_;  // in segment order, a part for each member where they get parts
  int partsOfSlice_ = 1;           // as LineSlices has it
  MemoryBlock staged_;             // the bytes of own_ where MPI can read them, if not as they lie
  std::vector<SliceShape> shapes_;
  std::vector<Holder<Scalar>> holders_;
  bool senderFailed_ = false;
};

}  // namespace Trident::Impl

#endif
