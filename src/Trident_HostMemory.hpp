// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTMEMORY_HPP
#define TRIDENT_HOSTMEMORY_HPP

// memoryBounds(): what hosts, control groups and ulimit let a process have of its host's memory. It
// needs no MPI.
#include "base/Trident_MemoryBounds.hpp"

#endif
