# SPDX-License-Identifier: BSD-3-Clause
"""A·A on one rank by 1, 2, 4 … threads, by Trident, Tpetra and hypre, and what memory gives to as many.

  measure threads --threads 1 2 4 8 16 --minutes=4.5 --build=build-openmp --output=DIR

Needs programs with threads (doc/building.md, "With OpenMP"): of a build, or those beside this script in a bundle. The
ways take turns: one sweep runs each matrix by each way on each number of threads, once, in a process of its own; sweeps
follow until --repeat or the time is over. A triad of arrays is measured in each sweep on each number of threads.
Checksums of C are compared: one that differs has failed. DIR gets threads.csv, triad.csv and table.md.
doc/results/columns.md explains the columns.
"""
import os
import time

from .. import facts, measure, mpi, options, products, tables

WAYS = ("Trident", "Trident, plan", "Tpetra", "hypre")
MATRICES = ("er:n=200000,d=16", "rmat:scale=16,d=8", "laplace3d:n=100")
TRIAD = "Trident_Triad.exe"
COLUMNS = ["machine", "cores", "usable", "commit", "binding", "A", "threads", "way", "sweep", "products", "seconds",
           "entries", "zeros", "bilinear", "absolute", "error", "command", "campaign"]


def usable_cores():
    """CPUs that this process may use: by its mask, and by the quota of its control group."""
    allowed = float(len(os.sched_getaffinity(0)))
    for path, unlimited in (("/sys/fs/cgroup/cpu.max", "max"), ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")):
        try:
            with open(path, encoding="ascii") as file:
                words = file.read().split()
            period = words[1] if len(words) > 1 else "100000"
            if words[0] != unlimited:
                allowed = min(allowed, int(words[0]) / int(period))
        except (OSError, ValueError, IndexError):
            pass
    return allowed


def binding(args):
    """A thread on each core, far apart; but where others run on the same cores, the system chooses."""
    if args.bind != "auto":
        return args.bind
    return "spread" if usable_cores() >= len(os.sched_getaffinity(0)) else "false"


def environment(args, threads):
    more = {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": args.bind, "OMP_DYNAMIC": "false"}
    if args.bind != "false":
        more["OMP_PLACES"] = "cores"
    return mpi.environment(1, **more)


def run_triad(args, threads, sweep, tally):
    done = measure.run_json([], facts.program(TRIAD, args.build), [], args.seconds, environment(args, threads))
    what = "triad, %d threads, sweep %d" % (threads, sweep)
    got = tally.take(what, done)
    if got and got["threads"] != threads:
        tally.fail(what, "it ran on %d threads of %s" % (got["threads"], got["space"]))
        return None
    return got


def run_all(args, tally):
    """The sweeps, until they or the time are over; two files get a line for each run."""
    until = time.monotonic() + 60 * args.minutes
    ways = list(products.those_built(args.ways, args.build, tally))
    first = {}  # of a matrix: the row whose sums the others are compared with
    always = {**facts.of_results(args.commit), "usable": "%g" % usable_cores(), "binding": args.bind,
              "campaign": facts.this_command()}
    with tables.Csv(os.path.join(args.output, "threads.csv"), COLUMNS, always) as file, \
            tables.Csv(os.path.join(args.output, "triad.csv"), ["sweep", "threads", "bytes_per_second"]) as triad:
        for sweep, threads in measure.turns(args.repeat, args.threads):
            got = run_triad(args, threads, sweep, tally)
            if got:
                triad.row({"sweep": sweep, "threads": threads, "bytes_per_second": got["bytes_per_second"]})
            for A, way in ((A, way) for A in args.A for way in ways):
                what = "%s, %d threads, %s" % (facts.short(A), threads, way)
                if time.monotonic() >= until:
                    if sweep == 0:
                        tally.skip(what + " and all that follows", "no time left")
                    return
                row = products.run(way, A, 1 if way == "Tpetra" else args.products,
                                   mpi.mpirun(1, args.allow_run_as_root), environment(args, threads), args.build,
                                   args.seconds)
                row.update(threads=threads, sweep=sweep)
                if not row["error"]:
                    row["error"] = products.difference(row, first.setdefault(A, row))
                file.row(row)
                tally.tell("%s, sweep %d" % (what, sweep), row["error"], "%.4g s" % row.get("seconds", 0))


def write_table(rows, triads, file):
    print("%(machine)s, %(cores)s CPUs of which %(usable)s may be used, OMP_PROC_BIND=%(binding)s, commit %(commit)s\n\n"
          "    %(campaign)s\n" % rows[0], file=file)
    rate = {threads: measure.median(tables.number(r, "bytes_per_second") for r in of)
            for (threads,), of in tables.grouped(triads, "threads").items()}
    ways = list(dict.fromkeys(r["way"] for r in rows))
    print("Seconds of A·A on one rank, end to end: medians of the runs. In brackets: times faster than on the fewest\n"
          "threads. Memory: what the triad reached, and times more than on the fewest threads.\n", file=file)
    table = tables.Markdown("A", "threads", *ways, "memory, GB/s", "failed", file=file)
    start = {}  # by matrix and way: seconds on the fewest threads
    for (A, threads), case in tables.grouped(rows, "A", "threads").items():
        good = [r for r in case if not r["error"]]
        here, cells = rate.get(threads), []
        for way in ways:
            seconds = measure.median(tables.number(r, "seconds") for r in good if r["way"] == way)
            cells.append(cell(seconds, measure.quotient(start.setdefault((A, way), seconds), seconds)))
        table.row(A, threads, *cells, cell(here and here / 1e9, measure.quotient(here, next(iter(rate.values()), None))),
                  len(case) - len(good))


def cell(value, times):
    return tables.cell(value, "%.3g") + ("" if value is None or times is None else " (%.1f)" % times)


def add_arguments(parser):
    parser.add_argument("--A", nargs="+", default=list(MATRICES),
                        help="square matrices: files or generators, as the driver takes them (default: %(default)s)")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2, 4, 8, 16], help="(default: 1 2 4 8 16)")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--minutes", type=float, default=60, help="no run begins after that (default: 60)")
    parser.add_argument("--products", type=int, default=3, help="measured products of one run; Tpetra: 1 (default: 3)")
    parser.add_argument("--bind", default="auto", choices=("auto", "false", "spread", "close"),
                        help="OMP_PROC_BIND (default: spread, but false where a quota says that cores are shared)")
    options.add(parser, "build", "repeat", "seconds", "commit", "plot_only", "allow_run_as_root",
                output="threads-results")


def run(args, tally):
    if min(args.repeat, args.products, *args.threads) < 1:
        args.error("--repeat, --products and --threads are at least 1")
    args.bind = binding(args)
    measure.make_output(args.output)
    if not args.plot_only:
        run_all(args, tally)
    runs = os.path.join(args.output, "threads.csv")
    rows, triads = tables.read_csv(runs), tables.read_csv(os.path.join(args.output, "triad.csv"))
    if rows:
        with tables.open_table(args.output) as file:
            write_table(rows, triads, file)
        tally.ok()
