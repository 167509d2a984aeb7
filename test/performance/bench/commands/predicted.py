#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predictions beside measurements, and plots of predictions.

  predicted check --rates 20mbit 100mbit --A er:n=40000,d=8 matrix.mtx.gz --folder results [--nodes 4]
  predicted plot --csv a.csv b.csv --title "..." --output predicted.png
  predicted breakdown --csv a.csv b.csv --title "..." --output breakdown.png

`check` measures products in the network of two_level_network, as root: Trident on the square and on the tall grid,
SUMMA and Tpetra. Before, Trident_Predict.exe --calibrate measures the network and each matrix's rates on it. It writes
FOLDER/predicted.csv and prints Markdown. What the folder has from an earlier run is not measured again. `plot` draws
seconds and bytes of what Trident_Predict.exe --csv wrote, a panel for each matrix; `breakdown` draws its phases on the
grid. doc/results/predicted.md has results.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from bench import facts  # beside this script

HERE = os.path.dirname(os.path.abspath(__file__))
NETWORK = os.path.join(HERE, "two_level_network")
PARTS = ("import", "rounds", "export", "setup")
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


def in_network(args, *command):
    subprocess.run([NETWORK, "run", str(args.nodes), str(args.ranks_per_node), *command], check=True,
                   stdout=subprocess.DEVNULL, timeout=args.limit)


def file_of(args, *parts):
    return os.path.join(args.folder, "-".join(str(p) for p in (*parts, args.nodes * args.ranks_per_node)) + ".json")


def measure(args, rate):
    """Whatever the folder has no file of yet."""
    up = False
    for number, A in enumerate(args.A):
        jobs = [(file_of(args, "machine", rate, number), args.predict, ["--calibrate={}", "--A=" + A])]
        for algorithm, name, options, _ in ways(args.nodes, args.ranks_per_node):
            jobs.append((file_of(args, name, rate, number), args.driver,
                         ["--quiet", "--A=" + A, "--algorithm=" + algorithm, "--warmup=1", "--repeat=%d" % args.repeat,
                          "--json={}", *options]))
        for path, program, options in jobs:
            if os.path.exists(path):
                continue
            if not up:
                subprocess.run([NETWORK, "up", str(args.nodes), rate], check=True)
                up = True
            in_network(args, program, *(option.replace("{}", path) for option in options))


def compared(args, rate):
    """A row for each way of each matrix."""
    ranks = args.nodes * args.ranks_per_node
    for number, A in enumerate(args.A):
        table = os.path.join(args.folder, "prediction.csv")
        subprocess.run([args.predict, "--A=" + A, "--ranks=%d" % ranks, "--csv=" + table,
                        "--machine=" + file_of(args, "machine", rate, number)], check=True, stdout=subprocess.DEVNULL)
        with open(table, newline="") as file:
            predictions = {(row["algorithm"], row["grid"]): row for row in csv.DictReader(file)}
        for algorithm, name, _, grid in ways(args.nodes, args.ranks_per_node):
            with open(file_of(args, name, rate, number)) as file:
                measured = json.load(file)
            row = predictions[algorithm, grid]
            found = sum(sum(measured["bytes"]["internode"][part] or []) for part in PARTS)
            expected = sum(float(row["internode_%s_bytes" % part]) for part in PARTS)
            times = sorted(measured["total_seconds"])
            seconds, predicted = times[len(times) // 2], float(row["seconds_total"])
            yield dict(zip(COLUMNS, (rate, os.path.basename(A), ranks, algorithm, grid, found, expected,
                                     expected / found if found else 1.0, seconds, predicted, predicted / seconds)))


def check(args):
    os.makedirs(args.folder, exist_ok=True)
    try:
        for rate in args.rates:
            measure(args, rate)
    finally:
        subprocess.run([NETWORK, "down"], check=False)
    rows = [row for rate in args.rates for row in compared(args, rate)]
    with open(os.path.join(args.folder, "predicted.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print("| rate | A | ranks | algorithm | grid | bytes, predicted / counted | s, measured | s, predicted | ratio |")
    print("| --- | --- | --: | --- | --- | --: | --: | --: | --: |")
    for row in rows:
        print("| %s | %s | %d | %s | %s | %.4f | %.2f | %.2f | %.2f |" % tuple(
            row[c] for c in COLUMNS if c not in ("measured_bytes", "predicted_bytes")))


def plot(args):
    from bench import plots  # pandas and matplotlib, which check does without
    plots.predictions(args.csv, args.output, args.title)


def breakdown(args):
    from bench import plots
    plots.predicted_breakdown(args.csv, args.output, args.title)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    checks = commands.add_parser("check")
    checks.add_argument("--rates", nargs="+", required=True)
    checks.add_argument("--A", nargs="+", required=True)
    checks.add_argument("--folder", required=True)
    checks.add_argument("--nodes", type=int, default=4)
    checks.add_argument("--ranks-per-node", type=int, default=4)
    checks.add_argument("--repeat", type=int, default=3)
    checks.add_argument("--limit", type=int, default=600, help="seconds for one program")
    checks.add_argument("--predict", default=facts.program("Trident_Predict.exe"))
    checks.add_argument("--driver", default=facts.program("Trident_SpGEMM.exe"))
    checks.set_defaults(run=check)
    for name, draw in (("plot", plot), ("breakdown", breakdown)):
        plotting = commands.add_parser(name)
        plotting.add_argument("--csv", nargs="+", required=True)
        plotting.add_argument("--title", default="Predicted")
        plotting.add_argument("--output", required=True)
        plotting.set_defaults(run=draw)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
