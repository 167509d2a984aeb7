# SPDX-License-Identifier: BSD-3-Clause
"""Products A·B by Trident, SUMMA and Tpetra side by side.

  measure compare --A er:n=20000,d=8 --B A restriction --ranks 8x2 16x4 --rates 100mbit --output DIR -- --grid=square

It writes a CSV, a Markdown table and plots, and prints the ratios of times, end to end.

--ranks lists RANKSxRANKS_PER_NODE. With --rates every run is made in the network of two_level_network, which needs
root; without, by plain mpirun on this host. Options after -- go to the driver. The algorithms are interleaved: one
sweep runs each of them once on a problem, and sweeps are repeated. With --weak a problem grows with the ranks: --A has
a matrix for each of --ranks, and again so many for a second problem. DIR gets runs.csv, table.md, scaling-*.png,
efficiency-*.png, breakdown-*.png and bytes-*.png; the plots are skipped where pandas or matplotlib is missing. The exit
status is 1 where a run failed or was not verified. doc/results/columns.md explains the columns.
"""
import argparse
import collections
import os
import statistics

from .. import facts, measure, mpi, options, tables
from ..measure import PARTS, PHASES, quotient
from ..tables import cell, grouped, mega, number

ALGORITHMS = ("trident", "summa", "tpetra")
NAMES = {"trident": "Trident", "summa": "Sparse SUMMA", "tpetra": "Tpetra"}

Case = collections.namedtuple("Case", "network ranks ranks_per_node problem A B")

COLUMNS = (["machine", "cores", "commit", "rate", "nodes", "ranks_per_node", "ranks", "problem", "A", "B", "algorithm",
            "measure", "sweep", "products", "grid", "exchange", "gather", "kernel", "rows", "inner", "cols", "nnzA",
            "nnzB", "nnzC", "flops", "seconds_total", "seconds_multiply"]
           + ["seconds_" + phase for phase in PHASES]
           + ["%s_%s_bytes" % (level, part) for level in ("internode", "intranode") for part in PARTS]
           + ["internode_bytes_per_rank", "port_received_bytes", "port_received_packets", "port_payload_bytes",
              "port_payload_per_product", "first_call_seconds", "verified", "reasons", "error", "command", "campaign"])


# --- running ----------------------------------------------------------------------------------------------

def run_one(args, case, algorithm, products):
    """One process run: one product to warm up, then `products` measured ones. Returns its row."""
    net = case.network
    launcher, env = mpi.start(net, case.ranks, case.ranks_per_node, args.allow_run_as_root)
    before = net.received() if net else None
    done = measure.driver(launcher, args.driver, "--A=" + case.A, "--B=" + case.B, "--algorithm=" + algorithm,
                          "--warmup=1", "--ranks-per-node=%d" % case.ranks_per_node, "--repeat=%d" % products,
                          *args.options, seconds=args.seconds, env=env)
    row = {"rate": net.rate if net else "", "ranks": case.ranks, "ranks_per_node": case.ranks_per_node,
           "nodes": case.ranks // case.ranks_per_node, "problem": case.problem, "A": facts.short(case.A),
           "B": facts.short(case.B), "algorithm": algorithm, "products": products, "command": done.command}
    if net:
        after = net.received()
        row.update(zip(("port_received_bytes", "port_received_packets"), (a - b for a, b in zip(after, before))))
        row["port_payload_bytes"] = mpi.payload(after, before)
    if done.got:
        row.update(measured(done.got))
    if done.error:
        row["error"] = done.error
    return row


def measured(got):
    """The columns that come from the driver's JSON."""
    row = {key: got.get(key) for key in ("exchange", "gather", "kernel", "rows", "inner", "cols", "nnzA", "nnzB",
                                         "nnzC", "first_call_seconds", "verified", "reasons")}
    row["flops"] = measure.flops(got)
    if got["algorithm"] != "tpetra":  # whose product has no grid
        row["grid"] = measure.grid(got)
    seconds = got["seconds"]
    row["seconds_total"] = seconds["total"]["max"]
    if seconds["multiply"]:  # Tpetra's product is not cut into parts
        row["seconds_multiply"] = seconds["multiply"]["max"]
    for phase in PHASES:
        if seconds.get(phase):
            row["seconds_" + phase] = seconds[phase]["median"]
    if got["bytes"]:  # Tpetra's are not known where A is transposed
        for level in got["bytes"]:
            for part in PARTS:
                row["%s_%s_bytes" % (level, part)] = measure.received(got, level, [part])
        row["internode_bytes_per_rank"] = measure.received(got, "internode") / got["ranks"]
    return row


def cases_of(args, network):
    count = len(args.ranks)
    for n, (ranks, per_node) in enumerate(args.ranks):
        for k, A in enumerate(args.A[n::count] if args.weak else args.A):
            problem = measure.WEAK + "from " + facts.short(args.A[k * count]) if args.weak else facts.short(A)
            for B in args.B:
                yield Case(network, ranks, per_node, problem, A, B)


def run_case(args, case, file, tally):
    """The sweeps of one problem, and with a network one sweep more, of twice the products, for the ports."""
    rows = []
    ports = case.network and not args.no_ports
    for sweep, algorithm in measure.turns(args.repeat + (1 if ports else 0), args.algorithms):
        kind, products = ("time", args.products) if sweep < args.repeat else ("port", 2 * args.products)
        row = {**run_one(args, case, algorithm, products), "sweep": sweep, "measure": kind}
        if kind == "port":
            row["port_payload_per_product"] = port_payload_per_product(args, row, rows)
        rows.append(row)
        file.row(row)
        what = "%s ranks, %s a node, %s, %s * %s, %s, sweep %d" % (
            row["ranks"], row["ranks_per_node"], row["rate"] or "this host", row["A"], row["B"], algorithm, sweep)
        tally.tell(what, row.get("error"), "%.3f s" % row.get("seconds_total", 0))


def port_payload_per_product(args, long, rows):
    """What the products beyond those of the short runs received: set-up and start are in both, and cancel."""
    short_runs = [r["port_payload_bytes"] for r in rows if r["algorithm"] == long["algorithm"] and not r.get("error")]
    if long.get("error") or not short_runs:
        return None
    return (long["port_payload_bytes"] - statistics.median(short_runs)) / args.products


def run_all(args, tally):
    always = {**facts.of_results(args.commit), "campaign": facts.this_command()}
    nodes = max(ranks // per_node for ranks, per_node in args.ranks)
    with tables.Csv(os.path.join(args.output, "runs.csv"), COLUMNS, always) as file:
        for rate in args.rates or [""]:
            with mpi.network_of(nodes, rate) as network:
                for case in cases_of(args, network):
                    run_case(args, case, file, tally)


# --- the table --------------------------------------------------------------------------------------------

def median(rows, column, kind="time"):
    return measure.median(number(r, column) for r in rows if r["measure"] == kind and not r["error"])


def of(rows, algorithm):
    return [r for r in rows if r["algorithm"] == algorithm]


def ratio(rows, algorithm, column):
    """Median of an algorithm over Trident's, both of the sweeps of this one problem."""
    return quotient(median(of(rows, algorithm), column), median(of(rows, "trident"), column))


def write_table(rows, file):
    first = rows[0]
    print("%s, %s cores, commit %s\n\n    %s\n" % (first["machine"], first["cores"], first["commit"],
                                                   first["campaign"]), file=file)
    sweeps = len({r["sweep"] for r in rows if r["measure"] == "time"})
    print("Medians of %d interleaved runs. Seconds of the slowest rank; payload bytes that a product receives between "
          "nodes, all ranks.\n" % sweeps, file=file)
    head = ["A", "B", "rate", "ranks", "nodes", "algorithm", "grid", "exchange", "on the grid, s", "/ Trident",
            "end to end, s", "/ Trident", "efficiency", "rounds, MB", "/ Trident", "import + export, MB", "port, MB",
            "port / counted", "verified", "failed"]
    table = tables.Markdown(*head, file=file)
    by = ("problem", "A", "B", "rate", "ranks", "nodes")
    for (_, A, B, rate, ranks, nodes), case in grouped(rows, *by).items():
        for algorithm in (a for a in ALGORITHMS if of(case, a)):
            mine = of(case, algorithm)
            table.row(A, B, rate or "-", ranks, nodes, NAMES[algorithm],
                      *result_cells(case, mine, algorithm, efficiency(rows, mine)))


def print_ratios(rows):
    """How many times as long as Trident each other algorithm took, end to end: what one wants to know first."""
    for (_, A, B, rate, ranks, _), case in grouped(rows, "problem", "A", "B", "rate", "ranks", "nodes").items():
        for algorithm in (a for a in ALGORITHMS if a != "trident" and of(case, a)):
            took = ratio(case, algorithm, "seconds_total")
            if took is not None:
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


def result_cells(case, mine, algorithm, efficient):
    good = [r for r in mine if not r["error"]]
    rounds = median(mine, "internode_rounds_bytes")
    around = None if rounds is None else \
        median(mine, "internode_import_bytes") + median(mine, "internode_export_bytes")
    port = median(mine, "port_payload_per_product", "port")
    counted = None if rounds is None else rounds + around + setup_of_every_product(mine)
    verified = {r["verified"] for r in mine} - {""}
    grid, exchange = (good[-1][key] or "-" if good else "-" for key in ("grid", "exchange"))
    return [grid, exchange,
            cell(median(mine, "seconds_multiply")), cell(ratio(case, algorithm, "seconds_multiply"), "%.2f"),
            cell(median(mine, "seconds_total")), cell(ratio(case, algorithm, "seconds_total"), "%.2f"),
            cell(efficient, "%.2f"),
            mega(rounds), cell(ratio(case, algorithm, "internode_rounds_bytes"), "%.2f"), mega(around), mega(port),
            cell(quotient(port, counted)), "yes" if verified == {"True"} else "NO" if "False" in verified else "-",
            str(len(mine) - len(good))]


def setup_of_every_product(rows):
    """Shapes and Maps are sent anew for every product, and the ports see them too."""
    return median(rows, "internode_setup_bytes") or 0.0


# --- the command line -------------------------------------------------------------------------------------

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
    options.add_rates(parser)
    parser.add_argument("--repeat", type=int, default=5, help="sweeps (default: 5)")
    parser.add_argument("--products", type=int, default=1, help="measured products of one run (default: 1)")
    parser.add_argument("--weak", action="store_true", help="--A has a matrix for each of --ranks")
    parser.add_argument("--no-ports", action="store_true", help="leave out the sweep that reads the ports")
    options.add_driver(parser)
    options.add_seconds(parser)
    options.add_root(parser)
    options.add_commit(parser)
    options.add_output(parser, "comparison")
    options.add_plot_only(parser)


def check(args):
    if not args.plot_only and not args.A:
        args.error("--A is missing")
    if not args.plot_only and not os.access(args.driver, os.X_OK):
        args.error("%s is not there: build it, or say --driver" % args.driver)
    if args.weak and not args.plot_only and len(args.A) % len(args.ranks):
        args.error("--weak wants a matrix for each of --ranks")
    if min(args.repeat, args.products) < 1:
        args.error("--repeat and --products are at least 1")


def run(args):
    check(args)
    tally = measure.Tally("compare")
    measure.make_output(args.output)
    runs = os.path.join(args.output, "runs.csv")
    if not args.plot_only:
        run_all(args, tally)
    rows = [{"problem": row["A"], **row} for row in tables.read_csv(runs)]  # older files have no problem
    with tables.open_table(args.output) as file:
        write_table(rows, file)
    print_ratios(rows)
    plots = measure.plots_of(args, tally)
    if plots:
        plots.comparison(runs, args.output, NAMES, PHASES)
        tally.ok()
    return tally.status()
