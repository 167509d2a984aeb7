// SPDX-License-Identifier: BSD-3-Clause
#ifndef PEERS_FILES_HPP
#define PEERS_FILES_HPP

#include "Peers_Rows.hpp"

namespace Peers {

/// Reads this rank's rows of a file NAME.csr, as Trident's programs write it (doc/driver.md), or
/// makes those of brick3d:n=N or laplace3d:n=N, the driver's. Rows and columns are dealt out as
/// evenly as can be, the first ranks having one more. Needs no Trilinos.
/// Throws if the file cannot be read, or a rank gets 2^31 entries.
Rows readRows(const std::string& spec, int rank, int ranks);

}  // namespace Peers

#endif
