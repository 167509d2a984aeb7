// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_LoneStart.hpp"

#include <cstdlib>
#include <initializer_list>

namespace Trident {
namespace Clustering {

bool isLaunched() {
  for (const char* of :
       {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMIX_NAMESPACE", "PMI_RANK", "PMI_SIZE", "PMI_FD"})
    if (std::getenv(of) != nullptr) return true;
  return false;
}

void hastenLoneStart() {
  if (isLaunched()) return;
  // A daemon would only help to start more processes; one rank sends to itself alone.
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
}

}  // namespace Clustering
}  // namespace Trident
