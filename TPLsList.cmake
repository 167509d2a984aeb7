# SPDX-License-Identifier: BSD-3-Clause
# Read by TriBITS. Trident adds no TPL: the one it needs, MPI, is Trilinos' own.
tribits_repository_define_tpls()
