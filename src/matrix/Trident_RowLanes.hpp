// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWLANES_HPP
#define TRIDENT_ROWLANES_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_Device.hpp"

// The lanes that work on one row together. OneThread and ThreadLanes have the same functions, with
// the same results, bit for bit. Entry e is of lane e mod rowLanes. A lane adds its entries in
// their order, and sums of lanes are added in the order of lanes. All lanes call a function with
// the same arguments, and all get its result.

namespace Trident::Impl {

/// Lanes of a row, however many threads stand for them.
constexpr int rowLanes = 32;
/// Counters that the lanes of a row share.
constexpr int rowCounters = 256;

/// One thread that is all lanes of its row; on hosts.
class OneThread {
 public:
  /// Returns a number of this row among those that are worked on at the same time. On devices few
  /// have the same, on hosts all.
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
    T sums[rowLanes];
    const int lanes = n < rowLanes ? n : rowLanes;
    for (int lane = 0; lane < lanes; ++lane) sums[lane] = term(lane);
    int begin = rowLanes;
    for (; begin + rowLanes <= n; begin += rowLanes)  // compilers make vector instructions of it
      for (int lane = 0; lane < rowLanes; ++lane) sums[lane] += term(begin + lane);
    for (int e = begin; e < n; ++e) sums[e - begin] += term(e);
    T all(0);
    for (int lane = 0; lane < lanes; ++lane) all += sums[lane];
    return all;
  }
  /// Returns the largest of `least` and term(e) for e in [0, n).
  template <class T, class Term>
  KOKKOS_INLINE_FUNCTION T largest(int n, const T& least, const Term& term) const {
    constexpr int chains = 8;  // of comparisons that do not wait for each other
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
  /// Counts the e in [0, n) for which holds(e).
  template <class Holds>
  KOKKOS_INLINE_FUNCTION int count(int n, const Holds& holds) const {
    int all = 0;
    for (int e = 0; e < n; ++e) all += holds(e) ? 1 : 0;
    return all;
  }
  /// Calls take(e, m) for the m-th e in [0, n) for which holds(e).
  template <class Holds, class Take>
  KOKKOS_INLINE_FUNCTION void select(int n, const Holds& holds, const Take& take) const {
    int m = 0;
    for (int e = 0; e < n; ++e)
      if (holds(e)) take(e, m++);
  }

  // Counters: cleared, increased by lanes, read; all lanes meet between these.
  KOKKOS_INLINE_FUNCTION void clearCounters(int counters) const {
    for (int c = 0; c < counters; ++c) counters_[c] = 0;
  }
  KOKKOS_INLINE_FUNCTION void increase(int counter) const { ++counters_[counter]; }
  KOKKOS_INLINE_FUNCTION int counter(int c) const { return counters_[c]; }
  KOKKOS_INLINE_FUNCTION void meet() const {}

 private:
  mutable int counters_[rowCounters];
};

/// A thread of a team, whose vector lanes are the lanes of its row.
template <class Member>
class ThreadLanes {
 public:
  /// Scratch memory of a thread.
  static constexpr std::size_t scratchBytes =
      rowLanes * sizeof(double) + rowCounters * sizeof(int) + 16;

  KOKKOS_INLINE_FUNCTION explicit ThreadLanes(const Member& member)
      : member_(member),
        sums_(static_cast<double*>(
            member.thread_scratch(0).get_shmem_aligned(rowLanes * sizeof(double), 8))),
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
    static_assert(sizeof(T) <= sizeof(double), "there is scratch memory for doubles");
    T* const sums = reinterpret_cast<T*>(sums_);
    const int lanes = n < rowLanes ? n : rowLanes;
    each(lanes, [&](int lane) {
      T mine = term(lane);
      for (int e = lane + rowLanes; e < n; e += rowLanes) mine += term(e);
      sums[lane] = mine;
    });
    T all(0);
    for (int lane = 0; lane < lanes; ++lane) all += sums[lane];
    meet();  // before anyone writes the next sums
    return all;
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
  /// Brings lanes together again, by a loop.
  KOKKOS_INLINE_FUNCTION void meet() const {
    each(1, [](int) {});
  }

 private:
  const Member& member_;
  double* sums_;
  int* counters_;
};

/// Runs work(lanes, row) for each row of a team's threads.
template <class Device, class Work>
struct RowsOfTeams {
  using Member = typename Kokkos::TeamPolicy<typename Device::execution_space>::member_type;

  Work work;
  long long rows;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const long long row =
        static_cast<long long>(member.league_rank()) * member.team_size() + member.team_rank();
    if (row < rows) work(ThreadLanes<Member>(member), row);
  }
};

/// Runs work(lanes, row) for each row of a thread.
template <class Work>
struct RowsOfThreads {
  Work work;

  KOKKOS_INLINE_FUNCTION void operator()(long long row) const { work(OneThread(), row); }
};

/// Runs work(lanes, row) for rows [0, rows), a row by lanes of a team's thread. Local; does not
/// wait for the kernel.
template <class Device, class Work>
void forRowsByTeams(const std::string& label, long long rows, const Work& work) {
  using Policy = Kokkos::TeamPolicy<typename Device::execution_space>;
  using Functor = RowsOfTeams<Device, Work>;
  constexpr std::size_t scratch = ThreadLanes<typename Functor::Member>::scratchBytes;
  if (rows == 0) return;
  const Functor functor{work, rows};
  const int lanes = std::min(rowLanes, Policy::vector_length_max());
  const auto withScratch = [&](Policy policy) {
    return policy.set_scratch_size(0, Kokkos::PerThread(scratch));
  };
  const int most =
      withScratch(Policy(1, 1, lanes)).team_size_max(functor, Kokkos::ParallelForTag());
  const int threads = std::max(1, std::min(most, 8));
  const int teams = static_cast<int>((rows + threads - 1) / threads);
  Kokkos::parallel_for(label, withScratch(Policy(teams, threads, lanes)), functor);
}

/// Runs work(lanes, row) for rows [0, rows): on hosts a thread has a row, on devices the vector
/// lanes of a thread share one. Local; does not wait for the kernel.
/// @param work a functor for kernels, whose operator() is a template for OneThread and ThreadLanes
template <class Device, class Work>
void forRowsByLanes(const std::string& label, long long rows, const Work& work) {
  if constexpr (isHost<Device>)
    Kokkos::parallel_for(label, DynamicRange<Device>(0, rows), RowsOfThreads<Work>{work});
  else
    forRowsByTeams<Device>(label, rows, work);
}

}  // namespace Trident::Impl

#endif
