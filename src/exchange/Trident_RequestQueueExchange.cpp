// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_RequestQueueExchange.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/Trident_Phase.hpp"
#include "base/Trident_Threads.hpp"
#include "base/Trident_Wait.hpp"
#include "exchange/Trident_SliceSends.hpp"
#include "transport/Trident_ServingThread.hpp"

namespace Trident::Impl {
namespace {

// Seconds before a request is repeated: far more than a polling owner takes to answer (Backoff),
// and too few to annoy a person.
constexpr double firstRetrySeconds = 0.05;

}  // namespace

RequestQueueExchange::RequestQueueExchange(std::unique_ptr<Line> line,
                                           std::unique_ptr<RequestCounters> counters,
                                           const LineSchedule& schedule,
                                           std::function<void()> onThread)
    : line_(std::move(line)),
      counters_(std::move(counters)),
      schedule_(schedule),
      onThread_(std::move(onThread)),
      receives_(*line_),
      asked_(schedule.members(), 0),
      sent_(schedule.members(), 0) {
  for (int peer : line_->peers()) {
    Service service{peer, {}, 0};
    for (const ScheduledSend& send : sendsInOrder(schedule, {peer}))
      service.slices.push_back(send.slice);
    services_.push_back(std::move(service));
  }
}

RequestQueueExchange::~RequestQueueExchange() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void RequestQueueExchange::start() {
  if (thread_.joinable()) return;
  std::unique_lock<std::mutex> lock(mutex_);
  {
    const SignalsBlocked forTheThread;
    thread_ = std::thread([this] { serve(); });
  }
  changed_.wait(lock, [&] { return ready_ || error_; });
  if (error_) std::rethrow_exception(error_);
}

void RequestQueueExchange::begin(const LineSlices& slices) {
  start();
  line_->limitMessages(slices.messageBytes);
  receives_.begin(schedule_.rounds());
  retries_.resize(schedule_.rounds());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    slices_ = slices;  // no race: the serving thread has slept since end()
    failed_ = false;
    ++begun_;
  }
  changed_.notify_all();
}

void RequestQueueExchange::request(int round, void* landing, Traffic& traffic) {
  const int segment = schedule_.segmentOfRound(round), owner = schedule_.owner(segment);
  if (slices_.bytes[segment] == 0) return;
  receives_.post(round, landing, slices_.bytes[segment], owner);
  line_->count(owner, slices_.bytes[segment], traffic);
  counters_->ask(owner, ++asked_[owner]);
  retries_[round] = {steadySeconds() + firstRetrySeconds, firstRetrySeconds};
}

/// Returns true if the slice of a round has landed. Repeats the request if the slice is late,
/// because a request may have got lost. Else this rank would wait for ever.
bool RequestQueueExchange::landed(int round) {
  if (receives_.landed(round)) return true;
  Retry& retry = retries_[round];
  const double now = steadySeconds();
  if (now > retry.at) {
    retry.at = now + (retry.pause *= 2);
    const int owner = schedule_.owner(schedule_.segmentOfRound(round));
    counters_->askAgain(owner, asked_[owner]);
  }
  return false;
}

bool RequestQueueExchange::wait(int round) {
  if (!landed(round)) {
    const WaitStatus waiting = receives_.waitStatus(round);
    for (Wait wait; !landed(round);) wait.goOn();
  }
  return receives_.wait(round);
}

void RequestQueueExchange::markFailed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  failed_ = true;
}

void RequestQueueExchange::end() {
  const WaitStatus waiting("others to ask for this rank's slices and get them");
  std::unique_lock<std::mutex> lock(mutex_);
  ended_ = begun_;
  changed_.notify_all();
  const auto served = [&] { return served_ == begun_ || error_; };
  if (TimeoutScope::polls())
    for (Wait wait; !changed_.wait_for(lock, std::chrono::milliseconds(1), served);) wait.goOn();
  else
    changed_.wait(lock, served);
  if (error_) std::rethrow_exception(error_);
  slices_.await = {};  // frees memory that the function may hold. Safe, because the thread sleeps
}

void RequestQueueExchange::serve() {
  try {
    if (onThread_) onThread_();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ready_ = true;
    }
    changed_.notify_all();
    for (std::uint64_t product = 1; awaitProduct(product); ++product) {
      serveProduct(product);
      const std::lock_guard<std::mutex> lock(mutex_);
      served_ = product;
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    error_ = std::current_exception();
    changed_.notify_all();
  }
}

/// Sleeps until the main thread has begun `product`. Returns false if the object ends instead.
bool RequestQueueExchange::awaitProduct(std::uint64_t product) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return begun_ >= product || stop_; });
  return !stop_;
}

void RequestQueueExchange::serveProduct(std::uint64_t product) {
  const std::unique_ptr<Transfers> sends = line_->open();
  for (Service& service : services_) service.next = 0;
  Backoff backoff;
  for (;;) {
    counters_->poll();
    if (sendAsked(*sends)) backoff.reset();
    const bool transferring = !sends->test();
    if (pause(backoff.next(transferring), product, !transferring && served())) return;
  }
}

/// Returns true if no slice of this product is left to send to service.member. Moves service.next
/// past slices that this member does not need.
bool RequestQueueExchange::served(Service& service) const {
  const auto needed = [&](int slice) { return slices_.sent(slice, service.member).bytes > 0; };
  while (service.next < service.slices.size() && !needed(service.slices[service.next]))
    ++service.next;
  return service.next == service.slices.size();
}
bool RequestQueueExchange::served() {
  return std::all_of(services_.begin(), services_.end(),
                     [this](Service& service) { return served(service); });
}

/// Sleeps for `seconds`, or until the thread must leave the product. Returns true if it must leave:
/// all slices of the product are sent and the main thread has reached end(), or the object ends.
bool RequestQueueExchange::pause(double seconds, std::uint64_t product, bool served) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto leave = [&] { return stop_ || (served && ended_ == product); };
  if (seconds > 0) return changed_.wait_for(lock, std::chrono::duration<double>(seconds), leave);
  const bool leaving = leave();
  lock.unlock();
  if (!leaving) std::this_thread::yield();
  return leaving;
}

/// Starts to send the slices that members have asked for. Returns true if there was such a slice.
bool RequestQueueExchange::sendAsked(Transfers& sends) {
  bool any = false;
  for (Service& service : services_) {
    if (served(service)) continue;
    const int member = service.member;
    const std::uint64_t asked = counters_->asked(member);
    // served() ends the loop if a member already asks for slices of the next product.
    for (; sent_[member] < asked && !served(service); ++service.next) {
      const SentSlice& slice = slices_.sent(service.slices[service.next], member);
      sendSlice(slices_, slice, failed(), member, sends);
      ++sent_[member];
      any = true;
    }
  }
  return any;
}

bool RequestQueueExchange::failed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failed_;
}

}  // namespace Trident::Impl
