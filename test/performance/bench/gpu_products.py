# SPDX-License-Identifier: BSD-3-Clause
"""Parts of `measure gpu` that form products: end-to-end, one-gpu, local, testbed, reuse, memory."""
import os
import shutil
import statistics
import subprocess

from . import measure, mpi
from .facts import short
from .mps import Mps
from .part import NO_TIME, mpirun, program

# hypre's published local products: 27 and 7 points in three dimensions, 9 and 5 in two.
STENCILS = ["brick3d:n=150", "laplace3d:n=200", "brick2d:n=4096", "laplace2d:n=4096"]


def columns_of(got):
    """What the driver's JSON has of a product."""
    row = {"grid": measure.grid(got), **{key: got[key] for key in ("exchange", "gather", "kernel", "nnzA", "nnzC")},
           "flops": measure.flops(got), **{level + "_bytes": measure.received(got, level)
                                           for level in ("internode", "intranode")},
           "first_call_seconds": "%.4f" % got["first_call_seconds"]}
    seconds = got["seconds"]
    if seconds["multiply"]:  # Tpetra's product is not cut into parts
        row.update({"seconds_" + p: "%.6f" % seconds[p]["median"] for p in measure.PHASES if seconds.get(p)})
        row["seconds_multiply"] = "%.6f" % seconds["multiply"]["max"]
        ways = seconds["import"]["median"] + seconds["export"]["median"]
        row["import_export_share"] = "%.3f" % (ways / seconds["total"]["median"])
    return row


def products(part, prefix, spec, algorithms, wanted, *options):
    """(median seconds, how many, the driver's JSON with its command) of each algorithm, which take turns: two process
    runs each, of `wanted` products in all. Where a product takes longer than 1 s, only 5 are measured."""
    times, last = {a: [] for a in algorithms}, {}
    for sweep, algorithm in measure.turns(2, algorithms):
        known = times[algorithm]
        if sweep == 0:
            repeat = 2 if algorithm == "tpetra" else max(2, wanted // 4)
        elif not known:
            continue
        else:
            repeat = max(1, 5 - len(known)) if statistics.median(known) > 1 else wanted - len(known)
        got, words = part.driver(prefix, "--A=" + spec, "--algorithm=" + algorithm, "--warmup=1",
                                 "--repeat=%d" % repeat, *options)
        if isinstance(got, str):
            part.add(A=short(spec), algorithm=algorithm, error=got, command=words)
            last.pop(algorithm, None)
        else:
            known += got["total_seconds"]
            last[algorithm] = {**got, "command": words}
    return {a: (statistics.median(times[a]), len(times[a]), last[a]) for a in algorithms if a in last}


def add_products(part, spec, found, **columns):
    base = found.get("tpetra", (None,))[0]
    for algorithm, (seconds, count, got) in found.items():
        part.add(**columns, A=short(spec), algorithm=algorithm, ranks=got["ranks"], seconds="%.6f" % seconds,
                 median_of=count, tpetra_over_this="%.2f" % (base / seconds) if base else "", **columns_of(got),
                 command=got["command"])


def matrices(part, more=()):
    """Those for which there is time."""
    return (spec for spec in [*part.args.matrices, *more] if part.has_time(spec))


def end_to_end(part):
    gpus = part.args.gpus
    for spec in matrices(part):
        add_products(part, spec, products(part, mpirun(part.args, gpus), spec, ("trident", "tpetra"), part.args.repeat,
                                          "--ranks-per-node=%d" % gpus))


def local_kernels(part, spec):
    """What Trident_LocalKernels.exe says of the whole matrix on one GPU, line by line; run once a matrix."""
    known, exe = part.args.local_kernels, program(part.args, "Trident_LocalKernels")
    if not os.path.exists(exe):
        part.skip(spec, "no Trident_LocalKernels.exe in %s" % part.args.bin)
    elif spec not in known:
        status, text = part.run([*mpirun(part.args, 1), exe, "--repeat", "7", spec], 60)
        lines = measure.json_lines(text)
        if status is None:
            part.count(spec, NO_TIME if text == NO_TIME else "ended after its time")
            return lines  # not kept: the next part may have the time for all of it
        known[spec] = lines
        part.count(spec, "a check failed, or a kernel: " + " ".join(text.split())[-300:] if status else "")
    return known.get(spec, [])


def one_gpu(part):
    """Trident on one rank against the bare kernels, and its multiply part on all GPUs against one."""
    for spec in matrices(part):
        lines = [got for got in local_kernels(part, spec) if "seconds" in got]
        bare = {got["by"]: got["seconds"] for got in lines if got["step"] == "product"}
        in_order = [bare[kernel] + got["seconds"] for got in lines if got["step"] == "sort"
                    for kernel in bare if got["by"].startswith(kernel + " ")]
        best, ordered = min(bare.values(), default=None), min(in_order, default=None)
        for ranks in (1, part.args.gpus):
            found = products(part, mpirun(part.args, ranks), spec, ("trident",), part.args.repeat,
                             "--ranks-per-node=%d" % ranks)
            for seconds, count, got in found.values():
                multiply = got["seconds"]["multiply"]["max"]
                part.add(A=short(spec), ranks=ranks, seconds="%.6f" % seconds, median_of=count,
                         seconds_multiply="%.6f" % multiply, **{"bare_" + k: "%.6f" % s for k, s in bare.items()},
                         bare_and_sort="%.6f" % ordered if ordered else "",
                         total_over_bare="%.2f" % (seconds / best) if best else "",
                         bare_over_multiply="%.2f" % (best / multiply) if best else "",
                         sorted_over_multiply="%.2f" % (ordered / multiply) if ordered else "",
                         command=got["command"])


def local(part):
    for spec in matrices(part, STENCILS):
        for got in local_kernels(part, spec):
            part.add(counted=False, **got)  # the program's status was counted


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
                    add_products(part, part.args.testbed_matrix, in_testbed(part, mps, rate=rate, mps=shared), rate=rate,
                                 mps=shared)
                finally:
                    subprocess.run([mpi.NETWORK, "down"], check=False, stdin=subprocess.DEVNULL, capture_output=True)


def in_testbed(part, server, **columns):
    """One run of three products of each algorithm, as products() has them."""
    spec, ranks, found = part.args.testbed_matrix, part.args.testbed_ranks, {}
    for algorithm in ("trident", "summa", "tpetra"):
        got, words = part.driver([mpi.NETWORK, "run", "4", str(ranks)], "--A=" + spec, "--algorithm=" + algorithm,
                                 "--warmup=1", "--repeat=3", "--ranks-per-node=%d" % ranks, limit=45,
                                 env=server.environment)
        if isinstance(got, str):
            part.add(**columns, A=spec, algorithm=algorithm, error=got, command=words)
        else:
            found[algorithm] = (statistics.median(got["total_seconds"]), 3, {**got, "command": words})
    return found


def reuse(part):
    """Numeric-only products of a plan against whole ones, and against Tpetra's reuse."""
    gpus = part.args.gpus
    for spec in part.args.matrices:
        for algorithm in ("trident", "tpetra"):
            if not part.has_time("%s, %s" % (spec, algorithm)):
                continue
            got, words = part.driver(mpirun(part.args, gpus), "--A=" + spec, "--algorithm=" + algorithm, "--warmup=1",
                                     "--repeat=3", "--reuse=%d" % (5 if algorithm == "trident" else 2),
                                     "--ranks-per-node=%d" % gpus)
            if isinstance(got, str):
                part.add(A=short(spec), algorithm=algorithm, error=got, command=words)
            else:
                full, again = (statistics.median(got[which]) for which in ("total_seconds", "reuse_seconds"))
                part.add(A=short(spec), algorithm=algorithm, full_seconds="%.6f" % full, reuse_seconds="%.6f" % again,
                         reuse_over_full="%.3f" % (again / full), command=words)


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
