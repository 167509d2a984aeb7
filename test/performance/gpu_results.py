# SPDX-License-Identifier: BSD-3-Clause
"""What the results of `gpu` name, and how they are written: CSV, Markdown, plots."""
import csv
import ctypes
import datetime
import os
import re
import shlex
import subprocess
import sys

PHASES = ("import", "setup", "exchange_wait", "gather", "local_multiply", "accumulate", "export")


def said_by(*command):
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def nccl_version():
    try:
        version = ctypes.c_int()
        ctypes.CDLL("libnccl.so.2").ncclGetVersion(ctypes.byref(version))
        return "%d.%d.%d" % (version.value // 10000, version.value // 100 % 100, version.value % 100)
    except OSError:
        return "not found"


def facts(args, compare):
    """Commit, machine, versions and command; compare is the script of that name."""
    gpus = said_by("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader").splitlines()
    toolkit = re.search(r"CUDA Version: *(\S+)", said_by("nvidia-smi"))
    runtime = ctypes.c_int()
    for name in ("libcudart.so.13", "libcudart.so.12"):
        try:
            ctypes.CDLL(name).cudaRuntimeGetVersion(ctypes.byref(runtime))
            break
        except OSError:
            pass
    return {"commit": args.commit or compare.commit(), "date": datetime.date.today().isoformat(),
            "machine": compare.machine() + ", %d cores" % os.cpu_count(), "GPUs": "; ".join(gpus) or "none",
            "CUDA": "driver %s, runtime %d" % (toolkit.group(1) if toolkit else "unknown", runtime.value),
            "NCCL": nccl_version(), "MPI": (said_by("mpirun", "--version").splitlines() or ["unknown"])[0],
            "NCCL_NVLS_ENABLE": os.environ.get("NCCL_NVLS_ENABLE", ""),
            "command": shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])}


def columns_of(rows):
    names = list(dict.fromkeys(k for row in rows for k in row))
    return [n for n in names if n != "command"] + [n for n in names if n == "command"]


def write_csv(args, part):
    if part.rows:
        with open(os.path.join(args.out, part.name + ".csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns_of(part.rows))
            writer.writeheader()
            writer.writerows(part.rows)


def write_markdown(args, known, parts):
    with open(os.path.join(args.out, "gpu.md"), "w", encoding="utf-8") as file:
        file.write("# On GPUs\n\n" + "".join("- %s: %s\n" % (k, v.replace("\n", "; ")) for k, v in known.items()))
        for part in parts:
            file.write("\n## %s\n\n" % part.name + "".join("- %s\n" % note for note in part.notes))
            rows = [r for r in part.rows if part.name != "tests" or r["result"] != "passed"]
            names = [n for n in columns_of(rows) if n != "command"]
            if rows:
                file.write("\n| %s |\n|%s\n" % (" | ".join(names).replace("_", " "), " --- |" * len(names)))
            for row in rows:
                file.write("| %s |\n" % " | ".join(str(row.get(n, "")).replace("|", "/") for n in names))


def plot(args, compare):
    """Times faster than Tpetra, and where Trident's time goes: one bar a matrix, of end-to-end.csv."""
    path = os.path.join(args.out, "end-to-end.csv")
    if not os.path.exists(path):
        return
    with open(path, newline="", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if r["algorithm"] == "trident" and not r.get("error")]
    try:
        plt = compare.import_matplotlib() if rows else None
    except ImportError:  # apt installed it for another Python
        plt = None
    if not plt:
        print("no plots; elsewhere: gpu --plot-only --out=" + args.out, file=sys.stderr)
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), constrained_layout=True)
    names = [r["A"] for r in rows]
    left.bar(names, [float(r["tpetra_over_this"] or 0) for r in rows], color=compare.COLORS["trident"])
    left.set_ylabel("times faster than Tpetra, end to end")
    bottom = [0.0] * len(rows)
    for phase in PHASES:
        height = [1e3 * float(r.get("seconds_" + phase) or 0) for r in rows]
        right.bar(names, height, bottom=bottom, label=phase.replace("_", " "))
        bottom = [b + h for b, h in zip(bottom, height)]
    right.set_ylabel("milliseconds, median rank")
    right.legend(fontsize=8)
    for axis in (left, right):
        axis.tick_params(axis="x", labelsize=7, rotation=30)
    figure.savefig(os.path.join(args.out, "end-to-end.png"), dpi=120)
    plt.close(figure)
