# SPDX-License-Identifier: BSD-3-Clause
"""The part nodes of `measure gpu`, and by_node, on a machine that is made up: no root, no network, no GPU."""
import os
import signal
import subprocess
import time
import unittest

import fakes
from bench import gpu_nodes, tables

class NodesTest(fakes.Machine):
    def options(self, *words, matrices=("er:n=10",), gpus=4):
        return ["gpu", "nodes", "--out=out", "--gpus=%d" % gpus, "--only-matrices", "--matrices", *matrices,
                "--commit=abc", *words]

    def nodes(self, *words, status=0, **more):
        return self.measure(*self.options(*words, **more), status=status)

    def squares(self, *words, **more):
        """A·A alone, at 25 Gbit/s."""
        return self.nodes("--rates", "25gbit", "--products", "square", *words, **more)

    def columns(self, *columns):
        return self.rows("out/nodes.csv", *columns)

    def network(self):
        return self.lines_of("network.log")

    def test_all_products_in_all_shapes(self):
        self.nodes("--rates", "25gbit", "10gbit")
        self.assertEqual(self.lines_of("out/nodes.csv")[0], ",".join(gpu_nodes.COLUMNS))
        self.assertEqual(self.columns("product", "nodes", "gpus_per_node", "algorithm")[:7],
                         [("A·A", *shape, a) for shape in ("22", "41") for a in ("trident", "summa", "tpetra")]
                         + [("A·restriction", "2", "2", "trident")])
        rates = [rate for (rate,) in self.columns("rate")]
        self.assertEqual(rates, len(rates) // 2 * ["25gbit"] + len(rates) // 2 * ["10gbit"])
        rows = tables.read_csv(os.path.join(self.folder, "out/nodes.csv"))
        self.assertEqual([rows[0][c] for c in (
            "seconds", "median_of", "on_grid_seconds", "seconds_wait", "seconds_multiply", "seconds_other",
            "internode_bytes", "setup_bytes", "reasons", "grid", "commit", "error")],
            ["1", "7", "0.5", "0.1", "0.3", "0.1", "80", "4", "none", "2x1x2", "abc", ""])
        self.assertEqual([rows[2][c] for c in ("over_trident", "seconds_setup", "on_grid_seconds")], ["2", "", ""])
        self.assertTrue(rows[0]["command"].startswith("TRIDENT_GPUS_PER_NODE=2 TRIDENT_RANKS_PER_NODE=2 "))
        self.assertTrue(all(" --grid=square --fetch=tiles --fuse=1 --exchange=request-queue " in r["command"]
                            for r in rows if r["algorithm"] == "paper"))
        runs = self.network()
        self.assertEqual((runs[0], runs[-1]), ("up 2 25gbit", "down"))
        self.assertTrue(all("/by_node" in run for run in runs if run.startswith("run")))
        self.assertEqual(sum(run.startswith("up") for run in runs), runs.count("down"))

    def test_few_products_of_what_is_slow(self):
        self.squares("--algorithms", "trident", "summa", "tpetra")
        self.assertEqual([count for (count,) in self.columns("median_of")], ["7", "3", "3", "3", "3", "3"])

    def test_a_queue_that_is_refused_is_no_failure(self):
        reason = "Trident_SpGEMM: no window can be had (MPI_Win_allocate: %s)" % ("x" * 400)
        driver = "\n".join(self.lines_of("bin/Trident_SpGEMM.exe"))
        self.program("Trident_SpGEMM.exe", driver.replace(
            'if words["A"] == "slow":', 'if words.get("exchange") == "request-queue":\n    sys.exit(%r)\n'
            'if words["A"] == "slow":' % reason))
        self.squares("--shapes", "2x2")
        self.assertEqual(self.columns("algorithm", "error"), [
            ("trident", ""), ("summa", ""), ("tpetra", ""), ("paper", reason), ("paper-prefetch", "")])

    def test_what_takes_too_long_is_not_tried_again(self):
        done = self.squares("--algorithms", "summa", "--run-seconds=1.5", matrices=("slow", "er:n=10"), status=1)
        self.assertEqual(self.columns("A", "nodes", "error"), [
            ("slow", "2", "ended after its time"), ("er:n=10", "2", ""), ("er:n=10", "4", "")])
        self.assertIn("was ended after its time before", done.stderr)

    def test_a_run_that_is_cut_off_leaves_its_rows_and_no_network(self):
        words, env = self.words(*self.options("--products", "square", "--algorithms", "trident",
                                              matrices=("er:n=10", "slow")))
        process = subprocess.Popen(words, env=env, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        path = os.path.join(self.folder, "network.log")
        while not os.path.exists(path) or sum("--A=" in line for line in self.lines_of(path)) < 2:
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        self.assertEqual(self.columns("A"), [("er:n=10",)])
        self.assertEqual(self.network()[-1], "down")

    def test_what_cannot_be(self):
        self.assertIn("is not like 2x4", self.nodes("--shapes", "1x4", status=1).stderr)
        self.assertIn("of 3 GPUs there is no usual shape", self.nodes(gpus=3, status=1).stderr)
        self.program("two_level_network", "#!/bin/sh\necho 'two_level_network: network namespaces need root'; exit 1\n")
        done = self.nodes(status=1)
        self.assertIn("nodes: skipped: all: two_level_network: network namespaces need root", done.stderr)
        self.assertIn("0 done, 0 failed, 1 skipped", done.stdout)

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


if __name__ == "__main__":
    unittest.main()
