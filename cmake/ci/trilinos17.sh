#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake/ci/trilinos17.sh [FOLDER]
#
# Builds against the newest Trilinos that exists as binaries (17.0 of Debian's experimental, with
# Kokkos 5 on hosts, C++20) in a chroot of Debian's sid, and runs there all tests that
# doc/contract.md names, those of the small rooms, and those of MueLu's factories. Returns 77
# (skipped), and says why in its last line, where no chroot can be made: not root, no debootstrap, no
# mirror, or one out of reach or slow.
# FOLDER (default: a temporary one, removed at the end) keeps chroot and build, so that the next run
# needs no mirror; remove it for newer packages. The mirror is that of the machine's own apt sources;
# TRIDENT_DEBIAN_MIRROR names another one.
#
# What mounts runs in a mount namespace of its own, so that no mount outlives it, however it ends.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# shellcheck source=../debian_mirrors.sh
source cmake/debian_mirrors.sh

mirror=  # found when it is needed
packages=(g++ cmake ninja-build ccache libopenmpi-dev openmpi-bin zlib1g-dev python3
          lib{,pt}scotch-dev)  # whose folders CMake's config of MueLu names
# The first line is what is used. CMake's configs of Galeri and MueLu include those of the others,
# which Debian's packages do not depend on.
trilinos=(libtrilinos-{tpetra,kokkos,kokkos-kernels,teuchos,galeri,muelu}-dev
          libtrilinos-{xpetra,thyra,rtop,belos,amesos2,ifpack2,intrepid2,stratimikos,teko}-dev
          libtrilinos-{anasazi,sacado,shards,shylu,trilinosss,zoltan,zoltan2}-dev)
rooms=(base grid tile)  # whose tests are built and run, beside those of the contract
others=(MueLu_Factories)  # likewise
mapfile -t contract < <(grep -oE '\b(Contract|Multiply|Failure)_[A-Z][A-Za-z]+' doc/contract.md | sort -u)
too_many='_np(8|9|12|16)$'  # ranks for the time that a CI step has
# Three threads that poll Open MPI 5 on two cores were not done in five minutes; whether they ever
# are is not known.
not_here='^Multiply_Threads_'
chroot_seconds=600          # until when there must be a chroot
run_seconds=700             # for the tests

skip() { echo "trilinos17: skipped, $*"; exit 77; }
private() { unshare --mount --propagation private "$@"; }

# in_chroot <root> <command ...>: with this source tree, read-only, in /trident, and the build's and
# ccache's folders, which lie beside the chroot or are the host's, in /build and /ccache.
in_chroot() {
  # shellcheck disable=SC2016  # that shell expands them
  private bash -euc '
    root=$1 source=$2 build=$3 ccache=$4; shift 4
    for folder in proc sys dev; do mount --rbind /$folder "$root/$folder"; done
    mkdir -p "$root/trident" "$root/build" "$root/ccache"
    mount --bind "$source" "$root/trident"
    mount -o remount,bind,ro "$root/trident"
    mount --bind "$build" "$root/build"
    mount --bind "$ccache" "$root/ccache"
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/ccache \
      CCACHE_SLOPPINESS=pch_defines,time_macros "$@" < /dev/null' \
    in_chroot "$1" "$PWD" "$folder/build" "$ccache" "${@:2}"
}

# in_time <command ...>: within what is left of chroot_seconds.
in_time() {
  local left=$((chroot_seconds - SECONDS))
  timeout --foreground "$((left > 0 ? left : 1))" "$@"
}

in_chroot_in_time() {  # root, command ...
  local left=$((chroot_seconds - SECONDS))
  in_chroot "$1" timeout --foreground "$((left > 0 ? left : 1))" "${@:2}"
}

install_debootstrap() {
  command -v apt-get > /dev/null || return
  export DEBIAN_FRONTEND=noninteractive
  local apt=(apt-get -q -o Acquire::Retries=1 -o Acquire::http::Timeout=20)
  in_time "${apt[@]}" update < /dev/null
  in_time "${apt[@]}" install -y --no-install-recommends debootstrap < /dev/null
}

# The first mirror that has what is wanted: a mirror of some releases may lack sid and experimental.
find_mirror() {
  local mirrors
  mapfile -t mirrors < <(debian_mirrors)
  [ ${#mirrors[@]} -gt 0 ] ||
    skip "apt's sources name no mirror of Debian, and TRIDENT_DEBIAN_MIRROR none either"
  for mirror in "${mirrors[@]}"; do
    if wget -q --timeout=20 --tries=2 -O /dev/null "$mirror/dists/experimental/InRelease"; then return; fi
  done
  skip "${mirrors[*]}: out of reach, or without experimental"
}

make_chroot() {  # root
  in_time unshare --mount --propagation private \
    debootstrap --variant=minbase sid "$1" "$mirror" || return
  echo "deb $mirror experimental main" > "$1/etc/apt/sources.list.d/experimental.list"
  printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'Acquire::Retries "3";' \
    'APT::Install-Recommends "false";' > "$1/etc/apt/apt.conf.d/99trident"
  cp -L /etc/resolv.conf "$1/etc/resolv.conf" || return
  in_chroot_in_time "$1" apt-get -q update || return
  in_chroot_in_time "$1" apt-get -q -y install "${packages[@]}" || return
  in_chroot_in_time "$1" apt-get -q -y -t experimental install "${trilinos[@]}" || return
  in_chroot "$1" apt-get clean
}

[ "$(id -u)" -eq 0 ] || skip "a chroot needs root"
private true 2> /dev/null || skip "this root may not mount"

if [ $# -gt 0 ]; then
  mkdir -p "$1"
  folder=$(cd "$1" && pwd)
else
  folder=$(mktemp -d "${TMPDIR:-/tmp}/trident-trilinos17.XXXXXX")
  trap 'rm -rf --one-file-system "$folder"' EXIT
  trap 'exit 130' HUP INT TERM
fi
ccache=$folder/ccache
if command -v ccache > /dev/null; then ccache=$(ccache -k cache_dir); fi
mkdir -p "$folder/build" "$ccache"

root=$folder/chroot
if [ ! -d "$root" ]; then
  find_mirror
  command -v debootstrap > /dev/null || install_debootstrap || skip "there is no debootstrap"
  rm -rf --one-file-system "$root.part"
  log=$folder/chroot.log
  echo "trilinos17: making the chroot"
  if ! make_chroot "$root.part" > "$log" 2>&1; then
    tail -n 20 "$log"
    skip "$mirror did not give all packages within $chroot_seconds s"
  fi
  mv "$root.part" "$root"  # appears only when it is whole
fi
in_chroot "$root" dpkg-query -W 'libtrilinos-tpetra-dev' 'g++' 'openmpi-bin'

in_chroot "$root" cmake -S /trident -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DTrident_ENABLE_TESTS=ON -DTrident_ENABLE_EXAMPLES=ON -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
  -DTrident_ALLOW_RUN_AS_ROOT=ON  # a chroot has no other user
folders=("${rooms[@]/#/test/}")
programs=("${contract[@]/#/Trident_}" "${others[@]/#/Trident_}")
in_chroot "$root" cmake --build /build --parallel 2 --target trident example/all \
  "${folders[@]/%//all}" "${programs[@]/%/.exe}" -- -k 0

tests() {  # ctest's options: the same for all
  in_chroot "$root" timeout --foreground "$run_seconds" \
    /trident/test/run_tests /build --no-tests=error -j2 -E "$too_many|$not_here" "$@"
}
tests -L "^($(IFS='|'; echo "${rooms[*]}"))\$"
tests -R "^($(IFS='|'; echo "${contract[*]}"))_"
tests -R "^($(IFS='|'; echo "${others[*]}"))_|^Lesson_05_muelu_"
