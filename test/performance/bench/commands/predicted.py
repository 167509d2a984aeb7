# SPDX-License-Identifier: BSD-3-Clause
"""Predictions beside measurements, and plots of predictions.

  measure predicted check --rates 20mbit 100mbit --A er:n=40000,d=8 matrix.mtx.gz --folder results [--nodes 4]
  measure predicted plot --csv a.csv b.csv --title "..." --output predicted.png
  measure predicted breakdown --csv a.csv b.csv --title "..." --output breakdown.png

`check` measures products in the network of two_level_network, as root: Trident on the square and on the tall grid,
SUMMA and Tpetra. Before, Trident_Predict.exe --calibrate measures the network and each matrix's rates on it. It writes
FOLDER/predicted.csv and prints Markdown. What the folder has from an earlier run is not measured again. The first
failure ends it. `plot` draws seconds and bytes of what Trident_Predict.exe --csv wrote, a panel for each matrix;
`breakdown` draws its phases on the grid. doc/results/predicted.md has results.
"""
import json
import math
import os

from .. import facts, measure, mpi, options, tables

COLUMNS = ("rate", "A", "ranks", "algorithm", "grid", "measured_bytes", "predicted_bytes", "bytes_ratio",
           "measured_seconds", "predicted_seconds", "seconds_ratio")


def shape(nodes, columns, per_node):
    return "%dx%d" % (nodes // columns, columns), "%dx%dx%d" % (nodes // columns, columns, per_node)


def ways(nodes, per_node):
    """(algorithm, name, the driver's options, the grid as a prediction names it)."""
    columns = max(c for c in range(1, math.isqrt(nodes) + 1) if nodes % c == 0)
    ranks = nodes * per_node
    side = max(c for c in range(1, math.isqrt(ranks) + 1) if ranks % c == 0)
    square, square_name = shape(nodes, columns, per_node)
    tall, tall_name = shape(nodes, 1, per_node)
    return [("trident", "square", ["--grid=" + square], square_name),
            ("trident", "tall", ["--grid=" + tall], tall_name),
            ("summa", "summa", [], "%dx%dx1" % (ranks // side, side)), ("tpetra", "tpetra", [], "")]


def file_of(args, *parts):
    return os.path.join(args.folder, "-".join(str(p) for p in (*parts, args.nodes * args.ranks_per_node)) + ".json")


def execute(args, program, words, launcher=()):
    """Runs a program, whose failure ends all."""
    done = mpi.execute([*launcher, program, *words], args.seconds, mpi.environment())
    if done.status != 0:
        raise measure.Failed("%s: %s" % (" ".join(words), measure.why(done, args.seconds, os.path.basename(program))))


def jobs(args, rate):
    """Yields what is measured: the file that it writes, program and options."""
    for number, A in enumerate(args.A):
        path = file_of(args, "machine", rate, number)
        yield path, args.predict, ["--calibrate=" + path, "--A=" + A]
        for algorithm, name, words, _ in ways(args.nodes, args.ranks_per_node):
            path = file_of(args, name, rate, number)
            yield path, args.driver, ["--quiet", "--A=" + A, "--algorithm=" + algorithm, "--warmup=1",
                                      "--repeat=%d" % args.repeat, "--json=" + path, *words]


def measure_missing(args, rate):
    """Measures whatever the folder has no file of yet."""
    missing = [job for job in jobs(args, rate) if not os.path.exists(job[0])]
    if missing:
        with mpi.Network(args.nodes, rate) as network:
            launcher = network.launcher(args.nodes * args.ranks_per_node, args.ranks_per_node)
            for _, program, words in missing:
                execute(args, program, words, launcher)


def compared(args, rate):
    """Yields a row for each way of each matrix."""
    ranks = args.nodes * args.ranks_per_node
    for number, A in enumerate(args.A):
        table = os.path.join(args.folder, "prediction.csv")
        execute(args, args.predict, ["--A=" + A, "--ranks=%d" % ranks, "--csv=" + table,
                                     "--machine=" + file_of(args, "machine", rate, number)])
        predictions = {(row["algorithm"], row["grid"]): row for row in tables.read_csv(table)}
        for algorithm, name, _, grid in ways(args.nodes, args.ranks_per_node):
            with open(file_of(args, name, rate, number), encoding="utf-8") as file:
                measured = json.load(file)
            row = predictions[algorithm, grid]
            found = measure.received(measured, "internode", measure.PARTS)
            expected = sum(float(row["internode_%s_bytes" % part]) for part in measure.PARTS)
            times = sorted(measured["total_seconds"])
            seconds, predicted = times[len(times) // 2], float(row["seconds_total"])
            yield dict(zip(COLUMNS, (rate, os.path.basename(A), ranks, algorithm, grid, found, expected,
                                     expected / found if found else 1.0, seconds, predicted, predicted / seconds)))


def check(args):
    tally = measure.Tally("predicted")
    measure.make_output(args.folder)
    for rate in args.rates:
        measure_missing(args, rate)
    rows = [row for rate in args.rates for row in compared(args, rate)]
    tables.write_csv(os.path.join(args.folder, "predicted.csv"), rows, COLUMNS, end="\n")
    table = tables.Markdown("rate", "A", "ranks", "algorithm", "grid", "bytes, predicted / counted", "s, measured",
                            "s, predicted", "ratio", numbers=(2, 5, 6, 7, 8))
    for row in rows:
        table.row(*(row[c] for c in COLUMNS[:5]), "%.4f" % row["bytes_ratio"],
                  *("%.2f" % row[c] for c in COLUMNS[8:]))
        tally.ok()
    return tally.status()


def plot(args):
    tally = measure.Tally("predicted")
    plots = measure.import_plots(tally, "")
    if plots:
        {"plot": plots.predictions, "breakdown": plots.predicted_breakdown}[args.what](args.csv, args.output, args.title)
        tally.ok()
    return tally.status()


def add_arguments(parser):
    commands = parser.add_subparsers(dest="what", required=True)
    checks = commands.add_parser("check")
    checks.add_argument("--rates", nargs="+", required=True)
    checks.add_argument("--A", nargs="+", required=True)
    checks.add_argument("--folder", required=True)
    options.add_nodes(checks)
    checks.add_argument("--repeat", type=int, default=3)
    options.add_seconds(checks)
    checks.add_argument("--predict", default=facts.program("Trident_Predict.exe"))
    options.add_driver(checks)
    for name in ("plot", "breakdown"):
        plotting = commands.add_parser(name)
        plotting.add_argument("--csv", nargs="+", required=True)
        plotting.add_argument("--title", default="Predicted")
        plotting.add_argument("--output", required=True)


def run(args):
    return check(args) if args.what == "check" else plot(args)
