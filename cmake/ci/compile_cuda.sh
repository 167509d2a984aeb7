#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake/ci/compile_cuda.sh [--all]
#
# Compiles with nvcc_wrapper against a Trilinos 17.0 with CUDA, in build-cuda/: first the library's
# kernels, whose atomic operations are looked at (test/ptx), then the library, the driver and one
# test; with --all everything. No program is run: the machine may have no GPU. Returns 77 (skipped)
# where nvcc or that Trilinos is missing.
#
# Without --all it goes on with sources of tests and programs that are not as the last --all compiled
# them (.ci/release_checks), in the order of changed_objects.py, until PART_SECONDS (1500) are
# over. Of each it runs only what nvcc does for the host, which finds what the compiler refuses, but
# makes no device code.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

trilinos=${TRIDENT_CUDA_TRILINOS:-/opt/trilinos17-cuda}  # as the preset
archive=../shared/gpu/trilinos-17.0-cuda-sm90.tar.xz
targets=(trident trident_markov Trident_SpGEMM.exe Trident_Kernels_LocalMultiply.exe)
until=$((EPOCHSECONDS + ${PART_SECONDS:-1500} - 30))

skip() { echo "compile_cuda: skipped, $*"; exit 77; }

case $* in
  '') ;;
  --all) targets=(all) ;;
  *) sed -n '4s/^# *//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac

command -v nvcc > /dev/null || PATH=$PATH:/usr/local/cuda/bin
command -v nvcc > /dev/null || skip "nvcc is not installed"
PATH=$(dirname "$(readlink -f "$(command -v nvcc)")"):$PATH  # for cudafe++
if [ ! -x "$trilinos/bin/nvcc_wrapper" ]; then
  [ -z "${TRIDENT_CUDA_TRILINOS:-}" ] || skip "there is no $trilinos/bin/nvcc_wrapper"
  [ -e $archive ] || skip "neither $trilinos nor $archive exists"
  echo "compile_cuda: unpacking $archive into /opt"
  tar xJf $archive -C /opt
fi

launcher=()
if command -v ccache > /dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake --preset cuda -DTrident_ENABLE_TESTS=ON -DTrident_ENABLE_EXAMPLES=ON "${launcher[@]}"
test/run_tests build-cuda --no-tests=error -L '^ptx$'
jobs=$(awk -v cores="$(nproc)" '/^MemAvailable/ { n = int($2 / 3145728); print n < 1 ? 1 : n < cores ? n : cores }' /proc/meminfo)
cmake --build --preset cuda --parallel "$jobs" --target "${targets[@]}" -- -k 0

# What Ninja links or puts into an archive begins so.
linked() { ninja -C build-cuda -t commands "$@" | grep -c '^: && '; }
echo "Compiled for CUDA: $(linked "${targets[@]}") of $(linked all) programs and libraries"
[ "${targets[*]}" != all ] || exit 0

# Runs nvcc's front end and the host's compiler, as nvcc would, on the source of an object. The stubs of
# kernels, which come with device code, are left out.
front_end() {
  local left=$((until - EPOCHSECONDS)) folder commands command status=0
  if [ $left -lt 20 ]; then echo "left out: $1"; return; fi
  folder=$(mktemp -d)
  command=$(ninja -C build-cuda -t commands "$1" | tail -n 1)
  command=$(sed -E 's/^ccache //; s/ -MD -MT [^ ]+ -MF [^ ]+//' <<< "${command#*: }")
  commands=$(cd build-cuda && TMPDIR=$folder bash -c "$command --dryrun" 2>&1 | sed -n 's/^#\$ //p' |
    sed -nE '/^g\+\+ .* -E .*\.cpp4\.ii"/p; /^cudafe\+\+ /p; s/^(g\+\+ .*) -c (.*cudafe1\.cpp").*/\1 -fsyntax-only \2/p')
  touch "$folder/$(basename "$(grep -oE '[^" ]+\.stub\.c' <<< "$commands" | head -n 1)")"
  if [ "$(wc -l <<< "$commands")" -ne 3 ]; then
    echo "FAILED: $1 (this nvcc has other steps)"
  else
    (cd build-cuda && timeout "$left" bash -ec "$commands") > "$folder/log" 2>&1 || status=$?
    case $status in
      0) echo "front end: $1" ;;
      124) echo "left out: $1" ;;
      *) grep -E '(error|required from|detected)' "$folder/log" | cut -c 1-400; echo "FAILED: $1" ;;
    esac
  fi
  rm -rf "$folder"
}
export -f front_end
export until

commit=$(sed -nE '/^cuda: /{n;s/^  passed ([0-9a-f]+) .*/\1/p}' .ci/release_checks)
if ! git cat-file -e "${commit:-none}^{commit}" 2> /dev/null; then
  echo "Compiled for CUDA: no other test, as this clone has no commit of a last --all (${commit:-none is noted})"
  exit 0
fi
log=build-cuda/front_ends.log
# shellcheck disable=SC2016
cmake/ci/changed_objects.py build-cuda "$commit" | xargs -r -P 2 -n 1 bash -c 'front_end "$0"' | tee $log
count() { grep -c "^$1: " $log || true; }
echo "Compiled for CUDA: front ends of $(count 'front end') sources that changed since $commit, $(count FAILED) failed," \
  "$(count 'left out') left out"
[ "$(count FAILED)" -eq 0 ]
