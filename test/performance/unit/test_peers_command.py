# SPDX-License-Identifier: BSD-3-Clause
"""`measure peers`, with programs of other libraries that are made up."""
import os
import shutil
import sys
import unittest

import fakes
from bench import tables


# Writes the files that it is asked for, or prints what it measured, a second by each way.
GALERKIN = """#!{python}
import json, sys
words = dict(w.lstrip("-").partition("=")[::2] for w in sys.argv[1:])
with open({log!r}, "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
if words["A"] == "bad":
    sys.exit("Trident_Galerkin: bad: no such file")
for name in ("write-A", "write-P"):
    if name in words:
        open(words[name], "w").close()
sums = {{"entries": 60, "zeros": 0, "bilinear": 100.0, "absolute": 50.0}}
for n, by in enumerate(words["by"].split(",") if "by" in words else []):
    print(json.dumps({{"by": by, "turns": [1 + n, 3 + n, 2 + n], "checksum": sums}}))
"""


class PeersTest(fakes.Machine):
    def setUp(self):
        super().setUp()
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
        return self.measure("peers", "--build=" + self.build, "--output=out", "--A", "er:n=10", "--repeat=2",
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

    def gpu_programs(self):
        """Folders of made-up programs for GPUs, Trident's apart from the others."""
        folders = [os.path.join(self.folder, name) for name in ("trident", "others")]
        for folder in folders:
            os.makedirs(folder)
        shutil.copy(os.path.join(self.build, "example/app/driver/Trident_SpGEMM.exe"), folders[0])
        self.program(os.path.join(folders[0], "Trident_Galerkin.exe"),
                     GALERKIN.format(python=sys.executable, log=os.path.join(self.folder, "galerkin.log")))
        for name in ("Trident_Peer_hypre.exe", "Trident_Peer_petsc.exe", "Trident_Peer_cupy"):
            self.program(os.path.join(folders[1], name),
                         fakes.PEER.format(python=sys.executable, entries=60, bilinear=100.0,
                                           log=os.path.join(self.folder, name + ".log")))
        return folders

    def test_on_gpus_others_read_files_and_make_stencils(self):
        done = self.peers("--gpus", "--programs", *self.gpu_programs(), "--ranks", "1", "2", "--A", "er:n=10",
                          "brick3d:n=3", "--device-mpi")
        self.assertEqual(done.returncode, 0, done.stderr)
        written = "out/matrices/er-n=10-A.csr"
        self.assertEqual(self.lines_of("galerkin.log"), ["--A=er:n=10 --write-A=" + written])
        asked = self.lines_of("Trident_Peer_petsc.exe.log")
        self.assertEqual(set(line.split()[0] for line in asked), {"--A=" + written, "--A=brick3d:n=3"})
        self.assertTrue(all(line.endswith("--warmup=1 --repeat=3 --reuse=3 --device-mpi") for line in asked))
        self.assertEqual(len(asked), 2 * 2 * 2)  # matrices, ranks, sweeps: a process for both ways
        self.assertFalse(any("--device-mpi" in line for line in self.lines_of("Trident_Peer_cupy.log")))
        self.assertIn("skipped: er:n=10, 2 ranks, CuPy: it has one GPU", done.stderr)
        rows = tables.read_csv(os.path.join(self.folder, "out/peers.csv"))
        self.assertEqual([r["way"] for r in rows[:8]], ["Trident", "Trident, plan", "Tpetra", "hypre",
                                                        "hypre, cuSPARSE", "PETSc", "PETSc, reuse", "CuPy"])
        self.assertEqual(len(rows), 2 * 2 * (8 + 7))

    def test_galerkin_on_gpus(self):
        done = self.peers("--gpus", "--galerkin", "--programs", *self.gpu_programs(), "--ranks", "1", "--products=7")
        self.assertEqual(done.returncode, 0, done.stderr)
        asked = self.lines_of("galerkin.log")
        self.assertEqual(asked[0], "--A=er:n=10 --by=one-call,two-calls,plan --repeat=7")
        files = ["%s=out/matrices/er-n=10-%s.csr" % pair for pair in (("--A", "A"), ("--P", "P"))]
        self.assertEqual([line for line in asked if "write" in line],
                         ["--A=er:n=10 --write-A=out/matrices/er-n=10-A.csr --write-P=out/matrices/er-n=10-P.csr"])
        self.assertEqual(self.lines_of("Trident_Peer_hypre.exe.log")[0].split()[:4],
                         [*files, "--galerkin", "--way=modular-own"])
        rows = tables.read_csv(os.path.join(self.folder, "out/peers.csv"))
        self.assertEqual([r["seconds"] for r in rows[:4]], ["2", "3", "4", "2"])  # three of one process, and Tpetra
        self.assertEqual([len([line for line in asked if "--by=" + by in line])
                          for by in ("one-call,two-calls,plan", "tpetra-two-calls")], [2, 2])

    def test_without_a_file_others_on_gpus_fail(self):
        done = self.peers("--gpus", "--programs", *self.gpu_programs(), "--ranks", "1", "--A", "bad", "--ways", "hypre")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: bad, 1 ranks, hypre, sweep 0: no file: Trident_Galerkin: bad: no such file", done.stderr)
        self.assertEqual(self.peers("--gpus").returncode, 2)

    def test_combblas_wants_square_numbers_of_ranks(self):
        self.peer("combblas")
        done = self.peers("--ranks", "2", "4", "--ways", "Trident", "CombBLAS")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("skipped: er:n=10, 2 ranks, CombBLAS: it needs a square number of ranks", done.stderr)


if __name__ == "__main__":
    unittest.main()
