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


def seconds_of(got):
    row = {"seconds_" + p: "%.6f" % got["seconds"][p]["median"] for p in measure.PHASES if got["seconds"].get(p)}
    if got["seconds"]["multiply"]:  # Tpetra's product is not cut into parts
        row["seconds_multiply"] = "%.6f" % got["seconds"]["multiply"]["max"]
    return row


def describe(got):
    return {"grid": measure.grid(got), "exchange": got["exchange"], "gather": got["gather"],
            "kernel": got["kernel"], "nnzA": got["nnzA"], "nnzC": got["nnzC"], "flops": measure.flops(got),
            "internode_bytes": measure.received(got, "internode"),
            "intranode_bytes": measure.received(got, "intranode"),
            "first_call_seconds": "%.4f" % got["first_call_seconds"]}


def products(part, prefix, spec, algorithms, wanted, options=(), slow=1.0, limit=60):
    """Median seconds of each algorithm, which take turns: two process runs each, of `wanted` products in all.

    Where a product takes longer than `slow` s, only 5 are measured.
    """
    times = {a: [] for a in algorithms}
    last = {}
    for sweep in range(2):
        for algorithm in algorithms:
            known = times[algorithm]
            repeat = max(2, wanted // 4) if sweep == 0 else wanted - len(known)
            if sweep == 0 and algorithm == "tpetra":
                repeat = 2
            elif known and statistics.median(known) > slow:
                repeat = max(1, 5 - len(known))
            if isinstance(last.get(algorithm), str):
                continue
            last[algorithm], words = part.driver(prefix, "--A=" + spec, "--algorithm=" + algorithm, "--warmup=1",
                                                 "--repeat=%d" % repeat, *options, limit=limit)
            if isinstance(last[algorithm], str):
                part.add(A=short(spec), algorithm=algorithm, error=last[algorithm], command=words)
            else:
                times[algorithm] += last[algorithm]["total_seconds"]
                last[algorithm]["command"] = words
    return {a: (statistics.median(times[a]), len(times[a]), last[a]) for a in algorithms
            if times[a] and not isinstance(last[a], str)}


def add_products(part, spec, found, **columns):
    base = found.get("tpetra", (None,))[0]
    for algorithm, (seconds, count, got) in found.items():
        row = {**columns, "A": short(spec), "algorithm": algorithm, "ranks": got["ranks"],
               "seconds": "%.6f" % seconds, "median_of": count,
               "tpetra_over_this": "%.2f" % (base / seconds) if base else ""}
        row.update(describe(got))
        if algorithm != "tpetra":
            row.update(seconds_of(got))
            ways = sum(got["seconds"][p]["median"] for p in ("import", "export"))
            row["import_export_share"] = "%.3f" % (ways / got["seconds"]["total"]["median"])
        part.add(**row, command=got["command"])


def end_to_end(part):
    gpus = part.args.gpus
    for spec in part.args.matrices:
        if part.left() < 5:
            part.skip(spec, NO_TIME)
            continue
        found = products(part, mpirun(part.args, gpus), spec, ("trident", "tpetra"), part.args.repeat,
                         ["--ranks-per-node=%d" % gpus])
        add_products(part, spec, found)


def local_kernels(part, spec):
    """What Trident_LocalKernels.exe says of the whole matrix on one GPU, line by line; run once a matrix."""
    known = part.args.local_kernels
    if not os.path.exists(program(part.args, "Trident_LocalKernels")):
        part.skip(spec, "no Trident_LocalKernels.exe in %s" % part.args.bin)
    elif spec not in known:
        command = [*mpirun(part.args, 1), program(part.args, "Trident_LocalKernels"), "--repeat", "7", spec]
        status, text = part.run(command, 60)
        lines = measure.json_lines(text)
        if status is None:
            part.count(spec, NO_TIME if text == NO_TIME else "ended after its time")
            return lines  # not kept: the next part may have the time for all of it
        known[spec] = lines
        if status:
            part.fail(spec, "a check failed, or a kernel: " + " ".join(text.split())[-300:])
        else:
            part.count(spec, "")
    return known.get(spec, [])


def one_gpu(part):
    """Trident on one rank against the bare kernels, and its multiply part on all GPUs against one."""
    for spec in part.args.matrices:
        if part.left() < 5:
            part.skip(spec, NO_TIME)
            continue
        lines = [got for got in local_kernels(part, spec) if "seconds" in got]
        bare = {got["by"]: got["seconds"] for got in lines if got["step"] == "product"}
        in_order = [bare[kernel] + got["seconds"] for got in lines if got["step"] == "sort"
                    for kernel in bare if got["by"].startswith(kernel + " ")]
        best, ordered = min(bare.values(), default=None), min(in_order, default=None)
        for ranks in (1, part.args.gpus):
            found = products(part, mpirun(part.args, ranks), spec, ("trident",), part.args.repeat,
                             ["--ranks-per-node=%d" % ranks])
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
    for spec in part.args.matrices + STENCILS:
        if part.left() < 5:
            part.skip(spec, NO_TIME)
            continue
        for got in local_kernels(part, spec):
            part.add(counted=False, **got)  # the program's status was counted


def testbed(part):
    """Four nodes of some ranks, behind slow ports. All nodes have the same GPUs."""
    ranks = part.args.testbed_ranks
    if os.geteuid() != 0:
        part.skip("all", "needs root")
        return
    if not shutil.which("ip") or not shutil.which("tc"):
        part.skip("all", "ip and tc are missing: install iproute2")
        return
    for wanted, rate in ((True, "10gbit"), (True, "1gbit"), (False, "10gbit"), (False, "1gbit")):
        with Mps(wanted) as mps:
            if (wanted and not mps.runs) or part.left() < 10:
                part.skip("%s, MPS %s" % (rate, "on" if wanted else "off"),
                          "MPS does not run" if wanted and not mps.runs else NO_TIME)
                continue
            try:
                status, text = part.run([mpi.NETWORK, "up", "4", rate], 30)
                if status != 0:
                    part.fail("all", "no network: " + " ".join(text.split())[-200:])
                    return
                found = {}
                for algorithm in ("trident", "summa", "tpetra"):
                    got, words = part.driver([mpi.NETWORK, "run", "4", str(ranks)], "--A=" + part.args.testbed_matrix,
                                             "--algorithm=" + algorithm, "--warmup=1", "--repeat=3",
                                             "--ranks-per-node=%d" % ranks, limit=45, env=mps.environment)
                    if isinstance(got, str):
                        part.add(rate=rate, mps="on" if wanted else "off", A=part.args.testbed_matrix,
                                 algorithm=algorithm, error=got, command=words)
                    else:
                        got["command"] = words
                        found[algorithm] = (statistics.median(got["total_seconds"]), 3, got)
                add_products(part, part.args.testbed_matrix, found, rate=rate, mps="on" if wanted else "off")
            finally:
                subprocess.run([mpi.NETWORK, "down"], check=False, stdin=subprocess.DEVNULL, capture_output=True)


def reuse(part):
    """Numeric-only products of a plan against whole ones, and against Tpetra's reuse."""
    if "--reuse" not in subprocess.run([program(part.args, "Trident_SpGEMM"), "--help"], check=False,
                                       capture_output=True, text=True).stdout:
        part.skip("all", "this driver has no --reuse")
        return
    gpus = part.args.gpus
    for spec in part.args.matrices:
        for algorithm in ("trident", "tpetra"):
            if part.left() < 5:
                part.skip("%s, %s" % (spec, algorithm), NO_TIME)
                continue
            got, words = part.driver(mpirun(part.args, gpus), "--A=" + spec, "--algorithm=" + algorithm, "--warmup=1",
                                     "--repeat=3", "--reuse=%d" % (5 if algorithm == "trident" else 2),
                                     "--ranks-per-node=%d" % gpus)
            if isinstance(got, str):
                part.add(A=short(spec), algorithm=algorithm, error=got, command=words)
                continue
            full, again = statistics.median(got["total_seconds"]), got.get("reuse_seconds")
            part.add(A=short(spec), algorithm=algorithm, full_seconds="%.6f" % full,
                     reuse_seconds="%.6f" % statistics.median(again) if again else "",
                     reuse_over_full="%.3f" % (statistics.median(again) / full) if again else "", command=words)


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
        row.update({"%s_bytes" % k: int(peaks[k][worst]) for k in ("device_allocated_peak", "slices", "tile",
                                                                     "result")})
        part.add(counted=False, **row, nnzC=got["nnzC"], vector_error=got["vector_error"], command=words)
        part.count(spec, "no exception" if fails else "")
