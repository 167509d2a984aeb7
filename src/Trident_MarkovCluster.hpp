// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVCLUSTER_HPP
#define TRIDENT_MARKOVCLUSTER_HPP

// Instantiated in the library trident_markov for the types Tpetra was built with; for others
// include the _def.
#include "markov/Trident_MarkovCluster_decl.hpp"

#endif
