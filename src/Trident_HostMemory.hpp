// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTMEMORY_HPP
#define TRIDENT_HOSTMEMORY_HPP

// memoryBounds(): the bounds of a process' host memory, by hosts, control groups and ulimit. Needs
// no MPI.
#include "base/Trident_MemoryBounds.hpp"

#endif
