// SPDX-License-Identifier: BSD-3-Clause
// A call that may throw, and what its ranks make of it together.
#ifndef TRIDENT_PUBLIC_ATTEMPT_HPP
#define TRIDENT_PUBLIC_ATTEMPT_HPP

#include <functional>
#include <string>
#include <vector>

#include "Public_Parts.hpp"
#include "Trident_TestFailure.hpp"

namespace TridentTest {
namespace PublicStress {

/// Outcomes that a product must have.
enum class Must { BeRight, Throw, BeEither };

/// The outcome of one product of a part; equal on all its ranks.
struct Outcome {
  std::string problem;         ///< empty where all is well
  int expected = 0, seen = 0;  ///< exceptions
};

/// Counts the ranks of the part on which `here` is true. Collective.
inline int countRanks(const Part& part, bool here) {
  int count = here ? 1 : 0;
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, part.judge->raw()));
  return count;
}

inline std::string firstProblem(const Part& part, const std::string& problem) {
  return everywhere(*part.judge->teuchos(), problem);
}

/// Returns the error of a call here; an empty text if it threw nothing.
template <class Call>
std::string textOf(Call&& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return std::string("exception: ") + e.what();
  }
  return "";
}

/// A call of Trident's that fills C.
struct Attempt {
  const Part& part;
  matrix_type& C;
  std::function<void()> call;
  std::function<std::string()> check;   ///< check of C where the call returns; collective
  std::vector<std::string> words = {};  ///< words of an exception, on every rank

  /// Makes the call. All ranks must throw, with C as it was, or none. Collective.
  Outcome make(Must must) const {
    Outcome outcome;
    outcome.expected = must == Must::Throw;
    const ResultBefore before(C);
    const std::string text = textOf(call);
    const int threw = countRanks(part, !text.empty());
    outcome.seen = threw > 0;
    std::string problem;
    if (threw == part.size())
      problem = must == Must::BeRight ? text : checkThrown(before, text);
    else if (threw > 0)
      problem = text.empty() ? "" : say(threw, " of ", part.size(), " ranks threw: ", text);
    else
      problem = must == Must::Throw ? "no exception" : textOfCheck();
    outcome.problem = firstProblem(part, problem);
    return outcome;
  }

 private:
  std::string checkThrown(const ResultBefore& before, const std::string& text) const {
    for (const std::string& word : words)
      if (text.find(word) == std::string::npos) return "\"" + word + "\" is not in: " + text;
    const std::string changes = before.changes();
    return changes.empty() ? "" : changes + " though it threw: " + text;
  }
  std::string textOfCheck() const {
    std::string problem;
    const std::string thrown = textOf([&] { problem = check(); });
    return thrown.empty() ? problem : thrown;
  }
};

/// Adds outcomes that come one after the other; those behind the first one with a problem are not
/// made.
inline Outcome operator+(Outcome first, const Outcome& second) {
  first.problem += second.problem;
  first.expected += second.expected;
  first.seen += second.seen;
  return first;
}

}  // namespace PublicStress
}  // namespace TridentTest

#endif
