# SPDX-License-Identifier: BSD-3-Clause
#
# Inside Trilinos: the targets and variables that the stand-alone build finds, made of the packages and
# TPLs that TriBITS gives. What is below can then be written once for both.

set(Trident_KOKKOS_HAS_CUDA ${Kokkos_ENABLE_CUDA})  # by cmake/TridentCuda.cmake elsewhere

# trident_package_target(<target> <package> ...): an alias of these packages of Trilinos and all they
# need. No imported target: some packages name folders that are not there.
function(trident_package_target target)
  string(MAKE_C_IDENTIFIER ${target} name)
  add_library(${name} INTERFACE)
  foreach(package IN LISTS ARGN)
    if(TARGET ${package}::all_libs)
      target_link_libraries(${name} INTERFACE ${package}::all_libs)
    else()
      target_include_directories(${name} INTERFACE ${${package}_INCLUDE_DIRS})
      target_link_libraries(${name} INTERFACE ${${package}_LIBRARIES})
    endif()
  endforeach()
  add_library(${target} ALIAS ${name})  # last: it may be the very name that is asked for
endfunction()

trident_package_target(Trident::trilinos_tpetra TpetraCore)
if(Trident_ENABLE_MueLu)
  trident_package_target(Trident::trilinos_muelu TpetraCore MueLu)
endif()
set(Galeri_FOUND ${Trident_ENABLE_Galeri})
if(Galeri_FOUND AND NOT TARGET Galeri::all_libs)
  trident_package_target(Galeri::all_libs Galeri)
endif()

# The compiler may be MPI's own. CMake's find_package(MPI) could find another MPI.
if(NOT TARGET MPI::MPI_CXX)
  add_library(MPI::MPI_CXX INTERFACE IMPORTED)
  target_include_directories(MPI::MPI_CXX INTERFACE ${TPL_MPI_INCLUDE_DIRS})
  target_link_libraries(MPI::MPI_CXX INTERFACE ${TPL_MPI_LIBRARIES})
endif()
if(Trident_ENABLE_Zlib AND NOT TARGET ZLIB::ZLIB)
  add_library(ZLIB::ZLIB INTERFACE IMPORTED)
  target_include_directories(ZLIB::ZLIB INTERFACE ${TPL_Zlib_INCLUDE_DIRS})
  target_link_libraries(ZLIB::ZLIB INTERFACE ${TPL_Zlib_LIBRARIES})
endif()
if(Trident_ENABLE_CUDA AND Trident_ENABLE_NCCL)
  include(TridentNcclGroups)
  set(CMAKE_REQUIRED_INCLUDES ${TPL_NCCL_INCLUDE_DIRS} ${TPL_CUDA_INCLUDE_DIRS})
  trident_probe_nccl_groups()
  unset(CMAKE_REQUIRED_INCLUDES)
endif()
set(MPIEXEC_EXECUTABLE ${MPI_EXEC})
set(MPIEXEC_NUMPROC_FLAG ${MPI_EXEC_NUMPROCS_FLAG})
set(Trident_MPIEXEC_FLAGS ${MPI_EXEC_PRE_NUMPROCS_FLAGS} ${MPI_EXEC_POST_NUMPROCS_FLAGS})
set(MPIEXEC_PREFLAGS)
set(MPIEXEC_POSTFLAGS)

# Where the package's libraries are all there.
macro(trident_all_libs_target)
  if(NOT TARGET Trident::all_libs)
    add_library(trident_all_libs INTERFACE)
    add_library(Trident::all_libs ALIAS trident_all_libs)
    if(Trident_ENABLE_MueLu)
      target_link_libraries(trident_all_libs INTERFACE Trident::muelu Trident::trilinos_muelu)
    endif()
    target_link_libraries(trident_all_libs INTERFACE Trident::markov Trident::trident
      Trident::trilinos_tpetra MPI::MPI_CXX)
  endif()
endmacro()
