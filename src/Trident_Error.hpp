// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ERROR_HPP
#define TRIDENT_ERROR_HPP

#include <cstddef>
#include <stdexcept>
#include <string>

namespace Trident {

/// The exception that Trident throws for bad input and failed resources. It is a
/// std::runtime_error, as Tpetra throws. If a function is collective, every rank of its
/// communicator gets it.
class Error : public std::runtime_error {
 public:
  /// @param function that was called, e.g. "Trident::Multiply"; whoever calls that in turn puts its
  ///                 own name there (withErrorContext())
  /// @param what fault, with the shapes or names involved, and remedy
  Error(const std::string& function, const std::string& what)
      : std::runtime_error(function + ": " + what), problem_(function.size() + 2) {}

  /// Makes an error without a function's name, such as one of a failed call of another library.
  explicit Error(const std::string& what) : std::runtime_error(what) {}

  /// Returns the text of what() behind the function's name.
  const char* problem() const noexcept { return what() + problem_; }

 private:
  std::size_t problem_ = 0;  // start of the problem in what()
};

namespace Impl {

/// Calls `work()` as a part of `function`: an Error that it throws leaves with that name.
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
