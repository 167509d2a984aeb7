// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWLANES_HPP
#define TRIDENT_ROWLANES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_Device.hpp"

// Lanes work on one row together. OneThread, ThreadLanes and TeamLanes have the same functions,
// with the same results to the bit. Of a row of n entries, entry e belongs to lane e mod
// lanesForLength(n). A lane adds its entries in their order, then addLanes() adds the lanes' sums.
// All lanes must call a function with the same arguments; all get its result.

namespace Trident::Impl {

/// Number of lanes of a row, and of a long row. One thread may do the work of several lanes. On
/// devices a whole team works on a long row, because there are few such rows at a time.
constexpr int rowLanes = 32;
constexpr int longRowLanes = 512;
/// Least number of entries of a long row.
constexpr int leastLongRow = 32768;
/// Number of counters that a row's lanes share. mthLargest() needs 256 for digits, and 16 for
/// groups of digits.
constexpr int rowCounters = 256 + 16;

KOKKOS_INLINE_FUNCTION constexpr int lanesForLength(int length) {
  return length < leastLongRow ? rowLanes : longRowLanes;
}

/// Several sums of a row.
template <int terms>
struct LaneSums {
  double of[terms] = {};

  KOKKOS_INLINE_FUNCTION void operator+=(const LaneSums& other) {
    for (int t = 0; t < terms; ++t) of[t] += other.of[t];
  }
};

/// All lanes of a row in one thread. Used on hosts.
class OneThread {
 public:
  /// Returns a number by which a row picks one of several accumulators. On devices, few rows have
  /// equal numbers at a time, so that few threads add to the same one. On hosts returns 0.
  KOKKOS_INLINE_FUNCTION unsigned number() const { return 0; }
  /// Calls work(e) for e in [0, n).
  template <class Work>
  KOKKOS_INLINE_FUNCTION void each(int n, const Work& work) const {
    for (int e = 0; e < n; ++e) work(e);
  }
  /// Calls work() once, by one lane.
  template <class Work>
  KOKKOS_INLINE_FUNCTION void once(const Work& work) const {
    work();
  }
  /// Returns the sum of term(e) for e in [0, n).
  template <class T, class Term>
  KOKKOS_INLINE_FUNCTION T sum(int n, const Term& term) const {
    return n < leastLongRow ? sumOf<T, rowLanes>(n, term) : sumOf<T, longRowLanes>(n, term);
  }
  /// Returns several sums: number t is the sum of term(e, t) for e in [0, n). On hosts, a loop
  /// for each sum becomes vector instructions. On devices, lanes read the row once for all sums.
  template <int terms, class Term>
  KOKKOS_INLINE_FUNCTION LaneSums<terms> sums(int n, const Term& term) const {
    LaneSums<terms> all;
    addTerms<0>(all, n, term);
    return all;
  }
  /// Returns the largest of `least` and term(e) for e in [0, n).
  template <class T, class Term>
  KOKKOS_INLINE_FUNCTION T largest(int n, const T& least, const Term& term) const {
    constexpr int chains = 8;  // independent comparisons, which overlap in time
    T largest[chains];
    for (T& mine : largest) mine = least;
    const auto take = [](T& mine, const T& x) { mine = x > mine ? x : mine; };
    int begin = 0;
    for (; begin + chains <= n; begin += chains)
      for (int chain = 0; chain < chains; ++chain) take(largest[chain], term(begin + chain));
    for (int e = begin; e < n; ++e) take(largest[e - begin], term(e));
    for (int chain = 1; chain < chains; ++chain) take(largest[0], largest[chain]);
    return largest[0];
  }
  /// Counts the e in [0, n) for which holds(e) is true.
  template <class Holds>
  KOKKOS_INLINE_FUNCTION int count(int n, const Holds& holds) const {
    int all = 0;
    for (int e = 0; e < n; ++e) all += holds(e) ? 1 : 0;
    return all;
  }
  /// Calls take(e, m) for each e in [0, n) for which holds(e) is true. m counts these e from 0.
  template <class Holds, class Take>
  KOKKOS_INLINE_FUNCTION void select(int n, const Holds& holds, const Take& take) const {
    int m = 0;
    for (int e = 0; e < n; ++e)
      if (holds(e)) take(e, m++);
  }

  // Counters, which lanes share. Lanes must meet() between clearing, increasing and reading them.
  KOKKOS_INLINE_FUNCTION void clearCounters(int counters) const {
    for (int c = 0; c < counters; ++c) counters_[c] = 0;
  }
  KOKKOS_INLINE_FUNCTION void increase(int counter) const { ++counters_[counter]; }
  KOKKOS_INLINE_FUNCTION int counter(int c) const { return counters_[c]; }
  KOKKOS_INLINE_FUNCTION void setCounter(int c, int count) const { counters_[c] = count; }
  KOKKOS_INLINE_FUNCTION void meet() const {}

 private:
  template <class T, int lanes, class Term>
  KOKKOS_INLINE_FUNCTION T sumOf(int n, const Term& term) const {
    T sums[lanes];
    const int filled = n < lanes ? n : lanes;
    for (int lane = 0; lane < filled; ++lane) sums[lane] = term(lane);
    int begin = lanes;
    for (; begin + lanes <= n; begin += lanes)  // becomes vector instructions
      for (int lane = 0; lane < lanes; ++lane) sums[lane] += term(begin + lane);
    for (int e = begin; e < n; ++e) sums[e - begin] += term(e);
    for (int lane = rowLanes; lane < filled; ++lane) sums[lane % rowLanes] += sums[lane];
    T all(0);
    for (int lane = 0; lane < filled && lane < rowLanes; ++lane) all += sums[lane];
    return all;
  }
  template <int t, int terms, class Term>
  KOKKOS_INLINE_FUNCTION void addTerms(LaneSums<terms>& all, int n, const Term& term) const {
    all.of[t] = sum<double>(n, [&](int e) { return term(e, t); });
    if constexpr (t + 1 < terms) addTerms<t + 1>(all, n, term);
  }

  mutable int counters_[rowCounters];
};

/// Returns the sum of the lanes' numbers, added in the order of lanes. If there are more than
/// rowLanes lanes, first adds lanes l + rowLanes, l + 2 rowLanes, ... to each lane l < rowLanes.
/// @param on a ThreadLanes or TeamLanes; all its lanes must call this function
/// @param shared memory of all lanes, with room for T[lanes]
/// @param mine mine(lane) returns a lane's number
template <class T, class Lanes, class Mine>
KOKKOS_INLINE_FUNCTION T addLanes(const Lanes& on, int lanes, void* shared, const Mine& mine) {
  T* const ofLanes = static_cast<T*>(shared);
  on.each(lanes, [&](int lane) { ofLanes[lane] = mine(lane); });
  if (lanes > rowLanes)
    on.each(rowLanes, [&](int lane) {
      for (int other = lane + rowLanes; other < lanes; other += rowLanes)
        ofLanes[lane] += ofLanes[other];
    });
  T all = ofLanes[0];
  for (int lane = 1; lane < rowLanes; ++lane) all += ofLanes[lane];
  on.meet();  // from here on, lanes may overwrite `shared`
  return all;
}
/// Returns the sum of term(e) over the entries e of one lane.
template <class T, class Term>
KOKKOS_INLINE_FUNCTION T sumOfLane(int lane, int lanes, int n, const Term& term) {
  T mine(0);
  for (int e = lane; e < n; e += lanes) mine += term(e);
  return mine;
}
/// Returns, for each t, the sum of term(e, t) over the entries e of one lane.
template <int terms, class Term>
KOKKOS_INLINE_FUNCTION LaneSums<terms> sumsOfLane(int lane, int lanes, int n, const Term& term) {
  LaneSums<terms> mine;
  for (int e = lane; e < n; e += lanes)
    for (int t = 0; t < terms; ++t) mine.of[t] += term(e, t);
  return mine;
}

/// Bytes of scratch memory for a lane: room for three sums.
constexpr std::size_t laneBytes = sizeof(LaneSums<3>);

/// The vector lanes of one thread of a team, as lanes of a row that is not long.
template <class Member>
class ThreadLanes {
 public:
  static constexpr std::size_t scratchBytes = rowLanes * laneBytes + rowCounters * sizeof(int) + 16;

  KOKKOS_INLINE_FUNCTION explicit ThreadLanes(const Member& member)
      : member_(member),
        ofLanes_(member.thread_scratch(0).get_shmem_aligned(rowLanes * laneBytes, 8)),
        counters_(static_cast<int*>(
            member.thread_scratch(0).get_shmem_aligned(rowCounters * sizeof(int), 8))) {}

  KOKKOS_INLINE_FUNCTION unsigned number() const {
    return static_cast<unsigned>(member_.league_rank()) * member_.team_size() + member_.team_rank();
  }
  template <class Work>
  KOKKOS_INLINE_FUNCTION void each(int n, const Work& work) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member_, n), work);
  }
  template <class Work>
  KOKKOS_INLINE_FUNCTION void once(const Work& work) const {
    Kokkos::single(Kokkos::PerThread(member_), work);
  }
  template <class T, class Term>
  KOKKOS_INLINE_FUNCTION T sum(int n, const Term& term) const {
    static_assert(sizeof(T) <= laneBytes, "there is scratch memory for that");
    return addLanes<T>(*this, rowLanes, ofLanes_,
                       [&](int lane) { return sumOfLane<T>(lane, rowLanes, n, term); });
  }
  template <int terms, class Term>
  KOKKOS_INLINE_FUNCTION LaneSums<terms> sums(int n, const Term& term) const {
    static_assert(sizeof(LaneSums<terms>) <= laneBytes, "there is scratch memory for that");
    return addLanes<LaneSums<terms>>(*this, rowLanes, ofLanes_, [&](int lane) {
      return sumsOfLane<terms>(lane, rowLanes, n, term);
    });
  }
  template <class T, class Term>
  KOKKOS_INLINE_FUNCTION T largest(int n, const T& least, const Term& term) const {
    T most = least;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member_, n),
        [&](int e, T& mine) {
          const T x = term(e);
          if (x > mine) mine = x;
        },
        Kokkos::Max<T>(most));
    return n > 0 && most > least ? most : least;
  }
  template <class Holds>
  KOKKOS_INLINE_FUNCTION int count(int n, const Holds& holds) const {
    int all = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member_, n), [&](int e, int& mine) { mine += holds(e) ? 1 : 0; },
        all);
    return all;
  }
  template <class Holds, class Take>
  KOKKOS_INLINE_FUNCTION void select(int n, const Holds& holds, const Take& take) const {
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member_, n),
                          [&](int e, int& before, bool final) {
                            const bool taken = holds(e);
                            if (final && taken) take(e, before);
                            before += taken ? 1 : 0;
                          });
  }

  KOKKOS_INLINE_FUNCTION void clearCounters(int counters) const {
    each(counters, [&](int c) { counters_[c] = 0; });
  }
  KOKKOS_INLINE_FUNCTION void increase(int counter) const { addShared(counters_ + counter, 1); }
  KOKKOS_INLINE_FUNCTION int counter(int c) const { return counters_[c]; }
  KOKKOS_INLINE_FUNCTION void setCounter(int c, int count) const { counters_[c] = count; }
  /// Waits for all lanes of the thread, by the wait at the end of a loop.
  KOKKOS_INLINE_FUNCTION void meet() const {
    each(1, [](int) {});
  }

 private:
  const Member& member_;
  void* ofLanes_;
  int* counters_;
};

/// The vector lanes of all threads of a team, as lanes of one row.
template <class Member>
class TeamLanes {
 public:
  static constexpr std::size_t scratchBytes =
      longRowLanes * laneBytes + rowCounters * sizeof(int) + 16;

  KOKKOS_INLINE_FUNCTION explicit TeamLanes(const Member& member)
      : member_(member),
        ofLanes_(member.team_scratch(0).get_shmem_aligned(longRowLanes * laneBytes, 8)),
        counters_(static_cast<int*>(
            member.team_scratch(0).get_shmem_aligned(rowCounters * sizeof(int), 8))) {}

  KOKKOS_INLINE_FUNCTION unsigned number() const {
    return static_cast<unsigned>(member_.league_rank());
  }
  template <class Work>
  KOKKOS_INLINE_FUNCTION void each(int n, const Work& work) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member_, n), work);
    meet();
  }
  template <class Work>
  KOKKOS_INLINE_FUNCTION void once(const Work& work) const {
    Kokkos::single(Kokkos::PerTeam(member_), work);
  }
  template <class T, class Term>
  KOKKOS_INLINE_FUNCTION T sum(int n, const Term& term) const {
    static_assert(sizeof(T) <= laneBytes, "there is scratch memory for that");
    const int lanes = lanesForLength(n);
    return addLanes<T>(*this, lanes, ofLanes_,
                       [&](int lane) { return sumOfLane<T>(lane, lanes, n, term); });
  }
  template <int terms, class Term>
  KOKKOS_INLINE_FUNCTION LaneSums<terms> sums(int n, const Term& term) const {
    static_assert(sizeof(LaneSums<terms>) <= laneBytes, "there is scratch memory for that");
    const int lanes = lanesForLength(n);
    return addLanes<LaneSums<terms>>(
        *this, lanes, ofLanes_, [&](int lane) { return sumsOfLane<terms>(lane, lanes, n, term); });
  }
  template <class T, class Term>
  KOKKOS_INLINE_FUNCTION T largest(int n, const T& least, const Term& term) const {
    return addLanes<Larger<T>>(*this, longRowLanes, ofLanes_,
                               [&](int lane) {
                                 Larger<T> mine{least};
                                 for (int e = lane; e < n; e += longRowLanes)
                                   mine += Larger<T>{term(e)};
                                 return mine;
                               })
        .x;
  }
  template <class Holds>
  KOKKOS_INLINE_FUNCTION int count(int n, const Holds& holds) const {
    return addLanes<int>(*this, longRowLanes, ofLanes_, [&](int lane) {
      return sumOfLane<int>(lane, longRowLanes, n, [&](int e) { return holds(e) ? 1 : 0; });
    });
  }
  /// Calls take(e, m) as OneThread does. To find m, each thread first counts its selected entries.
  template <class Holds, class Take>
  KOKKOS_INLINE_FUNCTION void select(int n, const Holds& holds, const Take& take) const {
    const int threads = member_.team_size(), me = member_.team_rank();
    const int portion = (n + threads - 1) / threads;
    const int begin = me * portion < n ? me * portion : n;
    const int mine = portion < n - begin ? portion : n - begin;
    int held = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member_, mine),
        [&](int e, int& sum) { sum += holds(begin + e) ? 1 : 0; }, held);
    Kokkos::single(Kokkos::PerThread(member_), [&] { counters_[me] = held; });
    meet();
    int first = 0;
    for (int thread = 0; thread < me; ++thread) first += counters_[thread];
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member_, mine),
                          [&](int e, int& before, bool final) {
                            const bool taken = holds(begin + e);
                            if (final && taken) take(begin + e, first + before);
                            before += taken ? 1 : 0;
                          });
    meet();
  }

  KOKKOS_INLINE_FUNCTION void clearCounters(int counters) const {
    each(counters, [&](int c) { counters_[c] = 0; });
  }
  KOKKOS_INLINE_FUNCTION void increase(int counter) const { addShared(counters_ + counter, 1); }
  KOKKOS_INLINE_FUNCTION int counter(int c) const { return counters_[c]; }
  KOKKOS_INLINE_FUNCTION void setCounter(int c, int count) const { counters_[c] = count; }
  KOKKOS_INLINE_FUNCTION void meet() const { member_.team_barrier(); }

 private:
  template <class T>
  struct Larger {
    T x;
    KOKKOS_INLINE_FUNCTION void operator+=(const Larger& other) {
      if (other.x > x) x = other.x;
    }
  };

  const Member& member_;
  void* ofLanes_;
  int* counters_;
};

/// Kernel that runs work(lanes, row) for each row that is not long, by one thread of a team.
template <class Device, class Work>
struct ThreadRowLoop {
  using Member = typename Kokkos::TeamPolicy<typename Device::execution_space>::member_type;

  Work work;
  long long rows;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const long long row =
        static_cast<long long>(member.league_rank()) * member.team_size() + member.team_rank();
    if (row < rows && work.lengthOf(row) < leastLongRow) work(ThreadLanes<Member>(member), row);
  }
};

/// Kernel that runs work(lanes, row) for each long row. A team takes every league_size()-th row.
template <class Device, class Work>
struct TeamRowLoop {
  using Member = typename Kokkos::TeamPolicy<typename Device::execution_space>::member_type;

  Work work;
  long long rows;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const TeamLanes<Member> lanes(member);
    for (long long row = member.league_rank(); row < rows; row += member.league_size())
      if (work.lengthOf(row) >= leastLongRow) work(lanes, row);
  }
};

/// Runs a kernel of teams.
/// @param teams teams(threads) returns the number of teams, each of `threads` threads
/// @param scratch bytes of scratch memory, as Kokkos::PerTeam or PerThread
template <class Device, class Functor, class Teams, class Scratch>
void runTeams(const std::string& label, const Functor& functor, int mostThreads,
              const Scratch& scratch, const Teams& teams) {
  using Policy = Kokkos::TeamPolicy<typename Device::execution_space>;
  const int lanes = std::min(rowLanes, Policy::vector_length_max());
  const int most = Policy(1, 1, lanes)
                       .set_scratch_size(0, scratch)
                       .team_size_max(functor, Kokkos::ParallelForTag());
  const int threads = std::max(1, std::min(most, mostThreads));
  Kokkos::parallel_for(label, Policy(teams(threads), threads, lanes).set_scratch_size(0, scratch),
                       functor);
}

/// Runs work(lanes, row) for rows [0, rows): a thread of a team for each row, a whole team for each
/// long row. Local; does not wait for the kernels.
/// @param longest upper bound of the rows' lengths
template <class Device, class Work>
void forRowsByTeams(const std::string& label, long long rows, long long longest, const Work& work) {
  using Short = ThreadRowLoop<Device, Work>;
  using Long = TeamRowLoop<Device, Work>;
  constexpr int threadsOfRows = 8, threadsOfLongRow = longRowLanes / rowLanes;
  constexpr long long mostTeams = 4096;  // several teams for each processor of a device
  if (rows == 0) return;
  runTeams<Device>(label, Short{work, rows}, threadsOfRows,
                   Kokkos::PerThread(ThreadLanes<typename Short::Member>::scratchBytes),
                   [&](int threads) { return static_cast<int>((rows + threads - 1) / threads); });
  if (longest < leastLongRow) return;
  runTeams<Device>(label + "Long", Long{work, rows}, threadsOfLongRow,
                   Kokkos::PerTeam(TeamLanes<typename Long::Member>::scratchBytes),
                   [&](int) { return static_cast<int>(std::min(rows, mostTeams)); });
}

/// Runs work(lanes, row) for rows [0, rows). On hosts a thread works on a row. On devices a
/// thread's vector lanes share a row; a team shares a long row. Local; does not wait for the
/// kernels.
/// @param longest upper bound of the rows' lengths
/// @param work functor for kernels. Its operator() is a template over the type of lanes;
///   lengthOf(row) returns the number of a row's entries
template <class Device, class Work>
void forRowsByLanes(const std::string& label, long long rows, long long longest, const Work& work) {
  if constexpr (isHost<Device>)
    Kokkos::parallel_for(label, DynamicRange<Device>(0, rows),
                         [=](long long row) { work(OneThread(), row); });
  else
    forRowsByTeams<Device>(label, rows, longest, work);
}

}  // namespace Trident::Impl

#endif
