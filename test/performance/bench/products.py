# SPDX-License-Identifier: BSD-3-Clause
"""Ways to form A·A and R·A·P, by Trident and by other libraries: their programs, how they are asked, and whether they
agree."""
import collections
import os

from . import facts, measure, mpi

# program; options for `count` measured products; where its JSON has their seconds; what it is built with; whether it
# reads what Trident_Galerkin.exe wrote; the most ranks that it has; which line it is of a program that prints lines
Way = collections.namedtuple("Way", "program options seconds needs files most by", defaults=(False, None, None))


def once(*more):
    return lambda count: [*more, "--warmup=1", "--repeat=%d" % count]


def again(*more):
    return lambda count: [*more, "--warmup=0", "--repeat=1", "--reuse=%d" % count]


def both(*more):
    return lambda count: [*more, "--warmup=1", "--repeat=%d" % count, "--reuse=%d" % count]


DRIVER = "Trident_SpGEMM.exe"
TRIDENT = ("--algorithm=trident", "--checksum", "--quiet")
PEERS = "-DTrident_ENABLE_PEERS=ON"


def peer(library, options, seconds, package=None):
    return Way("Trident_Peer_%s.exe" % library, options, seconds, (package + " and " if package else "") + PEERS)


def hypre(*options):
    return peer("hypre", once(*options), "total_seconds", "libhypre-dev")


def petsc(*options):
    """The product, and that with a known structure."""
    return {"PETSc": peer("petsc", once(*options), "total_seconds", "libpetsc-real-dev"),
            "PETSc, reuse": peer("petsc", again(*options), "reuse_seconds", "libpetsc-real-dev")}


WAYS = {
    "Trident": Way(DRIVER, once(*TRIDENT), "total_seconds", "the driver"),
    "Trident, plan": Way(DRIVER, again(*TRIDENT), "reuse_seconds", "the driver"),
    "Tpetra": Way(DRIVER, once("--algorithm=tpetra", "--checksum", "--quiet"), "total_seconds", "the driver"),
    "hypre": hypre(),
    **petsc(),
    "CombBLAS": peer("combblas", once(), "total_seconds", "libcombblas-dev")}
OF_GALERKIN = {  # R·A·P, R = P'
    "Trident": peer("trident", once("--galerkin", "--way=one-call"), "total_seconds"),
    "Trident, two calls": peer("trident", once("--galerkin", "--way=two-calls"), "total_seconds"),
    "Trident, plan": peer("trident", again("--galerkin", "--way=one-call"), "reuse_seconds"),
    "Trident, two plans": peer("trident", again("--galerkin", "--way=two-calls"), "reuse_seconds"),
    "Tpetra": peer("trident", once("--galerkin", "--way=tpetra"), "total_seconds"),
    "hypre": hypre("--galerkin", "--way=setup"),
    "hypre, two calls": hypre("--galerkin", "--way=two-calls"),
    "hypre, modular": hypre("--galerkin", "--way=modular"),
    **petsc("--galerkin")}
# On GPUs: the programs of gpu_peers, which need no Trilinos, and Trident's own. Starting them and reading matrices takes
# longer than products do: ways with the same program and options share a process (Shared).
GALERKIN = "Trident_Galerkin.exe"
WITH_CUDA = "a build with CUDA"


def on_gpus(library, options, seconds="total_seconds"):
    return Way("Trident_Peer_%s.exe" % library, options, seconds, "gpu_peers/README.md", files=True)


def cupy(*options):
    return Way("Trident_Peer_cupy", once(*options), "total_seconds", "this checkout", files=True, most=1)


def galerkin(by, *together):
    """`together`: the ways of a process, where they are more than one."""
    return Way(GALERKIN, lambda count: ["--by=" + ",".join(together or [by]), "--repeat=%d" % count], "turns", WITH_CUDA,
               by=by)


OF_TRIDENT = ("one-call", "two-calls", "plan")
WAYS_ON_GPUS = {
    "Trident": Way(DRIVER, both(*TRIDENT), "total_seconds", WITH_CUDA),
    "Trident, plan": Way(DRIVER, both(*TRIDENT), "reuse_seconds", WITH_CUDA),
    "Tpetra": WAYS["Tpetra"],
    "hypre": on_gpus("hypre", once("--way=own")),
    "hypre, cuSPARSE": on_gpus("hypre", once()),
    "PETSc": on_gpus("petsc", both()),
    "PETSc, reuse": on_gpus("petsc", both(), "reuse_seconds"),
    "CuPy": cupy()}
GALERKIN_ON_GPUS = {
    "Trident": galerkin("one-call", *OF_TRIDENT),
    "Trident, two calls": galerkin("two-calls", *OF_TRIDENT),
    "Trident, plan": galerkin("plan", *OF_TRIDENT),
    "Tpetra": galerkin("tpetra-two-calls"),
    "hypre": on_gpus("hypre", once("--galerkin", "--way=modular-own")),
    "hypre, cuSPARSE": on_gpus("hypre", once("--galerkin", "--way=modular")),
    "hypre, two calls": on_gpus("hypre", once("--galerkin", "--way=two-calls-own")),
    "PETSc": on_gpus("petsc", both("--galerkin")),
    "PETSc, reuse": on_gpus("petsc", both("--galerkin"), "reuse_seconds"),
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
    """A row and the program's JSON: the median of a process's products, and the sums of C. `more`: options for programs
    that read files, which `files` writes. `shared`: of a sweep whose ways share processes."""
    chosen, env = (ways or WAYS)[way], {**env, **SAME_MALLOC}
    path, options = program(way, build, ways), chosen.options(products)
    row = {"A": facts.short(A), "way": way, "products": products}
    try:
        words = files.options(A, options) if chosen.files else ["--A=" + A]
    except ValueError as error:
        return {**row, "error": str(error), "command": ""}, None
    options = [*words, *options, *(more if chosen.files and chosen.most is None else ())]
    done = (shared or Shared()).run(chosen, launcher, path, options, seconds, env)
    row.update(error=done.error, command=done.command)
    if done.got and not done.error:
        got = done.got[chosen.by] if chosen.by else done.got
        row["seconds"] = measure.median(got[chosen.seconds])
        row.update({name: got["checksum"][name] for name in ("entries", "zeros", "bilinear", "absolute")})
    return row, done.got


def difference(row, other):
    """What is wrong with a row's sums, if another's are right. The number of entries may differ by stored zeros."""
    scale = max(row["absolute"], other["absolute"])
    for name, weight in (("bilinear", 4), ("absolute", 1)):  # weights of the bilinear form are below 2 each
        if abs(row[name] - other[name]) > CLOSE * weight * scale:
            return "C differs from that of %s: %s %.17g, not %.17g" % (other["way"], name, row[name], other[name])
    return ""
