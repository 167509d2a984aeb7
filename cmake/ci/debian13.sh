#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2034  # chroot.sh reads what is set
#
#   cmake/ci/debian13.sh [FOLDER]
#
# Builds with what Debian 13 has (g++ 14, Open MPI 5.0, CMake 3.31, Trilinos 13.2) in a chroot of it,
# and runs there what meets MPI's windows, the node's memory and threads, and the driver's small runs.
# Returns 77 (skipped), and says why in its last line, where no chroot can be made (chroot.sh).
# FOLDER (default: a temporary one, removed at the end) keeps chroot and build, so that the next run
# needs no mirror; remove it for newer packages.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

release=trixie
packages=(trilinos-all-dev libopenmpi-dev openmpi-bin zlib1g-dev cmake ninja-build g++  # as quickstart
          ccache python3)
more_release=
more_packages=()
chroot_seconds=300          # until when there must be a chroot
run_seconds=700             # for the tests
programs=(Transport_{Window,NodeMemory} Exchange_{NodeGather,Threads} Multiply_Threads)

# shellcheck source=chroot.sh
source cmake/ci/chroot.sh

have_chroot "$@"
names=("${programs[@]/#/Trident_}")
build trident Trident_SpGEMM.exe "${names[@]/%/.exe}"
tests -R "^($(IFS='|'; echo "${programs[*]}"))_|^Driver_(Small|Full|Reuse)"
