#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The evidence of a CUDA build, on a machine with GPUs, in under 8 minutes: CSV files, Markdown and plots.

  gpu [PART ...] --out=DIR [--source=DIR --trilinos=DIR] [--build=DIR | --bin=DIR] [--matrices FILE ...] [--minutes=8]

Parts: tests end-to-end one-gpu local testbed reuse memory sanitizer (default: these, in this order), ratios, nodes.
Each has a share of the minutes; what hangs or does not fit is ended and said so, and the others keep theirs. --build
names a CUDA build, whose programs run where they lie; --bin a folder of programs with tests.tsv, as in a bundle, where
it is the default.
--source names a checkout that is built first, with a Trilinos that has CUDA, in --build (default: build-cuda of the
checkout), before the minutes begin: what the parts need, and all where tests are among them. The testbed needs root.
The exit status is 1 where something failed; what was skipped, as by lack of time, is said and counted.
doc/results/columns.md explains the columns.
"""
import argparse
import glob
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from bench import cuda_build, facts, gpu_nodes, measure, mpi, node_tables, pages, ratios, tables  # beside this script
from bench.facts import short
from bench.gpu_tests import run_tests
from bench.mps import Mps
from bench.part import NO_TIME, Part, mpirun, program

# Shares of the time, so that one part cannot eat the rest. What a part leaves goes to the later ones.
SHARES = {"tests": 120, "end-to-end": 130, "one-gpu": 40, "local": 40, "testbed": 75, "reuse": 15, "memory": 35,
          "sanitizer": 25, "ratios": 400, "nodes": 600}
# What all parts run but tests, and what ratios run.
OF_RATIOS = ["Trident_Galerkin.exe", "Trident_Products.exe", "Trident_Expansion.exe", "Trident_MarkovClustering.exe"]
TARGETS = ["Trident_SpGEMM.exe", "Trident_LocalKernels.exe", *OF_RATIOS]
ALONE = {"ratios": OF_RATIOS, "nodes": gpu_nodes.TARGETS}  # parts that run only where they are asked for
# Sized so that Tpetra takes 0.2 to 5 s on four GPUs.
MATRICES = ["er:n=1000000,d=16", "rmat:scale=18,d=8", "brick3d:n=112"]
# hypre's published local products: 27 and 7 points in three dimensions, 9 and 5 in two.
STENCILS = ["brick3d:n=150", "laplace3d:n=200", "brick2d:n=4096", "laplace2d:n=4096"]


# --- products ---------------------------------------------------------------------------------------------

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


# --- one GPU ----------------------------------------------------------------------------------------------

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


# --- the two-level testbed --------------------------------------------------------------------------------

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


# --- reuse, memory, sanitizer -----------------------------------------------------------------------------

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


# racecheck warns of races inside Kokkos' own reductions of a warp, hundreds of times: its errors alone are shown.
SANITIZERS = {"memcheck": [], "racecheck": ["--print-level", "error"]}


def records_of(log):
    """compute-sanitizer's records, each a list of lines; an empty line of its own ends one."""
    lines = [line[len("========="):].strip() for line in log.splitlines() if line.startswith("=========")]
    return [record.split("\n") for record in "\n".join(lines).split("\n\n")]


def is_probe_of_nccl(record):
    """Whether a record is of NCCL 2.28 asking, in ncclCommInitRank, for kernels that it was not built with.

    Such a call of CUDA fails on purpose. It is NCCL's where the first frame outside CUDA's own libraries is.
    """
    hit = r"cudaErrorNoKernelImageForDevice .* on CUDA API call to cudaFuncGetAttributes"
    if not any(re.search(hit, line) for line in record):
        return False
    frames = [re.search(r"\bin (\S+?)[\])]*$", line) for line in record]
    places = [f.group(1) for f in frames if f and not re.search(r"lib(cuda|cudart)\.so", f.group(1))]
    return bool(places) and "libnccl" in places[0]


def is_race_of_cusparse(record):
    """Whether a record is of a race inside kernels of cuSPARSE alone, which Tpetra's product calls (--verify)."""
    accesses = [line for line in record if re.search(r"access at", line)]
    return any("Race reported" in line for line in record) and all("cusparse::" in line for line in accesses)


def counted(logs):
    """(errors by the summaries of compute-sanitizer, of them NCCL's probes and cuSPARSE's races, the summaries); each
    log is a rank's."""
    summaries = [s for log in logs for s in re.findall(r"(?:ERROR|RACECHECK) SUMMARY: .*", log)]
    errors = sum(int(n) for s in summaries for n in re.findall(r"(\d+) errors?\b", s))
    records = [record for log in logs for record in records_of(log)]
    return errors, sum(map(is_probe_of_nccl, records)), sum(map(is_race_of_cusparse, records)), summaries


def sanitizer(part):
    """The errors of memcheck and racecheck; the logs of the ranks are kept whole beside the results."""
    tool = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    if not tool:
        part.skip("all", "no compute-sanitizer")
        return
    for name, options in SANITIZERS.items():
        for ranks in (1, 2):
            stem = os.path.join(part.args.out, "sanitizer-%s-%d-" % (name, ranks))
            for old in glob.glob(glob.escape(stem) + "*.log"):
                os.remove(old)
            command = [*mpirun(part.args, ranks), tool, "--tool", name, *options, "--log-file", stem + "%p.log",
                       program(part.args, "Trident_SpGEMM"), "--quiet", "--A=er:n=500,d=6",
                       "--ranks-per-node=%d" % ranks, "--verify"]
            status, text = part.run(command, 60)
            logs = []
            for path in sorted(glob.glob(glob.escape(stem) + "*.log")):
                with open(path, errors="replace", encoding="utf-8") as file:
                    logs.append(file.read())
            errors, probes, races, summaries = counted(logs)
            errors -= probes + races
            whole = len(summaries) == ranks  # a rank that was ended has none, and nothing is known of it
            part.add(tool=name, ranks=ranks, status=status, errors=errors if whole else "",
                     probes_of_nccl=probes if whole else "", races_of_cusparse=races if whole else "",
                     summaries="; ".join(summaries),
                     command=shlex.join(command), counted=False)
            part.count("%s on %d ranks" % (name, ranks), NO_TIME if text == NO_TIME else
                       "a rank has no summary" if not whole else
                       "%d errors" % errors if errors else "")


# --- the command line -------------------------------------------------------------------------------------

PARTS = {"tests": run_tests, "end-to-end": end_to_end, "one-gpu": one_gpu, "local": local, "testbed": testbed,
         "reuse": reuse, "memory": memory, "sanitizer": sanitizer, "ratios": ratios.measure_ratios,
         "nodes": gpu_nodes.measure_nodes}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(PARTS))
    parser.add_argument("--source", help="a checkout to build first")
    parser.add_argument("--trilinos", help="where a Trilinos with CUDA is installed, for a new build")
    parser.add_argument("--build", help="a CUDA build, made with Ninja")
    parser.add_argument("--bin", help="a folder of programs with tests.tsv (default: this script's)")
    parser.add_argument("--out", default="gpu-results", help="folder (default: gpu-results)")
    parser.add_argument("--matrices", nargs="+", default=[], metavar="FILE",
                        help="matrices besides the generated ones, as the driver takes them")
    parser.add_argument("--only-matrices", action="store_true", help="none but those of --matrices")
    parser.add_argument("--test-ranks", type=int, nargs="+", choices=[1, 2, 4, 16], default=[1, 2, 4, 16],
                        help="of tests (default: all)")
    parser.add_argument("--only", metavar="REGEX", default="", help="of tests: those whose program and arguments match")
    parser.add_argument("--test-seconds", type=float, default=150,
                        help="a test that takes longer is ended, and has failed (default: 150)")
    parser.add_argument("--testbed-matrix", default="er:n=200000,d=16")
    parser.add_argument("--testbed-ranks", type=int, metavar="N", help="of a node (default: 4, or one a GPU if more)")
    parser.add_argument("--clustering-nodes", type=int, nargs="*", default=ratios.CLUSTERED, metavar="N",
                        help="of the graphs that ratios clusters, the last of which may find no time (default: %s)"
                        % " ".join(str(n) for n in ratios.CLUSTERED))
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--repeat", type=int, default=20, help="measured products (default: 20)")
    parser.add_argument("--gpus", type=int, default=len(facts.gpus()) or 4,
                        help="ranks of a node, one a GPU (default: %(default)s, the GPUs here)")
    parser.add_argument("--plot-only", action="store_true", help="the plots of an earlier run's CSV files again")
    parser.add_argument("--pages", nargs="+", default=[], metavar="FILE",
                        help="with --plot-only: pages that have texts and tables of ratios.csv or nodes.csv, which are written anew")
    gpu_nodes.add_options(parser)
    mpi.add_root_option(parser)
    parser.add_argument("--commit", help="what the results name, where the programs were not built here")
    args = parser.parse_args()
    if args.pages and not args.plot_only:
        parser.error("--pages goes with --plot-only")
    unknown = set(args.parts) - set(PARTS)
    if unknown:
        parser.error("%s is none of %s" % (" ".join(sorted(unknown)), " ".join(PARTS)))
    args.parts = [p for p in PARTS if p in args.parts] or [p for p in PARTS if p not in ALONE]
    args.ratio_matrices = ([] if args.only_matrices else ratios.PRODUCTS) + args.matrices
    args.matrices = ([] if args.only_matrices else MATRICES) + args.matrices
    args.testbed_ranks = args.testbed_ranks or max(4, args.gpus)
    args.local_kernels, args.programs = {}, {}
    if args.source and not args.build:
        args.build = os.path.join(args.source, "build-cuda")
    return args, parser


def write_markdown(args, known, parts):
    with open(os.path.join(args.out, "gpu.md"), "w", encoding="utf-8") as file:
        file.write("# On GPUs\n\n" + "".join("- %s: %s\n" % (k, v.replace("\n", "; ")) for k, v in known.items()))
        for part in parts:
            file.write("\n## %s\n\n- %s\n" % (part.name, part.tally.summary())
                       + "".join("- %s\n" % note for note in part.notes))
            rows = [r for r in part.rows if part.name != "tests" or r["result"] != "passed"]
            names = [n for n in tables.columns_of(rows) if n != "command"]
            if rows:
                file.write("\n")
                table = tables.Markdown(*(n.replace("_", " ") for n in names), file=file)
                for row in rows:
                    table.row(*(row.get(n, "") for n in names))


def plot(args, tally):
    """A picture of each CSV file that has one and lies in the folder of results."""
    figures = [name for name in ("end-to-end", "ratios") if os.path.exists(os.path.join(args.out, name + ".csv"))]
    if not figures:
        tally.skip("plots", "neither end-to-end.csv nor ratios.csv in " + args.out)
        return
    plots = measure.import_plots(tally, "" if args.plot_only and not args.pages else "gpu --plot-only --out=" + args.out)
    for name in figures if plots else []:
        path = os.path.join(args.out, name)
        drawn = plots.ratios(path + ".csv", path + ".svg") if name == "ratios" else \
            plots.end_to_end_of_gpus(path + ".csv", path + ".png", measure.PHASES)
        if drawn:
            tally.ok()
        else:
            tally.skip("plots", name + ".csv has no product of Trident")


def write_pages(args, tally):
    """The texts that pages have of ratios.csv, and of nodes.csv, whichever lies in the folder of results."""
    found = {name: tables.read_csv(os.path.join(args.out, name)) for name in ("ratios.csv", "nodes.csv")
             if os.path.exists(os.path.join(args.out, name))}
    if not found:
        tally.fail("pages", "neither ratios.csv nor nodes.csv in " + args.out)
    for path in args.pages if found else []:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "ratios.csv" in found:
            text = pages.rewritten(text, found["ratios.csv"], tables.read_csv(pages.HOSTS),
                                   tables.read_csv(pages.SETUPS))
        if "nodes.csv" in found:
            text = node_tables.rewritten(text, found["nodes.csv"])
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        tally.ok()


def measured_parts(args, built):
    """Runs the parts, each in its share of the time; writes what each found as soon as it is done."""
    began = time.monotonic()
    known, parts = {**facts.of_gpus(args.commit), **built}, []
    for n, name in enumerate(args.parts):
        left = 60 * args.minutes - 10 - (time.monotonic() - began)
        part = Part(args, name, left * SHARES[name] / sum(SHARES[p] for p in args.parts[n:]))
        parts.append(part)
        try:
            PARTS[name](part)
        except Exception as error:  # a part that breaks must not take the others with it
            part.fail("the rest", "broke off: %s: %s" % (type(error).__name__, error))
        if part.rows:
            tables.write_csv(os.path.join(args.out, part.name + ".csv"), part.rows)
        write_markdown(args, known, parts)
    return parts


def needed(args):
    """The programs that parts run, but tests."""
    return ALONE.get(args.parts[0], TARGETS) if len(args.parts) == 1 else TARGETS


def prepare(args, tally):
    """Finds the programs, which it builds first where it shall. What is to be said of the build."""
    said = {}
    if args.source:
        targets = [] if "tests" in args.parts else needed(args)
        try:
            said["build"], whole = cuda_build.build(args.source, args.build, args.trilinos, targets,
                                                    os.path.join(args.out, "build.log"))
        except cuda_build.CannotBuild as error:
            sys.exit("gpu: %s" % error)
        print("gpu: " + said["build"], flush=True)
        if not whole:
            tally.fail("build", said["build"])
    if args.build:
        args.build = os.path.realpath(args.build)
        args.programs = cuda_build.programs(args.build)
    args.bin = os.path.realpath(args.bin or mpi.FOLDER)
    return said


def main():
    args, parser = parse()
    tally = measure.Tally("gpu")
    if args.plot_only:
        if args.pages:
            write_pages(args, tally)
        plot(args, tally)
        return tally.status()
    os.makedirs(args.out, exist_ok=True)
    built = prepare(args, tally)
    first = needed(args)[0]
    if not os.path.exists(program(args, first[:-len(".exe")])):
        parser.error("there is no %s in %s: say --source, --build or --bin" % (first, args.build or args.bin))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    mpirun(args, 1)  # says so now where it cannot start any
    parts = measured_parts(args, built)
    plot(args, tally)
    for part in parts:
        tally.add(part.tally)
        print("%s: %s" % (part.name, part.tally.summary()), flush=True)
    return tally.status()


if __name__ == "__main__":
    measure.main_of("gpu", main)
