# SPDX-License-Identifier: BSD-3-Clause
# Read by TriBITS. MPI, CUDA and CUSPARSE are Trilinos' own TPLs; NCCL it does not know.
tribits_repository_define_tpls(
  NCCL "cmake/tpls/" ST
)
