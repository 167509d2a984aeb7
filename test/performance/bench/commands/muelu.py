# SPDX-License-Identifier: BSD-3-Clause
"""MueLu's setups by its own factories and by Trident's: seconds of the first one, and of further ones.

  measure muelu [--build=../../build] [--ranks 1 4 16] [--repeat=3] -- PROBLEM ...

A PROBLEM is laplace3d:n=N, brick3d:n=N, or a Matrix Market file (plain) of a symmetric positive matrix. Each run is one
of example/05_muelu, which forms both hierarchies. 4 ranks are 2 nodes of 2, 16 are 4 nodes of 4. Prints a Markdown
table of the medians. doc/results/amg.md has one.
"""
import re

from .. import facts, measure, mpi, options, tables

SECONDS = re.compile(r"^(?:first setup|further setups): MueLu ([0-9.]+) s, Trident ([0-9.]+) s", re.MULTILINE)
NODE = {1: 1, 4: 2, 16: 4}  # ranks of a node; of other numbers all


def seconds(text):
    """MueLu's and Trident's of the first setup, and of further ones; nothing where one is missing."""
    found = [float(number) for pair in SECONDS.findall(text) for number in pair]
    return found if len(found) == 4 else None


def setups(args, problem, ranks, tally):
    """The seconds of one run; None where it failed, which is counted."""
    source = "--problem=" if ":n=" in problem else "--matrix="
    words = [source + problem, "--ranks-per-node=%d" % NODE.get(ranks, ranks), "--repeat=3"]
    run = measure.run_lines(mpi.mpirun(ranks, args.allow_run_as_root),
                            facts.program("Trident_05_muelu.exe", args.build), words, args.seconds,
                            mpi.environment(ranks), seconds)
    return tally.take("%s, %d ranks" % (problem, ranks), run)


def add_arguments(parser):
    parser.add_argument("problems", nargs="+", metavar="PROBLEM")
    options.add(parser, "build", "repeat", "seconds", "allow_run_as_root", ranks=[1, 4, 16])


def run(args, tally):
    print("%s, %s cores, commit %s\n" % (facts.machine(), mpi.cores(), facts.commit()))
    table = tables.Markdown("A", "P", "first setup, MueLu / Trident", "ratio", "further setups, each", "ratio")
    for problem in args.problems:
        for ranks in args.ranks:
            runs = [run for run in (setups(args, problem, ranks, tally) for _ in range(args.repeat)) if run]
            if runs:
                first, ours, later, ours_later = map(measure.median, zip(*runs))
                table.row(facts.short(problem), ranks, "%.3f / %.3f" % (first, ours), "%.2f" % (first / ours),
                          "%.3f / %.3f" % (later, ours_later), "%.2f" % (later / ours_later))
