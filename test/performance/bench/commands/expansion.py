# SPDX-License-Identifier: BSD-3-Clause
"""The expansion of Markov clustering by Trident, SUMMA and Tpetra, as the paper measured it.

  measure expansion --rates 100mbit 1gbit --output DIR --shuffled families:n=20000 -- [MATRIX ...]

That is ten iterations with a threshold of 0.002. Each matrix is a run of Trident_Expansion.exe, in which all ways take
turns in every iteration. The nodes of those after --shuffled get other numbers, at random. With --rates a run is made
in the network of two_level_network, which needs root, once for each rate; without, by plain mpirun on this host. DIR
gets expansion.csv, a row for each iteration and way, and table.md. doc/results/columns.md explains the columns.
"""
import os

from .. import facts, measure, mpi, options, tables
from ..tables import cell, grouped, mega, number

PROGRAM = "Trident_Expansion.exe"
WAYS = ("trident", "trident-square", "summa", "tpetra")
COLUMNS = ("commit", "machine", "cores", "rate", "nodes", "ranks", "A", "shuffled", "iteration", "by", "entries",
           "multiply_adds", "kept", "seconds", "pruning", "repeat", "internode_bytes", "port_bytes", "difference",
           "command")
NEARLY = 1e-10  # results of two ways differ by less, unless an entry lies on the threshold


def run_one(args, network, matrix, shuffled, tally):
    """The rows of one matrix; nothing where the run failed, which is counted."""
    launcher, env = mpi.start(network, args.nodes * args.ranks_per_node, args.ranks_per_node, args.allow_run_as_root)
    words = ["--A=" + matrix, "--iterations=%d" % args.iterations, "--repeat=%d" % args.repeat,
             "--threshold=%g" % args.threshold, "--ranks-per-node=%d" % args.ranks_per_node]
    words += ["--shuffle"] * shuffled + ["--port=eth0"] * bool(network)
    done = measure.run_lines(launcher, facts.program(PROGRAM, args.build), words, args.seconds, env)
    missing = "" if len(done.got) == args.iterations * len(WAYS) else "lines are missing"
    error = done.error or missing
    differ = max((line["difference"] for line in done.got), default=0)
    tally.tell("%s%s, %s" % (matrix, " shuffled" * shuffled, network.rate if network else "this host"),
               error or ("results differ by %g" % differ if differ > NEARLY else ""), "done")
    more = {"rate": network.rate if network else "", "nodes": args.nodes, "A": facts.short(matrix),
            "shuffled": "yes" if shuffled else "no", "command": " ".join([PROGRAM, *words])}
    return [] if error else [{**line, **more} for line in done.got]


def run_all(args, tally):
    with tables.Csv(os.path.join(args.output, "expansion.csv"), COLUMNS, facts.of_results(args.commit)) as file:
        for rate in args.rates or [""]:
            with mpi.network_of(args.nodes, rate) as network:
                for matrix, shuffled in [(m, True) for m in args.shuffled] + [(m, False) for m in args.matrices]:
                    for row in run_one(args, network, matrix, shuffled, tally):
                        file.row(row)


def total(rows, column):
    """Over the iterations; None where it is not known."""
    numbers = [number(row, column) for row in rows]
    return None if None in numbers else sum(numbers)


def write_sums(rows, file):
    table = tables.Markdown("A", "ports", "way", "seconds", "/ trident", "of it pruning", "MB counted",
                            "MB through the ports", "/ trident", file=file)
    for (A, shuffled, rate), case in grouped(rows, "A", "shuffled", "rate").items():
        by = {way: {column: total([row for row in case if row["by"] == way], column)
                    for column in ("seconds", "pruning", "internode_bytes", "port_bytes")} for way in WAYS}
        for way, mine in by.items():
            over = [cell(measure.quotient(mine[c], by["trident"][c]), "%.2f") for c in ("seconds", "port_bytes")]
            table.row(A + ", shuffled" * (shuffled == "yes"), rate or "-", way, cell(mine["seconds"]), over[0],
                      cell(mine["pruning"]), mega(mine["internode_bytes"]), mega(mine["port_bytes"]), over[1])


def write_tables(rows, file):
    if not rows:
        return
    print("%(machine)s, %(cores)s cores, commit %(commit)s; %(ranks)s ranks as %(nodes)s nodes;" % rows[0],
          facts.this_command(), file=file)
    print("\nSums over the iterations; each of a median of %(repeat)s turns, of the slowest rank.\n" % rows[0],
          file=file)
    write_sums(rows, file)


def add_arguments(parser):
    parser.add_argument("matrices", nargs="*", metavar="MATRIX", help="as the driver takes it, weights from 0 on")
    parser.add_argument("--shuffled", nargs="+", default=[], metavar="MATRIX", help="the same, shuffled")
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--threshold", type=float, default=0.002)
    options.add(parser, "build", "rates", "nodes", "ranks_per_node", "repeat", "seconds", "allow_run_as_root", "commit",
                output="expansion-results")


def run(args, tally):
    if not args.matrices and not args.shuffled:
        args.error("a matrix is missing")
    measure.make_output(args.output)
    run_all(args, tally)
    with tables.open_table(args.output) as file:
        write_tables(tables.read_csv(os.path.join(args.output, "expansion.csv")), file)
