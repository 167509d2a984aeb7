# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # whoever sources it sets what it reads
#
# For the scripts of this folder that build and test in a chroot of another release of Debian.
# Sourced, not run, in the root of the source tree, by a script that has set:
#
#   release         of Debian
#   packages        to install from it, besides what debootstrap brings
#   more_release    a second release, or nothing
#   more_packages   to install from that one, or nothing
#   chroot_seconds  until when there must be a chroot
#   run_seconds     for each call of tests
#
# These scripts return 77 (skipped), and say why in their last line, where no chroot can be made: not
# root, no debootstrap, no mirror, or one out of reach or slow. The mirror is that of the machine's own
# apt sources; TRIDENT_DEBIAN_MIRROR names another one.
#
# What mounts runs in a mount namespace of its own, so that no mount outlives it, however it ends.

# shellcheck source=../debian_mirrors.sh
source cmake/debian_mirrors.sh

script=$(basename "$0" .sh)
mirror=  # found when it is needed

skip() { echo "$script: skipped, $*"; exit 77; }
private() { unshare --mount --propagation private "$@"; }

# in_chroot <root> <command ...>: with this source tree, read-only, in /trident, and the build's and
# ccache's folders, which lie beside the chroot or are the host's, in /build and /ccache.
in_chroot() {
  # shellcheck disable=SC2016  # that shell expands them
  private bash -euc '
    root=$1 source=$2 build=$3 ccache=$4; shift 4
    mount --bind "$root" "$root"  # a mount point, so that tests can mount in a namespace of their own
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

seconds_left() { echo $((SECONDS < chroot_seconds ? chroot_seconds - SECONDS : 1)); }

# in_time <command ...>: within what is left of chroot_seconds.
in_time() { timeout --foreground "$(seconds_left)" "$@"; }

# in_chroot_in_time <root> <command ...>
in_chroot_in_time() { in_chroot "$1" timeout --foreground "$(seconds_left)" "${@:2}"; }

install_debootstrap() {
  command -v apt-get > /dev/null || return
  export DEBIAN_FRONTEND=noninteractive
  local apt=(apt-get -q -o Acquire::Retries=1 -o Acquire::http::Timeout=20)
  in_time "${apt[@]}" update < /dev/null
  in_time "${apt[@]}" install -y --no-install-recommends debootstrap < /dev/null
}

# The first mirror that has what is wanted: a mirror of some releases may lack others.
find_mirror() {
  local mirrors wanted=${more_release:-$release}
  mapfile -t mirrors < <(debian_mirrors)
  [ ${#mirrors[@]} -gt 0 ] ||
    skip "apt's sources name no mirror of Debian, and TRIDENT_DEBIAN_MIRROR none either"
  for mirror in "${mirrors[@]}"; do
    if wget -q --timeout=20 --tries=2 -O /dev/null "$mirror/dists/$wanted/InRelease"; then return; fi
  done
  skip "${mirrors[*]}: out of reach, or without $wanted"
}

make_chroot() {  # root
  in_time unshare --mount --propagation private \
    debootstrap --variant=minbase "$release" "$1" "$mirror" || return
  [ -z "$more_release" ] ||
    echo "deb $mirror $more_release main" > "$1/etc/apt/sources.list.d/$more_release.list"
  printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'Acquire::Retries "3";' \
    'APT::Install-Recommends "false";' > "$1/etc/apt/apt.conf.d/99trident"
  cp -L /etc/resolv.conf "$1/etc/resolv.conf" || return
  in_chroot_in_time "$1" apt-get -q update || return
  in_chroot_in_time "$1" apt-get -q -y install "${packages[@]}" || return
  [ -z "$more_release" ] ||
    in_chroot_in_time "$1" apt-get -q -y -t "$more_release" install "${more_packages[@]}" || return
  in_chroot "$1" apt-get clean
}

# have_chroot [FOLDER]: sets folder (a temporary one, removed at the end, where there is none given),
# which keeps chroot and build so that the next run needs no mirror, and root, a chroot of release.
have_chroot() {
  [ "$(id -u)" -eq 0 ] || skip "a chroot needs root"
  private true 2> /dev/null || skip "this root may not mount"

  if [ $# -gt 0 ]; then
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
  else
    folder=$(mktemp -d "${TMPDIR:-/tmp}/trident-$script.XXXXXX")
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
    local log=$folder/chroot.log
    echo "$script: making the chroot"
    if ! make_chroot "$root.part" > "$log" 2>&1; then
      tail -n 20 "$log"
      skip "$mirror did not give all packages within $chroot_seconds s"
    fi
    mv "$root.part" "$root"  # appears only when it is whole
  fi
  in_chroot "$root" dpkg-query -W 'libtrilinos-tpetra-dev' 'g++' 'openmpi-bin'
}

build() {  # targets
  in_chroot "$root" cmake -S /trident -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DTrident_ENABLE_TESTS=ON -DTrident_ENABLE_EXAMPLES=ON -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
    -DTrident_ALLOW_RUN_AS_ROOT=ON  # a chroot has no other user
  in_chroot "$root" cmake --build /build --parallel 2 --target "$@" -- -k 0
}

tests() {  # ctest's options
  in_chroot "$root" timeout --foreground "$run_seconds" \
    /trident/test/run_tests /build --no-tests=error -j2 "$@"
}
