// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_MASK_HPP
#define TRIDENTDRIVER_MASK_HPP

#include "TridentDriver_CommandLine.hpp"
#include "TridentDriver_Run.hpp"
#include "TridentProblems_Comm.hpp"

namespace Trident {
namespace Driver {

/// Throws MatrixError on every rank where the mask cannot be read, before A is. Collective.
void requireMask(const CommandLine& line, const Comm& comm);

/// Makes every stored value 1. Collective.
void takeAsOnes(matrix_type& A);

/// Reads the mask, if it is no part of A, and checks its size. Collective; throws MatrixError on
/// every rank.
void addMask(const CommandLine& line, Problem& problem);

/// Forms the product within the mask, or outside of it, by a Trident::Grid. Collective.
Report multiplyMasked(const CommandLine& line, const Problem& problem,
                      const Teuchos::RCP<Teuchos::ParameterList>& parameters, matrix_type& C);

}  // namespace Driver
}  // namespace Trident

#endif
