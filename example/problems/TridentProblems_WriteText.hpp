// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_WRITETEXT_HPP
#define TRIDENTPROBLEMS_WRITETEXT_HPP

#include <string>
#include <vector>

#include "TridentProblems_Comm.hpp"

namespace Trident {
namespace Problems {

/// Writes a file of the ranks' texts, in the order of the ranks; each rank writes its own. An
/// existing file is overwritten. Collective; throws MatrixError on every rank where the file cannot
/// be written, and removes what was written of it.
void writeText(const std::string& path, const std::string& text, const Comm& comm);

/// Throws MatrixError on every rank where rank 0 cannot write a file that the run is to end with.
/// Collective. \param paths empty ones are no files
void requireWritable(const std::vector<std::string>& paths, const Comm& comm);

/// Collective: removes a file that could be written in part only. Devices stay.
void removePartlyWritten(const std::string& path, const Comm& comm);

}  // namespace Problems
}  // namespace Trident

#endif
