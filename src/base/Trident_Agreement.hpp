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

/// Throws an Error on every rank of `comm` if some rank passes a `problem` that is not empty. The
/// Error has the problem of the lowest such rank, and names that rank. Collective over `comm`.
/// @param function name of the public function that was called. Without it the Error has no name
///   until withErrorContext() adds one.
void throwEverywhere(MPI_Comm comm, const std::string& function, const std::string& problem);
void throwEverywhere(MPI_Comm comm, const std::string& problem);

/// Returns, on every rank, the text of the lowest rank of `comm` whose text is not empty; an empty
/// text if all are empty. Collective over `comm`.
std::string firstText(MPI_Comm comm, const std::string& text);

/// Returns true if `comm` has one rank, so that no agreement is needed. Local.
bool isSingleRank(MPI_Comm comm);

/// An argument that must be the same on all ranks of a collective call: its name, as messages say
/// it, and its value as text.
struct CollectiveArgument {
  std::string name, text;
};
using CollectiveArguments = std::vector<CollectiveArgument>;

/// Throws on every rank if some rank has a problem, or if the ranks' values differ. In the second
/// case the text names the first value that differs, and two ranks with their values. Takes one
/// reduction if nothing is wrong. Collective over `comm`.
/// @param later another problem. Thrown only if no rank has a `problem` and no values differ
/// @param any a condition on this rank, or null. Set to true if the condition holds on some rank,
///   or if the values differ; else to false
void requireConsistent(MPI_Comm comm, const std::string& function, const std::string& problem,
                       const CollectiveArguments& values, const std::string& later = std::string(),
                       bool* any = nullptr);

/// The first failure of a rank that must keep up with a collective schedule. A rank that has failed
/// skips work but goes on communicating, until all ranks pass their text() to throwEverywhere().
///
/// All functions that take a `LocalFailure& failure` have this contract. If this rank has failed
/// before, the function only takes part in collective calls: it reads no matrices and arrays, and
/// the content of its results is unspecified. If the function itself fails, mostly for lack of
/// memory, it notes this in `failure`, and from then on only takes part in collective calls. Other
/// ranks learn of the failure by the caller's next agreement or reduction. They learn of it earlier
/// only if the function's comment says that it throws on every rank.
class LocalFailure {
 public:
  /// Runs `work()` unless something failed before. If it throws, keeps the text of the exception.
  template <class Work>
  void guard(Work&& work);
  /// Runs `work()` even after a failure, because other ranks wait for its communication.
  template <class Work>
  void attempt(Work&& work);
  bool failed() const { return !text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  void keepCurrentException();
  std::string text_;
};

/// Runs `work()` on every rank of `comm`. If it throws on some rank, throws an Error on every rank,
/// like throwEverywhere(). `work` must not communicate. Collective over `comm`.
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

/// Throws Trident::Error if MPI does not run. Throws it on every rank if another thread of some
/// rank is inside Trident, if a rank's arguments are bad, or if the ranks' arguments differ. Takes
/// one reduction if nothing is wrong. Collective over `comm`.
/// @param check function that returns the fault of this rank's arguments, "" if there is none. Adds
///   the arguments that must be the same on all ranks to its parameter. Local; may throw
/// @param later function that returns a condition on this rank. Called if `check` finds no fault.
///   An error of `later` is thrown only if no rank has a fault and arguments do not differ. Local
/// @return true if the condition holds on some rank
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

/// Reduces numbers over the ranks of `comm`, in place. If some rank has failed, throws an Error on
/// every rank, like throwEverywhere(). Takes one reduction if no rank has failed. Collective.
/// @param numbers equally many on every rank; a rank that has failed may pass any values
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

/// Sums numbers over the ranks of `comm`, or finds their maxima, by reduceEverywhere().
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
