# SPDX-License-Identifier: BSD-3-Clause
"""MueLu's setups on GPUs: by its own products, by Trident's factories, by Trident in Tpetra's place; and hypre's.

  measure setups run --programs=FOLDER [--ways MueLu hypre ...] [--reuse none] [--ranks 1 4] [--aggregation=mis2]
                     [--no-phases] [--solve] [--output=FOLDER]           runs the programs, and writes setups.txt
  measure setups table FILE [FILE ...] [--output=FOLDER]                 of such files: setups.csv, three tables

FOLDER has gpu_setup, gpu_setup_trident, gpu_setup_wrapped and gpu_setup_hypre (../gpu_setup). A way has a process for
each problem and number of ranks; numbers are of its first setup, and medians of the later ones.
"""
import collections
import os
import re
import statistics

from .. import measure, mpi, options, tables

PROBLEMS = [("laplace3d", 100), ("brick3d", 100), ("elasticity3d", 50)]
# A way's name, its program, its options, and its variables.
WAYS = [("MueLu", "gpu_setup", [], {}),
        ("factories", "gpu_setup_trident", ["--factories=trident"], {}),
        ("factories, R implicit", "gpu_setup_trident", ["--factories=trident", "--implicit"], {}),
        ("drop-in", "gpu_setup_wrapped", [], {}),
        ("drop-in, plans", "gpu_setup_wrapped", [], {"TRIDENT_PLANS": "64"}),
        ("hypre", "gpu_setup_hypre", [], {})]
REUSE = ["none", "RP"]
REUSED = ["MueLu", "factories", "drop-in, plans"]  # the ways that are run with --reuse=RP, too
AGGREGATION = {"deterministic": [], "mis2": ["--coloring=mis2 aggregation", "--fast"]}
PARTS = ["dropping", "aggregation", "tentative prolongator", "smoothed prolongator", "transpose", "R*A*P", "the rest"]
MATRIX = "matrix"  # hypre's own, made or written before a setup
HIERARCHY = ["levels", "complexity", "iterations"]  # of a process, with its last setup
COLUMNS = ["ranks", "problem", "n", "reuse", "way", "setup", "whole", *PARTS, MATRIX, *HIERARCHY]


def commands(args):
    """Yields what is run: a way's name, the words behind mpirun's, and variables."""
    of_muelu = AGGREGATION[args.aggregation] + ["--no-phases"] * args.no_phases + ["--solve"] * args.solve
    for problem, n in PROBLEMS:
        for reuse in args.reuse:
            for name, program, words, variables in WAYS:
                if name in args.ways and (reuse == "none" or name in REUSED):
                    yield name, [os.path.join(args.programs, program), "--problem=" + problem, "--n=%d" % n,
                                 "--setups=%d" % args.setups, "--reuse=" + reuse, *words,
                                 *(of_muelu if name != "hypre" else [])], variables


def run_all(args, tally):
    """Runs all, and writes what they print behind a line that names the way."""
    with open(os.path.join(args.output, "setups.txt"), "w", encoding="utf-8") as out:
        for ranks in args.ranks:
            launcher = mpi.mpirun(ranks, args.allow_run_as_root, oversubscribe=True)
            for name, words, variables in commands(args):
                done = measure.run_lines(launcher, words[0], words[1:], args.seconds, mpi.environment(**variables),
                                         str.split)
                print("== " + name, done.output, sep="\n", file=out, flush=True)
                tally.take("%s, %d ranks: %s" % (name, ranks, " ".join(words)), done)


def read(paths):
    """Returns a row for each setup that the files have: seconds of the whole, and of its parts."""
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        way, of = None, None
        for line in lines:
            if line.startswith("== "):
                way, of = line[3:].strip(), None
            head = re.match(r"(\w+):n=(\d+) by .*reuse (\w+),.* (\d+) ranks", line)
            if head:
                of = {"problem": head[1], "n": int(head[2]), "reuse": head[3], "ranks": int(head[4]), "way": way}
            whole = re.match(r".*setup (\d+) ([\d.]+) s", line)
            part = re.match(r" +([\d.]+) s +(.+)", line)
            level = re.match(r" +level (\d+): +\d+ rows +(\d+) entries", line)
            solved = re.match(r" +(-?\d+) iterations", line)
            if of and whole:
                rows.append({**of, "setup": int(whole[1]), "whole": float(whole[2])})
            elif of and part and part[2].strip() in [*PARTS, MATRIX]:
                rows[-1][part[2].strip()] = float(part[1])
            elif of and level:
                first, entries = (int(level[2]), 0) if level[1] == "0" else (first, entries)
                entries += int(level[2])
                rows[-1].update(levels=int(level[1]) + 1, complexity=round(entries / first, 4))
            elif of and solved:
                rows[-1]["iterations"] = int(solved[1])
    return rows


def medians(rows):
    """Returns seconds by (ranks, problem, reuse, way), "first" or "later", and part."""
    lists = collections.defaultdict(list)
    for row in rows:
        when = "later" if row["setup"] > 0 else "first"
        for part in {"whole", MATRIX, *PARTS, *HIERARCHY}.intersection(row):
            lists[(row["ranks"], row["problem"], row["reuse"], row["way"]), when, part].append(row[part])
    return {key: statistics.median(values) for key, values in lists.items()}


def milliseconds(seconds):
    return "%.1f" % (1e3 * seconds) if seconds < 0.1 else "%.0f" % (1e3 * seconds)


def print_tables(of):
    """Prints whole setups, and R·A·P inside of later ones, each with how many times as fast as MueLu's own it is.
    Then parts of setups; then hierarchies, beside what hypre's matrix takes."""
    keys = sorted({key[0] for key in of}, key=lambda k: (k[0], [p for p, _ in PROBLEMS].index(k[1]), k[2] == "RP",
                                                         [w[0] for w in WAYS].index(k[3])))
    table = tables.Markdown("GPUs", "problem", "reuse", "way", "first setup, ms", "ratio", "later, ms", "ratio",
                            "R·A·P, ms", "ratio", numbers=(0, *range(4, 10)))
    for key in keys:
        own = key[:3] + ("MueLu",)
        cells = []
        for when, part in [("first", "whole"), ("later", "whole"), ("later", "R*A*P")]:
            mine, theirs = of.get((key, when, part)), of.get((own, when, part))
            cells += [milliseconds(mine) if mine else "-", "%.2f" % (theirs / mine) if mine and theirs else "-"]
        table.row(*key, *cells)
    print()
    table = tables.Markdown("GPUs", "problem", "way", *PARTS, numbers=(0, *range(3, 3 + len(PARTS))))
    for key in keys:
        if key[2] == "none" and key[3] in ("MueLu", "drop-in, plans"):
            table.row(key[0], key[1], key[3], *(milliseconds(of.get((key, "later", part), 0)) for part in PARTS))
    print()
    table = tables.Markdown("GPUs", "problem", "way", "levels", "operator complexity", "iterations",
                            "matrix: first, later, ms", numbers=(0, *range(3, 7)))
    for key in keys:
        levels, complexity, iterations = (of.get((key, "later", part)) for part in HIERARCHY)
        if key[2] == "none" and levels:
            matrix = [of.get((key, when, MATRIX)) for when in ("first", "later")]
            table.row(key[0], key[1], key[3], "%g" % levels, "%.2f" % complexity,
                      "-" if iterations is None else "%g" % iterations,
                      "-" if None in matrix else ", ".join(map(milliseconds, matrix)))


def write_tables(args, tally):
    rows = read(args.files)
    tables.write_csv(os.path.join(args.output, "setups.csv"), rows, COLUMNS, end="\n")
    print_tables(medians(rows))
    tally.ok()


def add_arguments(parser):
    steps = parser.add_subparsers(dest="what", required=True)
    running, tabling = steps.add_parser("run"), steps.add_parser("table")
    running.add_argument("--programs", metavar="FOLDER", required=True)
    names = [way[0] for way in WAYS]
    running.add_argument("--ways", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    running.add_argument("--reuse", nargs="+", choices=REUSE, default=REUSE, help="(default: %(default)s)")
    running.add_argument("--setups", type=int, default=5)
    running.add_argument("--aggregation", choices=AGGREGATION, default="deterministic", help="MueLu's (default: %(default)s)")
    running.add_argument("--no-phases", action="store_true", help="timers do not wait: setups as programs have them")
    running.add_argument("--solve", action="store_true", help="MueLu with smoothers, and a solve; hypre always")
    options.add(running, "allow_run_as_root", ranks=[1], seconds=120, output=".")
    tabling.add_argument("files", nargs="+", metavar="FILE")
    options.add(tabling, output=".")


def run(args, tally):
    measure.make_output(args.output)
    (run_all if args.what == "run" else write_tables)(args, tally)
