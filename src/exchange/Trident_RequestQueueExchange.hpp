// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REQUESTQUEUEEXCHANGE_HPP
#define TRIDENT_REQUESTQUEUEEXCHANGE_HPP

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "exchange/Trident_RequestSlots.hpp"
#include "exchange/Trident_SliceExchange.hpp"
#include "exchange/Trident_SliceReceives.hpp"
#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {

/// The paper's exchange (Internode Asynchronous Communication). The main thread posts its receive,
/// and puts a request into a queue of the slice's owner. A serving thread of this object sees other
/// ranks' requests and sends slices, whatever the main thread does. A slice without bytes is
/// neither asked for nor sent. So two ranks communicate only if one needs a slice of the other.
///
/// The queue of a member is a slot with one number: how many slices the member has asked for since
/// the exchange was made. Slices without bytes do not count. The schedule fixes the order of the
/// slices. The serving thread has the slices of the present product only, so it sends no later
/// ones. The thread looks for requests until all slices of the product are sent and the main thread
/// has reached end(). So no request waits for an owner that computes. Then the thread sleeps until
/// the next product. The destructor joins the thread.
///
/// Threads: `mutex_` guards the members from `begun_` to `error_`. Only the serving thread uses
/// `sent_` and `services_`, and polls. Only the main thread asks and receives.
class RequestQueueExchange : public SliceExchange {
 public:
  /// @param onThread function that the serving thread calls first; may be empty. It may choose a
  ///   device, which must be chosen before MPI gets device memory.
  RequestQueueExchange(std::unique_ptr<Line> line, std::unique_ptr<RequestCounters> counters,
                       const LineSchedule& schedule, std::function<void()> onThread = {});
  ~RequestQueueExchange() override;
  /// Starts the thread, once. Returns when the thread can serve; throws if it cannot. Local. Ranks
  /// must agree on success before a product begins, or peers wait for slices that nobody sends.
  void start();
  void begin(const LineSlices& slices) override;
  void request(int round, void* landing, Traffic& traffic) override;
  bool landed(int round) override;
  bool wait(int round) override;
  void progress() override {}
  bool needsProgress() const override { return false; }
  void markFailed() override;
  void end() override;

 private:
  /// The slices that a member gets. Made once, so that serving allocates no memory.
  struct Service {
    int member;
    std::vector<int> slices;  ///< own slices, in the order in which the member asks for them
    std::size_t next;         ///< index in `slices` of the next slice to send in this product
  };
  /// The time at which the main thread repeats a round's request, and the pause before that time.
  struct Retry {
    double at = 0, pause = 0;  ///< both in seconds
  };

  void serve();
  bool awaitProduct(std::uint64_t product);
  void serveProduct(std::uint64_t product);
  bool served(Service& service) const;
  bool served();
  bool sendAsked(Transfers& sends);
  bool pause(double seconds, std::uint64_t product, bool served);
  bool failed();

  std::unique_ptr<Line> line_;
  std::unique_ptr<RequestCounters> counters_;
  LineSchedule schedule_;
  std::function<void()> onThread_;
  SliceReceives receives_;
  std::vector<std::uint64_t> asked_;  // numbers of slices asked of each owner, over all products
  std::vector<Retry> retries_;        // retry of each round's request
  // The slices of the present product. The thread reads them while it serves.
  LineSlices slices_;
  std::vector<std::uint64_t> sent_;  // numbers of slices sent to each member, over all products
  std::vector<Service> services_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t begun_ = 0, served_ = 0, ended_ = 0;  // products begun, served and ended so far
  bool ready_ = false, failed_ = false, stop_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace Trident::Impl

#endif
