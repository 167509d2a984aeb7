#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2034  # chroot.sh reads what is set
#
#   cmake/ci/trilinos17.sh [FOLDER]
#
# Builds against the newest Trilinos that exists as binaries (17.0 of Debian's experimental, with
# Kokkos 5 on hosts, C++20) in a chroot of Debian's sid, and runs there all tests that
# doc/contract.md names, those of the small rooms, and those of MueLu's factories. Returns 77
# (skipped), and says why in its last line, where no chroot can be made (chroot.sh).
# FOLDER (default: a temporary one, removed at the end) keeps chroot and build, so that the next run
# needs no mirror; remove it for newer packages.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

release=sid
packages=(g++ cmake ninja-build ccache libopenmpi-dev openmpi-bin zlib1g-dev python3
          lib{,pt}scotch-dev)  # whose folders CMake's config of MueLu names
more_release=experimental
# The first line is what is used. CMake's configs of Galeri and MueLu include those of the others,
# which Debian's packages do not depend on.
more_packages=(libtrilinos-{tpetra,kokkos,kokkos-kernels,teuchos,galeri,muelu}-dev
               libtrilinos-{xpetra,thyra,rtop,belos,amesos2,ifpack2,intrepid2,stratimikos,teko}-dev
               libtrilinos-{anasazi,sacado,shards,shylu,trilinosss,zoltan,zoltan2}-dev)
rooms=(base grid matrix)  # whose tests are built and run, beside those of the contract
others=(MueLu_Factories)  # likewise
mapfile -t contract < <(grep -oE '\b(Contract|Multiply|Product|Tpetra)_[A-Z][A-Za-z]+' doc/contract.md | sort -u)
too_many='_np(8|9|12|16)$'  # ranks for the time that a CI step has
# sid's Open MPI, 6.0.0~rc2, loses messages of several threads: there a program of MPI alone, of three
# threads with a communicator each, hangs too.
several_threads='Multiply_Threads_(SeveralThreads|OneThreadInside)_'
chroot_seconds=600          # until when there must be a chroot
run_seconds=700             # for the tests

# shellcheck source=chroot.sh
source cmake/ci/chroot.sh

have_chroot "$@"
folders=("${rooms[@]/#/test/}")
programs=("${contract[@]/#/Trident_}" "${others[@]/#/Trident_}")
build trident example/all "${folders[@]/%//all}" "${programs[@]/%/.exe}"

here() { tests -E "$too_many|$several_threads" "$@"; }
echo "Skipped tests: $several_threads: this Open MPI loses messages of several threads"
here -L "^($(IFS='|'; echo "${rooms[*]}"))\$"
here -R "^($(IFS='|'; echo "${contract[*]}"))_"
here -R "^($(IFS='|'; echo "${others[*]}"))_|^Lesson_05_muelu_"
