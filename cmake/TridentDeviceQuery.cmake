# SPDX-License-Identifier: BSD-3-Clause
#
# Trident_DEVICE_QUERY: how the MPI is asked at run time whether it takes device memory. OpenMpi
# (MPIX_Query_cuda_support), Mpich (MPIX_GPU_query_support) or None, by what compiles and links.
# src/CMakeLists.txt takes the file Trident_GpuAware_<it>.cpp.

include(CheckCXXSourceCompiles)

function(trident_probe_device_query)
  if(TARGET MPI::MPI_CXX)  # inside Trilinos the compiler may be MPI's own
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
  endif()
  check_cxx_source_compiles("
    #include <mpi.h>
    #include <mpi-ext.h>
    int main() { return MPIX_Query_cuda_support(); }" Trident_MPI_HAS_QUERY_CUDA_SUPPORT)
  check_cxx_source_compiles("
    #include <mpi.h>
    int main() {
      int takes = 0;
      return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes);
    }" Trident_MPI_HAS_GPU_QUERY_SUPPORT)
endfunction()
trident_probe_device_query()

set(Trident_DEVICE_QUERY None)
if(Trident_MPI_HAS_QUERY_CUDA_SUPPORT)
  set(Trident_DEVICE_QUERY OpenMpi)
elseif(Trident_MPI_HAS_GPU_QUERY_SUPPORT)
  set(Trident_DEVICE_QUERY Mpich)
endif()
message(STATUS "Trident: how MPI is asked about device memory: ${Trident_DEVICE_QUERY}")
