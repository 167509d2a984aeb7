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

/// The paper's exchange (Internode Asynchronous Communication). The main thread posts its receive
/// and puts a request into the owner's queue. A thread of this object sees the requests of others
/// and sends, whatever the main thread does meanwhile. A slice without bytes is neither asked for
/// nor sent: a rank communicates only with members of which it needs something, or which need
/// something of it.
///
/// The queue's slot for a member holds how many slices it has asked for since the exchange was
/// made. Which ones follows from the schedule and from which have bytes, and so does how many a
/// product asks for: the thread serves no further than the present product, whose slices it has. It
/// looks after requests until that is served and the main thread has reached end(), and then sleeps
/// until the next product. So nobody's put waits for a rank that computes. It is joined with the
/// object.
///
/// Threads: `mutex_` guards the members of both. The thread alone uses `sent_` and polls; the main
/// thread alone asks and receives.
class RequestQueueExchange : public SliceExchange {
 public:
  /// @param onThread called first by the thread, where set: it may have to choose a device before
  ///                 MPI meets device memory
  RequestQueueExchange(std::unique_ptr<Line> line, std::unique_ptr<RequestCounters> counters,
                       const LineSchedule& schedule, std::function<void()> onThread = {});
  ~RequestQueueExchange() override;
  /// Starts the thread, once; returns when it can serve, and throws where it cannot. Local: peers
  /// wait for slices that nobody sends, so they must agree before a product begins.
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
  /// The slices that a member gets. Made once, so that serving takes no memory.
  struct Service {
    int member;
    std::vector<int> slices;  ///< own ones, in the order in which the member asks for them
    std::size_t next;         ///< place in `slices` of the next to be sent in this product
  };
  /// The time at which the main thread asks for a round's slice again, and the pause before.
  struct Retry {
    double at = 0, pause = 0;  ///< seconds
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
  std::vector<std::uint64_t> asked_;  // slices asked of each owner, over all products
  std::vector<Retry> retries_;        // one for each round
  // Slices of the product begun; the thread reads them while it serves.
  LineSlices slices_;
  std::vector<std::uint64_t> sent_;  // slices, to each member, over all products
  std::vector<Service> services_;    // used by the thread that serves

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t begun_ = 0, served_ = 0, ended_ = 0;  // products; ended_ by the main thread
  bool ready_ = false, failed_ = false, stop_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace Trident::Impl

#endif
