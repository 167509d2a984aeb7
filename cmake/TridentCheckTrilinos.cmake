# SPDX-License-Identifier: BSD-3-Clause
#
# One probe for what would otherwise fail later with a page of template errors: a Trilinos without
# MPI, a CUDA Trilinos with a compiler that is not its nvcc_wrapper, a C++ standard that is too low.

include(CheckCXXSourceCompiles)

function(trident_check_trilinos)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # compile, do not link
  set(CMAKE_REQUIRED_LIBRARIES Trident::trilinos_tpetra MPI::MPI_CXX)
  check_cxx_source_compiles("
    #include <TpetraCore_config.h>
    #ifndef HAVE_TPETRACORE_MPI
    #error Tpetra was built without MPI
    #endif
    #include <Kokkos_Core.hpp>
    #if __cplusplus < 201703L
    #error Trident needs C++17
    #endif
    int main() { return 0; }" Trident_TRILINOS_WORKS)
  if(NOT Trident_TRILINOS_WORKS)
    unset(Trident_TRILINOS_WORKS CACHE)  # look again at the next configure
    message(FATAL_ERROR
      "${CMAKE_CXX_COMPILER} cannot compile against the Trilinos of ${Tpetra_DIR}.\n"
      "Trident needs Tpetra with MPI. A Trilinos with CUDA needs its own bin/nvcc_wrapper as "
      "CMAKE_CXX_COMPILER (see the preset cuda), newer ones need CMAKE_CXX_STANDARD=20.\n"
      "The compiler's messages are in ${CMAKE_BINARY_DIR}/CMakeFiles.")
  endif()
endfunction()
trident_check_trilinos()
