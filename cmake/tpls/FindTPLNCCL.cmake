# SPDX-License-Identifier: BSD-3-Clause
# Read by TriBITS where TPL_ENABLE_NCCL=ON; NCCL_INCLUDE_DIRS and NCCL_LIBRARY_DIRS say where.
tribits_tpl_find_include_dirs_and_libraries(NCCL
  REQUIRED_HEADERS nccl.h
  REQUIRED_LIBS_NAMES nccl
)
