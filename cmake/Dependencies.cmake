# SPDX-License-Identifier: BSD-3-Clause
# Read by TriBITS. Each optional TPL sets Trident_ENABLE_<TPL>, as cmake/TridentCuda.cmake does where
# Trident is built alone. The programs below example/app need zlib.
tribits_package_define_dependencies(
  LIB_REQUIRED_PACKAGES
    TpetraCore KokkosKernels Kokkos TeuchosParameterList TeuchosComm TeuchosCore
  LIB_OPTIONAL_PACKAGES MueLu
  TEST_OPTIONAL_PACKAGES Galeri Belos
  LIB_REQUIRED_TPLS MPI
  LIB_OPTIONAL_TPLS CUDA CUSPARSE NCCL
  TEST_OPTIONAL_TPLS Zlib
)
