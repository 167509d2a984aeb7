# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Trident(CMakePackage, CudaPackage):
    """Distributed sparse matrix-matrix products for Tpetra::CrsMatrix, on clusters whose nodes are
    faster inside than between."""

    # There is no public repository yet; README.md beside this repository says what to do.
    homepage = "https://example.org/trident"
    git = "https://example.org/trident.git"

    test_requires_compiler = True

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("shared", default=True, description="Build shared libraries")
    variant("muelu", default=True, description="Build the factories for MueLu's hierarchies")
    with when("+cuda"):
        variant("nccl", default=True, description="Move slices between GPUs with NCCL")
        variant("cusparse", default=True, description="Offer cuSPARSE for local products")

    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("mpi")
    depends_on("trilinos@13.2:+mpi+kokkos+tpetra")
    depends_on("trilinos+muelu", when="+muelu")
    depends_on("trilinos+shared", when="+shared")
    # Older ones bring their own Kokkos. Trident includes headers of both itself.
    with when("^trilinos@14.4:"):
        depends_on("kokkos")
        depends_on("kokkos-kernels")

    # The driver, which is built for the tests alone.
    depends_on("zlib-api", type="test")

    # Matrices are where Trilinos has them: CUDA where Trilinos has it, for the same GPUs.
    depends_on("trilinos~cuda", when="~cuda")
    depends_on("trilinos@16:", when="+cuda")
    depends_on("kokkos+cuda_lambda", when="+cuda ^kokkos@:4")
    for arch in CudaPackage.cuda_arch_values:
        cuda = f"+cuda cuda_arch={arch}"
        depends_on(f"trilinos{cuda}", when=cuda)
        depends_on(f"nccl@2.18:{cuda}", when=f"+nccl{cuda}")
    conflicts("cuda_arch=none", when="+cuda", msg="Trident needs the architecture of the GPUs")
    conflicts("+cuda", when="^trilinos+uvm", msg="Trident keeps matrices in device memory")

    # Not built nor run with what these use.
    conflicts("^trilinos+rocm", msg="Trident runs on hosts and on NVIDIA GPUs")
    conflicts("platform=windows")

    def compiler_args(self):
        """A Trilinos with CUDA must be used with the compiler that it was built with."""
        if self.spec.satisfies("~cuda"):
            return [self.define("CMAKE_CXX_COMPILER", os.environ["CXX"])]
        args = [self.define("CMAKE_CXX_COMPILER", self["trilinos"].kokkos_cxx)]
        if self.spec["trilinos"].satisfies("+wrapper"):  # nvcc wants to be told; clang need not
            arch = self.spec.variants["cuda_arch"].value[0]
            args.append(self.define("CMAKE_CXX_FLAGS", f"--expt-extended-lambda -arch=sm_{arch}"))
        return args

    def cmake_args(self):
        args = [
            *self.compiler_args(),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("Trident_ENABLE_MueLu", "muelu"),
            self.define_from_variant("Trident_ENABLE_CUDA", "cuda"),
            self.define("Trident_ENABLE_NCCL", self.spec.satisfies("+nccl")),
            self.define("Trident_ENABLE_CUSPARSE", self.spec.satisfies("+cusparse")),
            self.define("Trident_ENABLE_TESTS", self.run_tests),
            self.define("Trident_ENABLE_EXAMPLES", self.run_tests),
        ]
        if self.spec.satisfies("+nccl"):
            args.append(self.define("NCCL_ROOT", self.spec["nccl"].prefix))
        return args

    def check(self):
        # Stress tests take minutes, and find what only many runs find.
        with working_dir(self.build_directory):
            ctest("-LE", "stress", "-j", str(make_jobs), "--output-on-failure")

    lesson = join_path("example", "01_multiply")

    @run_after("install")
    def keep_lesson(self):
        cache_extra_test_sources(self, self.lesson)

    def test_multiply(self):
        """build a program against the installed library, and multiply on two ranks"""
        source = join_path(self.test_suite.current_test_cache_dir, self.lesson)
        cmake = which(self.spec["cmake"].prefix.bin.cmake, required=True)
        mpiexec = which(
            self.spec["mpi"].prefix.bin.mpiexec, self.spec["mpi"].prefix.bin.mpirun, required=True
        )
        with working_dir("build", create=True):
            cmake(
                source,
                *self.compiler_args(),
                self.define("CMAKE_BUILD_TYPE", "Release"),
                self.define("Trident_ROOT", self.prefix),
                self.define("MPI_HOME", self.spec["mpi"].prefix),
            )
            cmake("--build", ".")
            # The square of a tridiagonal matrix with 1000 rows has five diagonals.
            program = "./Trident_01_multiply.exe"
            out = mpiexec("-n", "2", program, output=str.split, error=str.split)
            check_outputs("4994 entries", out)
