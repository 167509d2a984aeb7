# SPDX-License-Identifier: BSD-3-Clause
"""Trident against Tpetra on one GPU, on all, and on the powers of two between: A·A, A·restriction, R·A·P, the same
again, Markov clustering. What is run, and the rows that come of it; pages.py has the tables."""
import concurrent.futures
import json
import os
import pathlib
import queue
import shlex
import statistics

from . import facts, measure, tables
from .facts import short
from .part import NO_TIME, mpirun, program

PRODUCTS = ["er:n=1000000,d=16", "rmat:scale=18,d=8", "brick3d:n=112", "brick3d:n=150", "laplace3d:n=160",
            "laplace3d:n=22"]  # and files
GALERKIN = ["laplace3d:n=100", "brick3d:n=60", "brick3d:n=100"]
REUSED = ["laplace3d:n=100", "er:n=200000,d=16"]  # by Tpetra too, which takes seconds for a product of others
EXPANDED = "families:n=200000"
CLUSTERED = [1000000, 10000000]  # nodes of a graph of the same kind
# Each of Trident's phases is in one of these.
PHASES = {"setup": ("setup",), "import": ("import",), "gather": ("exchange_wait", "gather"),
          "multiply": ("local_multiply", "accumulate"), "export": ("export",), "other": ("other",)}
ORDER = ["A·A", "A·restriction", "R·A·P", "A·A again", "A·restriction again", "expansion", "clustering"]  # of rows
# Tpetra's ways to form R·A·P, each with Trident's that has the same operands.
ONE_CALL = {"tpetra-two-calls": "one-call", "tpetra-transpose": "one-call", "tpetra-triple": "one-call",
            "tpetra-given": "one-call-given"}
MOST_DIFFERENCE = 1e-10
SAME_MODULARITY = 1e-6  # clusters of two runs whose modularities differ by more are others
# Medians of seven after two; three are enough of what takes longer than 0.1 s.
REPEAT = ["--repeat=7", "--slow=0.1"]


def tpetras(product, way):
    """The ways of Tpetra's that a way of Trident's is compared with."""
    if product != "R·A·P":
        return ["tpetra"]
    return [other for other, one in ONE_CALL.items() if (one == "one-call-given") == (way == "one-call-given")]


def fastest(rows):
    """Of those that are known and have seconds; an empty row where there is none."""
    return min((row for row in rows if row and row.get("seconds")), key=lambda row: float(row["seconds"]), default={})


class Run:
    """A program for a matrix on some ranks, whose output has lines of JSON. `keep` makes rows of them."""

    def __init__(self, name, A, ranks, words, limit, keep):
        self.name, self.A, self.ranks, self.words, self.limit, self.keep = name, A, ranks, words, limit, keep

    def command(self, args):
        return [*mpirun(args, self.ranks), program(args, self.name), "--A=" + self.A,
                "--ranks-per-node=%d" % self.ranks, *self.words]

    def lines(self, _, text):
        return measure.json_lines(text)

    def do(self, part, env):
        command = self.command(part.args)
        status, text = part.run(command, self.limit, env)
        late = text == NO_TIME or (status is None and part.left() <= 1)
        error = "" if status == 0 else NO_TIME if late else measure.why(
            measure.mpi.Finished(status, text), self.limit, self.name)
        with part.lock:
            found = self.lines(part.args, text)
            if found:
                self.keep(part, found, shlex.join(command))
            if error:
                part.add(product=" ".join([self.name, *self.words]), A=short(self.A), ranks=self.ranks, error=error,
                         command=shlex.join(command))


class Clustering(Run):
    """The clustering program, which writes its numbers as one object to a file."""

    def __init__(self, A, ranks, limit):
        super().__init__("Trident_MarkovClustering", A, ranks, [], limit, keep_clustering)

    def summary(self, args):
        return pathlib.Path(args.out, "clustering-%s-%d.json" % (self.A.partition("=")[2], self.ranks))

    def command(self, args):
        return [*mpirun(args, self.ranks), program(args, self.name), self.A, "-I", "2.0", "-o", os.devnull,
                "--summary=%s" % self.summary(args), "--ranks-per-node=%d" % self.ranks]

    def lines(self, args, text):
        try:
            found = [json.loads(self.summary(args).read_text(encoding="utf-8"))]
            self.summary(args).unlink()  # a next run that fails must not find it
            return found
        except (OSError, ValueError):
            return []


def counts(gpus):
    """How many GPUs: one, all, and the powers of two between; the most first."""
    return sorted({gpus, *(2 ** n for n in range(gpus.bit_length()))}, reverse=True)


def stages(args):
    """Lists of runs, one after the other: what comes last may find no time."""
    yield [run for ranks in counts(args.gpus) for run in [
        *(Run("Trident_Products", A, ranks, ["--warmup=2", *REPEAT, "--reuse=7", "--reuse-by=trident"], 90,
              keep_products) for A in args.ratio_matrices),
        *(Run("Trident_Galerkin", A, ranks, REPEAT, 75, keep_galerkin) for A in GALERKIN),
        *(Run("Trident_Products", A, ranks, ["--B=A", "--warmup=1", *REPEAT, "--reuse=7"], 40, keep_products)
          for A in REUSED),
        Run("Trident_Expansion", EXPANDED, ranks, ["--shuffle", "--by=trident,summa,tpetra"], 60, keep_expansion)]]
    for nodes in args.clustering_nodes:
        yield [Clustering("families:n=%d" % nodes, ranks, 150) for ranks in counts(args.gpus)]


def do_stage(part, runs):
    """Runs of as many ranks go side by side, each on GPUs of its own or on all where these are fewer, before those of
    fewer ranks."""
    names = facts.gpus()
    for ranks in sorted({run.ranks for run in runs}, reverse=True):
        free = queue.SimpleQueue()
        side_by_side = [names[n:n + ranks] for n in range(0, len(names) - ranks + 1, ranks)] or [names]
        for mine in side_by_side:
            free.put(mine)

        def do(run, free=free):
            mine = free.get()
            try:
                run.do(part, {"CUDA_VISIBLE_DEVICES": ",".join(mine)} if mine else {})
            finally:
                free.put(mine)

        with concurrent.futures.ThreadPoolExecutor(len(side_by_side)) as pool:
            list(pool.map(do, [run for run in runs if run.ranks == ranks]))


def add(part, product, way, line, seconds, command, turns=None, **more):
    """A row; a result that is not the first way's has failed. `turns`: the seconds whose median `seconds` is."""
    wrong = not line["difference"] <= MOST_DIFFERENCE
    each = {} if turns is None else {"median_of": len(turns), "turns": " ".join("%.6f" % turn for turn in turns)}
    part.add(product=product, A=short(line["A"]), ranks=line["ranks"], way=way, seconds="%.6f" % seconds, **each,
             **more, difference="%.1e" % line["difference"], error="the ways' results differ" if wrong else "",
             commit=part.commit, device=part.device, command=command)


def columns_of(phases):
    return {"seconds_" + name: "%.6f" % sum(phases[p] for p in parts)
            for name, parts in PHASES.items() if phases}


def keep_products(part, lines, command):
    for line in lines:
        product = "A·A" if line["B"] == "A" else "A·" + line["B"]
        add(part, product, line["algorithm"], line, statistics.median(line["seconds"]), command,
            line["seconds"], grid=line["grid"], nnzA=line["nnzA"], nnzC=line["nnzC"],
            first_call_seconds="%.5f" % line["first_call_seconds"], **columns_of(line["phases"]))
        if line["reuse_seconds"]:
            add(part, product + " again", line["algorithm"], line, statistics.median(line["reuse_seconds"]), command,
                line["reuse_seconds"], **columns_of(line["reuse_phases"]))


def keep_galerkin(part, lines, command):
    for line in lines:
        add(part, "R·A·P", line["by"], line, line["seconds"], command, line["turns"], **columns_of(line["phases"]))


def keep_expansion(part, lines, command):
    """Sums over the iterations, each a median; the way's worst difference."""
    for (way,), group in tables.grouped(lines, "by").items():
        line = {**group[0], "A": group[0]["A"] + ", shuffled", "difference": max(l["difference"] for l in group)}
        add(part, "expansion", way, line, sum(l["seconds"] for l in group), command, median_of=line["repeat"],
            iterations=len(group), seconds_pruning="%.6f" % sum(l["pruning"] for l in group))


def keep_clustering(part, lines, command):
    """A row; the clusters must be those of the run before."""
    (got,) = lines
    known = [float(r["modularity"]) for r in part.rows if r.get("modularity") and r["A"] == short(got["file"])]
    differs = known and not abs(known[0] - got["modularity"]) <= SAME_MODULARITY
    part.add(product="clustering", A=short(got["file"]), ranks=got["ranks"], way="trident",
             seconds="%.6f" % got["seconds"]["cluster"], median_of=1, grid=got["grid"],
             **{"seconds_" + step: "%.6f" % got["seconds"][step] for step in ("read", "write")},
             iterations=got["iterations"], clusters=got["clusters"], modularity="%.8f" % got["modularity"],
             error="the clusters are others than in the run before" if differs else "", commit=part.commit,
             device=part.device, command=command)


def compare(rows):
    """Adds to each row what it is of others: Tpetra's seconds (its fastest way from the same operands) over its own, its
    own over those on one GPU, and, with the structure known, over those of the product. To those of Tpetra's R·A·P their
    seconds over Trident's by one call."""
    known = {}
    for row in rows:
        if row.get("way"):
            known.setdefault((row["product"], row["A"], row["ranks"], row["way"]), row)

    def over(above, below):
        return "%.4g" % (float(above["seconds"]) / float(below["seconds"])) if above and below else ""

    for (product, A, ranks, way), row in known.items():
        if way.startswith("tpetra"):
            if product == "R·A·P":
                row["over_one_call"] = over(row, known.get((product, A, ranks, ONE_CALL[way])))
        else:
            others = (known.get((product, A, ranks, other)) for other in tpetras(product, way))
            row["tpetra_over_this"] = over(fastest(others), row)
        if ranks > 1:
            row["over_one_gpu"] = over(row, known.get((product, A, 1, way)))
        whole = (product, "one-call") if way == "plan" else (product[:-len(" again")], way)
        if way == "plan" or product.endswith(" again"):
            row["over_product"] = over(row, known.get((whole[0], A, ranks, whole[1])))


def measure_ratios(part):
    part.commit, part.device = part.args.commit or facts.commit(), facts.device()
    matrices = {}
    for stage in stages(part.args):
        for run in stage:
            matrices.setdefault(short(run.A), len(matrices))
        do_stage(part, stage)
    places = {product: n for n, product in enumerate(ORDER)}  # what failed has no product, and comes last
    part.rows.sort(key=lambda row: (places.get(row["product"], len(ORDER)), row["ranks"],
                                    matrices.get(row["A"], len(matrices))))
    compare(part.rows)
