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
ENTRY, OFFSET = 12, 8  # bytes of a column and a value; of a row's begin
COLUMNS = ["machine", "cores", "usable", "commit", "binding", "A", "threads", "way", "sweep", "products", "seconds",
           "rows", "nnzA", "nnzC", "multiply_adds", "least_bytes", "most_bytes",
           *("seconds_" + phase for phase in measure.PHASES), "kernel", "entries", "zeros", "bilinear", "absolute",
           "error", "command", "campaign"]


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


def run_one(args, A, threads, way, of_trident):
    """A row. What another library does not count, the product of Trident has told: it is the same."""
    count = 1 if way == "Tpetra" else args.products
    row, got = products.run(way, A, count, mpi.mpirun(1, args.allow_run_as_root), environment(args, threads),
                            args.build, args.seconds)
    if row["error"]:
        return row
    if way == "Trident":
        of_trident[A] = {name: got[name] for name in ("rows", "nnzA", "nnzC", "multiply_adds")}
        row["kernel"] = got["kernel"]
        row.update({"seconds_" + phase: got["seconds"][phase]["median"] for phase in measure.PHASES})
    known = of_trident.get(A)
    if known:
        row.update(known, **bytes_of(**known))
    return row


def matrix_bytes(rows, entries):
    return ENTRY * entries + OFFSET * (rows + 1)


def bytes_of(rows, nnzA, nnzC, multiply_adds):
    """Least: A read as either factor, C written. Most: for each entry of A a row of B from memory, its offsets too."""
    a, c = matrix_bytes(rows, nnzA), matrix_bytes(rows, nnzC)
    return {"least_bytes": 2 * a + c, "most_bytes": a + ENTRY * multiply_adds + 2 * OFFSET * nnzA + c}


def run_all(args, tally):
    """The sweeps, until they or the time are over; two files get a line for each run."""
    until = time.monotonic() + 60 * args.minutes
    ways = list(products.those_built(args.ways, args.build, tally))
    first, of_trident = {}, {}  # of a matrix: the row whose sums the others are compared with; what its product has
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
                row = {**run_one(args, A, threads, way, of_trident), "threads": threads, "sweep": sweep}
                if not row["error"]:
                    row["error"] = products.difference(row, first.setdefault(A, row))
                file.row(row)
                tally.tell("%s, sweep %d" % (what, sweep), row["error"], "%.4g s" % row.get("seconds", 0))


def write_table(rows, triads, file):
    print("%(machine)s, %(cores)s CPUs of which %(usable)s may be used, OMP_PROC_BIND=%(binding)s, commit %(commit)s\n\n"
          "    %(campaign)s\n" % rows[0], file=file)
    rate = {threads: measure.median(tables.number(r, "bytes_per_second") for r in of)
            for (threads,), of in tables.grouped(triads, "threads").items()}
    write_seconds(rows, list(dict.fromkeys(r["way"] for r in rows)), rate, file)
    write_phases([r for r in rows if r["way"] == "Trident" and not r["error"]], file)


def write_seconds(rows, ways, rate, file):
    print("Seconds of A·A on one rank, end to end: medians of the runs. In brackets: times faster than on the fewest\n"
          "threads. Memory: what the triad reached, and times more than on the fewest threads. Share: of the triad's\n"
          "time for the bytes that Trident's product must move at least, and for those where each row of B that it\n"
          "uses comes from memory, in Trident's time.\n", file=file)
    table = tables.Markdown("A", "threads", *ways, "memory, GB/s", "share, least", "share, most", "failed", file=file)
    start = {}  # by matrix and way: seconds on the fewest threads
    for A, threads, case in ((A, threads, case) for (A,), mine in tables.grouped(rows, "A").items()
                             for (threads,), case in tables.grouped(mine, "threads").items()):
        good = [r for r in case if not r["error"]]
        seconds = {way: measure.median(tables.number(r, "seconds") for r in good if r["way"] == way) for way in ways}
        for way in ways:
            start.setdefault((A, way), seconds[way])
        here = rate.get(threads)
        table.row(A, threads, *(cell(seconds[way], measure.quotient(start[A, way], seconds[way])) for way in ways),
                  cell(here and here / 1e9, measure.quotient(here, next(iter(rate.values()), None))),
                  *(share(good, name, here, seconds.get("Trident")) for name in ("least_bytes", "most_bytes")),
                  len(case) - len(good))


def cell(value, times):
    return tables.cell(value, "%.3g") + ("" if value is None or times is None else " (%.1f)" % times)


def share(rows, name, rate, seconds):
    known = next((tables.number(r, name) for r in rows if r[name]), None)
    return tables.cell(known / rate / seconds if known and rate and seconds else None, "%.2f")


def write_phases(rows, file):
    """Which part of Trident's product takes how long: what does not shrink with threads shows."""
    if rows:
        print("\nTrident's phases, seconds, medians of the runs.\n", file=file)
        table = tables.Markdown("A", "threads", *(p.replace("_", " ") for p in measure.PHASES), file=file)
        for key, case in tables.grouped(rows, "A", "threads").items():
            table.row(*key, *(tables.cell(measure.median(tables.number(r, "seconds_" + p) for r in case), "%.3g")
                              for p in measure.PHASES))


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
