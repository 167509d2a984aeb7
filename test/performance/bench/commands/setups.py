#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MueLu's setups on GPUs: by its own products, by Trident's factories, and by Trident in Tpetra's place.

  setups run --programs=FOLDER [--ranks 1 4] [--output=FOLDER]   runs the programs, and writes setups.txt
  setups table FILE [FILE ...] [--output=FOLDER]                  of such files: setups.csv, two tables, and a plot

FOLDER has gpu_setup, gpu_setup_trident and gpu_setup_wrapped (cmake/trilinos-cuda). A way has a process for each
problem and number of ranks; numbers are of its first setup, and medians of the later ones. The plot needs matplotlib.
"""
import argparse
import collections
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys

PROBLEMS = [("laplace3d", 100), ("brick3d", 100), ("elasticity3d", 50)]
# A way's name, its program, its options, and its variables.
WAYS = [("MueLu", "gpu_setup", [], {}),
        ("factories", "gpu_setup_trident", ["--factories=trident"], {}),
        ("factories, R implicit", "gpu_setup_trident", ["--factories=trident", "--implicit"], {}),
        ("drop-in", "gpu_setup_wrapped", [], {}),
        ("drop-in, plans", "gpu_setup_wrapped", [], {"TRIDENT_PLANS": "64"})]
REUSED = ["MueLu", "factories", "drop-in, plans"]  # the ways that are run with --reuse=RP, too
PARTS = ["dropping", "aggregation", "tentative prolongator", "smoothed prolongator", "transpose", "R*A*P", "the rest"]


def commands(programs, ranks, setups):
    """Yields what is run: a way's name, whether prolongators are kept, words and variables."""
    for problem, n in PROBLEMS:
        for reuse in ["none", "RP"]:
            for name, program, options, variables in WAYS:
                if reuse == "RP" and name not in REUSED:
                    continue
                words = ["mpirun", "--oversubscribe", "-n", str(ranks), str(programs / program),
                         f"--problem={problem}", f"--n={n}", f"--setups={setups}", f"--reuse={reuse}", *options]
                yield name, words, variables


def run(arguments):
    """Runs all, and writes what they print behind a line that names the way. Returns how many failed."""
    failed = 0
    arguments.output.mkdir(parents=True, exist_ok=True)
    with open(arguments.output / "setups.txt", "w") as out:
        for ranks in arguments.ranks:
            for name, words, variables in commands(arguments.programs, ranks, arguments.setups):
                done = subprocess.run(words, env=dict(os.environ, **variables), stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, timeout=arguments.seconds)
                print(f"== {name}", done.stdout, sep="\n", file=out, flush=True)
                if done.returncode != 0:
                    failed += 1
                    print(f"setups: failed: {' '.join(words)}", file=sys.stderr)
    return failed


def read(paths):
    """Returns a row for each part of each setup that the files have, and one for the whole setup."""
    rows = []
    for path in paths:
        way, of = None, None
        for line in open(path):
            if line.startswith("== "):
                way, of = line[3:].strip(), None
            head = re.match(r"(\w+):n=(\d+) by .*reuse (\w+),.* (\d+) ranks", line)
            if head:
                of = {"problem": head[1], "n": int(head[2]), "reuse": head[3], "ranks": int(head[4]), "way": way}
            whole = re.match(r".*setup (\d+) ([\d.]+) s", line)
            if of and whole:
                setup = int(whole[1])
                rows.append({**of, "setup": setup, "part": "whole", "seconds": float(whole[2])})
            part = re.match(r" +([\d.]+) s +(.+)", line)
            if of and part and part[2].strip() in PARTS:
                rows.append({**of, "setup": setup, "part": part[2].strip(), "seconds": float(part[1])})
    return rows


def medians(rows):
    """Returns seconds by (ranks, problem, reuse, way), "first" or "later", and part."""
    lists = collections.defaultdict(list)
    for row in rows:
        when = "later" if row["setup"] > 0 else "first"
        lists[(row["ranks"], row["problem"], row["reuse"], row["way"]), when, row["part"]].append(row["seconds"])
    return {key: statistics.median(values) for key, values in lists.items()}


def milliseconds(seconds):
    return f"{1e3 * seconds:.1f}" if seconds < 0.1 else f"{1e3 * seconds:.0f}"


def tables(of):
    """Prints whole setups, and R·A·P inside of later ones, each with how many times as fast as MueLu's own it is."""
    keys = sorted({key[0] for key in of}, key=lambda k: (k[0], [p for p, _ in PROBLEMS].index(k[1]), k[2] == "RP",
                                                          [w[0] for w in WAYS].index(k[3])))
    print("| GPUs | problem | reuse | way | first setup, ms | ratio | later, ms | ratio | R·A·P, ms | ratio |")
    print("| --: | --- | --- | --- | --: | --: | --: | --: | --: | --: |")
    for key in keys:
        own = key[:3] + ("MueLu",)
        cells = []
        for when, part in [("first", "whole"), ("later", "whole"), ("later", "R*A*P")]:
            mine, theirs = of.get((key, when, part)), of.get((own, when, part))
            cells += [milliseconds(mine) if mine else "-", f"{theirs / mine:.2f}" if mine and theirs else "-"]
        print(f"| {key[0]} | {key[1]} | {key[2]} | {key[3]} | " + " | ".join(cells) + " |")
    print("\n| GPUs | problem | way | " + " | ".join(PARTS) + " |")
    print("| --: | --- | --- |" + " --: |" * len(PARTS))
    for key in keys:
        if key[2] == "none" and key[3] in ("MueLu", "drop-in, plans"):
            parts = [milliseconds(of.get((key, "later", part), 0)) for part in PARTS]
            print(f"| {key[0]} | {key[1]} | {key[3]} | " + " | ".join(parts) + " |")


def plot(of, path):
    """Draws the parts of later setups; says so where matplotlib is not there."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("setups: no plot: matplotlib is not installed", file=sys.stderr)
        return
    ranks = sorted({key[0][0] for key in of})
    figure, axes = pyplot.subplots(1, len(ranks), figsize=(6 * len(ranks), 4), sharey=True, squeeze=False)
    for axis, count in zip(axes[0], ranks):
        bars = [(p, w) for p, _ in PROBLEMS for w in ("MueLu", "drop-in, plans")]
        below = [0.0] * len(bars)
        for part in PARTS:
            high = [1e3 * of.get(((count, p, "none", w), "later", part), 0) for p, w in bars]
            axis.bar(range(len(bars)), high, bottom=below, label=part.replace("*", "·"))
            below = [a + b for a, b in zip(below, high)]
        axis.set_xticks(range(len(bars)), [f"{p}\n{w}" for p, w in bars], rotation=45, ha="right", fontsize=8)
        axis.set_title(f"{count} GPU" + ("s" if count > 1 else ""))
    axes[0][0].set_ylabel("a later setup, ms")
    axes[0][-1].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def table(arguments):
    rows = read(arguments.files)
    arguments.output.mkdir(parents=True, exist_ok=True)
    with open(arguments.output / "setups.csv", "w", newline="") as out:
        writer = csv.DictWriter(out, ["ranks", "problem", "n", "reuse", "way", "setup", "part", "seconds"],
                                lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    of = medians(rows)
    tables(of)
    plot(of, arguments.output / "setups.png")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands_ = parser.add_subparsers(dest="command", required=True)
    running = commands_.add_parser("run")
    running.add_argument("--programs", type=pathlib.Path, required=True)
    running.add_argument("--ranks", type=int, nargs="+", default=[1])
    running.add_argument("--setups", type=int, default=5)
    running.add_argument("--seconds", type=float, default=120, help="that a process may take")
    tabling = commands_.add_parser("table")
    tabling.add_argument("files", nargs="+")
    for each in (running, tabling):
        each.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    return run(arguments) if arguments.command == "run" else table(arguments)


if __name__ == "__main__":
    sys.exit(main())
