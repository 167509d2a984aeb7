// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTLIMITS_HPP
#define TRIDENT_TESTLIMITS_HPP

#include <sys/resource.h>

/// \file Trident_TestLimits.hpp
/// Limits of this process that end with the object that sets them.

namespace TridentTest {

/// A limit of the files that this process makes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace TridentTest

#endif
