# SPDX-License-Identifier: BSD-3-Clause
"""Trident and Tpetra on every matrix of a folder; bytes and memory against their bounds.

  measure core volume DIR     bytes between nodes by part, predicted and measured, for every grid shape
  measure core ratios DIR     Tpetra's time over Trident's for every matrix of DIR, on --ranks; --csv FILE: seconds
  measure core memory         peak memory against the slices, the tile and the result

It prints Markdown tables, and needs nothing but Python and the built driver. What failed is a row of the table and the
exit status 1; what was skipped is said at the end.
"""
import concurrent.futures
import glob
import gzip
import os
import statistics

from .. import facts, measure, mpi, options, tables
from ..measure import received

MOST_ENTRIES = 3000000  # of a matrix whose products are timed


def product(args, tally, what, ranks, *words):
    """The driver's JSON of a run on this host, which is counted; None where it failed."""
    run = measure.driver(mpi.mpirun(ranks, args.allow_run_as_root), args.driver, *words, env=mpi.environment(ranks))
    return tally.take(what, run)


def tabled(args, tally, table, what, ranks, *words):
    """The same, and where it failed a row of the table that says so."""
    got = product(args, tally, what, ranks, *words)
    if got is None:
        table.note(what, "FAILED: " + tally.failed[-1][1])
    return got


def matrix_files(folder, most, tally):
    """(path, whether it is square) of a folder's matrices whose file promises fewer than `most` stored entries."""
    for path in sorted(glob.glob(os.path.join(folder, "*.mtx.gz"))):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            size = next((line for line in file if not line.startswith("%")), "").split()
        if len(size) != 3:
            tally.skip(facts.short(path), "no coordinate file: its size line is '%s'" % " ".join(size))
        elif int(size[2]) >= most:
            tally.skip(facts.short(path), "%s stored entries, %d or more" % (size[2], most))
        else:
            yield path, size[0] == size[1]


def products_of(square):
    """(label, the driver's options) of the products that are formed of a matrix."""
    return [("A*A", []), ("A*R", ["--B=restriction"])] if square else [("A*A'", ["--B=A", "--transpose-b"])]


def volume(args, tally):
    problems = ["er:n=200000,d=16,seed=1", "rmat:scale=15,d=16,seed=1",
                os.path.join(args.folder, "cnr-2000.mtx.gz"), os.path.join(args.folder, "brack2-lap.mtx.gz")]
    print("P = 16, lambda = 4. Megabytes received between nodes, all ranks; predicted / measured.\n")
    table = tables.Markdown("problem", "grid", "import", "rounds", "export", "total", "measured/predicted")
    for A in problems:
        for B in ([], ["--B=restriction"]):
            volume_of(args, A, B, table, tally)


def volume_of(args, A, B, table, tally):
    """A problem's row for every shape, and what the choice of the shape cost."""
    name, moved = os.path.basename(A) + (" * R" if B else " * A"), {}
    for shape in ("4x1", "2x2", "1x4", "auto"):
        got = tabled(args, tally, table, "%s, grid %s" % (name, shape), 16, "--A=" + A, *B, "--ranks-per-node=4",
                     "--grid=" + shape, "--predict")
        if not got:
            continue
        predicted, moved[shape] = got["predicted_internode_bytes"], received(got, "internode")
        cells = ["%.2f / %.2f" % (predicted[p] / 1e6, received(got, "internode", [p]) / 1e6)
                 for p in ("import", "rounds", "export")]
        table.row(name, measure.grid(got) + (" (auto)" if shape == "auto" else ""), *cells,
                  "%.2f" % (moved[shape] / 1e6), "%.3f" % (moved[shape] / max(1, sum(predicted.values()))))
        if shape == "2x2" and A.startswith("er") and not B:
            rounds_check(got)
    if len(moved) == 4:
        print("  auto / least = %.3f" % (moved["auto"] / min(moved[g] for g in ("4x1", "2x2", "1x4"))))


def rounds_check(got):
    """Entries received in the rounds against 2(q-1)·nnz/P; offsets (4 bytes a row) apart."""
    ranks, q = got["ranks"], got["grid"][0]
    rows = got["rows"] / q / got["grid"][2] * 2 * (q - 1)  # offsets that travel with the slices
    expected = 2 * (q - 1) * got["nnzA"] / ranks
    worst = max(abs((b - 4 * rows) / 12 / expected - 1) for b in got["bytes"]["internode"]["rounds"])
    print("  entries received per rank in the rounds: 2(q-1)nnz/P = %.0f, largest deviation %.2f%%"
          % (expected, 100 * worst))


def ratios(args, tally):
    """Tpetra's seconds over Trident's for every matrix of the folder. Products run beside each other, as many as
    --at-once says; the two libraries take turns in each."""
    products = [(path, label, words) for path, square in matrix_files(args.folder, MOST_ENTRIES, tally)
                for label, words in products_of(square)]
    print("Tpetra's seconds over Trident's: of the slowest rank, medians of %d runs that take turns, each the median "
          "of %d products after 2.\n" % (args.repeat, args.products))
    lines = []
    with concurrent.futures.ThreadPoolExecutor(args.at_once) as pool:
        for ranks in args.ranks:
            lines += pool.map(lambda product, ranks=ranks: ratio_of(*product, ranks, args, tally), products)
    if args.csv:
        tables.write_csv(args.csv, lines, end="\n")
    table = tables.Markdown("A", "product", *("P = %d" % ranks for ranks in args.ranks))
    for key, mine in tables.grouped(lines, "A", "product").items():
        table.row(*key, *("%.2f" % line["ratio"] if line["ratio"] else "FAILED" for line in mine))
    print()
    for (ranks,), mine in tables.grouped(lines, "ranks").items():
        known = [line["ratio"] for line in mine if line["ratio"]]
        if known:
            print("P = %d: geometric mean %.2f, least %.2f, %d of %d below 1, %d below 0.95" % (
                ranks, statistics.geometric_mean(known), min(known), sum(r < 1 for r in known), len(known),
                sum(r < 0.95 for r in known)))


def ratio_of(path, label, words, ranks, args, tally):
    """A line of the CSV: the median seconds of both libraries and their ratio, None where a run failed."""
    name, seconds = facts.short(path), {"tpetra": [], "trident": []}
    for _, algorithm in measure.turns(args.repeat, seconds):
        got = product(args, tally, "%s, %s, %d ranks, %s" % (name, label, ranks, algorithm), ranks, "--A=" + path,
                      *words, "--algorithm=" + algorithm, "--ranks-per-node=4", "--warmup=2",
                      "--repeat=%d" % args.products)
        if got:
            seconds[algorithm].append(statistics.median(got["total_seconds"]))
    tpetra, trident = (measure.median(seconds[a]) for a in ("tpetra", "trident"))
    return {"machine": facts.machine(), "cores": mpi.cores(), "commit": facts.commit(), "A": name, "product": label,
            "ranks": ranks, "runs": args.repeat, "products": args.products, "at_once": args.at_once,
            "tpetra_seconds": tpetra, "trident_seconds": trident, "ratio": measure.quotient(tpetra, trident)}


def memory(args, tally):
    print("Megabytes of the rank that comes off worst; sum = slices of A, B, C + one tile of B + Tpetra's C.\n")
    table = tables.Markdown("problem", "P", "lambda", "grid", "sum", "allocated peak", "ratio", "resident growth",
                            "ratio")
    for problem, nodes in (("er:n=400000,d=16,seed=1", (4, 1, 2)), ("rmat:scale=16,d=16,seed=1", (4, 1))):
        for node, grid in ((node, grid) for node in nodes for grid in ("auto", "square")):
            got = tabled(args, tally, table, "%s, %d a node, grid %s" % (problem, node, grid), 4, "--A=" + problem,
                         "--ranks-per-node=%d" % node, "--grid=" + grid)
            if got:
                rows = [memory_of(got, rank) for rank in range(4)]
                peak, _, should, allocated, resident = max(rows)
                table.row(problem, 4, node, measure.grid(got), "%.0f" % (should / 1e6), "%.0f" % (allocated / 1e6),
                          "%.2f" % peak, "%.0f" % (resident / 1e6), "%.2f" % max(r[1] for r in rows))


def memory_of(got, rank):
    """(allocated / sum, resident / sum, sum, allocated, resident) of a rank."""
    m = got["memory"]
    should = m["slices"][rank] + m["tile"][rank] + m["result"][rank]
    # Pages of the shared tile count once for the node's ranks together.
    resident = m["resident_growth"][rank] - m["resident_shared"][rank] * (1 - 1 / got["grid"][2])
    return m["allocated_peak"][rank] / should, resident / should, should, m["allocated_peak"][rank], resident


PARTS = {"volume": volume, "ratios": ratios, "memory": memory}


def add_arguments(parser):
    parser.add_argument("what", choices=list(PARTS))
    parser.add_argument("folder", nargs="?", default="", metavar="DIR")
    for name, default, what in (("--products", 5, "products of a run"), ("--at-once", 1, "products beside each other")):
        parser.add_argument(name, type=int, default=default, help="of ratios: %s (default: %d)" % (what, default))
    parser.add_argument("--csv", help="of ratios: a file for the seconds")
    options.add(parser, "driver", "repeat", "allow_run_as_root", ranks=[1, 4, 16])


def run(args, tally):
    if args.what != "memory" and not os.path.isdir(args.folder):
        args.error("DIR is to be a folder of matrices, and '%s' is none" % args.folder)
    PARTS[args.what](args, tally)
