// SPDX-License-Identifier: BSD-3-Clause
// A line of ranks that are threads of one process: what an exchange needs of a network, made of
// mutexes and queues, so that ThreadSanitizer sees every access (MPI is not instrumented).
//
// Locks are one per pair of ranks, so that the network orders no more between threads than MPI
// does.
#ifndef TRIDENT_EXCHANGE_FAKENETWORK_HPP
#define TRIDENT_EXCHANGE_FAKENETWORK_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "exchange/Trident_RequestSlots.hpp"
#include "transport/Trident_Line.hpp"

namespace Trident::Impl {
namespace TestTools {

/// The ways in which MPI sends short and long messages.
enum class Protocol {
  Eager,      ///< a send copies its buffer at once and is complete
  Rendezvous  ///< a send is complete, and its buffer read, only when the receive is there
};

/// Messages from one rank to another, in order.
class FakeChannel {
 public:
  using Done = std::shared_ptr<std::atomic<bool>>;

  explicit FakeChannel(Protocol protocol) : protocol_(protocol) {}

  void send(const void* data, std::size_t bytes, const Done& done) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Message message{static_cast<const char*>(data), bytes, {}, done};
    if (protocol_ == Protocol::Eager) {
      message.copy.assign(message.data, message.data + bytes);
      done->store(true, std::memory_order_release);
    }
    sent_.push_back(std::move(message));
    match();
  }
  void receive(void* data, std::size_t bytes, const Done& done) {
    const std::lock_guard<std::mutex> lock(mutex_);
    posted_.push_back({static_cast<char*>(data), bytes, done});
    match();
  }
  bool idle() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sent_.empty() && posted_.empty();
  }

 private:
  struct Message {
    const char* data;
    std::size_t bytes;
    std::vector<char> copy;
    Done done;
  };
  struct Posted {
    char* data;
    std::size_t bytes;
    Done done;
  };

  void match() {
    for (; !sent_.empty() && !posted_.empty(); sent_.pop_front(), posted_.pop_front()) {
      const Message& message = sent_.front();
      const Posted& posted = posted_.front();
      if (message.bytes != posted.bytes) throw std::logic_error("a message of another length");
      const char* const from = protocol_ == Protocol::Eager ? message.copy.data() : message.data;
      if (message.bytes > 0) std::memcpy(posted.data, from, message.bytes);
      message.done->store(true, std::memory_order_release);
      posted.done->store(true, std::memory_order_release);
    }
  }

  const Protocol protocol_;
  std::mutex mutex_;
  std::deque<Message> sent_;
  std::deque<Posted> posted_;
};

/// The network of one line; outlives what it makes.
class FakeNetwork {
 public:
  FakeNetwork(int members, Protocol protocol) : members_(members) {
    for (int pair = 0; pair < members * members; ++pair) {
      channels_.push_back(std::make_unique<FakeChannel>(protocol));
      slots_.push_back(std::make_unique<std::atomic<std::uint64_t>>(0));
    }
  }
  std::unique_ptr<Line> line(int me, std::vector<bool> internode);
  std::unique_ptr<RequestCounters> counters(int me);

  int members() const { return members_; }
  FakeChannel& channel(int from, int to) { return *channels_[from * members_ + to]; }
  std::atomic<std::uint64_t>& slot(int from, int to) { return *slots_[from * members_ + to]; }
  /// Returns true if nothing is under way.
  bool idle() {
    bool idle = true;
    for (const auto& channel : channels_) idle = idle && channel->idle();
    return idle;
  }

 private:
  int members_;
  std::vector<std::unique_ptr<FakeChannel>> channels_;
  std::vector<std::unique_ptr<std::atomic<std::uint64_t>>> slots_;
};

class FakeTransfers : public Transfers {
 public:
  /// @param messageBytes the line's longest message, as it is at the time of a transfer
  FakeTransfers(FakeNetwork& network, int me, const std::size_t& messageBytes)
      : network_(network), me_(me), messageBytes_(messageBytes) {}
  void send(const void* data, std::size_t bytes, int member) override {
    for (std::size_t at = 0; at < bytes; at += messageBytes_)
      network_.channel(me_, member)
          .send(static_cast<const char*>(data) + at, std::min(messageBytes_, bytes - at), add());
  }
  void receive(void* data, std::size_t bytes, int member) override {
    for (std::size_t at = 0; at < bytes; at += messageBytes_)
      network_.channel(member, me_)
          .receive(static_cast<char*>(data) + at, std::min(messageBytes_, bytes - at), add());
  }
  bool test() override {
    std::vector<FakeChannel::Done> open;
    for (const auto& done : pending_)
      if (!done->load(std::memory_order_acquire)) open.push_back(done);
    pending_.swap(open);
    if (!pending_.empty()) std::this_thread::yield();
    return pending_.empty();
  }
  void wait() override {
    while (!test()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

 private:
  const FakeChannel::Done& add() {
    pending_.push_back(std::make_shared<std::atomic<bool>>(false));
    return pending_.back();
  }

  FakeNetwork& network_;
  int me_;
  const std::size_t& messageBytes_;
  std::vector<FakeChannel::Done> pending_;
};

class FakeLine : public Line {
 public:
  FakeLine(FakeNetwork& network, int me, std::vector<bool> internode)
      : network_(network), me_(me), internode_(std::move(internode)) {}
  std::vector<int> peers() override {
    std::vector<int> peers;
    for (int member = 0; member < network_.members(); ++member)
      if (member != me_) peers.push_back(member);
    return peers;
  }
  std::unique_ptr<Transfers> open() override {
    return std::make_unique<FakeTransfers>(network_, me_, messageBytes_);
  }
  void limitMessages(std::size_t bytes) override { messageBytes_ = bytes; }
  int worldRank(int member) noexcept override { return member; }
  void count(int owner, std::size_t bytes, Traffic& traffic) const override {
    traffic.count(internode_[owner], static_cast<long long>(bytes),
                  static_cast<long long>((bytes + messageBytes_ - 1) / messageBytes_));
  }

 private:
  FakeNetwork& network_;
  int me_;
  std::vector<bool> internode_;
  std::size_t messageBytes_ = 1;
};

/// A put carries a number and, as in an MPI window, orders nothing else: the slots are relaxed.
class FakeCounters : public RequestCounters {
 public:
  FakeCounters(FakeNetwork& network, int me) : network_(network), me_(me) {}
  void ask(int owner, std::uint64_t count) override {
    network_.slot(me_, owner).store(count, std::memory_order_relaxed);
  }
  void askAgain(int owner, std::uint64_t count) override { ask(owner, count); }
  void poll() override {}
  std::uint64_t asked(int member) const override {
    return network_.slot(member, me_).load(std::memory_order_relaxed);
  }

 private:
  FakeNetwork& network_;
  int me_;
};

inline std::unique_ptr<Line> FakeNetwork::line(int me, std::vector<bool> internode) {
  return std::make_unique<FakeLine>(*this, me, std::move(internode));
}

inline std::unique_ptr<RequestCounters> FakeNetwork::counters(int me) {
  return std::make_unique<FakeCounters>(*this, me);
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
