// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_FirstText.hpp"

#include <vector>

#include "Trident_Collective.hpp"
#include "Trident_MpiCheck.hpp"

namespace Trident {

std::string firstText(MPI_Comm comm, const std::string& text) {
  int rank = 0, size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  const int mine = text.empty() ? size : rank;
  int first = size;
  allReduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm, "all ranks to say what is wrong");
  if (first == size) return {};
  int length = static_cast<int>(text.size());
  broadcast(&length, 1, MPI_INT, first, comm, "all ranks to say what is wrong");
  std::vector<char> letters(text.begin(), text.end());
  letters.resize(length);
  broadcast(letters.data(), length, MPI_CHAR, first, comm, "all ranks to say what is wrong");
  return std::string(letters.begin(), letters.end());
}

}  // namespace Trident
