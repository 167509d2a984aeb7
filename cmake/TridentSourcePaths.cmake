# SPDX-License-Identifier: BSD-3-Clause
#
# Errors name the place in the source that they come from: relative to the source folder, and so the
# same wherever Trident was built. For the folders of this project, as in cmake/TridentRounding.cmake.

include(CheckCXXCompilerFlag)

check_cxx_compiler_flag(-fmacro-prefix-map=a=b Trident_CXX_HAS_MACRO_PREFIX_MAP)
if(Trident_CXX_HAS_MACRO_PREFIX_MAP)
  add_compile_options("-fmacro-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=")
endif()
