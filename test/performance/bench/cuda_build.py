# SPDX-License-Identifier: BSD-3-Clause
"""Configures and builds for CUDA, on a machine that has nvcc, CMake, Ninja, MPI and a Trilinos with CUDA."""
import importlib.util
import os
import re
import shutil
import subprocess
import time

from . import facts


class CannotBuild(Exception):
    """What is missing, or where the output of what failed is."""


def architecture():
    """Of the first GPU, as nvcc names it; Hopper's where there is none."""
    said = facts.said_by("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader").split()
    return "sm_" + said[0].replace(".", "") if said and re.fullmatch(r"\d+\.\d", said[0]) else "sm_90"


def nccl_options():
    """For a NCCL of this Python's packages, which has no libnccl.so for CMake to find; NCCL_ROOT goes first."""
    if os.environ.get("NCCL_ROOT"):
        return []
    try:
        found = importlib.util.find_spec("nvidia.nccl")
    except ModuleNotFoundError:
        found = None
    for folder in found.submodule_search_locations if found else []:
        library = os.path.join(folder, "lib", "libnccl.so.2")
        if os.path.exists(library):
            return ["-DNCCL_LIBRARY=" + library, "-DNCCL_INCLUDE_DIR=" + os.path.join(folder, "include")]
    return []


def environment():
    """This process's, with the CUDA toolkit's programs, which may be installed and not on PATH."""
    env = dict(os.environ)
    toolkit = "/usr/local/cuda/bin"
    if not shutil.which("nvcc") and os.path.exists(os.path.join(toolkit, "nvcc")):
        env["PATH"] = toolkit + os.pathsep + env["PATH"]
    return env


def configure_words(source, build, trilinos):
    wrapper = os.path.join(trilinos, "bin", "nvcc_wrapper")
    if not os.path.exists(wrapper):
        raise CannotBuild("there is no %s: --trilinos names the folder of a Trilinos with CUDA" % wrapper)
    words = ["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
             "-DCMAKE_CXX_COMPILER=" + wrapper, "-DCMAKE_CXX_STANDARD=20",
             "-DCMAKE_CXX_FLAGS=--expt-extended-lambda -arch=" + architecture(), "-DCMAKE_PREFIX_PATH=" + trilinos]
    if shutil.which("ccache"):
        words.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    return words + nccl_options()


def build(source, folder, trilinos, targets, log):
    """Builds the targets (none: all) in a folder; what was configured there stays so. What does not compile does not
    keep the rest from it. (a line that says how it went, whether all was built)"""
    began, env = time.monotonic(), environment()
    for needed in ("cmake", "ninja", "nvcc"):
        if not shutil.which(needed, path=env["PATH"]):
            raise CannotBuild("%s is missing on PATH" % needed)

    def run(words, how):
        with open(log, how, encoding="utf-8") as file:
            file.write("+ " + " ".join(words) + "\n")
            file.flush()
            return subprocess.run(words, env=env, check=False, stdin=subprocess.DEVNULL, stdout=file,
                                  stderr=subprocess.STDOUT).returncode

    configured = os.path.exists(os.path.join(folder, "build.ninja"))
    if not configured and not trilinos:
        raise CannotBuild("a new build needs --trilinos, the folder of a Trilinos with CUDA")
    if run(["true"] if configured else configure_words(source, folder, trilinos), "w") != 0:
        raise CannotBuild("CMake failed: see " + log)
    between, jobs = time.monotonic(), len(os.sched_getaffinity(0))
    status = run(["ninja", "-C", folder, "-j%d" % jobs, "-k", "0", *targets], "a")
    with open(log, errors="replace", encoding="utf-8") as file:
        text = file.read()
    failed = re.findall(r"^FAILED: (?:\[code=\d+\] )?(\S+)", text, re.MULTILINE)
    said = ["configured in %.0f s, built in %.0f s with %d jobs" % (between - began, time.monotonic() - between, jobs),
            *re.findall(r"^-- (Trident: CUDA .*)$", text, re.MULTILINE)[:1]]
    if failed or status:
        said.append("FAILED: " + " ".join(failed[:20]) if failed else "Ninja's status is %d" % status)
    return "; ".join(said), status == 0


def programs(folder):
    """Where each program of a build is, by its name."""
    found = {}
    for path, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if f != "CMakeFiles"]
        found.update((name, os.path.join(path, name)) for name in files
                     if re.fullmatch(r"Trident_\w+\.exe", name) and os.access(os.path.join(path, name), os.X_OK))
    return found
