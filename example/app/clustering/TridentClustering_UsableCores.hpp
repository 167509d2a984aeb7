// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_USABLECORES_HPP
#define TRIDENTCLUSTERING_USABLECORES_HPP

#include <string>

namespace Trident {
namespace Clustering {

/// Returns the number of cores that this process may use: those that it may run on, and no more
/// than its control groups give it time for. At least 1. Local.
int usableCores();

/// Returns the number of cores whose time the control groups of this process allow, rounded down
/// and at least 1; 0 where they bound nothing. Local.
/// \param root what stands before /proc and /sys
int coresOfControlGroups(const std::string& root = "");

}  // namespace Clustering
}  // namespace Trident

#endif
