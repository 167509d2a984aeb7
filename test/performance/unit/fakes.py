# SPDX-License-Identifier: BSD-3-Clause
"""A machine that the tests make up: an mpirun, a driver, a network, each a few lines that say what they were asked."""
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, SCRIPTS)
from bench import tables  # beside the scripts

# Says which MPI it is, notes its words, and runs the program once, as rank 0 of all.
MPIRUN = """#!{python}
import os, sys
if "--version" in sys.argv:
    print({version!r})
    sys.exit()
with open({log!r}, "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
words = sys.argv[1:]
at = words.index("-n")
os.execv(words[at + 2], words[at + 2:])
"""
# How programs in Python begin: they note what they are asked for.
HEAD = """#!{python}
import json, os, sys, time
words = dict(w.lstrip("-").partition("=")[::2] for w in sys.argv[1:])
with open({log!r}, "a") as log:
    log.write(" ".join(w for w in sys.argv[1:] if not w.startswith("--json")) + "\\n")
def write(option, got):
    if option in words:
        with open(words[option], "w") as file:
            json.dump(got, file)
"""
# A driver's JSON for any product. --A=bad fails as the driver does, --A=wrong is not verified, --A=slow hangs.
DRIVER = """
if words["A"] == "bad":
    sys.exit("mpirun has much to say\\nTrident_SpGEMM: bad: no such file\\nand more")
if words["A"] == "slow":
    time.sleep(60)
got["A"], got["algorithm"] = words["A"], words.get("algorithm", "trident")
if got["algorithm"] == "tpetra":
    got["seconds"] = dict.fromkeys(got["seconds"])  # null, but for the total
    got["seconds"]["total"] = {"min": 2, "median": 2, "max": 2}
    got["multiply_adds"] = got["grid"] = None
    got["total_seconds"] = [2]
got["verified"] = words["A"] != "wrong" if "verify" in words else None
got["reuse_seconds"] = [0.5] * int(words.get("reuse", 0))
write("trace", [])
write("json", got)
sys.exit(1 if got["verified"] is False else 0)
"""
# A program of `peers`, which takes twice as long by --way=two-calls.
PEER = """
by = 2 if words.get("way") == "two-calls" else 1
write("json", {"total_seconds": [by * 0.25, by * 0.5, by * 0.5], "reuse_seconds": [by * 0.125],
               "checksum": {"entries": entries, "zeros": entries - 60, "bilinear": bilinear, "absolute": 50.0}})
"""
# Runs the program, and its ports have received one more packet of 1066 bytes at each look.
NETWORK = """#!/bin/sh
echo "$*" >> {log}
case $1 in
  run) shift 3; exec "$@" ;;
  bytes)
    n=$(grep -c '^bytes' {log})
    printf 'node\\treceived_bytes\\treceived_packets\\tsent_bytes\\tsent_packets\\n'
    printf '0\\t%s\\t%s\\t0\\t0\\n1\\t0\\t0\\t0\\t0\\n' $((n * 1066)) "$n" ;;
esac
"""


def phases(seconds):
    return {"min": seconds, "median": seconds, "max": seconds}


JSON = {
    "A": "", "B": "A", "algorithm": "trident", "ranks": 4, "grid": [2, 1, 2], "exchange": "prefetch", "gather": "mpi",
    "kernel": "host", "rows": 10, "inner": 10, "cols": 10, "nnzA": 40, "nnzB": 40, "nnzC": 60, "multiply_adds": 50,
    "seconds": {"total": phases(1.0), "multiply": phases(0.5), "import": phases(0.1), "setup": phases(0.1),
                "exchange_wait": phases(0.1), "gather": phases(0.1), "local_multiply": phases(0.2),
                "accumulate": phases(0.1), "export": phases(0.1), "other": phases(0.1)},
    "total_seconds": [1.0], "reuse_seconds": [], "reasons": "none", "first_call_seconds": 3.0, "verified": None,
    "bytes": {level: {"import": [10, 0, 0, 0], "rounds": [20, 20, 0, 0], "export": [30, 0, 0, 0],
                      "setup": [1, 1, 1, 1]} for level in ("internode", "intranode")},
    "predicted_internode_bytes": {"import": 10, "rounds": 40, "export": 30}, "internode_entries": [40, 40, 40, 40],
    "memory": {name: [8, 8, 8, 8] for name in ("slices", "tile", "result", "allocated_peak", "device_allocated_peak",
                                               "resident_growth", "resident_shared")},
    "max_rel_error": 0, "vector_error": 0,
    "checksum": {"entries": 60, "zeros": 0, "bilinear": 100.0, "absolute": 50.0}}


class Machine(unittest.TestCase):
    """A folder with `measure`, programs beside it as in a bundle, and an mpirun that is first on PATH."""

    mpi_version = "mpirun (Open MPI) 4.1.4"

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="trident-fakes-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin = os.path.join(self.folder, "bin")
        shutil.copytree(SCRIPTS, self.bin, ignore=shutil.ignore_patterns("unit", "peers", "gpu_setup", "__pycache__"))
        self.log, self.network_log = (os.path.join(self.folder, name) for name in ("mpirun.log", "network.log"))
        self.program("mpirun", MPIRUN.format(python=sys.executable, version=self.mpi_version, log=self.log))
        self.python("Trident_SpGEMM.exe", DRIVER, got=JSON)
        self.program("bench/plots.py", "raise ImportError('no pandas here')\n")  # test_plots draws
        self.program("two_level_network", NETWORK.format(log=self.network_log))

    def program(self, name, text):
        path = os.path.join(self.bin, name)  # or a path of its own
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            os.remove(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def python(self, path, text, **known):
        """A program that knows some values; what it is asked for it notes in a file of its name."""
        log = os.path.join(self.folder, os.path.basename(path) + ".log")
        self.program(path, HEAD.format(python=sys.executable, log=log)
                     + "".join("%s = %r\n" % item for item in known.items()) + text)

    def prints(self, path, lines):
        """A program that prints lines of JSON whatever it is asked for."""
        self.python(path, "for line in lines:\n    print(json.dumps(line))\n", lines=lines)

    def peer(self, path, entries=60, bilinear=100.0):
        self.python(path, PEER, entries=entries, bilinear=bilinear)

    def words(self, *words):
        """The words that start a subcommand as a user would, with this Python, and the environment."""
        env = {**os.environ, "PATH": self.bin + os.pathsep + os.environ["PATH"], "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return [sys.executable, os.path.join(self.bin, "measure"), *words], env

    def measure(self, *words, status=0, **more):
        """Runs a subcommand, which must end with the status; returns what subprocess.run does."""
        command, env = self.words(*words)
        done = subprocess.run(command, env={**env, **more}, cwd=self.folder, check=False, capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def lines_of(self, path):
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            return file.read().splitlines()

    def rows(self, path, *columns):
        """Of a CSV file: what each row has in the columns."""
        return [tuple(row[c] for c in columns) for row in tables.read_csv(os.path.join(self.folder, path))]
