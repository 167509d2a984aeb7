# SPDX-License-Identifier: BSD-3-Clause
"""Ways to form A·A and R·A·P, by Trident and by other libraries: their programs, how they are asked, and whether they
agree."""
import collections
import os

from . import facts, measure, mpi

# How a program is asked for N products, and where its JSON has their seconds.
MODES = {"once": ("--warmup=1 --repeat=N", "total_seconds"),
         "again": ("--warmup=0 --repeat=1 --reuse=N", "reuse_seconds"),
         "both": ("--warmup=1 --repeat=N --reuse=N", "total_seconds"),
         "both, again": ("--warmup=1 --repeat=N --reuse=N", "reuse_seconds"),
         "turns": ("--repeat=N", "turns")}
# program; options before those of its mode; what it is built with; whether it reads what Trident_Galerkin.exe wrote; the
# most ranks that it has; which line it is of a program that prints lines
Way = collections.namedtuple("Way", "program mode options needs files most by", defaults=(False, None, None))
DRIVER, GALERKIN = "Trident_SpGEMM.exe", "Trident_Galerkin.exe"
WITH_CUDA = "a build with CUDA"
PACKAGES = {"hypre": "libhypre-dev and ", "petsc": "libpetsc-real-dev and ", "combblas": "libcombblas-dev and "}


def by_driver(mode, algorithm="trident", needs="the driver"):
    return Way(DRIVER, mode, ["--algorithm=" + algorithm, "--checksum", "--quiet"], needs)


def peer(library, mode, *options):
    return Way("Trident_Peer_%s.exe" % library, mode, options,
               PACKAGES.get(library, "") + "-DTrident_ENABLE_PEERS=ON")


def galerkin_peer(library, mode, *way):
    return peer(library, mode, "--galerkin", *("--way=" + name for name in way))


def on_gpus(library, mode, *options):
    return Way("Trident_Peer_%s.exe" % library, mode, options, "gpu_peers/README.md", files=True)


def cupy(*options):
    return Way("Trident_Peer_cupy", "once", options, "this checkout", files=True, most=1)


def galerkin(by, together):
    """`together`: the ways of a process."""
    return Way(GALERKIN, "turns", ["--by=" + together], WITH_CUDA, by=by)


WAYS = {"Trident": by_driver("once"), "Trident, plan": by_driver("again"), "Tpetra": by_driver("once", "tpetra"),
        "hypre": peer("hypre", "once"), "PETSc": peer("petsc", "once"), "PETSc, reuse": peer("petsc", "again"),
        "CombBLAS": peer("combblas", "once")}
OF_GALERKIN = {  # R·A·P, R = P'
    "Trident": galerkin_peer("trident", "once", "one-call"),
    "Trident, two calls": galerkin_peer("trident", "once", "two-calls"),
    "Trident, plan": galerkin_peer("trident", "again", "one-call"),
    "Trident, two plans": galerkin_peer("trident", "again", "two-calls"),
    "Tpetra": galerkin_peer("trident", "once", "tpetra"),
    "hypre": galerkin_peer("hypre", "once", "setup"),
    "hypre, two calls": galerkin_peer("hypre", "once", "two-calls"),
    "hypre, modular": galerkin_peer("hypre", "once", "modular"),
    "PETSc": galerkin_peer("petsc", "once"), "PETSc, reuse": galerkin_peer("petsc", "again")}
# On GPUs: the programs of gpu_peers, which need no Trilinos, and Trident's own. Starting them and reading matrices takes
# longer than products do: ways with the same program and options share a process (Shared).
WAYS_ON_GPUS = {
    "Trident": by_driver("both", needs=WITH_CUDA), "Trident, plan": by_driver("both, again", needs=WITH_CUDA),
    "Tpetra": WAYS["Tpetra"],
    "hypre": on_gpus("hypre", "once", "--way=own"), "hypre, cuSPARSE": on_gpus("hypre", "once"),
    "PETSc": on_gpus("petsc", "both"), "PETSc, reuse": on_gpus("petsc", "both, again"), "CuPy": cupy()}
GALERKIN_ON_GPUS = {
    "Trident": galerkin("one-call", "one-call,two-calls,plan"),
    "Trident, two calls": galerkin("two-calls", "one-call,two-calls,plan"),
    "Trident, plan": galerkin("plan", "one-call,two-calls,plan"),
    "Tpetra": galerkin("tpetra-two-calls", "tpetra-two-calls"),
    "hypre": on_gpus("hypre", "once", "--galerkin", "--way=modular-own"),
    "hypre, cuSPARSE": on_gpus("hypre", "once", "--galerkin", "--way=modular"),
    "hypre, two calls": on_gpus("hypre", "once", "--galerkin", "--way=two-calls-own"),
    "PETSc": on_gpus("petsc", "both", "--galerkin"), "PETSc, reuse": on_gpus("petsc", "both, again", "--galerkin"),
    "CuPy": cupy("--galerkin")}
# Freed memory stays with the process, for all ways. Debian's hypre brings SuperLU, which asks malloc for that when it is
# loaded. Without it each product of the others would get its pages anew, and hypre's would not.
SAME_MALLOC = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=%d" % (2**63 - 1)}
CLOSE = 1e-10  # of the sum of |C|: far above rounding, far below an entry that is wrong or missing


def program(way, build=None, ways=None):
    return facts.program((ways or WAYS)[way].program, build)


def those_built(names, build, tally, ways=None):
    """The others are skipped."""
    ways = ways or WAYS
    for way in names:
        path = program(way, build, ways)
        if os.access(path, os.X_OK):
            yield way
        else:
            tally.skip(way, "%s is not built: it needs %s" % (path, ways[way].needs))


class Files:
    """A and P of each matrix as files in a folder, for programs that read these alone. They are written when they are
    first asked for."""

    STENCILS = ("brick3d:n=", "laplace3d:n=")  # which these programs make themselves

    def __init__(self, folder, launcher, build, seconds):
        self.folder, self.launcher, self.build, self.seconds = folder, launcher, build, seconds

    def options(self, A, options):
        """The words that name the matrices. Raises ValueError with what the program said where there is no file."""
        parts = ["A", "P"] if "--galerkin" in options else ["A"]
        if parts == ["A"] and A.startswith(self.STENCILS):
            return ["--A=" + A]
        paths = {part: os.path.join(self.folder, "%s-%s.csr" % (facts.short(A).replace(":", "-"), part))
                 for part in parts}
        missing = [part for part in parts if not os.path.exists(paths[part])]
        if missing:
            os.makedirs(self.folder, exist_ok=True)
            program = facts.program(GALERKIN, self.build)
            done = mpi.execute([*self.launcher, program, "--A=" + A,
                                *("--write-%s=%s" % (part, paths[part]) for part in missing)], self.seconds)
            if done.status != 0:
                raise ValueError("no file: " + measure.why(done, self.seconds, GALERKIN))
        return ["--%s=%s" % (part, paths[part]) for part in parts]


class Shared:
    """Runs a program once where several ways of a sweep ask for the same."""

    def __init__(self):
        self.done = {}

    def run(self, chosen, launcher, path, options, seconds, env):
        key = (*launcher, path, *options)
        if key not in self.done:
            run_program = measure.run_lines if chosen.by else measure.run_json
            self.done[key] = run_program(launcher, path, options, seconds, env)
        return self.done[key]


def run(way, A, products, launcher, env, build=None, seconds=measure.RUN_SECONDS, ways=None, files=None, more=(),
        shared=None):
    """A row: the median of a process's products, and the sums of C. `more`: options for programs
    that read files, which `files` writes. `shared`: of a sweep whose ways share processes."""
    chosen = (ways or WAYS)[way]
    mode, measured = MODES[chosen.mode]
    options = [*chosen.options, *mode.replace("N", str(products)).split()]
    row = {"A": facts.short(A), "way": way, "products": products}
    try:
        words = files.options(A, options) if chosen.files else ["--A=" + A]
    except ValueError as error:
        return {**row, "error": str(error), "command": ""}
    options = [*words, *options, *(more if chosen.files and chosen.most is None else ())]
    done = (shared or Shared()).run(chosen, launcher, program(way, build, ways), options, seconds,
                                    {**env, **SAME_MALLOC})
    row.update(error=done.error, command=done.command)
    if done.got and not done.error:
        got = next(line for line in done.got if line["by"] == chosen.by) if chosen.by else done.got
        row.update(got["checksum"], seconds=measure.median(got[measured]))
    return row


def difference(row, other):
    """What is wrong with a row's sums, if another's are right. The number of entries may differ by stored zeros."""
    scale = max(row["absolute"], other["absolute"])
    for name, weight in (("bilinear", 4), ("absolute", 1)):  # weights of the bilinear form are below 2 each
        if abs(row[name] - other[name]) > CLOSE * weight * scale:
            return "C differs from that of %s: %s %.17g, not %.17g" % (other["way"], name, row[name], other[name])
    return ""
