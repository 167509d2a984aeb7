// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVCLUSTER_HPP
#define TRIDENT_MARKOVCLUSTER_HPP

// Library trident_markov has code for Tpetra's types. For others, include _def.hpp, not _decl.hpp.
#include "markov/Trident_MarkovCluster_decl.hpp"

#endif
