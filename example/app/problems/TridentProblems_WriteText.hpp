// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_WRITETEXT_HPP
#define TRIDENTPROBLEMS_WRITETEXT_HPP

#include <functional>
#include <string>
#include <vector>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_File.hpp"

namespace Trident {
namespace Problems {

/// Writes a file of which each rank writes its part at its own places, as an OutputFile: it is
/// there whole, or an older one stays. Collective; throws MatrixError on every rank where the file
/// cannot be written.
void writeFile(const std::string& path, const Comm& comm,
               const std::function<void(const File&)>& writePart);

/// Writes the ranks' texts, in the order of the ranks, as writeFile() does; gzipped if the name
/// ends in .gz, each text by its rank.
void writeText(const std::string& path, const std::string& text, const Comm& comm);

/// Throws MatrixError on every rank where one cannot write a file that the run is to end with, or
/// two of them are one. Leaves all as it was. Collective. \param paths empty ones are no files
void requireWritable(const std::vector<std::string>& paths, const Comm& comm);

/// Throws the errors of requireWritable(), for files that are written at many places, not from
/// their beginning to their end.
void requireWritableAnywhere(const std::vector<std::string>& paths, const Comm& comm);

/// Returns true if one of these is standard output, "-" or a name that the system gives it: then
/// what a program says goes elsewhere.
bool writesToStandardOutput(const std::vector<std::string>& paths);

}  // namespace Problems
}  // namespace Trident

#endif
