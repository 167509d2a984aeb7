// SPDX-License-Identifier: BSD-3-Clause
// The MueLu factories for every set of types that Tpetra was built with.
#include <TpetraCore_ETIHelperMacros.h>

#include "muelu/Trident_AmalgamationFactory_def.hpp"
#include "muelu/Trident_CoalesceDropFactory_def.hpp"
#include "muelu/Trident_FactoryFactory_def.hpp"
#include "muelu/Trident_Preconditioner_def.hpp"
#include "muelu/Trident_RAPFactory_def.hpp"
#include "muelu/Trident_SaPFactory_def.hpp"
#include "muelu/Trident_TransPFactory_def.hpp"

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_AMALGAMATIONFACTORY_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_COALESCEDROPFACTORY_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_RAPFACTORY_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_SAPFACTORY_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_TRANSPFACTORY_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_FACTORYFACTORY_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_PRECONDITIONER_INSTANT)
