// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_ToldCounts.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"

namespace Trident::Impl {
namespace {

constexpr int manyRanks = 32;  // from which on not all tell all
constexpr const char* what = "the counts of what others send";

/// Tags of two calls that follow each other on a communicator differ: a rank that has left one may
/// tell somebody of the next who is still in the first. It cannot be further ahead.
int nextTag(MPI_Comm comm) {
  constexpr int countTag = 5;  // and the one behind it
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    TRIDENT_MPI_CHECK(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr));
    return made;
  }();
  void* calls = nullptr;
  int some = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_get_attr(comm, key, &calls, &some));
  const std::intptr_t before = some ? reinterpret_cast<std::intptr_t>(calls) : 0;
  TRIDENT_MPI_CHECK(MPI_Comm_set_attr(comm, key, reinterpret_cast<void*>(1 - before)));
  return countTag + static_cast<int>(before);
}

/// Tells counts to those for whom there are any, by sends that end when they are received. What
/// they send is left to MPI where this rank gives up.
class Telling {
 public:
  /// @param each numbers for every rank
  Telling(MPI_Comm comm, int me, const std::vector<long long>& counts, int each, int tag)
      : told_(std::make_unique<std::vector<long long>>()) {
    std::vector<int> ranks;
    for (int r = 0; r < static_cast<int>(counts.size()) / each; ++r) {
      const auto own = counts.begin() + static_cast<std::ptrdiff_t>(r) * each;
      if (r == me || std::all_of(own, own + each, [](long long n) { return n == 0; })) continue;
      ranks.push_back(r);
      told_->insert(told_->end(), own, own + each);
    }
    requests_.assign(ranks.size(), MPI_REQUEST_NULL);
    for (std::size_t n = 0; n < ranks.size(); ++n)
      start(told_->data() + n * each, each, ranks[n], tag, comm, &requests_[n]);
  }
  ~Telling() {
    if (!done_) static_cast<void>(told_.release());
  }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

  bool done() {
    int all = 1;
    if (!done_)
      TRIDENT_MPI_CHECK(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all,
                                    MPI_STATUSES_IGNORE));
    return done_ = all != 0;
  }

 private:
  /// Where one does not start, those before it may be under way.
  void start(const long long* counts, int each, int rank, int tag, MPI_Comm comm,
             MPI_Request* request) {
    try {
      TRIDENT_MPI_CHECK(MPI_Issend(counts, each, MPI_LONG_LONG, rank, tag, comm, request));
    } catch (...) {
      static_cast<void>(told_.release());
      throw;
    }
  }

  std::unique_ptr<std::vector<long long>> told_;
  std::vector<MPI_Request> requests_;
  bool done_ = false;
};

/// Takes a message, if there is one. Whether there was.
bool hear(MPI_Comm comm, int each, int tag, std::vector<long long>& told) {
  int some = 0;
  MPI_Status status;
  TRIDENT_MPI_CHECK(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &some, &status));
  if (some)
    TRIDENT_MPI_CHECK(MPI_Recv(told.data() + static_cast<std::size_t>(status.MPI_SOURCE) * each,
                               each, MPI_LONG_LONG, status.MPI_SOURCE, tag, comm,
                               MPI_STATUS_IGNORE));
  return some != 0;
}

}  // namespace

std::vector<long long> toldCounts(MPI_Comm comm, const std::vector<long long>& counts, int each) {
  const bool many = counts.size() / each >= manyRanks;
  return many ? toldBySome(comm, counts, each) : toldByAll(comm, counts, each);
}

std::vector<long long> toldByAll(MPI_Comm comm, const std::vector<long long>& counts, int each) {
  std::vector<long long> told(counts.size());
  allToAll(counts.data(), each, MPI_LONG_LONG, told.data(), comm, what);
  return told;
}

std::vector<long long> toldBySome(MPI_Comm comm, const std::vector<long long>& counts, int each) {
  requireNotAbandoned();
  const WaitStatus waiting(what);
  const int tag = nextTag(comm);
  int me = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &me));
  std::vector<long long> told(counts.size(), 0);
  const auto own = counts.begin() + static_cast<std::ptrdiff_t>(me) * each;
  std::copy(own, own + each, told.begin() + (own - counts.begin()));
  Telling telling(comm, me, counts, each, tag);
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool inBarrier = false;
  Wait wait;
  for (int over = 0;;) {
    if (hear(comm, each, tag, told)) continue;
    if (inBarrier) TRIDENT_MPI_CHECK(MPI_Test(&barrier, &over, MPI_STATUS_IGNORE));
    if (over) return told;
    if (!inBarrier && telling.done()) {
      TRIDENT_MPI_CHECK(MPI_Ibarrier(comm, &barrier));
      inBarrier = true;
    }
    wait.goOn();
  }
}

}  // namespace Trident::Impl
