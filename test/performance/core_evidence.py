#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the driver over lists of problems and prints what it measured as Markdown tables.

  core_evidence.py matrices DIR   every matrix of DIR below 3 million entries: A*A and A*restriction, verified
  core_evidence.py volume DIR     bytes between nodes by part, predicted and measured, for every grid shape
  core_evidence.py speed DIR      Trident and Tpetra side by side, interleaved
  core_evidence.py memory         peak memory against the slices, the tile and the result

Needs nothing but Python and the built driver (--driver, default build/example/driver/...).
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVER = os.path.join(HERE, "../../build/example/driver/Trident_SpGEMM.exe")


def run(driver, ranks, *options):
    """One run of the driver; returns its JSON, or None and what it printed."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), driver,
                   "--quiet", "--json=" + out.name, *options]
        env = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="1")
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        try:
            return json.load(open(out.name)), done.stdout + done.stderr
        except ValueError:
            return None, done.stdout + done.stderr


def table(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def header(*cells):
    table(*cells)
    table(*["---"] * len(cells))


def total(parts):
    return sum(sum(parts[p]) for p in ("import", "rounds", "export"))


def matrix_files(folder, most):
    """Square matrices of a folder whose file promises fewer than `most` stored entries."""
    for path in sorted(glob.glob(os.path.join(folder, "*.mtx.gz"))):
        head = subprocess.run("zcat '%s' | grep -v '^%%' | head -1" % path, shell=True, check=False,
                              capture_output=True, text=True).stdout.split()
        if len(head) == 3 and int(head[2]) < most:
            yield path, int(head[0]) == int(head[1])


def matrices(args):
    header("matrix", "product", "rows", "nnz(A)", "nnz(C)", "grid", "largest error", "verified")
    bad = 0
    for path, square in matrix_files(args.folder, 3000000):
        name = os.path.basename(path)[:-7]
        products = [("A*A", []), ("A*R", ["--B=restriction"])] if square else \
            [("A*A'", ["--B=A", "--transpose-b"])]
        for label, options in products:
            got, text = run(args.driver, 16, "--A=" + path, "--ranks-per-node=4", "--verify", *options)
            if not got:
                bad += 1
                table(name, label, "-", "-", "-", "-", "-", "FAILED: " + text.strip()[-200:])
                continue
            bad += not got["verified"]
            table(name, label, got["rows"], got["nnzA"], got["nnzC"], "x".join(map(str, got["grid"])),
                  "%.1e" % float(got["max_rel_error"]), got["verified"])
    print("\n%d products not verified" % bad)
    return bad


def volume(args):
    problems = [["--A=er:n=200000,d=16,seed=1"], ["--A=rmat:scale=15,d=16,seed=1"],
                ["--A=" + os.path.join(args.folder, "cnr-2000.mtx.gz")],
                ["--A=" + os.path.join(args.folder, "brack2-lap.mtx.gz")]]
    print("P = 16, lambda = 4. Megabytes received between nodes, all ranks; predicted / measured.\n")
    header("problem", "grid", "import", "rounds", "export", "total", "measured/predicted")
    for A in problems:
        for B in ([], ["--B=restriction"]):
            name = os.path.basename(A[0][4:]) + (" * R" if B else " * A")
            measured = {}
            for grid in ("4x1", "2x2", "1x4", "auto"):
                got, text = run(args.driver, 16, *A, *B, "--ranks-per-node=4", "--grid=" + grid, "--predict")
                if not got:
                    print(text)
                    return 1
                inter, predicted = got["bytes"]["internode"], got["predicted_internode_bytes"]
                cells = ["%.2f / %.2f" % (predicted[p] / 1e6, sum(inter[p]) / 1e6)
                         for p in ("import", "rounds", "export")]
                ratio = total(inter) / max(1, sum(predicted.values()))
                measured[grid] = total(inter)
                shape = "x".join(map(str, got["grid"])) + (" (auto)" if grid == "auto" else "")
                table(name, shape, *cells, "%.2f" % (total(inter) / 1e6), "%.3f" % ratio)
                if grid == "2x2" and A[0].startswith("--A=er") and not B:
                    rounds_check(got)
            least = min(measured[g] for g in ("4x1", "2x2", "1x4"))
            print("  auto / least = %.3f" % (measured["auto"] / least))
    return 0


def rounds_check(got):
    """Entries received in the rounds against 2(q-1)·nnz/P; offsets (4 bytes a row) apart."""
    ranks, q = got["ranks"], got["grid"][0]
    rows = got["rows"] / q / got["grid"][2] * 2 * (q - 1)  # offsets that travel with the slices
    expected = 2 * (q - 1) * got["nnzA"] / ranks
    worst = max(abs((b - 4 * rows) / 12 / expected - 1) for b in got["bytes"]["internode"]["rounds"])
    print("  entries received per rank in the rounds: 2(q-1)nnz/P = %.0f, largest deviation %.2f%%"
          % (expected, 100 * worst))


def speed(args):
    cage12 = os.path.join(tempfile.gettempdir(), "cage12.bin")
    problems = ["er:n=200000,d=16,seed=1", "rmat:scale=14,d=16,seed=1", "laplace3d:n=80"]
    if os.path.exists(cage12):
        problems.append(cage12)
    problems += [os.path.join(args.folder, f + ".mtx.gz")
                 for f in ("hep-th", "brack2-lap", "vardof", "notredame", "m133-b3")]
    print("Seconds of the slowest rank, median of %d interleaved runs, and Trident/Tpetra.\n" % args.repeat)
    header("A (A*A)", "P", "lambda", "grid", "Tpetra", "Trident", "ratio", "import", "multiply", "export")
    worst = 0
    for problem in problems:
        for ranks, node in ((1, 1), (4, 4), (4, 1)):
            seconds, reports = {"tpetra": [], "trident": []}, []
            for _ in range(args.repeat):
                for algorithm, kept in seconds.items():
                    got, text = run(args.driver, ranks, "--A=" + problem, "--algorithm=" + algorithm,
                                    "--ranks-per-node=%d" % node, "--warmup=1")
                    if not got:
                        print(text)
                        return 1
                    kept.append(got["seconds"]["total"]["max"])
                    if algorithm == "trident":
                        reports.append(got)
            tpetra, trident = (statistics.median(seconds[a]) for a in ("tpetra", "trident"))

            def phase(*names):
                return sum(statistics.median(r["seconds"][n]["median"] for r in reports) for n in names)
            worst = max(worst, trident / tpetra)
            table(os.path.basename(problem), ranks, node, "x".join(map(str, reports[0]["grid"])),
                  "%.3f" % tpetra, "%.3f" % trident, "%.2f" % (trident / tpetra), "%.3f" % phase("import"),
                  "%.3f" % phase("exchange_wait", "gather", "local_multiply", "accumulate"),
                  "%.3f" % phase("export"))
    print("\nlargest ratio %.2f" % worst)
    return 0


def memory(args):
    print("Megabytes of the rank that comes off worst; sum = slices of A, B, C + one tile of B + "
          "Tpetra's C.\n")
    header("problem", "P", "lambda", "grid", "sum", "allocated peak", "ratio", "resident growth", "ratio")
    for problem, ranks, node in (("er:n=400000,d=16,seed=1", 4, 4), ("er:n=400000,d=16,seed=1", 4, 1),
                                 ("er:n=400000,d=16,seed=1", 4, 2), ("rmat:scale=16,d=16,seed=1", 4, 4),
                                 ("rmat:scale=16,d=16,seed=1", 4, 1)):
        for grid in ("auto", "square"):
            got, text = run(args.driver, ranks, "--A=" + problem, "--ranks-per-node=%d" % node,
                            "--grid=" + grid)
            if not got:
                print(text)
                return 1
            m, rows = got["memory"], []
            for r in range(ranks):
                should = m["slices"][r] + m["tile"][r] + m["result"][r]
                # Pages of the shared tile count once for the node's ranks together.
                resident = m["resident_growth"][r] - m["resident_shared"][r] * (1 - 1 / got["grid"][2])
                rows.append((m["allocated_peak"][r] / should, resident / should, should,
                             m["allocated_peak"][r], resident))
            worst = max(rows)
            table(problem, ranks, node, "x".join(map(str, got["grid"])), "%.0f" % (worst[2] / 1e6),
                  "%.0f" % (worst[3] / 1e6), "%.2f" % worst[0], "%.0f" % (worst[4] / 1e6),
                  "%.2f" % max(r[1] for r in rows))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["matrices", "volume", "speed", "memory"])
    parser.add_argument("folder", nargs="?", default="")
    parser.add_argument("--driver", default=DRIVER)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    return {"matrices": matrices, "volume": volume, "speed": speed, "memory": memory}[args.what](args)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
