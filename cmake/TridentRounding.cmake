# SPDX-License-Identifier: BSD-3-Clause
#
# Products are rounded before they are added, whatever the machine and the compiler's default: else
# the bits of C would depend on both (doc/algorithm.md, "The same bits"). The options hold for the
# folders of this project; targets that link the library do not get them.

include(CheckCXXCompilerFlag)

check_cxx_compiler_flag(-ffp-contract=off Trident_CXX_HAS_FP_CONTRACT)
if(Trident_CXX_HAS_FP_CONTRACT)
  add_compile_options(-ffp-contract=off)
else()
  message(STATUS "Trident: this compiler knows no -ffp-contract=off; where it fuses products with \
additions, bits of results differ from those of other builds")
endif()

# nvcc has an option of its own for device code; Clang's is the one above.
check_cxx_compiler_flag(--fmad=false Trident_CXX_HAS_FMAD)
if(Trident_CXX_HAS_FMAD)
  add_compile_options(--fmad=false)
endif()
