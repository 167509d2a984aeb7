// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_SHAREDFILE_HPP
#define TRIDENTPROBLEMS_SHAREDFILE_HPP

#include <memory>
#include <string>
#include <vector>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_File.hpp"

/// \file TridentProblems_SharedFile.hpp
/// Files that all ranks open, each for itself. Their hosts may not share the folder.

namespace Trident {
namespace Problems {

/// Opens a file that every rank reads. Collective; throws MatrixError on every rank if one cannot
/// open it, or ranks see files of different sizes.
std::unique_ptr<File> openToRead(const std::string& path, const Comm& comm);

/// Opens a file that every rank writes, which rank 0 has made. Collective; throws MatrixError on
/// every rank if one cannot open it. \param name under which it is written \param path for messages
std::unique_ptr<File> openToWrite(const std::string& name, const std::string& path,
                                  const Comm& comm);

/// Throws MatrixError on every rank where an input cannot be read: by all ranks, or by rank 0 what
/// that one deals to the others. A pipe is not opened, as its writer would notice. So what cannot
/// work is refused before any work. Collective. \param paths empty ones are no files
void requireReadable(const std::vector<std::string>& paths, const Comm& comm);

}  // namespace Problems
}  // namespace Trident

#endif
