# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034  # the tests read scratch
# For the tests beside it: sourced, in the root of the source tree.

set -euo pipefail

scratch=${AUTOPKGTEST_TMP:-$(mktemp -d)}  # autopkgtest removes its own

# More ranks than cores, and root; other MPIs than Open MPI do not look at these.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMP_NUM_THREADS=1
