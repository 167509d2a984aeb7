// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_HOSTMEMORY_HPP
#define TRIDENTPROBLEMS_HOSTMEMORY_HPP

#include <exception>
#include <string>

#include "TridentProblems_Comm.hpp"

/// \file TridentProblems_HostMemory.hpp
/// The memory that a file or a generator asks for, against the memory that there is: an operating
/// system that promises more memory than it has would end the program when the pages are touched.

namespace Trident {
namespace Problems {

/// Throws MatrixError on every rank where the ranks of some host need more memory than it has, or
/// than their control groups and ulimit allow (Trident_HostMemory.hpp). Collective.
/// \param bytes what this rank needs at least \param what needs it: begins the message
void requireMemory(double bytes, const std::string& what, const Comm& comm);

/// Returns the message for an error that says that memory lacks, with the file; empty if it says
/// something else, or has the file's name. \param name of the file
std::string lackOfMemory(const std::string& name, const std::string& error);

/// Calls `work()`, in which a file is read or its matrix is used: where memory lacks, the error
/// that leaves it has the file's name. \param name of the file
template <class Work>
auto namingFile(const std::string& name, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    const std::string message = lackOfMemory(name, error.what());
    if (message.empty()) throw;
    throw MatrixError(message);
  }
}

/// Counts the ranks that share this rank's memory. Collective.
int ranksOfHost(const Comm& comm);

}  // namespace Problems
}  // namespace Trident

#endif
