// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_StubMpi.hpp"

#include <mpi.h>

#include <cstring>

namespace TridentTest {

StubMpi& stubMpi() {
  static StubMpi stub;
  return stub;
}

}  // namespace TridentTest

extern "C" {

int MPI_Get_library_version(char* text, int* length) {
  const std::string& name = TridentTest::stubMpi().name;
  std::strcpy(text, name.c_str());
  *length = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

int MPIX_Query_cuda_support(void) { return TridentTest::stubMpi().takesDeviceMemory; }

int MPIX_GPU_query_support(int kind, int* takes) {
  *takes = kind == MPIX_GPU_SUPPORT_CUDA && TridentTest::stubMpi().takesDeviceMemory;
  return TridentTest::stubMpi().status;
}
}
