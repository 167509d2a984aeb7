// SPDX-License-Identifier: BSD-3-Clause
// Markov clustering for every set of ordinals and nodes that Tpetra was built with.
#include <TpetraCore_ETIHelperMacros.h>

#include "markov/Trident_MarkovCluster_def.hpp"

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_LGN(TRIDENT_MARKOVCLUSTER_INSTANT)
