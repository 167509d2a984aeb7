// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_GENERATORS_HPP
#define TRIDENTPROBLEMS_GENERATORS_HPP

#include <cstdint>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_GeneratorSpec.hpp"

/// \file TridentProblems_Generators.hpp
/// Matrices from formulas. All are collective, give uniform contiguous Maps, and give the same
/// matrix on any number of ranks.

namespace Trident {
namespace Problems {

/// Makes the matrix of a specification. Throws MatrixError on every rank, also if a rank is out of
/// memory. \param[out] duplicates entries that were added to another (rmat only)
Teuchos::RCP<matrix_type> generate(const GeneratorSpec& spec,
                                   const Teuchos::RCP<const comm_type>& teuchosComm,
                                   const Comm& comm, std::int64_t& duplicates);

/// Makes laplace2d, brick2d, laplace3d or brick3d of `side` points in each direction. They are
/// Galeri's if Trilinos has it (TridentProblems_StencilsGaleri.cpp), else equal matrices from
/// TridentProblems_StencilsBuiltin.cpp; CMake chooses the file.
Teuchos::RCP<matrix_type> stencilMatrix(const std::string& name, std::int64_t side,
                                        const Teuchos::RCP<const map_type>& map);

}  // namespace Problems
}  // namespace Trident

#endif
