# SPDX-License-Identifier: BSD-3-Clause

include(CheckCXXSourceCompiles)

# Sets Trident_NCCL_SIMULATES_GROUPS: whether this NCCL can tell that the program has a group open
# (Trident_NcclGroup_SimulateEnd.cpp). The arguments are targets of NCCL and CUDA's runtime.
function(trident_probe_nccl_groups)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # compile, do not link
  set(CMAKE_REQUIRED_LIBRARIES ${ARGN})
  check_cxx_source_compiles("
    #include <nccl.h>
    int main() {
      ncclSimInfo_t info{};
      return ncclGroupSimulateEnd(&info) != ncclSuccess;
    }" Trident_NCCL_SIMULATES_GROUPS)
endfunction()
