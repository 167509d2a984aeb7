// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_REUSE_HPP
#define TRIDENTDRIVER_REUSE_HPP

#include <vector>

#include "TridentDriver_Run.hpp"

namespace Trident {
namespace Driver {

/// Forms the product once and then line.reuse times more with the structure that is known: by a
/// Trident::MultiplyPlan, or as Tpetra reuses a filled C. The matrix of the last one goes to
/// measured.C, so that a check checks reuse. Collective.
/// @return seconds of each product but the first, longest over ranks
std::vector<double> reuseSeconds(const CommandLine& line, const Problem& problem,
                                 Measurement& measured);

}  // namespace Driver
}  // namespace Trident

#endif
