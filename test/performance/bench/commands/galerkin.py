# SPDX-License-Identifier: BSD-3-Clause
"""The Galerkin product in several ways on the two-level network: seconds, and bytes through the ports.

  measure galerkin [--build=../../build] [--rate 1gbit ...] [--nodes=4] [--ranks-per-node=4] [--repeat=5] -- MATRIX ...

Needs root (network namespaces). For each rate and matrix, Trident_Galerkin.exe once with all ways in turns, for the
seconds; then each way alone, with 1 and with 1 + `repeat` turns, the difference of whose port counters, less headers,
is what a turn brought to all nodes. Prints a Markdown table. doc/results/columns.md explains the columns.
"""
from .. import facts, measure, mpi, options, ratios, tables

WAYS = ("one-call", "two-calls", "plan", "tpetra-two-calls", "tpetra-transpose", "tpetra-triple", "one-call-given",
        "tpetra-given")


def galerkin(args, network, matrix, ways, repeat):
    """(the program's lines by way, the payload that all ports received meanwhile, what went wrong)."""
    before = network.received()
    done = measure.run_lines(network.launcher(args.nodes * args.ranks_per_node, args.ranks_per_node),
                             facts.program("Trident_Galerkin.exe", args.build),
                             ["--A=" + matrix, "--by=" + ",".join(ways), "--repeat=%d" % repeat,
                              "--ranks-per-node=%d" % args.ranks_per_node], args.seconds, mpi.environment())
    lines = {line["by"]: line for line in done.got}
    missing = "" if set(ways) <= set(lines) else "a way is missing"
    return lines, mpi.payload(network.received(), before), done.error or missing


def rows(args, network, matrix, tally):
    """The table's rows of one matrix; what failed is counted, and has none."""
    found, _, error = galerkin(args, network, matrix, WAYS, args.repeat)
    if error:
        tally.fail("%s, all ways" % matrix, error)
        return
    base = {way: min(found[other]["seconds"] for other in ratios.tpetras("R·A·P", way)) for way in WAYS}
    for way in WAYS:
        (_, few, error), (_, many, also) = (galerkin(args, network, matrix, [way], n) for n in (1, 1 + args.repeat))
        if error or also:
            tally.fail("%s, %s" % (matrix, way), error or also)
            continue
        tally.ok()
        line = found[way]
        yield (network.rate, matrix, way, "%.4f" % line["seconds"], "%.2f" % (base[way] / line["seconds"]),
               "%.2f" % (line["internode_bytes"] / 1e6) if not way.startswith("tpetra") else "",
               "%.2f" % ((many - few) / args.repeat / 1e6), "%.1e" % line["difference"])


def add_arguments(parser):
    parser.add_argument("matrices", nargs="+", metavar="MATRIX", help="as the driver takes it")
    parser.add_argument("--rate", nargs="+", default=["1gbit"])
    options.add(parser, "build", "nodes", "ranks_per_node", "seconds", repeat=5)


def run(args, tally):
    table = tables.Markdown("ports", "A", "way", "seconds", "Tpetra / this", "MB between nodes, counted",
                            "MB through the ports", "difference")
    for rate in args.rate:
        with mpi.Network(args.nodes, rate) as network:
            for matrix in args.matrices:
                for row in rows(args, network, matrix, tally):
                    table.row(*row)
