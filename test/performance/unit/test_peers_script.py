# SPDX-License-Identifier: BSD-3-Clause
"""The script `peers`, with programs of other libraries that are made up."""
import os
import shutil
import sys
import unittest

import fakes
from bench import tables


class PeersTest(fakes.Machine):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(fakes.SCRIPTS, "peers"), os.path.join(self.bin, "peers"),
                        ignore=shutil.ignore_patterns("*.cpp", "__pycache__"))
        self.build = os.path.join(self.folder, "build")
        os.makedirs(os.path.join(self.build, "test/performance/peers"))
        os.makedirs(os.path.join(self.build, "example/app/driver"))
        os.rename(os.path.join(self.bin, "Trident_SpGEMM.exe"),
                  os.path.join(self.build, "example/app/driver/Trident_SpGEMM.exe"))

    def peer(self, name, entries=60, bilinear=100.0):
        self.program(os.path.join(self.build, "test/performance/peers/Trident_Peer_%s.exe" % name),
                     fakes.PEER.format(python=sys.executable, entries=entries, bilinear=bilinear,
                                       log=os.path.join(self.folder, name + ".log")))

    def peers(self, *words):
        return self.run_script("peers/peers", "--build=" + self.build, "--output=out", "--A", "er:n=10", "--repeat=2",
                               *words)

    def test_one_table_for_all_that_are_built(self):
        self.peer("hypre", bilinear=100.0 * (1 + 1e-15))
        self.peer("petsc", entries=70)
        done = self.peers("--ranks", "1", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "skipped: CombBLAS: .*/Trident_Peer_combblas.exe is not built: it needs "
                                      "libcombblas-dev and -DTrident_ENABLE_PEERS=ON")
        rows = tables.read_csv(os.path.join(self.folder, "out/peers.csv"))
        self.assertEqual([r["way"] for r in rows[:6]],
                         ["Trident", "Trident, plan", "Tpetra", "hypre", "PETSc", "PETSc, reuse"])
        self.assertEqual(len(rows), 2 * 2 * 6)
        self.assertIn("| er:n=10 | 3 | 1 (1.00) | 0.5 (0.50) | 2 (2.00) | 0.5 (0.50) | 0.5 (0.50) | 0.125 (0.12) | "
                      "60 (Trident, Trident, plan, Tpetra, hypre); 70 (PETSc, PETSc, reuse) | "
                      "0 (Trident, Trident, plan, Tpetra, hypre); 10 (PETSc, PETSc, reuse) | alike |",
                      self.lines_of("out/table.md"))

    def test_a_checksum_that_differs_fails(self):
        self.peer("hypre", bilinear=100.001)
        done = self.peers("--ranks", "1", "--ways", "Trident", "hypre")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: er:n=10, 1 ranks, hypre, sweep 0: C differs from that of Trident: bilinear", done.stderr)
        self.assertIn("2 of 4 runs FAILED", self.lines_of("out/table.md")[-1])

    def test_galerkin(self):
        for name in ("trident", "hypre", "petsc"):
            self.peer(name, entries=70 if name == "hypre" else 60)
        done = self.peers("--galerkin", "--ranks", "1", "--products=4")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = tables.read_csv(os.path.join(self.folder, "out/peers.csv"))
        ways = ["Trident", "Trident, two calls", "Trident, plan", "Trident, two plans", "Tpetra", "hypre",
                "hypre, two calls", "hypre, modular", "PETSc", "PETSc, reuse"]
        self.assertEqual([(r["product"], r["way"]) for r in rows], [("R·A·P", way) for way in ways] * 2)
        asked = {name: self.lines_of(name + ".log") for name in ("trident", "hypre", "petsc")}
        self.assertEqual({w for lines in asked.values() for line in lines for w in line.split()[:2]},
                         {"--A=er:n=10", "--galerkin"})
        first, again = "--warmup=1 --repeat=4", "--warmup=0 --repeat=1 --reuse=4"
        self.assertEqual([line.partition("--galerkin ")[2] for line in asked["trident"]],
                         ["--way=one-call " + first, "--way=two-calls " + first, "--way=one-call " + again,
                          "--way=two-calls " + again, "--way=tpetra " + first] * 2)
        self.assertEqual([line.partition("--galerkin ")[2] for line in asked["petsc"]], [first, again] * 2)
        table = self.lines_of("out/table.md")
        self.assertTrue(any("R = P'" in line for line in table))
        self.assertRegex(table[-1], r"^\| er:n=10 \| 1 \| 0.5 \(1.00\) \| 1 \(2.00\) \| 0.125 \(0.25\) \| 0.25 \(0.50\)"
                                    r" \| 0.5 \(1.00\) \| 0.5 \(1.00\) \| 1 \(2.00\) \| 0.5 \(1.00\) \| 0.5 \(1.00\)"
                                    r" \| 0.125 \(0.25\) \|.*\| alike \|$")

    def test_galerkin_skips_what_is_not_built(self):
        self.peer("trident")
        done = self.peers("--galerkin", "--ranks", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for way, package in (("hypre", "libhypre-dev"), ("hypre, two calls", "libhypre-dev"),
                             ("PETSc, reuse", "libpetsc-real-dev")):
            self.assertRegex(done.stderr, "skipped: %s: .* is not built: it needs %s and -DTrident_ENABLE_PEERS=ON"
                             % (way, package))
        self.assertEqual(len(tables.read_csv(os.path.join(self.folder, "out/peers.csv"))), 2 * 5)

    def test_a_stale_product_fails(self):
        self.peer("trident")
        self.peer("petsc", bilinear=3200.0)
        done = self.peers("--galerkin", "--ranks", "1", "--ways", "Trident", "PETSc, reuse")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: er:n=10, 1 ranks, PETSc, reuse, sweep 0: C differs from that of Trident: bilinear",
                      done.stderr)

    def test_ways_and_matrices_of_the_other_product(self):
        for words, said in ((["--galerkin", "--ways", "CombBLAS"], "nothing forms R·A·P by 'CombBLAS'"),
                            (["--ways", "hypre, modular"], "nothing forms A·A by 'hypre, modular'"),
                            (["--A", "elastic:n=3"], "elastic:n=3 is there for --galerkin alone")):
            done = self.peers(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_results_without_the_column_are_of_a_a(self):
        self.peer("hypre")
        self.assertEqual(self.peers("--ranks", "1").returncode, 0)
        path = os.path.join(self.folder, "out/peers.csv")
        old = [{k: v for k, v in r.items() if k != "product"} for r in tables.read_csv(path)]
        tables.write_csv(path, old)
        before = self.lines_of("out/table.md")
        self.peers("--plot-only")
        self.assertEqual(self.lines_of("out/table.md"), before)

    def test_combblas_wants_square_numbers_of_ranks(self):
        self.peer("combblas")
        done = self.peers("--ranks", "2", "4", "--ways", "Trident", "CombBLAS")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("skipped: er:n=10, 2 ranks, CombBLAS: it needs a square number of ranks", done.stderr)


if __name__ == "__main__":
    unittest.main()
