// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_AllRanksPresent.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_PlainNumbers.hpp"

namespace Trident::Impl {
namespace {

constexpr int mostNamed = 16;  // missing ranks that a message has room for
constexpr int helloTag = 32040, tellTag = 32041, noteTag = 32042;  // every MPI has up to 32767

/// Ranks that did not answer; -1 where fewer are known.
using Missing = std::array<int, mostNamed>;

/// Those that a rank waits for, and for how many milliseconds it does.
using Note = std::array<int, mostNamed + 1>;

void add(int rank, Missing& missing) {
  if (rank < 0 || std::find(missing.begin(), missing.end(), rank) != missing.end()) return;
  const auto room = std::find(missing.begin(), missing.end(), -1);
  if (room != missing.end()) *room = rank;
}

/// Returns the names of ranks, such as "ranks 3, 5 of 8".
std::string namesOf(Missing missing, int size) {
  const auto end = std::find(missing.begin(), missing.end(), -1);
  std::sort(missing.begin(), end);
  std::string text = end - missing.begin() > 1 ? "ranks" : "rank";
  for (auto rank = missing.begin(); rank != end; ++rank)
    text += (rank == missing.begin() ? " " : ", ") + std::to_string(*rank);
  return text + " of " + std::to_string(size);
}

/// Collects on the first rank which ranks are late, and hands that to `note`. Each rank that waits
/// reports once.
class LateRanks {
 public:
  LateRanks(MPI_Comm comm, int me, int size, const NoteOfLateRanks& note)
      : comm_(comm), me_(me), size_(size), note_(note), began_(steadySeconds()) {
    sent_->fill(-1);
    late_.fill(-1);
  }
  /// @param stays true if MPI may read what was sent for good
  void leave(bool stays) {
    if (stays) static_cast<void>(sent_.release());
  }
  bool isTime(double after) const { return !noted_ && steadySeconds() - began_ > after; }
  bool noted() const { return noted_; }

  /// Says whom this rank misses, once.
  void say(const Missing& missing, std::vector<MPI_Request>& sends) {
    noted_ = true;
    std::copy(missing.begin(), missing.end(), sent_->begin());
    sent_->back() = static_cast<int>(std::min(1e9, 1e3 * (steadySeconds() - began_)));
    if (me_ == 0) return hear(*sent_);
    sends.push_back(MPI_REQUEST_NULL);
    TRIDENT_MPI_CHECK(
        MPI_Isend(sent_->data(), mostNamed + 1, MPI_INT, 0, noteTag, comm_, &sends.back()));
  }
  /// Takes, on the first rank, what has come. It passes that on a second later, when others may
  /// have said it too.
  void look() {
    if (me_ != 0) return;
    for (;;) {
      int there = 0;
      TRIDENT_MPI_CHECK(MPI_Iprobe(MPI_ANY_SOURCE, noteTag, comm_, &there, MPI_STATUS_IGNORE));
      if (!there) break;
      receive();
    }
    if (news_ && steadySeconds() - heard_ > 1) pass();
  }
  /// Takes the rest of what was sent, when all ranks have come.
  /// @param count how many ranks have said something
  void finish(int count) {
    while (me_ == 0 && received_ < count) receive();
    if (news_) pass();
  }

 private:
  void receive() {
    Note note;
    TRIDENT_MPI_CHECK(MPI_Recv(note.data(), mostNamed + 1, MPI_INT, MPI_ANY_SOURCE, noteTag, comm_,
                               MPI_STATUS_IGNORE));  // is there, or was sent
    ++received_;
    hear(note);
  }
  void hear(const Note& note) {
    const Missing before = late_;
    std::for_each(note.begin(), note.end() - 1, [&](int rank) {
      if (rank != me_) add(rank, late_);
    });
    waited_ = std::max(waited_, note.back());
    news_ = news_ || late_ != before;
    heard_ = steadySeconds();
  }
  void pass() {
    news_ = false;
    if (!note_) return;
    note_(namesOf(late_, size_) + " had not come to the first product on this communicator after " +
          plainText(1e-3 * waited_, 3) + " s");
  }

  MPI_Comm comm_;
  int me_, size_, received_ = 0;
  int waited_ = 0;  // milliseconds, of the rank that waited longest
  const NoteOfLateRanks& note_;
  double began_, heard_ = 0;
  bool noted_ = false, news_ = false;
  std::unique_ptr<Note> sent_ = std::make_unique<Note>();
  Missing late_;
};

/// The messages that one rank sends and gets.
class Asking {
 public:
  Asking(MPI_Comm comm, const NoteOfLateRanks& note, double noteAfter)
      : comm_(comm),
        me_(rankIn(comm)),
        size_(sizeOf(comm)),
        noteAfter_(noteAfter),
        late_(comm, me_, size_, note) {
    missing_.fill(-1);
    told_ = std::make_unique<std::vector<Told>>();
    for (int step = 1; step < size_; step *= 2) told_->emplace_back();
  }
  ~Asking() {
    const bool stays = missing_[0] >= 0;  // MPI may read it for good
    if (stays) static_cast<void>(told_.release());
    late_.leave(stays);
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
    const auto sayMissing = [&] {
      if (!late_.isTime(noteAfter_)) return;
      Missing now;
      now.fill(-1);
      for (std::size_t r = 0; r < requests.size(); ++r)
        if (!isDone(requests[r])) add(before[r], now);
      if (now[0] >= 0) late_.say(now, sends_);
    };
    const double start = steadySeconds();
    for (std::size_t r = 0; r < requests.size(); ++r)
      if (!came(requests[r], start, seconds, sayMissing)) add(before[r], missing_);
  }

  /// Passes on which ranks are missing, in steps of 1, 2, 4, ... ranks. Afterwards every rank that
  /// came knows of missing ranks, or that there is none.
  /// @param seconds in which a rank that greeted gets as far
  void tell(double seconds) {
    anyNoted_ = late_.noted();
    auto told = told_->begin();
    for (int step = 1; step < size_; step *= 2) {
      const int before = (me_ - step + size_) % size_;
      std::copy(missing_.begin(), missing_.end(), told->begin());
      told->back() = anyNoted_;
      send((told++)->data(), mostNamed + 1, step, tellTag);
      if (std::find(missing_.begin(), missing_.end(), before) != missing_.end()) continue;
      Told heard;
      MPI_Request request = MPI_REQUEST_NULL;
      TRIDENT_MPI_CHECK(
          MPI_Irecv(heard.data(), mostNamed + 1, MPI_INT, before, tellTag, comm_, &request));
      if (came(request, steadySeconds(), seconds, [] {})) {
        std::for_each(heard.begin(), heard.end() - 1, [&](int rank) { add(rank, missing_); });
        anyNoted_ = anyNoted_ || heard.back();
      } else {
        add(before, missing_);
      }
    }
  }

  /// Throws where a rank is missing.
  void requireAll(double seconds) {
    if (missing_[0] < 0) return finish();
    for (MPI_Request& send : sends_) TRIDENT_MPI_CHECK(MPI_Request_free(&send));
    throw Error(
        "libtrident_dropin",
        namesOf(missing_, size_) + " did not come to this product within " + plainText(seconds, 6) +
            " s, for lack of this library or for other work; start every rank with the "
            "same LD_PRELOAD, as by mpirun trident-try, or set TRIDENT_ASK_SECONDS to more");
  }

 private:
  using Told = std::array<int, mostNamed + 1>;  // the last: whether anyone was late

  static int rankIn(MPI_Comm comm) {
    int rank = 0;
    TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
    return rank;
  }
  static int sizeOf(MPI_Comm comm) {
    int size = 1;
    TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
    return size;
  }

  /// Ends the search: all have come, and all know whether any was late.
  void finish() {
    if (anyNoted_) {
      int notes = late_.noted() && me_ != 0;
      allReduce(MPI_IN_PLACE, &notes, 1, MPI_INT, MPI_SUM, comm_,
                "all ranks to say which were late");
      late_.finish(notes);
    }
    TRIDENT_MPI_CHECK(
        MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE));
  }
  void send(const int* numbers, int count, int step, int tag) {
    sends_.push_back(MPI_REQUEST_NULL);
    TRIDENT_MPI_CHECK(
        MPI_Isend(numbers, count, MPI_INT, (me_ + step) % size_, tag, comm_, &sends_.back()));
  }
  static bool isDone(MPI_Request& request) {
    int done = 0;
    TRIDENT_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  }
  /// @param meanwhile done while it waits
  template <class Meanwhile>
  bool came(MPI_Request& request, double start, double seconds, const Meanwhile& meanwhile) {
    while (!isDone(request)) {
      if (steadySeconds() - start > seconds) {
        TRIDENT_MPI_CHECK(MPI_Cancel(&request));
        TRIDENT_MPI_CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));  // ends at once, as a receive's
        return false;
      }
      meanwhile();
      late_.look();
      pause(steadySeconds() - start);
    }
    return true;
  }
  /// Leaves the core to others; a rank that may wait for an hour also sleeps.
  static void pause(double waited) {
    if (waited < 1)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  MPI_Comm comm_;
  int me_, size_;
  double noteAfter_;
  LateRanks late_;
  bool anyNoted_ = false;
  Missing missing_;
  std::vector<MPI_Request> sends_;
  std::unique_ptr<std::vector<Told>> told_;  // what goes in each step
};

}  // namespace

void requireAllRanksPresent(MPI_Comm comm, double seconds, double noteAfter,
                            const NoteOfLateRanks& note) {
  Asking asking(comm, note, noteAfter);
  asking.greet(seconds);
  asking.tell(2 * seconds);  // a rank may have come so much later, and have waited as long
  asking.requireAll(seconds);
}

}  // namespace Trident::Impl
