// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTMEMORY_HPP
#define TRIDENT_HOSTMEMORY_HPP

// memoryBounds(): the bounds that host, control groups and ulimit set to a process' memory.
#include "base/Trident_MemoryBounds.hpp"

#endif
