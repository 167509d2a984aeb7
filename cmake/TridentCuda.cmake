# SPDX-License-Identifier: BSD-3-Clause
#
# What of CUDA is used: the runtime, NCCL inside nodes, cuSPARSE in local sums. Each is an
# option whose default follows what Trilinos was built with and what is found; ON by hand where it
# cannot be had is an error. src/CMakeLists.txt chooses source files by them.

include(CheckCXXSourceCompiles)
include(CMakeDependentOption)

# Whether the Kokkos of this Trilinos has CUDA: asked of its headers, whatever its version.
function(trident_probe_cuda)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # compile, do not link
  set(CMAKE_REQUIRED_LIBRARIES Trident::trilinos_tpetra MPI::MPI_CXX)
  check_cxx_source_compiles("
    #include <Kokkos_Macros.hpp>
    #ifndef KOKKOS_ENABLE_CUDA
    #error Kokkos was built without CUDA
    #endif
    int main() { return 0; }" Trident_KOKKOS_HAS_CUDA)
endfunction()
trident_probe_cuda()

if(Trident_KOKKOS_HAS_CUDA)
  find_package(CUDAToolkit QUIET)
  # ncclCommSplit with shared connections, communicators that do not block
  find_package(NCCL 2.18 QUIET)
endif()

if(TARGET NCCL::nccl AND TARGET CUDA::cudart)
  include(TridentNcclGroups)
  trident_probe_nccl_groups(NCCL::nccl CUDA::cudart)
endif()

# trident_cuda_option(<name> <what for> <whether it can be had> <remedy>); NCCL and cuSPARSE are OFF
# where CUDA is.
macro(trident_cuda_option name purpose possible remedy)
  set(default OFF)
  if(${possible})
    set(default ON)
  endif()
  cmake_dependent_option(Trident_ENABLE_${name} "${purpose}" ${default}
    "${ARGN}" OFF)
  if(Trident_ENABLE_${name} AND NOT ${possible})
    message(FATAL_ERROR "Trident_ENABLE_${name}=ON is not possible: ${remedy}")
  endif()
endmacro()

set(cuda_possible OFF)
if(Trident_KOKKOS_HAS_CUDA AND TARGET CUDA::cudart)
  set(cuda_possible ON)
endif()
trident_cuda_option(CUDA "Use the CUDA runtime" ${cuda_possible}
  "it needs a Trilinos whose Kokkos has CUDA (that of ${Tpetra_DIR} is asked by compiling) and the \
CUDA toolkit; point CMAKE_PREFIX_PATH and CUDAToolkit_ROOT to them, or leave it OFF.")

foreach(name NCCL CUSPARSE)
  set(${name}_possible OFF)
endforeach()
if(Trident_ENABLE_CUDA AND TARGET NCCL::nccl)
  set(NCCL_possible ON)
endif()
if(Trident_ENABLE_CUDA AND TARGET CUDA::cusparse)
  set(CUSPARSE_possible ON)
endif()
trident_cuda_option(NCCL "Move slices between devices with NCCL" ${NCCL_possible}
  "it needs Trident_ENABLE_CUDA and NCCL 2.18 or later; point NCCL_ROOT to it, or leave it OFF."
  Trident_ENABLE_CUDA)
trident_cuda_option(CUSPARSE "Form local sums by cuSPARSE" ${CUSPARSE_possible}
  "it needs Trident_ENABLE_CUDA and the cuSPARSE of the CUDA toolkit; leave it OFF."
  Trident_ENABLE_CUDA)
message(STATUS "Trident: CUDA ${Trident_ENABLE_CUDA}, NCCL ${Trident_ENABLE_NCCL}, \
cuSPARSE ${Trident_ENABLE_CUSPARSE}")
