# SPDX-License-Identifier: BSD-3-Clause
"""MueLu's setups of a program that knows no Trident: as it is, and under libtrident_dropin.so.

  measure dropin [--build=../../build] [--ranks 1 4] [--repeat=5] [--later=5] [--output=FOLDER] [-- CASE ...]

The setups are by easy lists. A CASE is one of test/dropin/muelu/MueLu_PlainCases.hpp. The ways (as it is, preload,
preload with plans) take turns. Each run is a process of its own: one setup of another structure, the first setup of a
structure, and later ones with other values. Prints two Markdown tables of medians: seconds and ratios of setups; and,
from one more run with TRIDENT_COMPARE=1, seconds of the products alone, and the share of the setups that Tpetra's have.
--output writes the runs to FOLDER/dropin.csv.
"""
import collections
import json
import os
import shutil
import tempfile

from .. import facts, measure, mpi, options, tables
from ..tables import cell

PROGRAM = "MueLu_UnderPreload.exe"
CASES = ("sa", "brick", "elasticity", "repartitioned", "reuse RP", "reuse RAP", "elasticity reuse RP")


def run_one(args, ranks, case, way, variables, tally):
    """The line of one process, which sets up one case: what another case has left would be found. None where it failed,
    which is counted."""
    launcher = [*mpi.mpirun(ranks, args.allow_run_as_root), shutil.which("env"),  # mpirun itself loads no library
                *("%s=%s" % item for item in variables.items())]
    done = measure.run_lines(launcher, facts.program(PROGRAM, args.build), [
        "--cases=" + case, "--laplace-side=%d" % args.laplace_side, "--elasticity-side=%d" % args.elasticity_side,
        "--times=%d" % args.later], args.seconds, mpi.environment(ranks))
    lines = tally.take("%s, %s, %d ranks" % (case, way, ranks), done)
    return lines and lines[-1]


def measured(args, ranks, tally):
    """Yields rows of the CSV file: one for each run."""
    loaded = {"LD_PRELOAD": args.library}
    ways = {"as it is": {}, "preload": loaded, "plans": {**loaded, "TRIDENT_PLANS": str(args.plans)}}
    for turn, way in measure.turns(args.repeat, ways):
        for case in args.cases:
            line = run_one(args, ranks, case, way, ways[way], tally)
            if line:
                seconds = {"%s %s" % (clock, of): value for clock in ("wall", "cpu") for of, value in
                           (("first", line[clock][1]), ("later", measure.median(line[clock][2:])),
                            ("all", sum(line[clock])))}
                yield {"case": case, "rows": line["rows"], "ranks": ranks, "turn": turn, "way": way, **seconds,
                       **facts.of_results()}


def ratio(rows, way, column):
    """The median over the turns of the program as it is over that way."""
    seconds = collections.defaultdict(dict)
    for row in rows:
        seconds[row["turn"]][row["way"]] = row[column]
    return measure.median(measure.quotient(turn.get("as it is"), turn.get(way)) for turn in seconds.values())


def print_setups(rows, clock):
    table = tables.Markdown("case", "rows", "P", "first setup, s", "preload", "plans", "later setups, each, s",
                            "preload", "plans")
    for key, group in tables.grouped(rows, "case", "rows", "ranks").items():
        cells = []
        for column in (clock + " first", clock + " later"):
            cells += [cell(measure.median(row[column] for row in group if row["way"] == "as it is")),
                      *(cell(ratio(group, way, column), "%.2f") for way in ("preload", "plans"))]
        table.row(*key, *cells)


def products_of(args, ranks, case, tally):
    """What the library reports of each product of a run in which Tpetra forms it too."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        run_one(args, ranks, case, "compare", {"LD_PRELOAD": args.library, "TRIDENT_COMPARE": "1",
                                               "TRIDENT_REPORT": report, "TRIDENT_PLANS": str(args.plans)}, tally)
        if not os.path.exists(report):
            return []
        with open(report, encoding="utf-8") as file:
            return [p for p in map(json.loads, file) if "Tpetra's seconds" in p]


def print_products(args, rows, tally):
    table = tables.Markdown("case", "P", "function", "products", "Tpetra, s", "of setups", "Trident, s", "ratio",
                            "by plans", "rows in blocks")
    for ranks in args.ranks:
        for case in args.cases:
            setups = measure.median(row["wall all"] for row in rows
                                    if (row["case"], row["ranks"], row["way"]) == (case, ranks, "as it is"))
            for (function,), group in tables.grouped(products_of(args, ranks, case, tally), "function").items():
                theirs, ours = (sum(p[name] for p in group) for name in ("Tpetra's seconds", "seconds"))
                # Products into a kept pattern are not compared, so these are not all.
                share = None if "reuse" in case else measure.quotient(theirs, setups)
                table.row(case, ranks, function, len(group), cell(theirs), cell(share, "%.2f"),
                          cell(ours), cell(measure.quotient(theirs, ours), "%.2f"),
                          sum(p.get("kernel") == "numeric" for p in group), sum(p["rows in blocks"] for p in group))


def add_arguments(parser):
    parser.add_argument("cases", nargs="*", metavar="CASE", default=CASES)
    parser.add_argument("--library", help="what is loaded (default: the build's libtrident_dropin.so)")
    for name, default, what in (("--later", 5, "later setups of a run"), ("--plans", 64, "TRIDENT_PLANS"),
                                ("--laplace-side", 40, "points along an axis"),
                                ("--elasticity-side", 16, "points along an axis")):
        parser.add_argument(name, type=int, default=default, help=what + " (default: %(default)s)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall",
                        help="whose seconds the table has (default: %(default)s); with cpu what others do on the "
                             "machine is not in them, and ranks' waits are")
    parser.add_argument("--output", help="a folder for dropin.csv")
    options.add(parser, "build", "seconds", "allow_run_as_root", ranks=[1, 4], repeat=5)


def run(args, tally):
    args.library = os.path.realpath(args.library or os.path.join(args.build or facts.BUILD,
                                                                 "src/dropin/libtrident_dropin.so"))
    if not os.path.exists(args.library):
        raise mpi.CannotStart("%s is missing: build trident_dropin" % args.library)
    if args.output:
        measure.make_output(args.output)
    print("%s, %s cores, commit %s, load %.1f\n\n    %s\n" % (
        facts.machine(), mpi.cores(), facts.commit(), os.getloadavg()[0], facts.this_command()))
    rows = [row for ranks in args.ranks for row in measured(args, ranks, tally)]
    print_setups(rows, args.clock)
    print()
    print_products(args, rows, tally)
    if args.output and rows:
        tables.write_csv(os.path.join(args.output, "dropin.csv"), rows)
