// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_COMMIT_HPP
#define TRIDENTPROBLEMS_COMMIT_HPP

#include <string>

namespace Trident {
namespace Problems {

/// Returns the commit of the sources that this program was built from, with "-dirty" behind it if
/// they had changes; an empty text if they lay in no repository of Trident. Its source is written
/// by cmake/TridentCommit.cmake, whenever something is built.
std::string builtCommit();

}  // namespace Problems
}  // namespace Trident

#endif
