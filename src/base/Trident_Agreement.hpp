// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_AGREEMENT_HPP
#define TRIDENT_AGREEMENT_HPP

#include <mpi.h>

#include <string>
#include <vector>

namespace Trident::Impl {

/// Throws the same Error on every rank of `comm` if any rank passes a non-empty `problem`: the
/// lowest such rank's text, with that rank named. Collective over `comm`; so is the exception.
/// @param function the public function that was called; without it the Error has no name yet, and
///   gets that of the public function on its way there (inNameOf())
void throwEverywhere(MPI_Comm comm, const std::string& function, const std::string& problem);
void throwEverywhere(MPI_Comm comm, const std::string& problem);

/// The text of the lowest rank of `comm` that has one, on every rank; empty where none has.
/// Collective over `comm`.
std::string firstText(MPI_Comm comm, const std::string& text);

/// Whether `comm` has one rank, which has nobody to agree with. Local.
bool isAlone(MPI_Comm comm);

/// What all ranks of a collective call must pass alike, as text: the name in the words of a
/// message.
struct CommonValue {
  std::string name, text;
};
using CommonValues = std::vector<CommonValue>;

/// As throwEverywhere(); throws too where the ranks' values differ: the first that does, with two
/// ranks and their texts. Values count only where no rank has a problem. One reduction where
/// nothing is wrong. Collective over `comm`.
/// @param later a problem that counts only where values are alike
/// @param any if there is one: whether this rank says so; gets whether some rank does
void requireAlike(MPI_Comm comm, const std::string& function, const std::string& problem,
                  const CommonValues& values, const std::string& later = std::string(),
                  bool* any = nullptr);

/// Collects the first failure of a rank that must keep up with a collective schedule: work is
/// skipped after it, communication goes on, and `throwEverywhere(comm, failure.text())` ends it.
class LocalFailure {
 public:
  /// Runs `work()` unless something failed before; keeps the text of what it throws.
  template <class Work>
  void guard(Work&& work);
  /// Runs `work()` also after a failure, as others wait for what it communicates.
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

}  // namespace Trident::Impl

#endif
