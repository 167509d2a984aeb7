# SPDX-License-Identifier: BSD-3-Clause
"""Parts of `measure gpu` that form products: testbed, memory."""
import os
import shutil
import statistics
import subprocess

from . import measure, mpi
from .facts import short
from .mps import Mps
from .part import mpirun


def testbed(part):
    """Four nodes of some ranks, behind slow ports. All nodes have the same GPUs."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("tc"):
        part.skip("all", "needs root" if os.geteuid() != 0 else "ip and tc are missing: install iproute2")
        return
    for wanted, rate in ((True, "10gbit"), (True, "1gbit"), (False, "10gbit"), (False, "1gbit")):
        shared = "on" if wanted else "off"
        with Mps(wanted) as mps:
            if wanted and not mps.runs:
                part.skip("%s, MPS on" % rate, "MPS does not run")
            elif part.has_time("%s, MPS %s" % (rate, shared), 10):
                try:
                    status, text = part.run([mpi.NETWORK, "up", "4", rate], 30)
                    if status != 0:
                        part.fail("all", "no network: " + " ".join(text.split())[-200:])
                        return
                    in_testbed(part, mps, rate=rate, mps=shared)
                finally:
                    subprocess.run([mpi.NETWORK, "down"], check=False, stdin=subprocess.DEVNULL, capture_output=True)


def in_testbed(part, server, **columns):
    """Rows of A·A by each algorithm, each of one run of three products, which are compared with Tpetra's."""
    spec, ranks, found = part.args.testbed_matrix, part.args.testbed_ranks, {}
    for algorithm in ("tpetra", "trident", "summa"):
        got, words = part.driver([mpi.NETWORK, "run", "4", str(ranks)], "--A=" + spec, "--algorithm=" + algorithm,
                                 "--warmup=1", "--repeat=3", "--ranks-per-node=%d" % ranks, limit=45,
                                 env=server.environment)
        row = {**columns, "A": short(spec), "algorithm": algorithm, "command": words}
        if isinstance(got, str):
            part.add(**row, error=got)
            continue
        found[algorithm] = seconds = statistics.median(got["total_seconds"])
        part.add(**row, ranks=got["ranks"], seconds="%.6f" % seconds, tpetra_over_this="%.2f" % (
            found["tpetra"] / seconds) if "tpetra" in found else "", internode_bytes=measure.received(got, "internode"))


MEMORY = (  # ranks (0: all GPUs), matrix, what is expected, whether that is an exception
    (0, "er:n=1000000,d=16", "peak against slices, tile and result", False),
    (1, "er:n=3000000,d=27", "more than 2^31 entries of C on one rank", False),
    (1, "er:n=1600000,d=64", "the largest that was tried and fits 141 GB: 79 GB of C", False),
    # few entries of A for so many of C
    (1, "er:n=800000,d=132", "past the limit: 165 GB of C, an exception", True))


def memory(part):
    for ranks, spec, what, fails in MEMORY:
        ranks = ranks or part.args.gpus
        got, words = part.driver(mpirun(part.args, ranks), "--A=" + spec, "--check-vector",
                                 "--ranks-per-node=%d" % ranks, limit=120)
        row = {"what": what, "A": spec, "ranks": ranks}
        if isinstance(got, str):
            part.add(counted=False, **row, error=got, command=words)
            expected = fails and got.startswith("Trident_SpGEMM: ")  # neither ended nor killed
            part.count(spec, "" if expected else got)
            continue
        peaks = got["memory"]
        worst = max(range(ranks), key=lambda r: peaks["device_allocated_peak"][r])
        row.update({k + "_bytes": int(peaks[k][worst]) for k in ("device_allocated_peak", "slices", "tile", "result")})
        part.add(counted=False, **row, nnzC=got["nnzC"], vector_error=got["vector_error"], command=words)
        part.count(spec, "no exception" if fails else "")
