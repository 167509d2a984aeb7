// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_AGREEMENT_HPP
#define TRIDENT_AGREEMENT_HPP

#include <mpi.h>

#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Threads.hpp"

namespace Trident::Impl {

/// Throws the same Error on every rank of `comm` if any rank passes a non-empty `problem`: the
/// lowest such rank's text, with that rank named. Collective over `comm`; so is the exception.
/// @param function the public function that was called; without it the Error has no name yet, and
///   gets that of the public function on its way there (withErrorContext())
void throwEverywhere(MPI_Comm comm, const std::string& function, const std::string& problem);
void throwEverywhere(MPI_Comm comm, const std::string& problem);

/// Returns, on every rank, the text of the lowest rank of `comm` that has one; an empty text if
/// none has. Collective over `comm`.
std::string firstText(MPI_Comm comm, const std::string& text);

/// Returns true if `comm` has one rank, which has nobody to agree with. Local.
bool isSingleRank(MPI_Comm comm);

/// A value that all ranks of a collective call must pass alike, as text, and its name in the words
/// of a message.
struct CollectiveArgument {
  std::string name, text;
};
using CollectiveArguments = std::vector<CollectiveArgument>;

/// Throws on every rank if a rank has a problem, or else if the ranks' values differ; then the text
/// names the first value that does, and two ranks with their texts. One reduction where nothing is
/// wrong. Collective over `comm`.
/// @param later a problem that counts only where values are alike
/// @param any where given: whether this rank says so; gets if some rank does, or values differ
void requireConsistent(MPI_Comm comm, const std::string& function, const std::string& problem,
                       const CollectiveArguments& values, const std::string& later = std::string(),
                       bool* any = nullptr);

/// The first failure of a rank that must keep up with a collective schedule: work is skipped after
/// it, communication goes on, and `throwEverywhere(comm, failure.text())` ends it.
///
/// All functions that take a `LocalFailure& failure` have this contract. If this rank has failed
/// before, the function takes part in what is collective, and does nothing else. It does not read
/// the matrices and arrays that it is given, and the content of what it makes is unspecified. If
/// something fails inside, mostly for lack of memory, it notes that and goes on likewise. It tells
/// no other rank, unless it says that it throws on every rank: that is for its caller, by the next
/// agreement or reduction.
class LocalFailure {
 public:
  /// Runs `work()` unless something failed before; keeps the text of an exception.
  template <class Work>
  void guard(Work&& work);
  /// Runs `work()` also after a failure, as others wait for its communication.
  template <class Work>
  void attempt(Work&& work);
  bool failed() const { return !text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  void keepCurrentException();
  std::string text_;
};

/// Runs `work()` on every rank of `comm`; where it throws on one, throws Error on all, as
/// throwEverywhere(). `work` must not communicate. Collective over `comm`.
template <class Work>
void runEverywhere(MPI_Comm comm, const std::string& function, Work&& work) {
  LocalFailure failure;
  failure.guard(work);
  throwEverywhere(comm, function, failure.text());
}
template <class Work>
void runEverywhere(MPI_Comm comm, Work&& work) {
  LocalFailure failure;
  failure.guard(work);
  throwEverywhere(comm, failure.text());
}

template <class Work>
void LocalFailure::guard(Work&& work) {
  if (failed()) return;
  try {
    work();
  } catch (...) {
    keepCurrentException();
  }
}

template <class Work>
void LocalFailure::attempt(Work&& work) {
  LocalFailure now;
  now.guard(work);
  if (!failed()) text_ = now.text_;
}

/// Throws Trident::Error where MPI does not run, and on every rank where another thread of a rank
/// is inside Trident, a rank's arguments are bad, or ranks' arguments differ. Collective over
/// `comm`, one reduction where nothing is wrong.
/// @param check returns the fault of this rank's arguments, empty if there is none, and adds
///   what ranks must pass alike to the CollectiveArguments it gets; local, may throw
/// @param later done after it, if nothing is wrong: what it throws counts only where arguments are
///   alike on all ranks; returns whether something holds for this rank. Local
/// @return whether that holds for some rank
template <class Check, class Later>
bool checkArguments(MPI_Comm comm, const std::string& function, const Check& check,
                    const Later& later) {
  requireMpi();
  CollectiveArguments values;
  LocalFailure failure;
  failure.guard([&] {
    std::string problem = SingleThreadGuard::problem();
    if (problem.empty()) problem = check(values);
    if (!problem.empty()) throw Error(problem);
  });
  bool any = false;
  LocalFailure second;
  if (!failure.failed()) second.guard([&] { any = later(); });
  requireConsistent(comm, function, failure.text(), values, second.text(), &any);
  return any;
}
template <class Check>
void checkArguments(MPI_Comm comm, const std::string& function, const Check& check) {
  checkArguments(comm, function, check, [] { return false; });
}

inline MPI_Datatype mpiTypeOf(double) { return MPI_DOUBLE; }
inline MPI_Datatype mpiTypeOf(long long) { return MPI_LONG_LONG; }

/// Reduces numbers over the ranks of `comm`, in place, and agrees by the same reduction on whether
/// all ranks had theirs: where one has failed, throws Error on all, as throwEverywhere().
/// Collective.
/// @param numbers as many on every rank; of one that has failed, any
template <class T>
void reduceEverywhere(MPI_Comm comm, std::vector<T>& numbers, MPI_Op op, const char* what,
                      const LocalFailure& failure) {
  numbers.push_back(failure.failed() ? 1 : 0);
  allReduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), mpiTypeOf(T()), op,
            comm, what);
  const bool failed = numbers.back() > 0;
  numbers.pop_back();
  if (failed) throwEverywhere(comm, failure.text());
}

/// Sums numbers, and finds maxima, over the ranks of `comm`, as reduceEverywhere().
template <class T>
void sumEverywhere(MPI_Comm comm, std::vector<T>& numbers, const LocalFailure& failure) {
  reduceEverywhere(comm, numbers, MPI_SUM, "sums over all ranks", failure);
}
template <class T>
void maximumEverywhere(MPI_Comm comm, std::vector<T>& numbers, const LocalFailure& failure) {
  reduceEverywhere(comm, numbers, MPI_MAX, "maxima over all ranks", failure);
}

}  // namespace Trident::Impl

#endif
