# SPDX-License-Identifier: BSD-3-Clause
#
# Trident::trilinos_tpetra: Tpetra and all it needs, as one target. Trilinos 14 and later export
# Tpetra::all_libs; 13.2 exports library targets without include directories, and variables.
# Included after find_package(Tpetra), by Trident's build and by its installed package config.

if(NOT TARGET Trident::trilinos_tpetra)
  add_library(Trident::trilinos_tpetra INTERFACE IMPORTED)
  if(TARGET Tpetra::all_libs)
    target_link_libraries(Trident::trilinos_tpetra INTERFACE Tpetra::all_libs)
  else()
    target_include_directories(Trident::trilinos_tpetra INTERFACE
      ${Tpetra_INCLUDE_DIRS} ${Tpetra_TPL_INCLUDE_DIRS})
    target_link_libraries(Trident::trilinos_tpetra INTERFACE
      ${Tpetra_LIBRARIES} ${Tpetra_TPL_LIBRARIES})
    # Nor have they compiler flags: Kokkos' headers want those of OpenMP, where it has OpenMP.
    if("${Tpetra_CXX_FLAGS}" MATCHES "openmp")
      find_package(OpenMP REQUIRED COMPONENTS CXX)
      target_link_libraries(Trident::trilinos_tpetra INTERFACE OpenMP::OpenMP_CXX)
    endif()
  endif()
endif()
