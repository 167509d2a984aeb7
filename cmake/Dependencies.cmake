# SPDX-License-Identifier: BSD-3-Clause
# Read by TriBITS.
tribits_package_define_dependencies(
  LIB_REQUIRED_PACKAGES
    TpetraCore KokkosKernels Kokkos TeuchosParameterList TeuchosComm TeuchosCore
  TEST_OPTIONAL_PACKAGES Galeri
  LIB_REQUIRED_TPLS MPI
)
