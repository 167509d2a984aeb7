# SPDX-License-Identifier: BSD-3-Clause
"""Ways to form A·A, by Trident and by other libraries: their programs, how they are asked, and whether they agree."""
import collections
import os

from . import facts, measure

# program; options for `count` measured products; where its JSON has their seconds
Way = collections.namedtuple("Way", "program options seconds")


def once(*more):
    return lambda count: [*more, "--warmup=1", "--repeat=%d" % count]


def again(*more):
    return lambda count: [*more, "--warmup=0", "--repeat=1", "--reuse=%d" % count]


DRIVER = "Trident_SpGEMM.exe"
TRIDENT = ("--algorithm=trident", "--checksum", "--quiet")
WAYS = {
    "Trident": Way(DRIVER, once(*TRIDENT), "total_seconds"),
    "Trident, plan": Way(DRIVER, again(*TRIDENT), "reuse_seconds"),
    "Tpetra": Way(DRIVER, once("--algorithm=tpetra", "--checksum", "--quiet"), "total_seconds"),
    "hypre": Way("Trident_Peer_hypre.exe", once(), "total_seconds"),
    "PETSc": Way("Trident_Peer_petsc.exe", once(), "total_seconds"),
    "PETSc, reuse": Way("Trident_Peer_petsc.exe", again(), "reuse_seconds"),
    "CombBLAS": Way("Trident_Peer_combblas.exe", once(), "total_seconds")}
# Freed memory stays with the process, for all ways. Debian's hypre brings SuperLU, which asks malloc for that when it is
# loaded. Without it each product of the others would get its pages anew, and hypre's would not.
SAME_MALLOC = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=%d" % (2**63 - 1)}
CLOSE = 1e-10  # of the sum of |C|: far above rounding, far below an entry that is wrong or missing


def program(way, build=None):
    return facts.program(WAYS[way].program, build)


def those_built(names, build, tally):
    """The others are skipped."""
    for way in names:
        if os.access(program(way, build), os.X_OK):
            yield way
        else:
            tally.skip(way, "%s is not built: find its library with -DTrident_ENABLE_PEERS=ON" % program(way, build))


def run(way, A, products, launcher, env, build=None, seconds=measure.RUN_SECONDS):
    """A row and the program's JSON: the median of a process's products, and the sums of C."""
    done = measure.run_json(launcher, program(way, build), ["--A=" + A, *WAYS[way].options(products)], seconds,
                            {**env, **SAME_MALLOC})
    row = {"A": facts.short(A), "way": way, "products": products, "error": done.error, "command": done.command}
    if done.got and not done.error:
        row["seconds"] = measure.median(done.got[WAYS[way].seconds])
        row.update({name: done.got["checksum"][name] for name in ("entries", "zeros", "bilinear", "absolute")})
    return row, done.got


def difference(row, other):
    """What is wrong with a row's sums, if another's are right. The number of entries may differ by stored zeros."""
    scale = max(row["absolute"], other["absolute"])
    for name, weight in (("bilinear", 4), ("absolute", 1)):  # weights of the bilinear form are below 2 each
        if abs(row[name] - other[name]) > CLOSE * weight * scale:
            return "C differs from that of %s: %s %.17g, not %.17g" % (other["way"], name, row[name], other[name])
    return ""
