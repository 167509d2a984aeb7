// SPDX-License-Identifier: BSD-3-Clause
// Prolongators, restrictions and coarse matrices of MueLu, with what they call.
#include <MueLu_RAPFactory.hpp>
#include <MueLu_SaPFactory.hpp>
#include <MueLu_TentativePFactory.hpp>
#include <MueLu_TentativePFactory_kokkos.hpp>
#include <MueLu_TransPFactory.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_TpetraCrsMatrix.hpp>

#include "definitions_transfer.hpp"
#define TYPES double, int, long long, Tpetra::Map<>::node_type
template class MueLu::TentativePFactory<TYPES>;
template class MueLu::TentativePFactory_kokkos<TYPES>;
template class MueLu::SaPFactory<TYPES>;
template class MueLu::TransPFactory<TYPES>;
template class MueLu::RAPFactory<TYPES>;
