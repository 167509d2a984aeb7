#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compiles and links everything with nvcc_wrapper against a CUDA Trilinos, in build-cuda/. Nothing is
# run: the machine may have no GPU. Returns 77 (skipped) where nvcc or that Trilinos is missing.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

trilinos=${TRIDENT_CUDA_TRILINOS:-/opt/trilinos-cuda}  # as the preset
archive=../shared/gpu/trilinos-13.2-cuda-sm90.tar.xz

skip() { echo "compile_cuda: skipped, $*"; exit 77; }

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
cmake --build --preset cuda --parallel 2
