// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVCLUSTER_HPP
#define TRIDENT_MARKOVCLUSTER_HPP

// The library trident_markov has this for the types of Tpetra's build. For others include the _def.
#include "markov/Trident_MarkovCluster_decl.hpp"

#endif
