# SPDX-License-Identifier: BSD-3-Clause
"""MueLu's setups by its own factories and by Trident's: seconds of the first one, and of further ones.

  measure muelu [--build=../../build] [--ranks 1 4 16] [--repeat=3] -- PROBLEM ...

A PROBLEM is laplace3d:n=N, brick3d:n=N, or a Matrix Market file (plain) of a symmetric positive matrix. Each run is one
of example/05_muelu, which forms both hierarchies. 4 ranks are 2 nodes of 2, 16 are 4 nodes of 4. Prints a Markdown
table of the medians. doc/results/amg.md has one.
"""
import re

from .. import facts, measure, mpi, options, tables

SECONDS = re.compile(r"^(first setup|further setups): MueLu ([0-9.]+) s, Trident ([0-9.]+) s", re.MULTILINE)
NODE = {1: 1, 4: 2, 16: 4}  # ranks of a node; of other numbers all


def setups(args, problem, ranks, tally):
    """The seconds of one run, {setup: (MueLu, Trident)}; none where it failed, which is counted."""
    program = facts.program("Trident_05_muelu.exe", args.build)
    source = "--problem=" if ":n=" in problem else "--matrix="
    done = mpi.execute([*mpi.mpirun(ranks, args.allow_run_as_root), program, source + problem,
                        "--ranks-per-node=%d" % NODE.get(ranks, ranks), "--repeat=3"], args.seconds,
                       mpi.environment(ranks))
    found = {setup: (float(muelu), float(trident)) for setup, muelu, trident in SECONDS.findall(done.output)}
    if done.status != 0 or len(found) < 2:
        tally.fail("%s, %d ranks" % (problem, ranks), measure.why(done, args.seconds, "Trident_05_muelu.exe"))
        return {}
    tally.ok()
    return found


def columns(runs, setup):
    """Median seconds of both, and their ratio."""
    muelu, trident = (measure.median(run[setup][way] for run in runs) for way in (0, 1))
    return "%.3f / %.3f" % (muelu, trident), "%.2f" % (muelu / trident)


def add_arguments(parser):
    parser.add_argument("problems", nargs="+", metavar="PROBLEM")
    options.add_build(parser)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--repeat", type=int, default=3, help="runs of each (default: %(default)s)")
    options.add_seconds(parser)
    options.add_root(parser)


def run(args):
    tally = measure.Tally("muelu")
    print("%s, %s cores, commit %s\n" % (facts.machine(), mpi.cores(), facts.commit()))
    table = tables.Markdown("A", "P", "first setup, MueLu / Trident", "ratio", "further setups, each", "ratio")
    for problem in args.problems:
        for ranks in args.ranks:
            runs = [run for run in (setups(args, problem, ranks, tally) for _ in range(args.repeat)) if run]
            if runs:
                table.row(facts.short(problem), ranks, *columns(runs, "first setup"), *columns(runs, "further setups"))
    return tally.status()

