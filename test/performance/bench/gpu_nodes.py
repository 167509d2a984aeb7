# SPDX-License-Identifier: BSD-3-Clause
"""The part nodes of `measure gpu`: nodes that have GPUs of their own, on one machine. A·A and A·restriction as the paper
measured them, and nodes.csv, which has each row as soon as it is known."""
import collections
import os
import re
import statistics

from . import facts, measure, mpi, tables
from .facts import short
from .part import NO_TIME
from .ratios import MOST_DIFFERENCE

BY_NODE = os.path.join(mpi.FOLDER, "by_node")
TARGETS = ["Trident_SpGEMM.exe"]
SHAPES = {2: ["2x1"], 4: ["2x2", "4x1"], 8: ["2x4", "4x2"]}  # nodes x GPUs of each, by the machine's GPUs
RATES = ["25gbit", "10gbit", "unlimited"]
PRODUCTS = {"square": "A·A", "restriction": "A·restriction"}
USUAL, PAPERS = ("trident", "summa", "tpetra"), ("paper", "paper-prefetch")
# The paper's own way: a square grid, tiles as a whole, one round at a time, asked for through a queue in a window.
OF_PAPER = ["--grid=square", "--fetch=tiles", "--fuse=1"]
ALGORITHMS = {"trident": [], "summa": ["--algorithm=summa"], "tpetra": ["--algorithm=tpetra"],
              "paper": [*OF_PAPER, "--exchange=request-queue"], "paper-prefetch": [*OF_PAPER, "--exchange=prefetch"]}
REPEAT, FEW, SLOW = 7, 3, 0.5  # products; of those that take longer than SLOW s
PHASES = {"setup": ("setup",), "import": ("import",), "wait": ("exchange_wait",), "gather": ("gather",),
          "multiply": ("local_multiply", "accumulate"), "export": ("export",), "other": ("other",)}
COLUMNS = [
    "product", "nodes", "gpus_per_node", "rate", "A", "algorithm", "seconds", "median_of", "turns", "on_grid_seconds",
    "over_trident", "over_trident_on_grid", *("seconds_" + phase for phase in PHASES), "multiply_least",
    "multiply_most", "internode_bytes", "setup_bytes", "grid", "fetch", "exchange", "gather", "kernel", "reasons",
    "first_call_seconds", "nnzA", "nnzC", "difference", "device", "mpi", "commit", "error", "command"]
Case = collections.namedtuple("Case", "product nodes gpus rate A algorithm")


def add_options(parser):
    group = parser.add_argument_group("nodes that have GPUs of their own (the part nodes)")
    group.add_argument("--shapes", nargs="+", metavar="NxG",
                       help="nodes x GPUs of each (default: by the GPUs: 2x1; 2x2 4x1; 2x4 4x2)")
    group.add_argument("--rates", nargs="+", metavar="RATE", default=RATES,
                       help="of the ports, the first one first (default: %s)" % " ".join(RATES))
    for name, known in (("--algorithms", ALGORITHMS), ("--products", PRODUCTS)):
        group.add_argument(name, nargs="+", choices=known, default=list(known), metavar="NAME",
                           help="default: " + " ".join(known))
    group.add_argument("--run-seconds", type=float, default=45, help="a run that takes longer is ended (default: 45)")


def shapes(args):
    """(nodes, GPUs of each), those asked for or those that take all GPUs."""
    wanted = args.shapes or SHAPES.get(args.gpus)
    if not wanted:
        raise mpi.CannotStart("of %d GPUs there is no usual shape: say --shapes" % args.gpus)
    found = []
    for shape in wanted:
        nodes, _, gpus = shape.partition("x")
        if not (nodes.isdigit() and gpus.isdigit() and int(nodes) > 1 and int(gpus) > 0):
            raise mpi.CannotStart("the shape '%s' is not like 2x4, of two nodes or more" % shape)
        found.append((int(nodes), int(gpus)))
    return found


def cases(args):
    """What is measured, the most telling first: what comes last may find no time."""
    stages = [("square", USUAL), ("restriction", USUAL), ("square", PAPERS), ("restriction", PAPERS)]
    return [Case(product, nodes, gpus, rate, A, algorithm) for rate in args.rates for product, algorithms in stages
            for nodes, gpus in shapes(args) if product in args.products for A in args.ratio_matrices
            for algorithm in algorithms if algorithm in args.algorithms]


def columns_of(got):
    """What the driver's JSON has. Its reasons are kept whole."""
    seconds = got["seconds"]
    found = {"seconds_" + phase: sum(seconds[p]["median"] for p in parts)
             for phase, parts in PHASES.items() if all(seconds.get(p) for p in parts)}
    if seconds.get("multiply"):  # Tpetra's product is not cut into parts
        found.update(on_grid_seconds=seconds["multiply"]["max"], multiply_least=seconds["local_multiply"]["min"],
                     multiply_most=seconds["local_multiply"]["max"],
                     setup_bytes=measure.received(got, "internode", ("setup",)))
    found.update({column: got.get(column) for column in (
        "fetch", "exchange", "gather", "kernel", "reasons", "first_call_seconds", "nnzA", "nnzC")},
                 internode_bytes=measure.received(got, "internode"), grid=measure.grid(got))
    if got.get("vector_error") is not None:
        found.update(difference="%.1e" % got["vector_error"],
                     error="" if got["vector_error"] <= MOST_DIFFERENCE else "the result is wrong")
    return found


def text(value):
    if isinstance(value, list):
        return " ".join("%.6f" % each for each in value)
    return "%.6g" % value if isinstance(value, float) else value


def compare(rows):
    """To each row its seconds over those of Trident, and the same on the grid."""
    def key(row):
        return tuple(str(row[c]) for c in ("product", "nodes", "gpus_per_node", "A", "rate", "mpi", "commit", "device"))

    of_trident = {key(row): row for row in rows if row["algorithm"] == "trident" and not row["error"]}
    for row in rows:
        mine = of_trident.get(key(row), {})
        for column, of in (("over_trident", "seconds"), ("over_trident_on_grid", "on_grid_seconds")):
            if row.get(of) and mine.get(of):
                row[column] = "%.4g" % (float(row[of]) / float(mine[of]))


def measure_nodes(part):
    Nodes(part).measure()


class Nodes:
    """The cases, one after the other, in the network of each; the rows, in nodes.csv as soon as they are known."""

    def __init__(self, part):
        self.part, self.up, self.seconds, self.late = part, None, {}, set()
        self.path = os.path.join(part.args.out, "nodes.csv")
        self.common = {"device": facts.device(), "commit": part.args.commit or facts.commit(),
                       "mpi": (facts.said_by("mpirun", "--version").splitlines() or ["unknown"])[0]}

    def measure(self):
        wanted = cases(self.part.args)
        try:
            for n, case in enumerate(wanted):
                if not self.part.has_time("%d of %d runs, from %s on" % (len(wanted) - n, len(wanted), name(case))):
                    return
                if (case.product, case.A, case.algorithm) in self.late:
                    self.part.skip(name(case), "was ended after its time before")
                elif not self.enter(case):
                    return
                else:
                    self.multiply(case)
        finally:
            self.leave()

    def enter(self, case):
        """Whether the network is up, which is made where the case before had another."""
        if self.up != (case.nodes, case.rate):
            self.leave()
            status, output = self.part.run([mpi.NETWORK, "up", str(case.nodes), case.rate], 60)
            if status != 0:
                why = " ".join(output.split())[-300:]
                (self.part.skip if "need root" in why or "are missing" in why else self.part.fail)("all", why)
                return False
            self.up = (case.nodes, case.rate)
        return True

    def leave(self):
        if self.up:
            mpi.execute([mpi.NETWORK, "down"], 60)
            self.up = None

    def multiply(self, case):
        env = {"TRIDENT_GPUS_PER_NODE": str(case.gpus), "TRIDENT_RANKS_PER_NODE": str(case.gpus)}
        repeat = self.repeat_of(case)
        got, words = self.part.driver(
            [mpi.NETWORK, "run", str(case.nodes), str(case.gpus), BY_NODE], "--A=" + case.A,
            *(["--B=restriction"] if case.product == "restriction" else []), *ALGORITHMS[case.algorithm],
            "--ranks-per-node=%d" % case.gpus, "--check-vector", "--warmup=1", "--repeat=%d" % repeat,
            limit=self.part.args.run_seconds, env=env)
        words = " ".join([*("%s=%s" % item for item in env.items()), words])
        if isinstance(got, str):
            self.failed(case, got, words)
        else:
            seconds = self.seconds[case.product, case.A, case.algorithm] = statistics.median(got["total_seconds"])
            self.keep(case, words, {"seconds": seconds, "median_of": repeat, "turns": got["total_seconds"],
                                    **columns_of(got)})

    def repeat_of(self, case):
        """How many products: few of what takes long, by what was seen before. Of what was not seen, ten times Trident's
        seconds are expected."""
        known = [self.seconds.get((case.product, case.A, a)) for a in (case.algorithm, "trident")]
        expected = known[0] or (10 if case.algorithm in ("summa", "tpetra") else 1) * (known[1] or 0)
        return FEW if expected > SLOW else REPEAT

    def failed(self, case, error, words):
        """A row without a result. What the library refuses, as a queue without a window, is skipped, not failed."""
        ended = error.startswith("ended after")
        if error == NO_TIME or ended and self.part.left() <= 1:
            self.part.skip(name(case), NO_TIME)
            return
        if ended:
            self.late.add((case.product, case.A, case.algorithm))
        refused = case.algorithm == "paper" and re.match("Trident_SpGEMM: .*(window|request-queue)", error)
        if refused:
            self.part.skip(name(case), error)
        self.keep(case, words, {"error": error}, counted=not refused)

    def keep(self, case, words, values, counted=True):
        """Writes all rows anew, as a row may change what others are compared with."""
        row = {**dict.fromkeys(COLUMNS, ""), **self.common, "product": PRODUCTS[case.product], "nodes": case.nodes,
               "gpus_per_node": case.gpus, "rate": case.rate, "A": short(case.A), "algorithm": case.algorithm,
               **{key: text(value) for key, value in values.items() if value is not None}, "command": words}
        self.part.rows.append(row)
        compare(self.part.rows)
        tables.write_csv(self.path + ".part", self.part.rows)
        os.replace(self.path + ".part", self.path)
        print("nodes: %s: %s" % (name(case), row["error"] or " ".join(str(row[c]) for c in (
            "seconds", "on_grid_seconds", "over_trident", "grid", "exchange", "internode_bytes"))), flush=True)
        if counted:
            self.part.count(name(case), row["error"])


def name(case):
    return " ".join([PRODUCTS[case.product], short(case.A), "%dx%d" % (case.nodes, case.gpus), case.rate, case.algorithm])
