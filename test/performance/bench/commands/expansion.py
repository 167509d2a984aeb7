#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The expansion of Markov clustering by Trident, SUMMA and Tpetra, as the paper measured it: ten iterations, threshold
0.002.

  expansion --rates 100mbit 1gbit --output DIR --shuffled families:n=20000 -- [MATRIX ...]

Each matrix is a run of Trident_Expansion.exe, in which all ways take turns in every iteration. The nodes of those after
--shuffled get other numbers, at random. With --rates a run is made in the network of two_level_network, which needs
root, once for each rate; without, by plain mpirun on this host. DIR gets expansion.csv, a row for each iteration and
way, and table.md. doc/results/columns.md explains the columns.
"""
import argparse
import contextlib
import os
import sys

sys.dont_write_bytecode = True
from bench import facts, measure, mpi, tables  # beside this script
from bench.tables import cell, grouped, mega, number

PROGRAM = "Trident_Expansion.exe"
WAYS = ("trident", "trident-square", "summa", "tpetra")
COLUMNS = ("commit", "machine", "cores", "rate", "nodes", "ranks", "A", "shuffled", "iteration", "by", "entries",
           "multiply_adds", "kept", "seconds", "pruning", "repeat", "internode_bytes", "port_bytes", "difference",
           "command")
NEARLY = 1e-10  # results of two ways differ by less, unless an entry lies on the threshold


def run(args, network, matrix, shuffled, tally):
    """The rows of one matrix; nothing where the run failed, which is counted."""
    ranks = args.nodes * args.ranks_per_node
    launcher = network.launcher(ranks, args.ranks_per_node) if network else mpi.mpirun(ranks, args.allow_run_as_root)
    words = ["--A=" + matrix, "--iterations=%d" % args.iterations, "--repeat=%d" % args.repeat,
             "--threshold=%g" % args.threshold, "--ranks-per-node=%d" % args.ranks_per_node]
    words += ["--shuffle"] * shuffled + ["--port=eth0"] * bool(network)
    done = mpi.execute([*launcher, facts.program(PROGRAM, args.build), *words], args.seconds,
                       mpi.environment(0 if network else ranks))
    lines = measure.json_lines(done.output)
    what = "%s%s, %s" % (matrix, " shuffled" * shuffled, network.rate if network else "this host")
    if done.status != 0 or len(lines) != args.iterations * len(WAYS):
        tally.fail(what, measure.why(done, args.seconds, PROGRAM))
        return []
    differ = max(line["difference"] for line in lines)
    if differ > NEARLY:
        tally.fail(what, "results differ by %g" % differ)
    else:
        tally.ok()
        print(what, flush=True)
    more = {"rate": network.rate if network else "", "nodes": args.nodes, "A": facts.short(matrix),
            "shuffled": "yes" if shuffled else "no", "command": " ".join([PROGRAM, *words])}
    return [{**line, **more} for line in lines]


def run_all(args, tally):
    always = {"commit": args.commit or facts.commit(), "machine": facts.machine(), "cores": os.cpu_count()}
    with tables.Csv(os.path.join(args.output, "expansion.csv"), COLUMNS, always) as file:
        for rate in args.rates or [""]:
            with mpi.Network(args.nodes, rate) if rate else contextlib.nullcontext() as network:
                for matrix, shuffled in [(m, True) for m in args.shuffled] + [(m, False) for m in args.matrices]:
                    for row in run(args, network, matrix, shuffled, tally):
                        file.row(row)


# --- the tables -------------------------------------------------------------------------------------------

def total(rows, column):
    """Over the iterations; None where it is not known."""
    numbers = [number(row, column) for row in rows]
    return None if None in numbers else sum(numbers)


def write_sums(rows, file):
    table = tables.Markdown("A", "ports", "way", "seconds", "/ trident", "of it pruning", "MB counted",
                            "MB through the ports", "/ trident", file=file)
    for (A, shuffled, rate), case in grouped(rows, "A", "shuffled", "rate").items():
        by = {way: [row for row in case if row["by"] == way] for way in WAYS}
        first = {column: total(by["trident"], column) for column in ("seconds", "port_bytes")}
        for way in WAYS:
            mine = {column: total(by[way], column) for column in ("seconds", "pruning", "internode_bytes", "port_bytes")}
            over = [cell(measure.quotient(mine[c], first[c]), "%.2f") for c in ("seconds", "port_bytes")]
            table.row(A + ", shuffled" * (shuffled == "yes"), rate or "-", way, cell(mine["seconds"]), over[0],
                      cell(mine["pruning"]), mega(mine["internode_bytes"]), mega(mine["port_bytes"]), over[1])


def write_iterations(rows, file):
    table = tables.Markdown("A", "ports", "iteration", "entries of M", "multiply-adds", "kept", "seconds: "
                            + ", ".join(WAYS), "MB through the ports: the same", file=file)
    for (A, shuffled, rate, iteration), case in grouped(rows, "A", "shuffled", "rate", "iteration").items():
        by = {row["by"]: row for row in case}
        table.row(A + ", shuffled" * (shuffled == "yes"), rate or "-", iteration,
                  *(by["trident"][column] for column in ("entries", "multiply_adds", "kept")),
                  ", ".join(cell(number(by[way], "seconds")) for way in WAYS),
                  ", ".join(mega(number(by[way], "port_bytes")) for way in WAYS))


def write_tables(rows, file):
    if not rows:
        return
    first = rows[0]
    print("%s, %s cores, commit %s; %s ranks as %s nodes; %s\n\nSums over the iterations; each of a median of %s turns, "
          "of the slowest rank.\n" % (first["machine"], first["cores"], first["commit"], first["ranks"], first["nodes"],
                                      facts.this_command(), first["repeat"]), file=file)
    write_sums(rows, file)
    print("\nThe iterations.\n", file=file)
    write_iterations(rows, file)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="*", metavar="MATRIX", help="as the driver takes it, weights from 0 on")
    parser.add_argument("--shuffled", nargs="+", default=[], metavar="MATRIX", help="the same, shuffled")
    parser.add_argument("--build", help="a build (default: build/ of this checkout)")
    parser.add_argument("--rates", nargs="+", default=[], help="100mbit ... unlimited (default: no network)")
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--ranks-per-node", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--threshold", type=float, default=0.002)
    parser.add_argument("--repeat", type=int, default=3, help="turns of an iteration (default: 3)")
    parser.add_argument("--seconds", type=float, default=measure.RUN_SECONDS,
                        help="a run that takes longer is ended, and has failed (default: %(default)s)")
    mpi.add_root_option(parser)
    parser.add_argument("--commit", help="what the results name, where the program was not built here")
    parser.add_argument("--output", default="expansion-results", help="folder (default: %(default)s)")
    args = parser.parse_args()
    if not args.matrices and not args.shuffled:
        parser.error("a matrix is missing")
    args.build = args.build and os.path.realpath(args.build)
    return args


def main():
    args = parse()
    tally = measure.Tally("expansion")
    measure.make_output(args.output)
    run_all(args, tally)
    with open(os.path.join(args.output, "table.md"), "w", encoding="utf-8") as file:
        write_tables(tables.read_csv(os.path.join(args.output, "expansion.csv")), file)
    return tally.status()


if __name__ == "__main__":
    measure.main_of("expansion", main)
