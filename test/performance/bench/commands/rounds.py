# SPDX-License-Identifier: BSD-3-Clause
"""What the traces of rounds show: overlap, asynchrony, how a failure ends a product.

  measure rounds overlap --rates 400mbit 800mbit [--sleep 100] -- --A=er:n=100000,d=16 --grid=4x1
  measure rounds asynchrony --rate 400mbit --sleep 300 -- --A=er:n=100000,d=16
  measure rounds failure --rate 400mbit --sleep 2000 -- --A=er:n=100000,d=16 --grid=4x1

They run in the network of two_level_network (--nodes 4, --ranks-per-node 4), as root. They print Markdown.
Options after -- go to the driver. doc/results/columns.md explains the numbers.
"""
import re
import statistics
import time

from .. import facts, measure, mpi, options, tables
from ..measure import Failed

EXCHANGES = ("request-queue", "prefetch")


def words_of(args, network, words):
    """The words before the driver, and its own."""
    return network.launcher(args.nodes * args.ranks_per_node, args.ranks_per_node), \
        [*args.options, "--quiet", "--ranks-per-node=%d" % args.ranks_per_node, *words]


def written(args, network, option, words, env):
    """Returns the JSON that a run writes to the file of an option."""
    launcher, words = words_of(args, network, words)
    done = measure.run_json(launcher, args.driver, words, env=mpi.environment(**env), into=option)
    if done.error:
        raise Failed(done.error)
    return done.got


def trace(args, network, words, env):
    """The rounds of every rank: {rank: [{requested, awaited, landed, gathered, multiplied} by round]}, in seconds."""
    ranks = {}
    for event in written(args, network, "--trace", ["--fuse=1", "--warmup=1", *words], env):
        if event["ph"] == "X":
            rounds = ranks.setdefault(event["tid"] // 4, {})
            what = event["name"].split()[0]
            begin, end = event["ts"] / 1e6, (event["ts"] + event["dur"]) / 1e6
            names = {"slices": ("requested", "landed"), "wait": ("awaited", "landed"),
                     "gather": ("landed", "gathered"), "multiply": ("gathered", "multiplied")}[what]
            rounds.setdefault(event["args"]["round"], {}).update(zip(names, (begin, end)))
    return {rank: [rounds[t] for t in sorted(rounds)] for rank, rounds in ranks.items()}


def per_round(ranks, begin, end, first=1):
    """Mean over ranks and rounds but the first, whose slices are at home on most shapes."""
    return statistics.fmean(t[end] - t[begin] for rounds in ranks.values() for t in rounds[first:])


def round_seconds(ranks):
    """From the end of the first round to the end of the last."""
    return statistics.fmean((rounds[-1]["multiplied"] - rounds[0]["multiplied"]) / (len(rounds) - 1)
                            for rounds in ranks.values())


def slowed(args, **more):
    """The environment in which local products take longer."""
    return {"KOKKOS_PROFILE_LIBRARY": facts.inject(), "TRIDENT_SLOW_MS": str(args.sleep), **more}


def counted(tally, what, body, *words):
    """Runs one comparison; where a run failed, that is counted and the others go on."""
    try:
        body(*words)
        tally.ok()
    except Failed as error:
        tally.fail(what, str(error))


def overlap(args, tally):
    table = tables.Markdown("rate", "exchange", "compute, ms", "transfer, ms", "round, ms", "round / max",
                            "no overlap, ms")
    for rate in args.rates:
        with mpi.Network(args.nodes, rate) as network:
            for exchange in EXCHANGES:
                counted(tally, "%s, %s" % (rate, exchange), overlap_of, args, network, exchange, table)


def overlap_of(args, network, exchange, table):
    slow = slowed(args) if args.sleep else {}
    apart, together = [], []
    for _, (runs, depth) in measure.turns(args.repeat, ((apart, 0), (together, args.depth))):
        runs.append(trace(args, network, ["--exchange=" + exchange, "--depth=%d" % depth], slow))
    compute = statistics.median(per_round(r, "landed", "multiplied") for r in apart)
    transfer = statistics.median(per_round(r, "requested", "landed") for r in apart)
    whole, serial = (statistics.median(round_seconds(r) for r in runs) for runs in (together, apart))
    table.row(network.rate, exchange, *("%.1f" % (1e3 * t) for t in (compute, transfer, whole)),
              "%.2f" % (whole / max(compute, transfer)), "%.1f" % (1e3 * serial))


def asynchrony(args, tally):
    """By how much each node ends each round later because node 0 sleeps in each of its local products."""
    print("Node 0 sleeps %d ms in each local product. Milliseconds later than undisturbed, round by round "
          "(median over the node's ranks).\n" % args.sleep)
    with mpi.Network(args.nodes, args.rate) as network:
        for name, words in (("Trident, request-queue", ["--exchange=request-queue", "--grid=square"]),
                            ("Trident, prefetch", ["--exchange=prefetch", "--grid=square"]),
                            ("SUMMA", ["--algorithm=summa"])):
            counted(tally, name, asynchrony_of, args, network, name, words)


def asynchrony_of(args, network, name, words):
    slow = slowed(args, TRIDENT_SLOW_NODE="0", TRIDENT_SLOW_RANKS_PER_NODE=str(args.ranks_per_node))
    calm, late = trace(args, network, words, {}), trace(args, network, words, slow)
    rounds = len(next(iter(calm.values())))
    table = tables.Markdown(name + ", node", *("round %d" % t for t in range(rounds)))
    for node in range(args.nodes):
        members = [r for r in sorted(calm) if r // args.ranks_per_node == node]
        delays = [statistics.median(late[r][t]["multiplied"] - calm[r][t]["multiplied"] for r in members)
                  for t in range(rounds)]
        table.row(node, *("%.0f" % (1e3 * d) for d in delays))
    print(flush=True)


def failure(args, tally):
    """From a rank's failure in its first local product to the end of the program."""
    print("Every local product takes %d ms longer.\n" % args.sleep)
    table = tables.Markdown("exchange", "seconds from the failure to the end", "without failure, product takes s",
                            "what the driver says")
    with mpi.Network(args.nodes, args.rate) as network:
        for exchange in EXCHANGES:
            counted(tally, exchange, failure_of, args, network, exchange, table)


def failure_of(args, network, exchange, table):
    words = ["--fuse=1", "--exchange=" + exchange]
    whole = written(args, network, "--json", words, slowed(args))["seconds"]["total"]["max"]
    launcher, failing = words_of(args, network, words)
    done = mpi.execute([*launcher, args.driver, *failing], measure.RUN_SECONDS,
                       mpi.environment(**slowed(args, TRIDENT_FAIL_RANK="5", TRIDENT_FAIL_PRODUCT="0")))
    ended = time.time()
    failed = re.search(r"fails at ([0-9.]+)", done.output)
    said = re.search(r"Trident_SpGEMM: .*", done.output)
    if done.status == 0 or not failed or not said:
        raise Failed("no failure seen: " + " ".join(done.output.split())[-300:])
    table.row(exchange, "%.2f" % (ended - float(failed.group(1))), "%.2f" % whole, said.group(0))


PARTS = {"overlap": overlap, "asynchrony": asynchrony, "failure": failure}


def add_arguments(parser):
    parser.add_argument("what", choices=list(PARTS))
    parser.add_argument("--rate", default="400mbit")
    parser.add_argument("--depth", type=int, default=1, help="of overlap: groups that travel during a product")
    parser.add_argument("--sleep", type=int, default=0,
                        help="milliseconds that local products take longer: of node 0 for asynchrony, of all otherwise")
    options.add(parser, "repeat", "nodes", "ranks_per_node", "driver", rates=["400mbit"])


def run(args, tally):
    PARTS[args.what](args, tally)
