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
    ranks = args.nodes * args.ranks_per_node
    launcher, env = mpi.start(network, ranks, args.ranks_per_node, args.allow_run_as_root)
    words = ["--A=" + matrix, "--iterations=%d" % args.iterations, "--repeat=%d" % args.repeat,
             "--threshold=%g" % args.threshold, "--ranks-per-node=%d" % args.ranks_per_node]
    words += ["--shuffle"] * shuffled + ["--port=eth0"] * bool(network)
    done = mpi.execute([*launcher, facts.program(PROGRAM, args.build), *words], args.seconds, env)
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
    with tables.Csv(os.path.join(args.output, "expansion.csv"), COLUMNS, facts.of_results(args.commit)) as file:
        for rate in args.rates or [""]:
            with mpi.network_of(args.nodes, rate) as network:
                for matrix, shuffled in [(m, True) for m in args.shuffled] + [(m, False) for m in args.matrices]:
                    for row in run_one(args, network, matrix, shuffled, tally):
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


def add_arguments(parser):
    parser.add_argument("matrices", nargs="*", metavar="MATRIX", help="as the driver takes it, weights from 0 on")
    parser.add_argument("--shuffled", nargs="+", default=[], metavar="MATRIX", help="the same, shuffled")
    options.add_build(parser)
    options.add_rates(parser)
    options.add_nodes(parser)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--threshold", type=float, default=0.002)
    parser.add_argument("--repeat", type=int, default=3, help="turns of an iteration (default: 3)")
    options.add_seconds(parser)
    options.add_root(parser)
    options.add_commit(parser)
    options.add_output(parser, "expansion-results")


def run(args):
    if not args.matrices and not args.shuffled:
        args.error("a matrix is missing")
    tally = measure.Tally("expansion")
    measure.make_output(args.output)
    run_all(args, tally)
    with tables.open_table(args.output) as file:
        write_tables(tables.read_csv(os.path.join(args.output, "expansion.csv")), file)
    return tally.status()

