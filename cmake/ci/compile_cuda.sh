#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake/ci/compile_cuda.sh [--all]
#
# Compiles with nvcc_wrapper against a Trilinos 17.0 with CUDA, in build-cuda/: first the library's
# kernels, whose atomic operations are looked at (test/ptx), then the library, the driver and one
# test; with --all everything, which takes half an hour on two cores. No program is run: the machine
# may have no GPU. Returns 77 (skipped) where nvcc or that Trilinos is missing.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

trilinos=${TRIDENT_CUDA_TRILINOS:-/opt/trilinos17-cuda}  # as the preset
archive=../shared/gpu/trilinos-17.0-cuda-sm90.tar.xz
targets=(trident trident_markov Trident_SpGEMM.exe Trident_Kernels_LocalMultiply.exe)

skip() { echo "compile_cuda: skipped, $*"; exit 77; }

case $* in
  '') ;;
  --all) targets=(all) ;;
  *) sed -n '4s/^# *//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac

command -v nvcc > /dev/null || PATH=$PATH:/usr/local/cuda/bin
command -v nvcc > /dev/null || skip "nvcc is not installed"
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
cmake --build --preset cuda --parallel 2 --target "${targets[@]}"

# What Ninja links or puts into an archive begins so.
linked() { ninja -C build-cuda -t commands "$@" | grep -c '^: && '; }
echo "Compiled for CUDA: $(linked "${targets[@]}") of $(linked all) programs and libraries"
