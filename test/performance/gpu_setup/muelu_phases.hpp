// SPDX-License-Identifier: BSD-3-Clause
// Seconds of MueLu's timers without what runs inside them, where MueLu was built to keep them. As
// Trilinos has it, MueLu 17.0 keeps only sums with it.
#ifndef MUELU_PHASES_HPP
#define MUELU_PHASES_HPP

#include <map>
#include <string>

namespace MueLuPhases {

/// Returns this rank's, by the timer's text, which begins with the factory's class.
#ifdef GPU_SETUP_WITH_PHASES
const std::map<std::string, double>& seconds();
void clear();
#else
inline std::map<std::string, double> seconds() { return {}; }
inline void clear() {}
#endif

}  // namespace MueLuPhases

#endif
