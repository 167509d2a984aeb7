#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake/ci/tribits.sh [FOLDER]
#
# Configures Trident inside the source tree of Trilinos 13.2, builds its libraries there (with MueLu's
# factories and what takes the place of Tpetra's products) and one test, and runs that and the products
# under Tpetra's names. Trilinos' own libraries are not compiled, but are those of Debian's package,
# which is configured alike (cmake/tribits/build --installed). The whole build is cmake/tribits/build.
# Returns 77 (skipped), and says why in its last line, where this Trilinos is not installed, or its
# source package cannot be had. FOLDER (default: a temporary one, removed at the end) keeps both, so
# that the next run needs no mirror.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '\n==> %s\n' "$*"; }
fail() { echo "tribits: skipped, $*"; exit 77; }  # of trilinos_source.sh

# shellcheck source=../trilinos_source.sh
source cmake/trilinos_source.sh

[ -n "$(find /usr/lib -name libtrilinos_tpetra.so.13.2 2> /dev/null)" ] ||
  fail "Debian's Trilinos 13.2 is not installed"
if [ $# -gt 0 ]; then
  mkdir -p "$1"
  work=$(cd "$1" && pwd)
else
  work=$(mktemp -d "${TMPDIR:-/tmp}/trident-tribits.XXXXXX")
  trap 'rm -rf --one-file-system "$work"' EXIT
  trap 'exit 130' HUP INT TERM
fi
if [ ! -d "$work/source" ]; then
  rm -rf "$work/source.partial"
  unpack_trilinos "$work" "$work/source.partial"
  mv "$work/source.partial" "$work/source"
fi
if [ "$(id -u)" -eq 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
cmake/tribits/build --installed --work="$work" --jobs=2 \
  --target=Trident/src/all --target=Trident_Multiply_RAP.exe --target=Trident_Dropin_Program.exe \
  --target=Trident_Dropin_Wrapped.exe --tests='^Trident_Multiply_RAP_MPI_|^Dropin_products$'
