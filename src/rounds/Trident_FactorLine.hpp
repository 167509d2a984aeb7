// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORLINE_HPP
#define TRIDENT_FACTORLINE_HPP

#include <mpi.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Memory.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_PinnedMemory.hpp"
#include "exchange/Trident_SliceExchange.hpp"
#include "grid/Trident_GridShape.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_SliceShape.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_PackedSlice.hpp"
#include "rounds/Trident_BatchPlan.hpp"
#include "rounds/Trident_RoundCounters.hpp"
#include "transport/Trident_Gpu.hpp"

namespace Trident::Impl {

/// The buffer in which the slices of one factor land for one batch of rounds. Later batches use it
/// again. If messages land in pinned memory, their bytes are copied to the device unchanged.
template <class Scalar, class Device>
class ReceiveBuffer {
 public:
  /// Returns the bytes of the buffer for `batch`: room for its slices from other nodes.
  static std::size_t bytesFor(const RoundBatch& batch, const LineSchedule& line,
                              const std::vector<SliceShape>& shapes) {
    std::size_t bytes = 0;
    for (int s : batch.segments)
      if (line.owner(s) != line.ownMember()) bytes += padded(shapes[s]);
    return bytes;
  }

  /// @param messages memory in which messages land
  void allocate(MemoryKind messages, std::size_t bytes) {
    if (bytes == 0) return;  // nothing lands
    staged_ = messages == MemoryKind::Pinned;
    messages_ =
        staged_ ? lendPinned(bytes) : MemoryBlock(messages, "Trident::receiveBuffer", bytes);
    if (staged_) onDevice_ = scratch<char, Device>("Trident::landed", bytes);
  }

  /// Lays out the slices of `batch`. The former content is lost.
  void open(const RoundBatch& batch, const LineSchedule& line,
            const std::vector<SliceShape>& shapes) {
    at_.clear();
    std::size_t at = 0;
    for (int s : batch.segments)
      if (line.owner(s) != line.ownMember()) {
        at_[s] = at;
        at += padded(shapes[s]);
      }
  }

  void* landing(int segment) { return messages_.data() + at_.at(segment); }

  /// Starts to copy a slice to the device, for later kernels, if messages land in pinned memory.
  void toDevice(int segment, std::size_t bytes) {
    const std::size_t at = at_.at(segment);
    if (staged_)
      startCopy(onDevice_.data() + at, MemoryKind::Device, messages_.data() + at,
                MemoryKind::Pinned, bytes);
  }
  PackedSlice<Scalar> packed(int segment, const SliceShape& shape) const {
    char* const landed = staged_ ? onDevice_.data() : messages_.data();
    return PackedSlice<Scalar>(landed + at_.at(segment), shape);
  }

 private:
  static std::size_t padded(const SliceShape& shape) {
    return (shape.bytes(sizeof(Scalar)) + 63) / 64 * 64;  // keeps the next slice aligned
  }

  MemoryBlock messages_;
  Kokkos::View<char*, Device> onDevice_;
  bool staged_ = false;
  std::map<int, std::size_t> at_;  // offset of each segment's slice in messages_
};

/// Returns rectangles of A's slice on rank (i, j, k), one for each segment of tile column j.
inline std::vector<Rectangle> segmentColumns(const IndexSpace& inner, int j, int rows) {
  const int perCol = inner.shape().segmentsPerTileCol();
  std::vector<Rectangle> cuts;
  for (int s = j * perCol; s < (j + 1) * perCol; ++s) {
    const int begin = static_cast<int>(inner.segmentBegin(s) - inner.tileColBegin(j));
    cuts.push_back({0, rows, begin, begin + inner.segmentSize(s)});
  }
  return cuts;
}

/// Returns rectangles of B's slice on rank (i, j, k), one for each segment of tile row i.
inline std::vector<Rectangle> segmentRows(const IndexSpace& inner, int i, int k, int columns) {
  const int perRow = inner.shape().segmentsPerTileRow();
  std::vector<Rectangle> cuts;
  int begin = 0;
  for (int s = i * perRow; s < (i + 1) * perRow; ++s) {
    cuts.push_back({begin, begin + inner.sliceSize(s, k), 0, columns});
    begin += inner.sliceSize(s, k);
  }
  return cuts;
}

/// Returns the shapes of all slices on a line, in segment order. All ranks of the line must pass
/// equally many shapes. Collective over the line.
inline std::vector<SliceShape> allShapesOfLine(MPI_Comm line, const std::vector<SliceShape>& own,
                                               int segments) {
  constexpr int each = sizeof(SliceShape) / sizeof(long long);
  static_assert(sizeof(SliceShape) == 4 * sizeof(long long), "shapes travel as numbers");
  std::vector<SliceShape> all(segments);
  const int count = static_cast<int>(each * own.size());
  allGather(own.data(), count, MPI_LONG_LONG, all.data(), line,
            "the shapes of the slices of a line");
  return all;
}

/// Returns the shape of each rectangle, for a factor that does not travel. Rectangles must have all
/// columns. Local.
template <class Scalar, class Device>
std::vector<SliceShape> shapesOfRows(const LocalMatrix<Scalar, Device>& matrix,
                                     const std::vector<Rectangle>& cuts) {
  if (cuts.size() == 1 && cuts[0].rowBegin == 0 && cuts[0].rowEnd == matrix.numRows())
    return {SliceShape::ofRows(cuts[0].rows(), static_cast<long long>(matrix.nnz()),
                               cuts[0].columns())};
  std::vector<int> rows{0};
  for (const Rectangle& cut : cuts) rows.push_back(cut.rowEnd);
  const auto deviceRows = toDevice<int, Device>(rows);
  const auto offsets = matrix.graph.row_map;
  const auto at = scratch<std::size_t, Device>("Trident::cutOffsets", rows.size());
  if (matrix.nnz() > 0)
    Kokkos::parallel_for(
        "Trident::cutOffsets", Range<Device>(0, rows.size()),
        TRIDENT_LAMBDA(long long c) { at(c) = offsets(deviceRows(c)); });
  else
    Kokkos::deep_copy(at, std::size_t(0));
  const auto hostAt = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), at);
  std::vector<SliceShape> shapes(cuts.size());
  for (std::size_t c = 0; c < cuts.size(); ++c)
    shapes[c] = SliceShape::ofRows(
        cuts[c].rows(), static_cast<long long>(hostAt(c + 1) - hostAt(c)), cuts[c].columns());
  return shapes;
}

/// The slices of one factor on a line in one product, seen from one rank. The object has own
/// slices to send, the exchange, and room for slices of other nodes. If the line has one member,
/// nothing travels and the exchange is a NoExchange.
template <class Scalar, class Device>
class FactorLine {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// Makes the line of a factor. Local.
  /// @param counters counters to which traffic is added
  FactorLine(GridExchanges& exchanges, Factor factor, const RoundOptions& options,
             RoundCounters& counters)
      : line_(exchanges.grid().shape(), exchanges.grid().me(), factor),
        comm_(exchanges.grid().line(factor)),
        internode_(exchanges.grid().internodeOnLine(factor)),
        messageMemory_(GridExchanges::messageMemory(options.deviceMessages, options.exchange,
                                                    memoryOf<Device>)),
        messageBytes_(GridExchanges::longestMessage(options.messageBytes, memoryOf<Device>)),
        counters_(counters) {}

  bool travels() const { return line_.members() > 1; }
  /// Returns true if the slice of a segment comes from another node.
  bool comes(int segment) const { return line_.owner(segment) != line_.ownMember(); }
  /// Returns the index of a segment among this rank's own segments.
  int ownNumber(int segment) const { return segment - line_.firstOwnSegment(); }
  /// Returns the shape of each segment's slice, as the slice lands on this rank.
  const std::vector<SliceShape>& shapes() const { return shapes_; }
  /// Returns the bytes of a segment's slice as it lands; 0 if nothing travels.
  long long landingBytes(int segment) const {
    return travels() ? shapes_[segment].bytes(sizeof(Scalar)) : 0;
  }

  // Before the rounds, call shareSlices() (or sendParts() and expect()), stage() and allocate().

  /// Cuts this rank's slices out of `matrix`, one for each rectangle. Local.
  void cut(const Matrix& matrix, const std::vector<Rectangle>& cuts) {
    own_ = cutSlices<Scalar, Device>(matrix, cuts);
  }

  /// Cuts this rank's slices if the line's slices travel. Exchanges the shapes of all slices. If no
  /// slice travels, each rectangle must have all columns. Collective over the line, also for a
  /// failed rank.
  /// @param known shapes of all slices, or null if ranks must exchange the shapes
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
      if (m != line_.ownMember())
        counters_.traffic.setup.count(
            internode_[m], static_cast<long long>(sizeof(SliceShape)) * line_.ownSegments());
  }

  /// Sets the slices to send: each member gets its own part of each slice. Local.
  /// @param parts parts of slices, by segment, then by member
  void sendParts(CutSlices<Scalar, Device> parts) {
    own_ = std::move(parts);
    partsOfSlice_ = line_.members();
  }
  /// Sets the shapes of the slices that land on this rank, by segment.
  void expect(std::vector<SliceShape> shapes) { shapes_ = std::move(shapes); }

  /// Starts to copy this rank's slices to pinned memory, if messages must lie there. Local.
  void stage() {
    const std::size_t bytes = own_.storage.extent(0);
    if (!travels() || messageMemory_ != MemoryKind::Pinned || bytes == 0) return;
    staged_ = lendPinned(bytes);
    typename Device::execution_space().fence();  // waits for the kernels that cut the slices
    copies_ = std::make_shared<CopyStream>(static_cast<int>((bytes - 1) / chunkBytes + 1));
    for (std::size_t at = 0, chunk = 0; at < bytes; at += chunkBytes, ++chunk)
      copies_->copy(static_cast<int>(chunk), staged_.data() + at, MemoryKind::Pinned,
                    own_.storage.data() + at, MemoryKind::Device, std::min(chunkBytes, bytes - at));
  }

  /// Makes room for the slices that land. Local.
  /// @param held number of batches that have buffers at once
  void allocate(const std::vector<RoundBatch>& batches, std::size_t held) {
    std::size_t bytes = 0;
    for (const RoundBatch& batch : batches)
      bytes = std::max(bytes, Buffer::bytesFor(batch, line_, shapes_));
    buffers_.resize(held);
    for (Buffer& buffer : buffers_) buffer.allocate(messageMemory_, bytes);
  }

  /// Takes the line's exchange from `exchanges`. Collective over the grid.
  void connect(GridExchanges& exchanges, ExchangeKind kind, int prefetchDepth) {
    exchange_ = &exchanges.exchange(line_.factor(), kind, prefetchDepth);
  }

  // After connect(), a product makes the next calls in the order that SliceExchange states. Batch g
  // takes over the buffer of batch g - held (`held` as in allocate()).

  void begin() { exchange_->begin(slices()); }
  void open(std::size_t g, const RoundBatch& batch) {
    if (travels()) buffer(g).open(batch, line_, shapes_);  // else there may be no buffers
  }
  /// Asks for the slice of a round of batch g, if the slice comes from another node.
  void request(std::size_t g, int round) {
    const int segment = line_.segmentOfRound(round);
    if (!comes(segment)) return;
    if (internode_[line_.owner(segment)]) counters_.internodeEntries += shapes_[segment].entries;
    exchange_->request(round, buffer(g).landing(segment), counters_.traffic.rounds);
  }
  bool landed(int round) { return exchange_->landed(round); }
  /// Waits for the slice of a round of batch g. Starts the copy to the device that packed() needs.
  void wait(std::size_t g, int round) {
    if (!exchange_->wait(round)) senderFailed_ = true;
    const int segment = line_.segmentOfRound(round);
    if (comes(segment)) buffer(g).toDevice(segment, shapes_[segment].bytes(sizeof(Scalar)));
  }
  /// Returns true if a slice came from a rank that had failed.
  bool senderFailed() const { return senderFailed_; }
  bool needsProgress() const { return exchange_->needsProgress(); }
  void progress() { exchange_->progress(); }
  void markFailed() { exchange_->markFailed(); }
  void end() { exchange_->end(); }

  /// Returns the slice of a segment of batch g, which has landed or is this rank's own.
  PackedSlice<Scalar> packed(std::size_t g, int segment) {
    return comes(segment) ? buffer(g).packed(segment, shapes_[segment])
                          : own_.packed(ownNumber(segment));
  }

 private:
  static constexpr std::size_t chunkBytes = std::size_t(4) << 20;  // bytes of one copy by stage()
  using Buffer = ReceiveBuffer<Scalar, Device>;

  Buffer& buffer(std::size_t g) { return buffers_[g % buffers_.size()]; }

  LineSlices slices() const {
    const char* const own = staged_.data() ? staged_.data() : own_.storage.data();
    LineSlices line;
    line.messageBytes = messageBytes_;
    line.partsOfSlice = partsOfSlice_;
    for (const SliceShape& shape : shapes_) line.bytes.push_back(shape.bytes(sizeof(Scalar)));
    for (std::size_t s = 0; s < own_.shapes.size(); ++s)
      line.own.push_back({own + own_.at[s], own_.shapes[s].bytes(sizeof(Scalar))});
    if (copies_)
      line.await = [copies = copies_, staged = staged_](const char* end) {
        const auto bytes = static_cast<std::size_t>(end - staged.data());
        // Chunks are copied in order, so this waits for the last chunk only.
        while (!copies->done(static_cast<int>((bytes - 1) / chunkBytes))) std::this_thread::yield();
      };
    return line;
  }

  LineSchedule line_;
  MPI_Comm comm_;
  std::vector<bool> internode_;  // true for each member on another node of the machine
  SliceExchange* exchange_ = nullptr;
  MemoryKind messageMemory_;  // memory of slices while they are sent and received
  std::size_t messageBytes_;
  RoundCounters& counters_;

  CutSlices<Scalar, Device> own_;  // own slices by segment, or their parts by segment and member
  int partsOfSlice_ = 1;           // number of parts of each own slice
  MemoryBlock staged_;             // copy of own_ for MPI to send; empty if MPI sends own_ itself
  std::shared_ptr<CopyStream> copies_;  // copies from own_ to staged_; chunk n has slot n
  std::vector<SliceShape> shapes_;
  std::vector<Buffer> buffers_;
  bool senderFailed_ = false;
};

}  // namespace Trident::Impl

#endif
