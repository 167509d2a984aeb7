# SPDX-License-Identifier: BSD-3-Clause
# Compiles the largest libraries that Trident needs of Trilinos ten sources at a time, in less than
# half the time. Given to Trilinos' configuration by the scripts that build it, as
# CMAKE_PROJECT_Trilinos_INCLUDE; runs when all targets are there. Not for Kokkos and Teuchos, whose
# sources repeat names, nor for Trident.

set(TRIDENT_UNITY_LIBRARIES kokkoskernels tpetra tpetraext CACHE STRING "Libraries compiled so")

function(trident_unity_libraries)
  foreach(library IN LISTS TRIDENT_UNITY_LIBRARIES)
    set_target_properties(${library} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endforeach()
  # These declare functions as specialized that sources after them instantiate. Tpetra generates
  # them, and names them relative to its binary folder.
  get_target_property(sources tpetra SOURCES)
  get_target_property(folder tpetra BINARY_DIR)
  list(FILTER sources INCLUDE REGEX "^Tpetra_Crs(Graph|Matrix)_.*[.]cpp$")
  list(TRANSFORM sources PREPEND ${folder}/)
  set_source_files_properties(${sources} TARGET_DIRECTORY tpetra
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
cmake_language(DEFER CALL trident_unity_libraries)
