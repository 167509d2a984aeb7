# SPDX-License-Identifier: BSD-3-Clause
"""A·A or R·A·P by Trident, Tpetra, hypre, PETSc and CombBLAS, on hosts or on GPUs.

  measure peers --A er:n=200000,d=16 cage10.mtx.gz --ranks 1 4 --repeat 5 --output DIR
  measure peers --galerkin --A laplace3d:n=50 brick3d:n=40 elastic:n=20 --ranks 1 4 --repeat 5 --output DIR
  measure peers --gpus --programs BIN [BIN ...] --A brick3d:n=112 rmat:scale=18,d=8 --ranks 1 4 --output DIR

--galerkin forms R·A·P, R = P', P a smoothed prolongator on aggregates of A, in the place of A·A, and again with other
values. There elastic:n=N is a matrix, too: brick3d:n=N with three rows a node, and six columns of P an aggregate.

Every library has the same matrices, with the same rows on each rank. The ways take turns: one sweep runs each of them
once, in a process of its own, and sweeps are repeated. Checksums of C are compared: one that differs has failed. DIR
gets peers.csv and table.md. Needs a build with Trident_ENABLE_PEERS=ON; what was not built is skipped.
doc/results/columns.md says what each library leaves undone.

--gpus takes the programs that multiply on GPUs, one for each rank: Trident's of a build with CUDA, and those that
gpu_peers/README.md says how to build. They read files that Trident's write to --files. Ways of one program share a
process there.
"""
import math
import os

from .. import facts, measure, mpi, options, products, tables
from ..products import GALERKIN_ON_GPUS, OF_GALERKIN, WAYS, WAYS_ON_GPUS, Files, Shared

COLUMNS = ["machine", "cores", "GPUs", "commit", "ranks", "product", "A", "way", "sweep", "products", "seconds", "entries",
           "zeros", "bilinear", "absolute", "error", "command", "campaign"]


def run_one(args, A, ranks, way, shared):
    """A row: the median of a process's products, and the sums of C."""
    row = products.run(way, A, args.products, mpi.mpirun(ranks, args.allow_run_as_root), mpi.environment(ranks),
                       args.build, args.seconds, args.all_ways, args.written, args.more, shared)
    return {"ranks": ranks, "product": args.product, **row}


def run_all(args, tally):
    always = {**facts.of_results(args.commit), "GPUs": facts.device() if args.gpus else "",
              "campaign": facts.this_command()}
    ways = list(products.those_built(args.ways, args.build, tally, args.all_ways))
    with tables.Csv(os.path.join(args.output, "peers.csv"), COLUMNS, always) as file:
        for A in args.A:
            for ranks in args.ranks:
                run_problem(args, A, ranks, ways, file, tally)


def run_problem(args, A, ranks, ways, file, tally):
    for way in ways:
        no_square = way == "CombBLAS" and math.isqrt(ranks) ** 2 != ranks
        if no_square or ranks > (args.all_ways[way].most or ranks):
            tally.skip("%s, %d ranks, %s" % (A, ranks, way),
                       "it needs a square number of ranks" if no_square else "it has one GPU")
            ways = [other for other in ways if other != way]
    first = None  # whose sums the others are compared with
    shared = [Shared() if args.gpus else None for _ in range(args.repeat)]
    for sweep, way in measure.turns(args.repeat, ways):
        row = {**run_one(args, A, ranks, way, shared[sweep]), "sweep": sweep}
        if not row["error"]:
            first = first or row
            row["error"] = products.difference(row, first)
        file.row(row)
        tally.tell("%s, %d ranks, %s, sweep %d" % (row["A"], ranks, way, sweep), row["error"],
                   "%.4g s" % row.get("seconds", 0))


def write_table(rows, file):
    ways, gpus = list(dict.fromkeys(r["way"] for r in rows)), rows[0]["GPUs"]
    print("%(machine)s, %(cores)s cores%(gpus)s, commit %(commit)s\n\n    %(campaign)s\n"
          % {**rows[0], "gpus": ", " + gpus if gpus else ""}, file=file)
    print("Seconds of the slowest rank: medians of %d interleaved process runs, of the median of %s products each.\n"
          "In brackets: seconds / Trident's. Zeros: entries of C that are stored with value 0.\n"
          % (len({r["sweep"] for r in rows}), rows[0]["products"]), file=file)
    if rows[0]["product"] == "R·A·P":
        print("C = R·A·P, R = P', P smoothed on aggregates of A. Plans, reuse: other values, C's structure is known.\n",
              file=file)
    table = tables.Markdown("A", "ranks", *ways, "entries of C", "zeros", "checksums", file=file)
    for key, case in tables.grouped(rows, "A", "ranks").items():
        good = [r for r in case if not r["error"]]
        seconds = {way: measure.median(tables.number(r, "seconds") for r in good if r["way"] == way) for way in ways}
        table.row(*key, *(tables.cell(seconds[way], "%.3g") + (
            " (%.2f)" % (seconds[way] / seconds["Trident"]) if seconds[way] and seconds.get("Trident") else "")
            for way in ways), by_way(good, "entries"), by_way(good, "zeros"),
                  "alike" if len(good) == len(case) else "%d of %d runs FAILED" % (len(case) - len(good), len(case)))


def by_way(rows, column):
    """A count that is the same for all ways, or what each has."""
    ways = {}
    for count, way in dict.fromkeys((r[column], r["way"]) for r in rows):
        ways.setdefault(count, []).append(way)
    return "; ".join(count + (" (%s)" % ", ".join(of) if len(ways) > 1 else "") for count, of in ways.items()) or "-"


def add_arguments(parser):
    parser.add_argument("--A", nargs="+", help="square matrices: files or generators, as the driver takes them")
    parser.add_argument("--galerkin", action="store_true", help="R·A·P in the place of A·A")
    parser.add_argument("--ways", nargs="+", metavar="WAY", help="(default: all) of A·A: %s; of R·A·P: %s"
                        % ("; ".join(WAYS), "; ".join(OF_GALERKIN)))
    parser.add_argument("--products", type=int, default=3, help="measured products of one run (default: 3)")
    parser.add_argument("--gpus", action="store_true", help="programs that multiply on GPUs")
    parser.add_argument("--programs", nargs="+", metavar="FOLDER", help="where those of --gpus are")
    parser.add_argument("--files", help="folder of their matrices, which stay there (default: matrices in --output)")
    parser.add_argument("--device-mpi", action="store_true", help="PETSc and hypre hand memory of GPUs to MPI")
    options.add(parser, "build", "seconds", "commit", "plot_only", "allow_run_as_root", ranks=[1, 4], repeat=5,
                output="peers-results")


def check(args):
    if not args.plot_only and not args.A:
        args.error("--A is missing")
    if min(args.repeat, args.products, *args.ranks) < 1:
        args.error("--repeat, --products and --ranks are at least 1")
    on_gpus = (GALERKIN_ON_GPUS, WAYS_ON_GPUS) if args.gpus else (OF_GALERKIN, WAYS)
    args.product, args.all_ways = ("R·A·P", on_gpus[0]) if args.galerkin else ("A·A", on_gpus[1])
    args.ways = args.ways or list(args.all_ways)
    for way in set(args.ways) - set(args.all_ways):
        args.error("--ways: nothing forms %s by %r; there are %s"
                   % (args.product, way, ", ".join(map(repr, args.all_ways))))
    for A in args.A or []:
        if A.startswith("elastic:") and (args.gpus or not args.galerkin):
            args.error("%s is there for --galerkin alone, and not for --gpus" % A)
    if args.gpus and not args.programs:
        args.error("--gpus needs --programs")
    args.written, args.more = None, ["--device-mpi"] if args.device_mpi else []
    if args.gpus:
        args.build = args.programs
        args.written = Files(args.files or os.path.join(args.output, "matrices"),
                             mpi.mpirun(1, args.allow_run_as_root), args.build, args.seconds)


def run(args, tally):
    check(args)
    measure.make_output(args.output)
    runs = os.path.join(args.output, "peers.csv")
    if not args.plot_only:
        run_all(args, tally)
    rows = tables.read_csv(runs)
    if rows:
        with tables.open_table(args.output) as file:
            write_table(rows, file)
        tally.ok()
