// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_RanksHere.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Phase.hpp"

namespace Trident::Impl {
namespace {

constexpr int mostNamed = 16;                     // missing ranks that a message has room for
constexpr int helloTag = 32040, tellTag = 32041;  // below the 32767 that every MPI has

/// Ranks that did not answer; -1 where fewer are known.
using Missing = std::array<int, mostNamed>;

void add(int rank, Missing& missing) {
  if (rank < 0 || std::find(missing.begin(), missing.end(), rank) != missing.end()) return;
  const auto room = std::find(missing.begin(), missing.end(), -1);
  if (room != missing.end()) *room = rank;
}

/// What one rank sends and gets.
class Asking {
 public:
  explicit Asking(MPI_Comm comm) : comm_(comm) {
    TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &me_));
    TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size_));
    missing_.fill(-1);
    told_ = std::make_unique<std::vector<Missing>>();
    for (int step = 1; step < size_; step *= 2) told_->emplace_back();
  }
  ~Asking() {
    if (missing_[0] >= 0) static_cast<void>(told_.release());  // MPI may read it for good
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  /// Greets the ranks behind this one by powers of two, and waits for those before it.
  void greet(double seconds) {
    std::vector<int> before;
    std::vector<MPI_Request> requests;
    for (int step = 1; step < size_; step *= 2) {
      send(nullptr, 0, step, helloTag);
      before.push_back((me_ - step + size_) % size_);
      requests.push_back(MPI_REQUEST_NULL);
      TRIDENT_MPI_CHECK(
          MPI_Irecv(nullptr, 0, MPI_INT, before.back(), helloTag, comm_, &requests.back()));
    }
    const double start = steadySeconds();
    for (std::size_t r = 0; r < requests.size(); ++r)
      if (!came(requests[r], start, seconds)) add(before[r], missing_);
  }

  /// Tells the ranks behind this one what it and those before it know. In each step of powers of
  /// two a rank that is there hears of those that are missing before it, up to the next that is
  /// there: a message that goes from behind a gap passes no rank of that gap.
  /// @param seconds in which a rank that greeted gets as far
  void tell(double seconds) {
    auto told = told_->begin();
    for (int step = 1; step < size_; step *= 2) {
      const int before = (me_ - step + size_) % size_;
      *told = missing_;
      send((told++)->data(), mostNamed, step, tellTag);
      if (std::find(missing_.begin(), missing_.end(), before) != missing_.end()) continue;
      Missing heard;
      MPI_Request request = MPI_REQUEST_NULL;
      TRIDENT_MPI_CHECK(
          MPI_Irecv(heard.data(), mostNamed, MPI_INT, before, tellTag, comm_, &request));
      if (came(request, steadySeconds(), seconds))
        for (const int rank : heard) add(rank, missing_);
      else
        add(before, missing_);
    }
  }

  /// Throws where a rank is missing.
  void requireAll(double seconds) {
    if (missing_[0] < 0) {
      TRIDENT_MPI_CHECK(
          MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE));
      return;
    }
    for (MPI_Request& send : sends_) TRIDENT_MPI_CHECK(MPI_Request_free(&send));
    Missing sorted = missing_;
    const auto end = std::find(sorted.begin(), sorted.end(), -1);
    std::sort(sorted.begin(), end);
    std::ostringstream text;
    text << (end - sorted.begin() > 1 ? "ranks" : "rank");
    for (auto rank = sorted.begin(); rank != end; ++rank)
      text << (rank == sorted.begin() ? " " : ", ") << *rank;
    text << " of " << size_ << " did not come to this product within " << seconds
         << " s, for lack of this library or for other work; start every rank with the same "
            "LD_PRELOAD, as by mpirun trident-try, or set TRIDENT_ASK_SECONDS to more";
    throw Error("libtrident_tpetra", text.str());
  }

 private:
  void send(const int* numbers, int count, int step, int tag) {
    sends_.push_back(MPI_REQUEST_NULL);
    TRIDENT_MPI_CHECK(
        MPI_Isend(numbers, count, MPI_INT, (me_ + step) % size_, tag, comm_, &sends_.back()));
  }
  static bool came(MPI_Request& request, double start, double seconds) {
    int done = 0;
    for (;;) {
      TRIDENT_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      if (done) return true;
      if (steadySeconds() - start > seconds) break;
      std::this_thread::yield();
    }
    TRIDENT_MPI_CHECK(MPI_Cancel(&request));
    TRIDENT_MPI_CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));  // ends at once, as a receive's
    return false;
  }

  MPI_Comm comm_;
  int me_ = 0, size_ = 1;
  Missing missing_;
  std::vector<MPI_Request> sends_;
  std::unique_ptr<std::vector<Missing>> told_;  // what goes in each step
};

}  // namespace

void requireRanksHere(MPI_Comm comm, double seconds) {
  Asking asking(comm);
  asking.greet(seconds);
  asking.tell(2 * seconds);  // a rank may have come so much later, and have waited as long
  asking.requireAll(seconds);
}

}  // namespace Trident::Impl
