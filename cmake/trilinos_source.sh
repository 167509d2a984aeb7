# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The source of Trilinos 13.2, for the scripts that build it: Debian's source package, fetched or
# unpacked already. Sourced, not run; needs the functions say and fail.

# shellcheck source=debian_mirrors.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_mirrors.sh"

trilinos_version=13.2.0

# fetch_trilinos FOLDER TREE: the source package, by apt-get in FOLDER/apt, into TREE. By a list of
# its own: a system has binary packages only, and perhaps those of another release. The mirror is the system's.
fetch_trilinos() {
  if ! command -v apt-get > /dev/null || ! command -v dpkg-source > /dev/null; then
    fail "no apt-get and dpkg-source: unpack Debian's source package trilinos $trilinos_version, and say --source=DIR"
  fi
  local folder=$1/apt mirror
  mirror=$(debian_mirrors | head -n 1)
  [ -n "$mirror" ] ||
    fail "apt's sources name no mirror of Debian: say TRIDENT_DEBIAN_MIRROR=<its URL>, or --source=DIR"
  say "Fetching the source package from $mirror"
  rm -rf "$folder"
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" \
    > "$folder/sources.list"
  local get=(apt-get -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=- -o APT::Sandbox::User=
    -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache"
    -o Acquire::Retries=1 -o Acquire::http::Timeout=20)
  timeout 300 "${get[@]}" update < /dev/null || fail "apt-get update failed: is there a network? Or say --source=DIR"
  (cd "$folder" && timeout 1800 "${get[@]}" source --download-only trilinos < /dev/null) ||
    fail "apt-get source trilinos failed: is there a network? Or say --source=DIR"
  (cd "$folder" && dpkg-source --extract "trilinos_$trilinos_version"-*.dsc "$2") ||
    fail "the source package is not trilinos $trilinos_version, or broken: say --source=DIR"
  rm -rf "$folder"
}

# unpack_trilinos FOLDER TREE [SOURCE]: a copy of the unpacked SOURCE, else a fetched one, as TREE.
unpack_trilinos() {
  if [ -z "${3:-}" ]; then
    fetch_trilinos "$1" "$2"
    return
  fi
  [ -e "$3/packages/kokkos/cmake/kokkos_arch.cmake" ] || fail "$3 is no unpacked Trilinos"
  say "Copying $3"
  cp -a "$3" "$2"
}
