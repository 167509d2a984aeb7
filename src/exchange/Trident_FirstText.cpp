// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_FirstText.hpp"

#include <vector>

#include "Trident_MpiCheck.hpp"

namespace Trident {

std::string firstText(MPI_Comm comm, const std::string& text) {
  int rank = 0, size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  const int mine = text.empty() ? size : rank;
  int first = size;
  TRIDENT_MPI_CHECK(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) return {};
  int length = static_cast<int>(text.size());
  TRIDENT_MPI_CHECK(MPI_Bcast(&length, 1, MPI_INT, first, comm));
  std::vector<char> letters(text.begin(), text.end());
  letters.resize(length);
  TRIDENT_MPI_CHECK(MPI_Bcast(letters.data(), length, MPI_CHAR, first, comm));
  return std::string(letters.begin(), letters.end());
}

}  // namespace Trident
