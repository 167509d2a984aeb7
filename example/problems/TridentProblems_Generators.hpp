// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_GENERATORS_HPP
#define TRIDENTDRIVER_GENERATORS_HPP

#include <cstdint>

#include "TridentDriver_Comm.hpp"
#include "TridentDriver_GeneratorSpec.hpp"

/// \file TridentDriver_Generators.hpp
/// Matrices from formulas. All are collective, give uniform contiguous Maps, and give the same
/// matrix on any number of ranks.

namespace Trident {
namespace Driver {

/// The matrix of a specification. Throws MatrixError on every rank, also where a rank is out of
/// memory. \param[out] duplicates entries that were added to another (rmat only)
Teuchos::RCP<matrix_type> generate(const GeneratorSpec& spec,
                                   const Teuchos::RCP<const comm_type>& teuchosComm,
                                   const Comm& comm, std::int64_t& duplicates);

/// laplace2d, brick2d, laplace3d, brick3d of `side` points in each direction: from Galeri where
/// Trilinos has it (TridentDriver_StencilsGaleri.cpp), else the same matrices from
/// TridentDriver_StencilsBuiltin.cpp; CMake chooses the file.
Teuchos::RCP<matrix_type> stencilMatrix(const std::string& name, std::int64_t side,
                                        const Teuchos::RCP<const map_type>& map);

}  // namespace Driver
}  // namespace Trident

#endif
