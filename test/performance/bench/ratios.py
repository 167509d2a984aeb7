# SPDX-License-Identifier: BSD-3-Clause
"""Trident against Tpetra on one GPU and on all: A·A, A·restriction, the same again, R·A·P; and where Trident's time
goes where it is not the faster one."""
import concurrent.futures
import os
import queue
import shlex
import statistics

from . import facts, measure, tables
from .facts import short
from .part import NO_TIME, mpirun, program

PRODUCTS = ["er:n=1000000,d=16", "rmat:scale=18,d=8", "brick3d:n=112", "laplace3d:n=160"]  # and files
GALERKIN = ["laplace3d:n=100", "brick3d:n=60"]
REUSED = ["laplace3d:n=100", "er:n=200000,d=16"]
# Each of Trident's phases is in one of these.
PHASES = {"setup": ("setup",), "import": ("import",), "gather": ("exchange_wait", "gather"),
          "multiply": ("local_multiply", "accumulate"), "export": ("export",), "other": ("other",)}
LOST, BEHIND = 0.8, 1.0  # Tpetra's time over Trident's below which a line is marked
MOST_DIFFERENCE = 1e-10


class Run:
    """A program for a matrix on some ranks, whose output has a line of JSON for each way."""

    def __init__(self, name, A, ranks, words, limit, keep):
        self.name, self.A, self.ranks, self.words, self.limit, self.keep = name, A, ranks, words, limit, keep

    def do(self, part, env):
        command = [*mpirun(part.args, self.ranks), program(part.args, self.name), "--A=" + self.A,
                   "--ranks-per-node=%d" % self.ranks, *self.words]
        status, text = part.run(command, self.limit, env)
        error = "" if status == 0 else NO_TIME if text == NO_TIME else measure.why(
            measure.mpi.Finished(status, text), self.limit, self.name)
        with part.lock:
            for line in measure.json_lines(text):
                self.keep(part, line, shlex.join(command))
            if error:
                part.add(product=" ".join([self.name, *self.words]), A=short(self.A), ranks=self.ranks, error=error,
                         command=shlex.join(command))


def add(part, product, way, line, seconds, command, **more):
    """A row; a result that is not Tpetra's has failed."""
    wrong = not line["difference"] <= MOST_DIFFERENCE
    part.add(product=product, A=short(line["A"]), ranks=line["ranks"], way=way,
             seconds="%.6f" % statistics.median(seconds), median_of=len(seconds), **more,
             difference="%.1e" % line["difference"], error="the ways' results differ" if wrong else "",
             commit=part.commit, command=command)


def keep_product(part, line, command):
    product = "A·A" if line["B"] == "A" else "A·" + line["B"]
    phases = {"seconds_" + name: "%.6f" % sum(line["phases"][p] for p in parts)
              for name, parts in PHASES.items() if line["phases"]}
    add(part, product, line["algorithm"], line, line["seconds"], command, grid=line["grid"], nnzA=line["nnzA"],
        nnzC=line["nnzC"], first_call_seconds="%.4f" % line["first_call_seconds"], **phases)
    if line["reuse_seconds"]:
        add(part, product + " again", line["algorithm"], line, line["reuse_seconds"], command)


def keep_galerkin(part, line, command):
    add(part, "R·A·P", line["by"], line, [line["seconds"]], command)
    part.rows[-1]["median_of"] = line["repeat"]


def runs(args):
    """The slow ones on all GPUs first: what comes last may find no time."""
    for ranks in sorted({1, args.gpus}, reverse=True):
        for A in args.ratio_matrices:
            yield Run("Trident_Products", A, ranks, ["--warmup=2", "--repeat=5"], 40, keep_product)
    for ranks in sorted({1, args.gpus}, reverse=True):
        for A in GALERKIN:
            yield Run("Trident_Galerkin", A, ranks, ["--repeat=5"], 25, keep_galerkin)
    for ranks in sorted({1, args.gpus}, reverse=True):
        for A in REUSED:
            yield Run("Trident_Products", A, ranks, ["--B=A", "--warmup=1", "--repeat=3", "--reuse=3"], 30,
                      keep_product)


def do_all(part, todo):
    """Runs of one rank have a GPU each, side by side; those of several follow each other."""
    names = facts.gpus()
    free = queue.SimpleQueue()
    for name in names or [""]:
        free.put(name)

    def alone(run):
        name = free.get()
        try:
            run.do(part, {"CUDA_VISIBLE_DEVICES": name} if name else {})
        finally:
            free.put(name)

    for several in (True, False):
        group = [run for run in todo if (run.ranks > 1) == several]
        with concurrent.futures.ThreadPoolExecutor(1 if several else max(1, len(names))) as pool:
            for done in [pool.submit(run.do, part, {}) if several else pool.submit(alone, run) for run in group]:
                done.result()


# --- the table --------------------------------------------------------------------------------------------

def ratios(rows):
    """(a row of Trident's, Tpetra's seconds / its seconds) of what both did."""
    for group in tables.grouped([r for r in rows if r.get("way")], "product", "A", "ranks").values():
        tpetra = [float(r["seconds"]) for r in group if r["way"] == "tpetra"]
        for row in group:
            if tpetra and row["way"] != "tpetra":
                yield row, tpetra[0] / float(row["seconds"])


def remark(row, ratio):
    """What a line is marked with: how bad it is, and Trident's largest phase."""
    if ratio >= BEHIND:
        return ""
    text = "below %.1f" % (LOST if ratio < LOST else BEHIND)
    phases = {name: float(row["seconds_" + name]) for name in PHASES if "seconds_" + name in row}
    if phases:
        largest = max(phases, key=phases.get)
        text += ": %s %.2f of %.2f" % (largest, 1e3 * phases[largest], 1e3 * float(row["seconds"]))
    return text


def write_table(part, file):
    table = tables.Markdown("product", "A", "GPUs", "Tpetra, ms", "Trident, ms", "way", "Tpetra / Trident", "remark",
                            file=file)
    for row, ratio in ratios(part.rows):
        seconds = float(row["seconds"])
        row["tpetra_over_this"] = "%.2f" % ratio
        table.row(row["product"], row["A"], row["ranks"], "%.4g" % (1e3 * ratio * seconds), "%.4g" % (1e3 * seconds),
                  row["way"], ("%.2f" if ratio >= BEHIND else "**%.2f**") % ratio, remark(row, ratio))


def measure_ratios(part):
    part.commit = part.args.commit or facts.commit()
    do_all(part, list(runs(part.args)))
    part.rows.sort(key=lambda r: (r["product"], r["ranks"], r["A"], r.get("way", "")))
    path = os.path.join(part.args.out, "ratios.md")
    with open(path, "w", encoding="utf-8") as file:
        write_table(part, file)
    with open(path, encoding="utf-8") as file:
        print(file.read(), flush=True)
    found = [ratio for _, ratio in ratios(part.rows)]
    part.note("%d of %d lines below %.1f, %d below %.1f; ratios.md has the table"
              % (sum(r < LOST for r in found), len(found), LOST, sum(r < BEHIND for r in found), BEHIND))
