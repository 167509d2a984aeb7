// SPDX-License-Identifier: BSD-3-Clause
#include "Peers_Device.hpp"

namespace Peers {

bool onDevice() { return false; }
void chooseDevice() {}
void finishDevice() {}

}  // namespace Peers
