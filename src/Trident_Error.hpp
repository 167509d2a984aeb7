// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ERROR_HPP
#define TRIDENT_ERROR_HPP

#include <cstddef>
#include <stdexcept>
#include <string>

namespace Trident {

/// The exception that Trident throws for wrong input, lack of memory, timeouts, and failed calls of
/// MPI or CUDA. Tpetra throws std::runtime_error, too. Collective calls throw Error on every rank.
class Error : public std::runtime_error {
 public:
  /// @param function name of the function that the program called, e.g. "Trident::Multiply". An
  ///   inner function may pass its own name, which withErrorContext() replaces
  /// @param what the fault, with the shapes or names involved, and the remedy
  Error(const std::string& function, const std::string& what)
      : std::runtime_error(function + ": " + what), problem_(function.size() + 2) {}

  /// Makes an error without a function's name, such as for a failed call of another library.
  explicit Error(const std::string& what) : std::runtime_error(what) {}

  /// Returns the text of what() without the function's name.
  const char* problem() const noexcept { return what() + problem_; }

 private:
  std::size_t problem_ = 0;  // start of the problem in what()
};

namespace Impl {

/// Returns the result of work(). If work() throws an Error, throws it as an Error of `function`.
template <class Work>
auto withErrorContext(const char* function, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(function, error.problem());
  }
}

}  // namespace Impl
}  // namespace Trident

#endif
