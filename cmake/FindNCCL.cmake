# SPDX-License-Identifier: BSD-3-Clause
#
# Finds NVIDIA's NCCL and makes the target NCCL::nccl. Looks below NCCL_ROOT (variable or
# environment), where CMake looks anyway, and beside the CUDA toolkit where that was found before.
#
#   NCCL_FOUND, NCCL_VERSION, NCCL_INCLUDE_DIR, NCCL_LIBRARY
#
# Installed with Trident: clients of a static library link NCCL themselves.

find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
# From CMake 4 on the toolkit's library folder may be another than the one beside its programs.
find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_TARGET_DIR}
  PATH_SUFFIXES lib64 lib)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)

if(NCCL_INCLUDE_DIR)
  set(NCCL_VERSION)
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h line REGEX "^#define NCCL_${part} +[0-9]+")
    string(REGEX MATCH "[0-9]+" number "${line}")
    list(APPEND NCCL_VERSION ${number})
  endforeach()
  list(JOIN NCCL_VERSION "." NCCL_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL
  REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)

if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl UNKNOWN IMPORTED)
  set_target_properties(NCCL::nccl PROPERTIES
    IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
