// SPDX-License-Identifier: BSD-3-Clause
// A product as an exchange sees it, whose every byte any rank can tell. Needs no MPI that runs.
#ifndef TRIDENT_EXCHANGE_TESTPRODUCT_HPP
#define TRIDENT_EXCHANGE_TESTPRODUCT_HPP

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "Transport_TestTools.hpp"
#include "exchange/Trident_SliceExchange.hpp"
#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {
namespace TestTools {

/// One product on one line. What is sent is known to every rank, by (number, line, segment).
class TestProduct {
 public:
  /// @param holders landings that the rounds take in turn, as a product on the grid has it
  TestProduct(const GridShape& shape, const GridCoordinates& me, Factor factor, int number,
              int holders)
      : line_(shape, me, factor), landings_(holders, Bytes(largest + guard, 0xee)) {
    // All members of a line have the same key, all lines different ones.
    key_ = hashOf(number, factor == Factor::A ? 0 : 1, factor == Factor::A ? me.i : me.j, me.k);
    // Broadcasts bring all members the same.
    parts_ = shape.order == RoundOrder::Cannon && key_ / 16384 % 2;
    if (parts_) slices_.partsOfSlice = line_.members();
    for (int s = 0; s < line_.rounds(); ++s) slices_.bytes.push_back(sizeOf(s, line_.ownMember()));
    for (int n = 0; n < line_.ownSegments(); ++n)
      for (int member = 0; member < slices_.partsOfSlice; ++member)
        own_.push_back(content(line_.firstOwnSegment() + n, member));
    for (const Bytes& slice : own_) slices_.own.push_back({slice.data(), slice.size()});
    if (key_ / 8192 % 2) stage();
    const std::size_t longest[] = {16, 100, 1000, slices_.messageBytes};
    slices_.messageBytes = longest[key_ / 2048 % 4];
  }

  const LineSchedule& line() const { return line_; }
  const LineSlices& slices() const { return slices_; }
  int rounds() const { return line_.rounds(); }
  int owner(int round) const { return line_.owner(line_.segmentOfRound(round)); }
  bool comes(int round) const { return owner(round) != line_.ownMember(); }
  /// Returns true if a slice is empty: then nothing need come, so it may say nothing of its sender.
  bool isEmpty(int round) const { return slices_.bytes[line_.segmentOfRound(round)] == 0; }

  void* landing(int round) {
    Bytes& landing = landings_[round % landings_.size()];
    before_[round] = landing;
    return landing.data();
  }
  /// Returns true if the slice is what it should be, and nothing behind it was touched.
  bool right(int round) const {
    const Bytes& landed = landings_[round % landings_.size()];
    const Bytes expected = content(line_.segmentOfRound(round), line_.ownMember());
    const auto behind = static_cast<std::ptrdiff_t>(expected.size());
    return std::equal(expected.begin(), expected.end(), landed.begin()) &&
           std::equal(landed.begin() + behind, landed.end(), before_.at(round).begin() + behind);
  }
  /// @param internode which members sit on other nodes
  Traffic expectedTraffic(const std::vector<bool>& internode) const {
    Traffic traffic;
    for (int s = 0; s < line_.rounds(); ++s)
      if (line_.owner(s) != line_.ownMember())
        traffic.count(internode[line_.owner(s)], slices_.bytes[s],
                      (slices_.bytes[s] + slices_.messageBytes - 1) / slices_.messageBytes);
    return traffic;
  }

  /// Returns true if a member fails in this product; roundOfFailure() says when. Every other
  /// product has a member that fails, known to all.
  bool fails(int member) const {
    return key_ % 2 && key_ / 2 % line_.members() == unsigned(member);
  }
  int roundOfFailure() const { return static_cast<int>(key_ / 64 % line_.rounds()); }

 private:
  static constexpr std::size_t largest = 1500, guard = 8;

  /// Makes the bytes of own slices come late: each when the exchange waits for it, and not before.
  void stage() {
    const auto ready = std::make_shared<const std::vector<Bytes>>(own_);
    for (Bytes& slice : own_) std::fill(slice.begin(), slice.end(), Bytes::value_type(0x55));
    slices_.await = [ready, own = slices_.own](const char* end) {
      for (std::size_t n = 0; n < own.size(); ++n) {
        char* const data = static_cast<char*>(const_cast<void*>(own[n].data));
        if (end == data) throw std::logic_error("waits for no byte of a slice");
        if (end > data && end <= data + own[n].bytes)
          std::copy_n((*ready)[n].begin(), end - data, data);
      }
    };
  }

  std::size_t sizeOf(int segment, int member) const {
    const std::uint64_t h = parts_ ? hashOf(key_, segment, member) : hashOf(key_, segment);
    const std::size_t borders[] = {0, 1, 99, 100, 101, 200, 777, 0};
    return h % 2 ? borders[h / 2 % 8] : h / 2 % largest;
  }
  Bytes content(int segment, int member) const {
    return bytesOf(key_ + segment + (parts_ ? 100 * member : 0), sizeOf(segment, member));
  }

  LineSchedule line_;
  LineSlices slices_;
  std::vector<Bytes> own_, landings_;
  std::map<int, Bytes> before_;  // contents of a round's landing when it was asked for
  std::uint64_t key_ = 0;
  bool parts_ = false;  // true if each member gets a part of its own
};

inline bool sameTraffic(const Traffic& a, const Traffic& b) {
  return a.internodeBytes == b.internodeBytes && a.intranodeBytes == b.intranodeBytes &&
         a.internodeMessages == b.internodeMessages && a.intranodeMessages == b.intranodeMessages;
}

/// One factor of a product on its way, step by step; counts what is wrong.
class TestRun {
 public:
  /// @param ahead rounds requested ahead of the one that is waited for
  TestRun(SliceExchange& exchange, const GridShape& shape, const GridCoordinates& me, Factor factor,
          int number, int ahead)
      : exchange_(exchange),
        product_(shape, me, factor, number, ahead + 1),
        ahead_(ahead),
        markSeen_(product_.line().members(), false) {
    exchange_.begin(product_.slices());
  }

  int rounds() const { return product_.rounds(); }

  /// Asks for what is to be asked for before round t is waited for.
  void request(int t, Delay& delay) {
    for (; requested_ <= std::min(t + ahead_, rounds() - 1); ++requested_) {
      delay();
      if (product_.comes(requested_))
        exchange_.request(requested_, product_.landing(requested_), traffic_);
    }
  }

  void wait(int t) {
    // Asking alone must bring it, too.
    while (t % 2 && !exchange_.landed(t)) std::this_thread::yield();
    const bool sound = exchange_.wait(t);
    if (product_.comes(t)) {
      wrong_ += !product_.right(t);
      checkMark(product_.owner(t), sound, product_.isEmpty(t));
    }
    if (product_.fails(product_.line().ownMember()) && t == product_.roundOfFailure())
      exchange_.markFailed();
    exchange_.progress();
  }

  /// @return how much was wrong
  int end(const std::vector<bool>& internode) {
    exchange_.end();
    wrong_ += !sameTraffic(traffic_, product_.expectedTraffic(internode));
    return wrong_;
  }

 private:
  /// Checks a mark: who never failed is never marked, and who once was marked stays so.
  void checkMark(int owner, bool sound, bool empty) {
    wrong_ += !sound && !product_.fails(owner);
    wrong_ += sound && !empty && markSeen_[owner];
    if (!sound) markSeen_[owner] = true;
  }

  SliceExchange& exchange_;
  TestProduct product_;
  int ahead_, requested_ = 0, wrong_ = 0;
  Traffic traffic_;
  std::vector<bool> markSeen_;
};

/// Runs one product of one factor; returns how much was wrong.
inline int runProduct(SliceExchange& exchange, const GridShape& shape, const GridCoordinates& me,
                      Factor factor, int number, int ahead, Delay& delay,
                      const std::vector<bool>& internode) {
  TestRun run(exchange, shape, me, factor, number, ahead);
  for (int t = 0; t < run.rounds(); ++t) {
    run.request(t, delay);
    delay();
    run.wait(t);
  }
  return run.end(internode);
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
