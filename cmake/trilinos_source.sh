# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The source of Trilinos 13.2, for the scripts that build it: Debian's source package, fetched or
# unpacked already. Sourced, not run; needs the functions say and fail.

# shellcheck source=debian_source.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian_source.sh"

trilinos_version=13.2.0

# unpack_trilinos FOLDER TREE [SOURCE]: a copy of the unpacked SOURCE, else a fetched one (in FOLDER), as TREE.
unpack_trilinos() {
  if [ -z "${3:-}" ]; then
    fetch_source trilinos "$trilinos_version" "$1" "$2"
    return
  fi
  [ -e "$3/packages/kokkos/cmake/kokkos_arch.cmake" ] || fail "$3 is no unpacked Trilinos"
  say "Copying $3"
  cp -a "$3" "$2"
}
