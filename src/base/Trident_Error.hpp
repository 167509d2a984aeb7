// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ERROR_HPP
#define TRIDENT_ERROR_HPP

#include <stdexcept>
#include <string>

namespace Trident {

/// What Trident throws for bad input and failed resources. A std::runtime_error, as Tpetra throws.
/// Where a function is collective, every rank of its communicator gets the exception.
class Error : public std::runtime_error {
 public:
  /// @param function the public function that was called, e.g. "Trident::Multiply"
  /// @param what     what is wrong, with the shapes or names involved, and the remedy
  Error(const std::string& function, const std::string& what)
      : std::runtime_error(function + ": " + what) {}
};

}  // namespace Trident

#endif
