# SPDX-License-Identifier: BSD-3-Clause
"""Names what was measured: machine, commit, versions of what runs on GPUs, programs, matrices."""
import ctypes
import datetime
import os
import platform
import re
import shlex
import subprocess
import sys

from . import mpi

BUILD = os.path.normpath(os.path.join(mpi.FOLDER, "../../build"))


def said_by(*command):
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def machine():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name.*: (.*)$", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()


def commit():
    """The checkout's, or what a bundle noted of the one it was made from."""
    noted = os.path.join(mpi.FOLDER, "../COMMIT")
    if os.path.exists(noted):
        with open(noted, encoding="utf-8") as file:
            return file.read().strip()
    return said_by("git", "-C", mpi.FOLDER, "describe", "--always", "--dirty", "--abbrev=12") or "unknown"


def of_results(said_commit=None):
    """Returns the columns that say what measured; `said_commit`: where the programs were not built here."""
    return {"machine": machine(), "cores": os.cpu_count(), "commit": said_commit or commit()}


def this_command():
    return shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])


FOLDERS = {"Trident_SpGEMM.exe": "example/app/driver", "Trident_Predict.exe": "example/app/predict",
           "Trident_05_muelu.exe": "example/05_muelu", "MueLu_UnderPreload.exe": "test/dropin/muelu"}


def program(name, build=None):
    """Where a program is: beside the scripts, as in a bundle; in a build; or in the first of a list of folders that has
    it, those of the sources of GPU peers being the last."""
    if isinstance(build, list):
        paths = [os.path.join(folder, name) for folder in [*build, os.path.join(mpi.FOLDER, "gpu_peers")]]
        return next((path for path in paths if os.path.exists(path)), paths[0])
    beside = os.path.join(mpi.FOLDER, name)
    if not build and os.path.exists(beside):
        return beside
    peer = "/peers" if name.startswith("Trident_Peer_") else ""
    return os.path.join(build or BUILD, FOLDERS.get(name, "test/performance" + peer), name)


def inject():
    """The Kokkos tool that disturbs a run."""
    bundled = os.path.normpath(os.path.join(mpi.FOLDER, "../lib/libtrident_inject.so"))
    return bundled if os.path.exists(bundled) else os.path.join(BUILD, "test/performance/libtrident_inject.so")


def short(spec):
    """A matrix file by its name, a generator as it is."""
    name = os.path.basename(spec)
    for suffix in (".gz", ".mtx", ".bin", ".csr"):
        name = name[:-len(suffix)] if name.endswith(suffix) else name
    return name


def gpus():
    """The names that CUDA_VISIBLE_DEVICES has for this machine's, or for those of them that it leaves."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible:
        return visible.split(",")
    return said_by("nvidia-smi", "--query-gpu=index", "--format=csv,noheader").split()


def device():
    """What kind of GPU the first is; empty where there is none."""
    return (said_by("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines() or [""])[0]


def version_of(libraries, function):
    """The number that a library's function tells; None where none of the libraries is found."""
    version = ctypes.c_int()
    for name in libraries:
        try:
            getattr(ctypes.CDLL(name), function)(ctypes.byref(version))
            return version.value
        except OSError:
            pass
    return None


def of_gpus(said_commit=None):
    """Commit, machine, versions and command, for results of GPUs."""
    gpus = said_by("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader").splitlines()
    toolkit = re.search(r"CUDA Version: *(\S+)", said_by("nvidia-smi"))
    nccl = version_of(["libnccl.so.2"], "ncclGetVersion")
    return {"commit": said_commit or commit(), "date": datetime.date.today().isoformat(),
            "machine": machine() + ", %d cores" % os.cpu_count(), "GPUs": "; ".join(gpus) or "none",
            "CUDA": "driver %s, runtime %d" % (toolkit.group(1) if toolkit else "unknown", version_of(
                ["libcudart.so.13", "libcudart.so.12"], "cudaRuntimeGetVersion") or 0),
            "NCCL": "%d.%d.%d" % (nccl // 10000, nccl // 100 % 100, nccl % 100) if nccl else "not found",
            "MPI": (said_by("mpirun", "--version").splitlines() or ["unknown"])[0],
            "NCCL_NVLS_ENABLE": os.environ.get("NCCL_NVLS_ENABLE", ""), "command": this_command()}
