// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Agreement.hpp"

#include <exception>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_MpiCheck.hpp"

namespace Trident {

void throwEverywhere(MPI_Comm comm, const std::string& function, const std::string& problem) {
  int rank = 0, size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  const int mine = problem.empty() ? size : rank;
  int first = size;
  TRIDENT_MPI_CHECK(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) return;
  int length = static_cast<int>(problem.size());
  TRIDENT_MPI_CHECK(MPI_Bcast(&length, 1, MPI_INT, first, comm));
  std::vector<char> text(problem.begin(), problem.end());
  text.resize(length);
  TRIDENT_MPI_CHECK(MPI_Bcast(text.data(), length, MPI_CHAR, first, comm));
  std::string what(text.begin(), text.end());
  if (size > 1)
    what += " (first seen on rank " + std::to_string(first) + " of " + std::to_string(size) + ")";
  throw Error(function, what);
}

void LocalFailure::keepCurrentException() {
  try {
    throw;
  } catch (const Error& e) {
    text_ = e.problem();  // the name will be that of who agrees on it
  } catch (const std::exception& e) {
    text_ = e.what();
  } catch (...) {
    text_ = "an exception of unknown type";
  }
  if (text_.empty()) text_ = "an exception without text";
}

}  // namespace Trident
