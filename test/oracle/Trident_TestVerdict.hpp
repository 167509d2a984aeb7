// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTVERDICT_HPP
#define TRIDENT_TESTVERDICT_HPP

#include <sstream>
#include <string>

/// \file Trident_TestVerdict.hpp
/// A check answers with a text that says what is wrong: empty where all is well.

/// Passes where the text of `check` is empty, and prints it elsewhere. Teuchos' TEST_EQUALITY works
/// its arguments out twice; this one once.
#define TRIDENT_TEST_OK(check)            \
  do {                                    \
    const std::string found_by = (check); \
    TEST_EQUALITY(found_by, "");          \
  } while (false)

namespace TridentTest {

/// Returns all parts as one text, numbers with all their digits.
template <class... Parts>
std::string say(const Parts&... parts) {
  std::ostringstream text;
  text.precision(17);
  (text << ... << parts);
  return text.str();
}

}  // namespace TridentTest

#endif
