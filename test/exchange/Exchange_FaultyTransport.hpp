// SPDX-License-Identifier: BSD-3-Clause
// Wrappers that make exchanges slow and moody, within what its interface allows: delays before
// every call, peers in another order each time, complete transfers that seem to be under way,
// numbers of requests that show late. Seeded. Needs no MPI that runs.
#ifndef TRIDENT_EXCHANGE_FAULTYTRANSPORT_HPP
#define TRIDENT_EXCHANGE_FAULTYTRANSPORT_HPP

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "exchange/Trident_GridExchanges.hpp"

namespace Trident::Impl {
namespace TestTools {

/// Randomness that several threads may ask.
class Mood {
 public:
  Mood(unsigned seed, int microseconds) : random_(seed), most_(microseconds) {}

  std::uint64_t number() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return random_();
  }
  bool oneOf(unsigned many) { return number() % many == 0; }
  /// Sleeps in one of `many` calls.
  void delay(unsigned many) {
    if (most_ > 0 && oneOf(many))
      std::this_thread::sleep_for(std::chrono::microseconds(number() % most_));
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t n = list.size(); n > 1; --n) std::swap(list[n - 1], list[number() % n]);
  }

 private:
  std::mutex mutex_;
  std::mt19937_64 random_;
  const int most_;
};

constexpr unsigned often = 4, seldom = 16;  // one of so many calls is delayed

class FaultyTransfers : public Transfers {
 public:
  FaultyTransfers(std::unique_ptr<Transfers> wrapped, std::shared_ptr<Mood> mood)
      : wrapped_(std::move(wrapped)), mood_(std::move(mood)) {}
  void send(const void* data, std::size_t bytes, int member) override {
    mood_->delay(often);
    wrapped_->send(data, bytes, member);
  }
  void receive(void* data, std::size_t bytes, int member) override {
    mood_->delay(often);
    wrapped_->receive(data, bytes, member);
  }
  bool test() override {
    mood_->delay(seldom);
    return wrapped_->test() && !mood_->oneOf(seldom);
  }
  void wait() override {
    mood_->delay(often);
    wrapped_->wait();
  }

 private:
  std::unique_ptr<Transfers> wrapped_;
  std::shared_ptr<Mood> mood_;
};

class FaultyLine : public Line {
 public:
  FaultyLine(std::unique_ptr<Line> wrapped, unsigned seed, int microseconds)
      : wrapped_(std::move(wrapped)), mood_(std::make_shared<Mood>(seed, microseconds)) {}
  std::vector<int> peers() override {
    std::vector<int> peers = wrapped_->peers();
    mood_->shuffle(peers);
    return peers;
  }
  std::unique_ptr<Transfers> open() override {
    return std::make_unique<FaultyTransfers>(wrapped_->open(), mood_);
  }
  void limitMessages(std::size_t bytes) override { wrapped_->limitMessages(bytes); }
  int worldRank(int member) noexcept override { return wrapped_->worldRank(member); }
  void count(int owner, std::size_t bytes, Traffic& traffic) const override {
    wrapped_->count(owner, bytes, traffic);
  }

 private:
  std::unique_ptr<Line> wrapped_;
  std::shared_ptr<Mood> mood_;
};

class FaultyCounters : public RequestCounters {
 public:
  FaultyCounters(std::unique_ptr<RequestCounters> wrapped, int members, unsigned seed,
                 int microseconds)
      : wrapped_(std::move(wrapped)), mood_(seed, microseconds), shown_(members, 0) {}
  /// Loses a request now and then, as windows that are mixed up do.
  void ask(int owner, std::uint64_t count) override {
    mood_.delay(often);
    if (!mood_.oneOf(50)) wrapped_->ask(owner, count);
  }
  void askAgain(int owner, std::uint64_t count) override {
    mood_.delay(often);
    wrapped_->askAgain(owner, count);
  }
  void poll() override {
    mood_.delay(seldom);
    wrapped_->poll();
  }
  std::uint64_t asked(int member) const override {
    if (!mood_.oneOf(3)) shown_[member] = wrapped_->asked(member);
    return shown_[member];
  }

 private:
  std::unique_ptr<RequestCounters> wrapped_;
  mutable Mood mood_;
  mutable std::vector<std::uint64_t> shown_;  // counts shown to the serving thread
};

class FaultyGather : public NodeGather {
 public:
  FaultyGather(std::unique_ptr<NodeGather> wrapped, unsigned seed, int microseconds)
      : wrapped_(std::move(wrapped)), mood_(seed, microseconds) {}
  GatherKind kind() const override { return wrapped_->kind(); }
  MemoryKind memory() const override { return wrapped_->memory(); }
  bool overlaps() const override { return wrapped_->overlaps(); }
  void reserve(std::size_t bytes, int slots) override { wrapped_->reserve(bytes, slots); }
  void* open(int slot) override {
    mood_.delay(often);
    return wrapped_->open(slot);
  }
  void start(int slot, const std::vector<GatherBlock>& blocks, Traffic& traffic) override {
    mood_.delay(often);
    wrapped_->start(slot, blocks, traffic);
  }
  void finish(int slot) override {
    mood_.delay(often);
    wrapped_->finish(slot);
  }

 private:
  std::unique_ptr<NodeGather> wrapped_;
  Mood mood_;
};

/// @param rank of the caller, so that every rank has moods of its own
inline ExchangeWrappers faultyWrappers(unsigned seed, int microseconds, int rank, int ranks) {
  const auto made = std::make_shared<unsigned>(0);
  const auto next = [=] { return seed + 1000003u * rank + 7919u * ++*made; };
  ExchangeWrappers wrappers;
  wrappers.line = [=](std::unique_ptr<Line> line) {
    return std::make_unique<FaultyLine>(std::move(line), next(), microseconds);
  };
  wrappers.counters = [=](std::unique_ptr<RequestCounters> counters) {
    return std::make_unique<FaultyCounters>(std::move(counters), ranks, next(), microseconds);
  };
  wrappers.gather = [=](std::unique_ptr<NodeGather> gather) {
    return std::make_unique<FaultyGather>(std::move(gather), next(), microseconds);
  };
  return wrappers;
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
