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


def squarest(count):
    """The smaller side of the squarest grid."""
    return max(c for c in range(1, math.isqrt(count) + 1) if count % c == 0)


def ways(nodes, per_node):
    """(algorithm, name, the driver's options, the grid as a prediction names it)."""
    side = squarest(nodes * per_node)
    for name, columns in (("square", squarest(nodes)), ("tall", 1)):
        shape = "%dx%d" % (nodes // columns, columns)
        yield "trident", name, ["--grid=" + shape], "%sx%d" % (shape, per_node)
    yield "summa", "summa", [], "%dx%dx1" % (nodes * per_node // side, side)
    yield "tpetra", "tpetra", [], ""


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


def check(args, tally):
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


def add_arguments(parser):
    commands = parser.add_subparsers(dest="what", required=True)
    checks = commands.add_parser("check")
    for name, more in (("--rates", {"nargs": "+"}), ("--A", {"nargs": "+"}), ("--folder", {})):
        checks.add_argument(name, required=True, **more)
    checks.add_argument("--predict", default=facts.program("Trident_Predict.exe"))
    options.add(checks, "nodes", "ranks_per_node", "repeat", "seconds", "driver")
    for name, figure in (("plot", "predictions"), ("breakdown", "predicted_breakdown")):
        plotting = commands.add_parser(name)
        plotting.set_defaults(figure=figure)
        plotting.add_argument("--csv", nargs="+", required=True)
        plotting.add_argument("--title", default="Predicted")
        plotting.add_argument("--output", required=True)


def run(args, tally):
    if args.what == "check":
        check(args, tally)
    else:
        measure.draw(tally, "", args.figure, args.csv, args.output, args.title)
