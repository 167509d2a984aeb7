// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVCLUSTER_HPP
#define TRIDENT_MARKOVCLUSTER_HPP

// Link trident_markov. For types that it lacks, include markov/Trident_MarkovCluster_def.hpp.
#include "markov/Trident_MarkovCluster_decl.hpp"

#endif
