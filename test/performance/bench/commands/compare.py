# SPDX-License-Identifier: BSD-3-Clause
"""Products A·B by Trident, SUMMA and Tpetra side by side.

  measure compare --A er:n=20000,d=8 --B A restriction --ranks 8x2 16x4 --rates 100mbit --output DIR -- --grid=square

It writes a CSV, a Markdown table and a plot, and prints the ratios of times, end to end.

--ranks lists RANKSxRANKS_PER_NODE. With --rates every run is made in the network of two_level_network, which needs
root; without, by plain mpirun on this host. Options after -- go to the driver. The algorithms are interleaved: one
sweep runs each of them once on a problem, and sweeps are repeated. With --weak a problem grows with the ranks: --A has
a matrix for each of --ranks, and again so many for a second problem. DIR gets runs.csv, table.md and scaling-*.png; the
plot is skipped where pandas or matplotlib is missing. The exit status is 1 where a run failed or was not verified.
doc/results/columns.md explains the columns.
"""
import argparse
import collections
import os

from .. import facts, measure, mpi, options, tables
from ..measure import PARTS, PHASES, quotient
from ..tables import cell, grouped, mega, number

ALGORITHMS = ("trident", "summa", "tpetra")
NAMES = {"trident": "Trident", "summa": "Sparse SUMMA", "tpetra": "Tpetra"}

Case = collections.namedtuple("Case", "network ranks ranks_per_node problem A B")

COLUMNS = (["machine", "cores", "commit", "rate", "nodes", "ranks_per_node", "ranks", "problem", "A", "B", "algorithm",
            "sweep", "products", "grid", "exchange", "gather", "kernel", "rows", "inner", "cols", "nnzA", "nnzB", "nnzC",
            "flops", "seconds_total", "seconds_multiply"]
           + ["seconds_" + phase for phase in PHASES]
           + ["%s_%s_bytes" % (level, part) for level in ("internode", "intranode") for part in PARTS]
           + ["internode_bytes_per_rank", "first_call_seconds", "verified", "reasons", "error", "command", "campaign"])


def run_one(args, case, algorithm):
    """One process run: one product to warm up, then --products measured ones. Returns its row."""
    launcher, env = mpi.start(case.network, case.ranks, case.ranks_per_node, args.allow_run_as_root)
    done = measure.driver(launcher, args.driver, "--A=" + case.A, "--B=" + case.B, "--algorithm=" + algorithm,
                          "--warmup=1", "--ranks-per-node=%d" % case.ranks_per_node, "--repeat=%d" % args.products,
                          *args.options, seconds=args.seconds, env=env)
    row = {"rate": case.network.rate if case.network else "", "ranks": case.ranks, "ranks_per_node": case.ranks_per_node,
           "nodes": case.ranks // case.ranks_per_node, "problem": case.problem, "A": facts.short(case.A),
           "B": facts.short(case.B), "algorithm": algorithm, "products": args.products, "command": done.command}
    if done.got:
        row.update(measured(done.got))
    if done.error:
        row["error"] = done.error
    return row


def measured(got):
    """The columns that come from the driver's JSON. Tpetra's product has no grid and is not cut into parts, and its
    bytes are not known where A is transposed."""
    row = {key: got.get(key) for key in ("exchange", "gather", "kernel", "rows", "inner", "cols", "nnzA", "nnzB",
                                         "nnzC", "first_call_seconds", "verified", "reasons")}
    seconds = got["seconds"]
    row.update(flops=measure.flops(got), grid=measure.grid(got), seconds_total=seconds["total"]["max"],
               seconds_multiply=(seconds["multiply"] or {}).get("max"))
    row.update({"seconds_" + phase: seconds[phase]["median"] for phase in PHASES if seconds.get(phase)})
    if got["bytes"]:
        row.update({"%s_%s_bytes" % (level, part): measure.received(got, level, [part])
                    for level in got["bytes"] for part in PARTS},
                   internode_bytes_per_rank=measure.received(got, "internode") / got["ranks"])
    return row


def cases_of(args, network):
    count = len(args.ranks)
    for n, (ranks, per_node) in enumerate(args.ranks):
        for k, A in enumerate(args.A[n::count] if args.weak else args.A):
            problem = measure.WEAK + "from " + facts.short(args.A[k * count]) if args.weak else facts.short(A)
            for B in args.B:
                yield Case(network, ranks, per_node, problem, A, B)


def run_case(args, case, file, tally):
    """The sweeps of one problem."""
    for sweep, algorithm in measure.turns(args.repeat, args.algorithms):
        row = {**run_one(args, case, algorithm), "sweep": sweep}
        file.row(row)
        what = "%s ranks, %s a node, %s, %s * %s, %s, sweep %d" % (
            row["ranks"], row["ranks_per_node"], row["rate"] or "this host", row["A"], row["B"], algorithm, sweep)
        tally.tell(what, row.get("error"), "%.3f s" % row.get("seconds_total", 0))


def run_all(args, tally):
    always = {**facts.of_results(args.commit), "campaign": facts.this_command()}
    nodes = max(ranks // per_node for ranks, per_node in args.ranks)
    with tables.Csv(os.path.join(args.output, "runs.csv"), COLUMNS, always) as file:
        for rate in args.rates or [""]:
            with mpi.network_of(nodes, rate) as network:
                for case in cases_of(args, network):
                    run_case(args, case, file, tally)


def median(rows, column):
    return measure.median(number(r, column) for r in rows if not r["error"])


def cases(rows):
    """Yields A, B, rate, ranks and nodes of each case, and the rows of its algorithms: {algorithm: rows}."""
    for key, case in grouped(rows, "problem", "A", "B", "rate", "ranks", "nodes").items():
        by = {name: [r for r in case if r["algorithm"] == name] for name in ALGORITHMS}
        yield key[1:], {name: mine for name, mine in by.items() if mine}


def over_trident(by, algorithm, column):
    """Median of an algorithm over Trident's, both of the sweeps of this one problem."""
    return quotient(median(by[algorithm], column), median(by.get("trident", []), column))


def write_table(rows, file):
    print("%(machine)s, %(cores)s cores, commit %(commit)s\n\n    %(campaign)s\n" % rows[0], file=file)
    print("Medians of %d interleaved runs. Seconds of the slowest rank; payload bytes that the rounds of a product receive "
          "between nodes, all ranks.\n" % len({r["sweep"] for r in rows}), file=file)
    table = tables.Markdown("A", "B", "rate", "ranks", "nodes", "algorithm", "grid", "on the grid, s", "/ Trident",
                            "end to end, s", "/ Trident", "efficiency", "rounds, MB", "/ Trident", "failed", file=file)
    for (A, B, rate, ranks, nodes), by in cases(rows):
        for algorithm, mine in by.items():
            cells = []
            for column, show in (("seconds_multiply", cell), ("seconds_total", cell), ("internode_rounds_bytes", mega)):
                cells += [show(median(mine, column)), cell(over_trident(by, algorithm, column), "%.2f")]
            cells.insert(4, cell(efficiency(rows, mine), "%.2f"))
            grid = next((r["grid"] for r in mine if r["grid"]), "-")
            table.row(A, B, rate or "-", ranks, nodes, NAMES[algorithm], grid, *cells, sum(bool(r["error"]) for r in mine))


def print_ratios(rows):
    """How many times as long as Trident each other algorithm took, end to end: what one wants to know first."""
    for (A, B, rate, ranks, _), by in cases(rows):
        for algorithm in by:
            took = over_trident(by, algorithm, "seconds_total")
            if took is not None and algorithm != "trident":
                print("%s x %s, %s ranks%s: %s / Trident = %.2f" % (
                    A, B, ranks, ", " + rate if rate else "", NAMES[algorithm], took))


def efficiency(rows, mine):
    """Of one problem, rate and algorithm: against its run with the fewest ranks of all."""
    same = ("problem", "B", "rate", "algorithm", "ranks_per_node")
    found = [r for r in rows if all(r[c] == mine[0][c] for c in same)]
    fewest = min(int(r["ranks"]) for r in found)
    base = median([r for r in found if int(r["ranks"]) == fewest], "seconds_total")
    now = median(mine, "seconds_total")
    if base is None or now is None:
        return None
    return measure.efficiency(mine[0]["problem"], fewest, base, int(mine[0]["ranks"]), now)


def ranks_and_node(text):
    try:
        ranks, per_node = (int(n) for n in text.split("x"))
        if ranks < 1 or per_node < 1 or ranks % per_node:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError("%r is not RANKSxRANKS_PER_NODE, whole nodes" % text) from None
    return ranks, per_node


def add_arguments(parser):
    parser.add_argument("--A", nargs="+", help="matrices: files or generators, as the driver takes them")
    parser.add_argument("--B", nargs="+", default=["A"], help="A, restriction, or matrices (default: A)")
    parser.add_argument("--algorithms", nargs="+", default=list(ALGORITHMS), choices=ALGORITHMS)
    parser.add_argument("--ranks", nargs="+", type=ranks_and_node, default=[(16, 4)], metavar="RANKSxRANKS_PER_NODE")
    parser.add_argument("--products", type=int, default=1, help="measured products of one run (default: 1)")
    parser.add_argument("--weak", action="store_true", help="--A has a matrix for each of --ranks")
    options.add(parser, "rates", "driver", "seconds", "allow_run_as_root", "commit", "plot_only", repeat=5,
                output="comparison")


def check(args):
    if not args.plot_only and not args.A:
        args.error("--A is missing")
    if not args.plot_only and not os.access(args.driver, os.X_OK):
        args.error("%s is not there: build it, or say --driver" % args.driver)
    if args.weak and not args.plot_only and len(args.A) % len(args.ranks):
        args.error("--weak wants a matrix for each of --ranks")
    if min(args.repeat, args.products) < 1:
        args.error("--repeat and --products are at least 1")


def run(args, tally):
    check(args)
    measure.make_output(args.output)
    runs = os.path.join(args.output, "runs.csv")
    if not args.plot_only:
        run_all(args, tally)
    rows = tables.read_csv(runs)
    with tables.open_table(args.output) as file:
        write_table(rows, file)
    print_ratios(rows)
    again = "" if args.plot_only else "compare --plot-only --output=" + args.output
    measure.draw(tally, again, "comparison", runs, args.output, NAMES)
