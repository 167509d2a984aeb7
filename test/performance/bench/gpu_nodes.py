# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that have GPUs of their own, on one machine: the paper's experiment. What is run, in which order, and nodes.csv,
which has each row as soon as it is known."""
import collections
import os
import re
import shlex
import statistics

from . import facts, measure, mpi, tables
from .facts import short
from .part import NO_TIME, program
from .node_rows import COLUMNS, PHASES, PLACE, columns_of, compare, differs, named, place, said, text
from .ratios import EXPANDED, GALERKIN

BY_NODE = os.path.join(mpi.FOLDER, "by_node")
TARGETS = ["Trident_SpGEMM.exe", "Trident_Galerkin.exe", "Trident_Expansion.exe"]
SHAPES = {2: ["2x1"], 4: ["2x2", "4x1"], 8: ["2x4", "4x2"]}  # nodes x GPUs of each, by the machine's GPUs
RATES = ["25gbit", "10gbit", "unlimited"]
PRODUCTS = ["square", "restriction", "galerkin", "expansion"]
# The paper's own way: a square grid, tiles as a whole, one round at a time, asked for through a queue in a window.
OF_PAPER = ["--grid=square", "--fetch=tiles", "--fuse=1"]
ALGORITHMS = {"trident": [], "summa": ["--algorithm=summa"], "tpetra": ["--algorithm=tpetra"],
              "paper": [*OF_PAPER, "--exchange=request-queue"], "paper-prefetch": [*OF_PAPER, "--exchange=prefetch"]}
# Of each way of a program, the name that its rows have.
WAYS_OF_GALERKIN = {"one-call": "trident", "plan": "trident, plan", "tpetra-two-calls": "tpetra",
                    "tpetra-transpose": "tpetra, transpose"}
WAYS_OF_EXPANSION = {"trident": "trident", "trident-square": "paper-grid", "summa": "summa", "tpetra": "tpetra"}
REPEAT, FEW, SLOW = 7, 3, 0.5  # products; of those that take longer than SLOW s
SHORT = "once"  # stands for the algorithm of a run that tells what else goes through the ports
# algorithm: empty where one run has several
Case = collections.namedtuple("Case", "product nodes gpus rate A algorithm")


def add_options(parser):
    group = parser.add_argument_group("nodes that have GPUs of their own (the part nodes)")
    group.add_argument("--shapes", nargs="+", metavar="NxG",
                       help="nodes x GPUs of each (default: by the GPUs: 2x1; 2x2 4x1; 2x4 4x2)")
    group.add_argument("--rates", nargs="+", metavar="RATE", default=RATES,
                       help="of the ports, the first one first (default: %s)" % " ".join(RATES))
    group.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS), metavar="NAME",
                       help="default: " + " ".join(ALGORITHMS))
    group.add_argument("--products", nargs="+", choices=PRODUCTS, default=PRODUCTS, metavar="NAME",
                       help="default: " + " ".join(PRODUCTS))
    group.add_argument("--expanded", default=EXPANDED, metavar="GRAPH", help="default: " + EXPANDED)
    group.add_argument("--galerkin", nargs="+", default=GALERKIN, metavar="MATRIX",
                       help="of R·A·P (default: %s)" % " ".join(GALERKIN))
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
    usual = [a for a in ("trident", "summa", "tpetra") if a in args.algorithms]
    paper = [a for a in ("paper", "paper-prefetch") if a in args.algorithms]
    stages = [("square", args.ratio_matrices, usual), ("restriction", args.ratio_matrices, usual),
              ("square", args.ratio_matrices, paper), ("galerkin", args.galerkin, [""]),
              ("expansion", [args.expanded], [""]), ("restriction", args.ratio_matrices, paper)]
    once = [(product, args.ratio_matrices, [SHORT]) for product in ("square", "restriction")]
    for rate in args.rates:
        for product, matrices, algorithms in stages + (once if rate == args.rates[0] and usual else []):
            for nodes, gpus in shapes(args) if product in args.products else []:
                for A in matrices:
                    for algorithm in algorithms:
                        yield Case(product, nodes, gpus, rate, A, algorithm)


def measure_nodes(part):
    Nodes(part).measure()


class Nodes:
    """The cases, one after the other, in the network of each; the rows, in nodes.csv as soon as they are known."""

    def __init__(self, part):
        self.part, self.up, self.seconds, self.late = part, None, {}, set()
        self.beside = {}  # what the ports have of a process beside its products, by product, shape and matrix
        self.path = os.path.join(part.args.out, "nodes.csv")
        self.common = {"device": facts.device(), "commit": part.args.commit or facts.commit(),
                       "mpi": (facts.said_by("mpirun", "--version").splitlines() or ["unknown"])[0]}

    def measure(self):
        ways = {"galerkin": self.galerkin, "expansion": self.expansion}
        try:
            wanted = list(cases(self.part.args))
            for n, case in enumerate(wanted):
                if not self.part.has_time("%d of %d runs, from %s on" % (len(wanted) - n, len(wanted), name(case))):
                    return
                if (case.product, case.A, case.algorithm) in self.late:
                    self.part.skip(name(case), "was ended after its time before")
                elif not self.enter(case):
                    return
                else:
                    ways.get(case.product, self.multiply)(case)
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

    def launcher(self, case):
        """The words before a program, and the environment that goes with them."""
        return [mpi.NETWORK, "run", str(case.nodes), str(case.gpus), BY_NODE], \
            {"TRIDENT_GPUS_PER_NODE": str(case.gpus), "TRIDENT_RANKS_PER_NODE": str(case.gpus)}

    def multiply(self, case):
        """A·A and A·restriction, by the driver."""
        warmup, repeat = (0, 1) if case.algorithm == SHORT else (1, self.repeat_of(case))
        (prefix, env), before = self.launcher(case), self.ports()
        got, words = self.part.driver(
            prefix, "--A=" + case.A, *(["--B=restriction"] if case.product == "restriction" else []),
            *ALGORITHMS.get(case.algorithm, []), "--ranks-per-node=%d" % case.gpus, "--check-vector",
            "--warmup=%d" % warmup, "--repeat=%d" % repeat, limit=self.part.args.run_seconds, env=env)
        after = self.ports()
        ports = mpi.payload(after, before) if before and after else None
        if case.algorithm == SHORT:
            if not isinstance(got, str) and ports:
                self.weigh(case, ports)
        elif isinstance(got, str):
            self.failed(case, got, words)
        else:
            seconds = self.seconds[case.product, case.A, case.algorithm] = statistics.median(got["total_seconds"])
            self.keep(case, words, {"seconds": seconds, "median_of": repeat, "turns": got["total_seconds"],
                                    **columns_of(got), "products": warmup + repeat, "port_run_bytes": ports})

    def repeat_of(self, case):
        """How many products: few of what takes long, by what was seen before. Of what was not seen, ten times Trident's
        seconds are expected."""
        known = [self.seconds.get((case.product, case.A, a)) for a in (case.algorithm, "trident")]
        expected = known[0] or (10 if case.algorithm in ("summa", "tpetra") else 1) * (known[1] or 0)
        return FEW if expected > SLOW else REPEAT

    def galerkin(self, case):
        for line, words in self.lines(case, "Trident_Galerkin", [
                "--by=" + ",".join(WAYS_OF_GALERKIN), "--repeat=%d" % REPEAT, "--slow=%g" % SLOW]):
            phases = {"seconds_" + phase: sum(line["phases"][p] for p in parts)
                      for phase, parts in PHASES.items() if line["phases"]}
            self.keep(case._replace(algorithm=WAYS_OF_GALERKIN[line["by"]]), words,
                      {"seconds": line["seconds"], "median_of": line["repeat"], "turns": line["turns"], **phases,
                       "internode_bytes": line["internode_bytes"] if phases else "", **differs(line["difference"])})
        if {"paper", "summa"} & set(self.part.args.algorithms):
            self.part.skip(name(case) + " by summa and in the paper's way", "Trident_Galerkin.exe has neither")

    def expansion(self, case):
        """Sums over the iterations."""
        found = self.lines(case, "Trident_Expansion", ["--shuffle", "--by=" + ",".join(WAYS_OF_EXPANSION), "--repeat=3",
                                                       "--port=eth0"])
        for (way,), mine in tables.grouped([line for line, _ in found], "by").items():
            sums = {column: sum(line[column] for line in mine) for column in ("seconds", "internode_bytes", "port_bytes")
                    if way != "tpetra" or column != "internode_bytes"}
            self.keep(case._replace(algorithm=WAYS_OF_EXPANSION[way]), found[0][1],
                      {**sums, "median_of": mine[0]["repeat"], "iterations": len(mine),
                       **differs(max(line["difference"] for line in mine))})

    def lines(self, case, which, options):
        """[(line, command)] of a program that prints a line of JSON for each way, all of which take turns."""
        prefix, env = self.launcher(case)
        command = [*prefix, program(self.part.args, which), "--A=" + case.A, "--ranks-per-node=%d" % case.gpus, *options]
        limit = min(3 * self.part.args.run_seconds, self.part.left())
        status, output = self.part.run(command, limit, env)
        if status != 0:
            self.failed(case, NO_TIME if output == NO_TIME else measure.why(mpi.Finished(status, output), limit, which),
                        shlex.join(command))
        return [(line, shlex.join(command)) for line in measure.json_lines(output)]

    def ports(self):
        try:
            return mpi.Network(*self.up).received()
        except Exception:  # a network that does not count is no reason to lose a time
            return None

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
        words = "TRIDENT_GPUS_PER_NODE=%d TRIDENT_RANKS_PER_NODE=%d %s" % (case.gpus, case.gpus, words)
        row = {**dict.fromkeys(COLUMNS, ""), **self.common, **dict(zip(PLACE, place_of(case))), "rate": case.rate,
               "algorithm": case.algorithm, **{key: text(value) for key, value in values.items() if value is not None},
               "command": words}
        self.part.rows.append(row)
        compare(self.part.rows)
        self.write()
        print("nodes: %s: %s" % (name(case), said(row)), flush=True)
        if counted:
            self.part.count(name(case), row["error"])

    def weigh(self, case, once):
        """`once` is what the ports had of a process with one product of Trident. With what they had of one with more it
        tells what reading, checking and the start take, which is the same for all."""
        for row in self.part.rows:
            if place(row) == place_of(case) and row["algorithm"] == "trident" and row["port_run_bytes"] != "":
                self.beside[place(row)] = once - (row["port_run_bytes"] - once) / (row["products"] - 1)
                self.write()
                return

    def write(self):
        for row in self.part.rows:
            if row["port_run_bytes"] != "" and place(row) in self.beside:
                row["port_bytes"] = round((row["port_run_bytes"] - self.beside[place(row)]) / row["products"])
        tables.write_csv(self.path + ".part", self.part.rows)
        os.replace(self.path + ".part", self.path)


def place_of(case):
    return named(case.product), case.nodes, case.gpus, short(case.A)


def name(case):
    return " ".join(filter(None, [named(case.product), short(case.A), "%dx%d" % (case.nodes, case.gpus), case.rate,
                                  case.algorithm]))
