# SPDX-License-Identifier: BSD-3-Clause
"""Ways to form A·A and R·A·P, by Trident and by other libraries: their programs, how they are asked, and whether they
agree."""
import collections
import os

from . import facts, measure

# program; options for `count` measured products; where its JSON has their seconds; what it is built with
Way = collections.namedtuple("Way", "program options seconds needs")


def once(*more):
    return lambda count: [*more, "--warmup=1", "--repeat=%d" % count]


def again(*more):
    return lambda count: [*more, "--warmup=0", "--repeat=1", "--reuse=%d" % count]


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


def run(way, A, products, launcher, env, build=None, seconds=measure.RUN_SECONDS, ways=None):
    """A row and the program's JSON: the median of a process's products, and the sums of C."""
    ways = ways or WAYS
    done = measure.run_json(launcher, program(way, build, ways), ["--A=" + A, *ways[way].options(products)], seconds,
                            {**env, **SAME_MALLOC})
    row = {"A": facts.short(A), "way": way, "products": products, "error": done.error, "command": done.command}
    if done.got and not done.error:
        row["seconds"] = measure.median(done.got[ways[way].seconds])
        row.update({name: done.got["checksum"][name] for name in ("entries", "zeros", "bilinear", "absolute")})
    return row, done.got


def difference(row, other):
    """What is wrong with a row's sums, if another's are right. The number of entries may differ by stored zeros."""
    scale = max(row["absolute"], other["absolute"])
    for name, weight in (("bilinear", 4), ("absolute", 1)):  # weights of the bilinear form are below 2 each
        if abs(row[name] - other[name]) > CLOSE * weight * scale:
            return "C differs from that of %s: %s %.17g, not %.17g" % (other["way"], name, row[name], other[name])
    return ""
