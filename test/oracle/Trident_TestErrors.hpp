// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTERRORS_HPP
#define TRIDENT_TESTERRORS_HPP

#include <typeinfo>

#include "Trident_Error.hpp"
#include "Trident_TestProduct.hpp"

/// \file Trident_TestErrors.hpp
/// The promises that hold when a product cannot be formed: an exception of the right class with the
/// right words on every rank, and nothing changed.

namespace TridentTest {

/// Two factors that fit each other, and their Maps: what a failed call must leave usable.
struct Fixture {
  Sparse a, b;
  Indices rows, inner, cols;
  MatrixPtr A, B;

  explicit Fixture(const CommPtr& comm, int m = 12, int l = 10, int n = 9);
};

/// Runs `call()` on every rank of `comm`. Empty where it throws an `Exception` with all `words` in
/// its text on every rank; where a rank waits, the test's timeout ends it. Collective.
template <class Exception, class Call>
std::string expectThrow(const Teuchos::Comm<int>& comm, const std::vector<std::string>& words,
                        Call&& call) {
  std::string problem = "no exception";
  try {
    call();
  } catch (const Exception& e) {
    problem = "";
    for (const std::string& word : words)
      if (std::string(e.what()).find(word) == std::string::npos)
        problem = "\"" + word + "\" is not in the message: " + e.what();
  } catch (const std::exception& e) {
    problem = std::string("another exception, ") + typeid(e).name() + ": " + e.what();
  }
  return everywhere(comm, problem);
}

/// Checks a failing Multiply(A, B, C): the exception, A and B as they were, and C still new, so
/// that a good product goes into it. Collective.
template <class Exception>
std::string expectFailure(const matrix_type& A, const matrix_type& B, const MatrixPtr& C,
                          const std::vector<std::string>& words,
                          const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null) {
  const Teuchos::Comm<int>& comm = *A.getComm();
  const Snapshot beforeA(A), beforeB(B);
  std::string problem =
      expectThrow<Exception>(comm, words, [&] { Trident::Multiply(A, B, *C, params); });
  if (problem.empty()) problem = everywhere(comm, beforeA.changes() + beforeB.changes());
  return problem;
}

/// Forms a good product of the fixture into C, which a failed call had. Collective.
std::string expectUsable(const Fixture& f, matrix_type& C);

}  // namespace TridentTest

#endif
