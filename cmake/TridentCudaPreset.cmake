# SPDX-License-Identifier: BSD-3-Clause
#
# What the preset cuda takes from its user, read by project() before it looks for a compiler (presets
# know environment variables, but no defaults for them):
#
#   TRIDENT_CUDA_TRILINOS  where a Trilinos with CUDA is installed (default: /opt/trilinos17-cuda)
#   TRIDENT_CUDA_ARCH      the GPU's architecture, as nvcc names it (default: sm_90)
#
# The first configuration keeps them in its cache; what the command line says by -D comes before them.

set(trilinos /opt/trilinos17-cuda)
if(NOT "$ENV{TRIDENT_CUDA_TRILINOS}" STREQUAL "")
  get_filename_component(trilinos "$ENV{TRIDENT_CUDA_TRILINOS}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
endif()
set(arch sm_90)
if(NOT "$ENV{TRIDENT_CUDA_ARCH}" STREQUAL "")
  set(arch "$ENV{TRIDENT_CUDA_ARCH}")
endif()

if(NOT arch MATCHES "^sm_[0-9]+[af]?$")
  message(FATAL_ERROR "TRIDENT_CUDA_ARCH=${arch} is not like sm_90")
endif()
if(NOT CMAKE_CXX_COMPILER AND NOT EXISTS ${trilinos}/bin/nvcc_wrapper)
  message(FATAL_ERROR "There is no ${trilinos}/bin/nvcc_wrapper: let TRIDENT_CUDA_TRILINOS name the "
    "folder where a Trilinos with CUDA is installed, and TRIDENT_CUDA_ARCH its architecture.")
endif()
set(CMAKE_CXX_COMPILER ${trilinos}/bin/nvcc_wrapper CACHE FILEPATH "C++ compiler")
set(CMAKE_CXX_STANDARD 20 CACHE STRING "C++ standard")  # that of Kokkos 5
set(CMAKE_CXX_FLAGS "--expt-extended-lambda -arch=${arch}" CACHE STRING "C++ flags of all builds")
set(CMAKE_PREFIX_PATH ${trilinos} CACHE STRING "Where packages are looked for first")
unset(trilinos)
unset(arch)
