# SPDX-License-Identifier: BSD-3-Clause
# Read by TriBITS when this repository is named in Trilinos_EXTRA_REPOSITORIES.
tribits_repository_define_packages(
  Trident  .  ST
)
