# SPDX-License-Identifier: BSD-3-Clause
"""The part nodes of `measure gpu`, and by_node, on a machine that is made up: no root, no network, no GPU."""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import fakes
from bench import gpu_nodes, mpi, node_rows, node_tables, tables

PHASES = dict.fromkeys(("setup", "import", "exchange_wait", "gather", "local_multiply", "accumulate", "export", "other"),
                       0.1)
GALERKIN = [{"by": way, "seconds": seconds, "repeat": 7, "turns": [seconds], "internode_bytes": 5, "difference": 0,
             "phases": {} if "tpetra" in way else PHASES}
            for way, seconds in (("one-call", 0.5), ("plan", 0.25), ("tpetra-two-calls", 1.5), ("tpetra-transpose", 2))]
EXPANSION = [{"by": way, "iteration": iteration, "seconds": seconds, "repeat": 3, "difference": 0, "port_bytes": 40,
              "internode_bytes": None if way == "tpetra" else 30}
             for iteration in (1, 2) for way, seconds in (("trident", 0.5), ("summa", 1), ("tpetra", 2))]


class NodesTest(fakes.Machine):
    def setUp(self):
        super().setUp()
        for name, lines in (("Galerkin", GALERKIN), ("Expansion", EXPANSION)):
            self.program("Trident_%s.exe" % name, "#!%s\nimport json\nfor line in %r:\n    print(json.dumps(line))\n"
                         % (sys.executable, lines))

    def words(self, *words, matrices=("er:n=10",), gpus=4):
        return ["nodes", "--out=out", "--gpus=%d" % gpus, "--only-matrices", "--matrices", *matrices, "--galerkin",
                "laplace3d:n=4", "--expanded=families:n=9", "--commit=abc", *words]

    def nodes(self, *words, **more):
        return self.measure("gpu", *self.words(*words, **more))

    def rows(self):
        return tables.read_csv(os.path.join(self.folder, "out/nodes.csv"))

    def network(self):
        return [line for line in self.lines_of("network.log") if line != "bytes"]

    def test_all_products_in_all_shapes(self):
        done = self.nodes("--rates", "25gbit", "10gbit")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = self.rows()
        self.assertEqual(list(rows[0]), node_rows.COLUMNS)
        self.assertEqual([(r["product"], r["nodes"], r["gpus_per_node"], r["algorithm"]) for r in rows[:7]],
                         [("A·A", "2", "2", a) for a in ("trident", "summa", "tpetra")]
                         + [("A·A", "4", "1", a) for a in ("trident", "summa", "tpetra")]
                         + [("A·restriction", "2", "2", "trident")])
        self.assertEqual([r["rate"] for r in rows], len(rows) // 2 * ["25gbit"] + len(rows) // 2 * ["10gbit"])
        first = rows[0]
        self.assertEqual([first[c] for c in (
            "seconds", "median_of", "on_grid_seconds", "seconds_wait", "seconds_multiply", "seconds_other",
            "internode_bytes", "setup_bytes", "port_run_bytes", "products", "reasons", "grid", "commit", "error")],
            ["1", "7", "0.5", "0.1", "0.3", "0.1", "80", "4", "1000", "8", "none", "2x1x2", "abc", ""])
        self.assertEqual((rows[2]["over_trident"], rows[2]["seconds_setup"], rows[2]["on_grid_seconds"]), ("2", "", ""))
        self.assertTrue(first["command"].startswith("TRIDENT_GPUS_PER_NODE=2 TRIDENT_RANKS_PER_NODE=2 "))
        self.assertEqual({r["grid"]: r["command"].count(" --grid=square --fetch=tiles --fuse=1 --exchange=request-queue ")
                          for r in rows if r["algorithm"] == "paper"}, {"2x1x2": 1})
        galerkin = [(r["algorithm"], r["over_trident"]) for r in rows if r["product"] == "R·A·P"]
        self.assertEqual(galerkin[:4], [("trident", "1"), ("trident, plan", "0.5"), ("tpetra", "3"),
                                        ("tpetra, transpose", "4")])
        expansion = [r for r in rows if r["product"] == "expansion"]
        self.assertEqual([(r["algorithm"], r["seconds"], r["internode_bytes"], r["port_bytes"]) for r in expansion[:3]],
                         [("trident", "1", "60", "80"), ("summa", "2", "60", "80"), ("tpetra", "4", "", "80")])
        runs = self.network()
        self.assertEqual((runs[0], runs[-1]), ("up 2 25gbit", "down"))
        self.assertTrue(all("/by_node" in run for run in runs if run.startswith("run")))
        self.assertEqual(sum(run.startswith("up") for run in runs), runs.count("down"))

    def test_ports_less_what_is_beside_the_products(self):
        """A look at the ports that are made up finds as much in each run: so nothing is left for a product."""
        self.nodes("--rates", "25gbit", "1gbit", "--products", "square", "--shapes", "2x1")
        self.assertEqual({r["port_bytes"] for r in self.rows()}, {"0"})
        self.assertIn("--warmup=0 --repeat=1", " ".join(self.network()))

    def test_few_products_of_what_is_slow(self):
        self.nodes("--rates", "25gbit", "--products", "square", "--algorithms", "trident", "summa", "tpetra")
        self.assertEqual([r["median_of"] for r in self.rows()], ["7", "3", "3", "3", "3", "3"])

    def test_a_queue_that_is_refused_is_no_failure(self):
        reason = "Trident_SpGEMM: no window can be had (MPI_Win_allocate: %s)" % ("x" * 400)
        with open(os.path.join(self.bin, "Trident_SpGEMM.exe"), encoding="utf-8") as file:
            driver = file.read()
        self.program("Trident_SpGEMM.exe", driver.replace(
            'if words["A"] == "slow":', 'if words.get("exchange") == "request-queue":\n    sys.exit(%r)\n'
            'if words["A"] == "slow":' % reason))
        done = self.nodes("--rates", "25gbit", "--products", "square", "--shapes", "2x2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([(r["algorithm"], r["error"]) for r in self.rows()],
                         [("trident", ""), ("summa", ""), ("tpetra", ""), ("paper", reason), ("paper-prefetch", "")])

    def test_what_takes_too_long_is_not_tried_again(self):
        done = self.nodes("--rates", "25gbit", "--products", "square", "--algorithms", "summa", "--run-seconds=1.5",
                          matrices=("slow", "er:n=10"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual([(r["A"], r["nodes"], r["error"]) for r in self.rows()],
                         [("slow", "2", "ended after its time"), ("er:n=10", "2", ""), ("er:n=10", "4", "")])
        self.assertIn("was ended after its time before", done.stderr)

    def test_a_run_that_is_cut_off_leaves_its_rows_and_no_network(self):
        env = {**os.environ, "PATH": self.bin + os.pathsep + os.environ["PATH"], "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        words = self.words("--products", "square", "--algorithms", "trident", matrices=("er:n=10", "slow"))
        process = subprocess.Popen([sys.executable, os.path.join(self.bin, "measure"), "gpu", *words], env=env, cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        path = os.path.join(self.folder, "network.log")
        while not os.path.exists(path) or sum("--A=" in line for line in self.lines_of(path)) < 2:
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        self.assertEqual([r["A"] for r in self.rows()], ["er:n=10"])
        self.assertEqual(self.network()[-1], "down")

    def test_without_root_it_is_skipped(self):
        self.program("two_level_network", "#!/bin/sh\necho 'two_level_network: network namespaces need root' >&2; exit 1\n")
        done = self.nodes()
        self.assertIn("nodes: skipped: all: two_level_network: network namespaces need root", done.stderr)
        self.assertIn("0 done, 0 failed, 1 skipped", done.stdout)

    def test_shapes(self):
        self.assertIn("is not like 2x4", self.nodes("--shapes", "1x4").stdout + self.nodes("--shapes", "4").stderr)
        self.assertIn("of 3 GPUs there is no usual shape", self.nodes(gpus=3).stderr)

    def test_by_node_shows_a_rank_its_own_gpus(self):
        def seen(rank, **more):
            done = subprocess.run([os.path.join(fakes.SCRIPTS, "by_node"), "printenv", "CUDA_VISIBLE_DEVICES"],
                                  env={"PATH": os.environ["PATH"], "OMPI_COMM_WORLD_RANK": str(rank), **more},
                                  check=False, capture_output=True, text=True, timeout=60)
            return done.stdout.strip() or done.stderr.strip()

        two = {"TRIDENT_GPUS_PER_NODE": "2"}
        self.assertEqual([seen(rank, **two) for rank in range(4)], ["0,1", "0,1", "2,3", "2,3"])
        self.assertEqual([seen(rank, **two, TRIDENT_RANKS_PER_NODE="1") for rank in range(2)], ["0,1", "2,3"])
        self.assertEqual(seen(2, **two, CUDA_VISIBLE_DEVICES="3,4,6,7"), "6,7")
        self.assertIn("rank 2 would have GPU 2 of 2", seen(2, **two, CUDA_VISIBLE_DEVICES="3,4"))
        self.assertIn("TRIDENT_GPUS_PER_NODE", seen(0))

    def tools(self, **more):
        return gpu_nodes.tools(argparse.Namespace(**{"mpi": None, "iproute2": None, **more}))

    def test_libraries_of_iproute2_are_seen_by_it_alone(self):
        folder = os.path.join(self.folder, "ipt")
        os.makedirs(os.path.join(folder, "lib"))
        for name in ("ip", "tc"):
            shutil.copy(os.path.realpath(shutil.which("env")), os.path.join(folder, name))
        with self.tools(iproute2=folder):
            for name in ("ip", "tc"):
                self.assertNotEqual(os.path.dirname(shutil.which(name)), folder)
                said = subprocess.run([name, "printenv"], check=True, capture_output=True, text=True, timeout=60).stdout
                self.assertIn("PATH=", said)
                self.assertNotIn(os.path.join(folder, "lib"), said)
        with self.assertRaises(mpi.CannotStart), self.tools(iproute2=self.folder):
            pass

    def test_another_mpi_comes_first_and_goes_again(self):
        folder = os.path.join(self.folder, "opt")
        os.makedirs(os.path.join(folder, "bin"))
        before = dict(os.environ)
        with self.assertRaises(mpi.CannotStart), self.tools(mpi=folder):
            pass
        self.program(os.path.join(folder, "bin/mpirun"), "#!/bin/sh\n")
        with self.tools(mpi=folder):
            self.assertEqual(shutil.which("mpirun"), os.path.join(folder, "bin/mpirun"))
            self.assertEqual(os.environ["LD_LIBRARY_PATH"].split(os.pathsep)[0], os.path.join(folder, "lib"))
            self.assertEqual(os.environ["OPAL_PREFIX"], folder)
        self.assertEqual(dict(os.environ), before)


class PageTest(unittest.TestCase):
    PAGE = os.path.normpath(os.path.join(fakes.SCRIPTS, "../../doc/results/paper.md"))

    def written(self, name, rows):
        return node_tables.block(node_tables.BLOCKS[name], node_tables.Results(rows))

    def row(self, algorithm, seconds="", **more):
        return {**dict.fromkeys(node_rows.COLUMNS, ""), "product": "A·A", "nodes": "2", "gpus_per_node": "2",
                "rate": "25gbit", "A": "x", "algorithm": algorithm, "seconds": seconds, **more}

    def test_the_page_says_what_nodes_csv_has(self):
        with open(self.PAGE, encoding="utf-8") as file:
            text = file.read()
        self.assertRegex(text, node_tables.BLOCK)
        self.assertEqual(text, node_tables.rewritten(text, tables.read_csv(node_tables.NODES)),
                         "write it anew: test/performance/measure gpu --plot-only --out=doc/results/nodes "
                         "--pages doc/results/paper.md")

    def test_products(self):
        rows = [self.row("trident", "0.098", on_grid_seconds="0.08", internode_bytes="196000000"),
                self.row("summa", "0.049", on_grid_seconds="0.16", internode_bytes="392000000"),
                self.row("tpetra", "0.98"), self.row("trident", "0.1", rate="unlimited")]
        node_rows.compare(rows)
        said = self.written("products", rows)
        self.assertIn("| 2 × 2, 25 Gbit/s | x A·A | 98.0 (80.0) | 49.0 (160) | 980 | **0.500** | 2.00 | 10.0 | 196 | 392 "
                      "| 2.00 |", said)
        self.assertIn("| 2 × 2, unlimited | x A·A | 100 | - | - | - | - | - | - | - | - |", said)
        self.assertIn("| 2 × 2, 25 Gbit/s | A·A, geometric mean |  |  |  | **0.500** | 2.00 | 10.0 |  |  | 2.00 |", said)
        self.assertIn("Nothing was measured yet.", self.written("expansion", rows))

    def test_other_cards_are_said(self):
        rows = [self.row("trident", "0.1", device=device, commit="abc") for device in ("H100", "H200")]
        self.assertIn("| 2 × 2, 25 Gbit/s, H200 | x A·A | 100 |", self.written("products", rows))
        self.assertIn("- H100; commit abc; ", self.written("conditions", rows))

    def test_a_refused_queue_is_said_once(self):
        rows = [self.row("summa", "0.2", on_grid_seconds="0.2"), self.row("paper", error="no window."),
                self.row("paper", error="no window.", A="y"), self.row("paper-prefetch", "0.1", on_grid_seconds="0.1")]
        said = self.written("paper", rows)
        self.assertIn("| 2 × 2, 25 Gbit/s | x A·A | - | 200 | - | 100 | - | 2.00 |", said)
        self.assertEqual(said.count("no window"), 1)


if __name__ == "__main__":
    unittest.main()
