# SPDX-License-Identifier: BSD-3-Clause
#
# What the preset openmp takes from its user, read by project() (presets know environment variables, but no defaults):
#
#   TRIDENT_OPENMP_TRILINOS  where a Trilinos with Kokkos' OpenMP is installed (default: /opt/trilinos-openmp)
#
# The first configuration keeps it in its cache; what the command line says by -D comes before it.

set(trilinos /opt/trilinos-openmp)
if(NOT "$ENV{TRIDENT_OPENMP_TRILINOS}" STREQUAL "")
  get_filename_component(trilinos "$ENV{TRIDENT_OPENMP_TRILINOS}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
endif()
if(NOT CMAKE_PREFIX_PATH AND NOT EXISTS ${trilinos}/lib/cmake/Tpetra)
  message(FATAL_ERROR "There is no ${trilinos}/lib/cmake/Tpetra: let TRIDENT_OPENMP_TRILINOS name the folder where a "
    "Trilinos with Kokkos' OpenMP is installed. cmake/trilinos-openmp/build makes one.")
endif()
set(CMAKE_PREFIX_PATH ${trilinos} CACHE STRING "Where packages are looked for first")
set(Trident_TEST_THREADS 2 CACHE STRING "OpenMP threads of each rank of a test")
unset(trilinos)
