# SPDX-License-Identifier: BSD-3-Clause
#
# Most of a small source's compilation goes into headers, so sources of a library are compiled several
# at a time. Not by nvcc, with which nobody has tried it.
set(default ON)
if(Trident_KOKKOS_HAS_CUDA)
  set(default OFF)
endif()
option(Trident_UNITY_BUILD "Compile sources of a library several at a time" ${default})
