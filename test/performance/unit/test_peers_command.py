# SPDX-License-Identifier: BSD-3-Clause
"""`measure peers`, with programs of other libraries that are made up."""
import os
import shutil
import unittest

import fakes

# Writes the files that it is asked for, or prints what it measured, a second by each way.
GALERKIN = """
if words["A"] == "bad":
    sys.exit("Trident_Galerkin: bad: no such file")
write("write-A", 0)
write("write-P", 0)
sums = {"entries": 60, "zeros": 0, "bilinear": 100.0, "absolute": 50.0}
for n, by in enumerate(words["by"].split(",") if "by" in words else []):
    print(json.dumps({"by": by, "turns": [1 + n, 3 + n, 2 + n], "checksum": sums}))
"""


class PeersTest(fakes.Machine):
    def setUp(self):
        super().setUp()
        self.build = os.path.join(self.folder, "build")
        self.driver = os.path.join(self.build, "example/app/driver/Trident_SpGEMM.exe")
        os.makedirs(os.path.dirname(self.driver))
        os.rename(os.path.join(self.bin, "Trident_SpGEMM.exe"), self.driver)

    def library(self, name, **more):
        self.peer(os.path.join(self.build, "test/performance/peers/Trident_Peer_%s.exe" % name), **more)

    def asked(self, name):
        return self.lines_of("Trident_Peer_%s.log" % name)

    def peers(self, *words, **more):
        return self.measure("peers", "--build=" + self.build, "--output=out", "--A", "er:n=10", "--repeat=2", *words,
                            **more)

    def test_one_table_for_all_that_are_built(self):
        self.library("hypre", bilinear=100.0 * (1 + 1e-15))
        self.library("petsc", entries=70)
        done = self.peers("--ranks", "1", "3")
        self.assertRegex(done.stderr, "skipped: CombBLAS: .*/Trident_Peer_combblas.exe is not built: it needs "
                                      "libcombblas-dev and -DTrident_ENABLE_PEERS=ON")
        rows = self.rows("out/peers.csv", "way")
        self.assertEqual(rows[:6], [(w,) for w in ("Trident", "Trident, plan", "Tpetra", "hypre", "PETSc",
                                                   "PETSc, reuse")])
        self.assertEqual(len(rows), 2 * 2 * 6)
        table = self.lines_of("out/table.md")
        self.assertIn("| er:n=10 | 3 | 1 (1.00) | 0.5 (0.50) | 2 (2.00) | 0.5 (0.50) | 0.5 (0.50) | 0.125 (0.12) | "
                      "60 (Trident, Trident, plan, Tpetra, hypre); 70 (PETSc, PETSc, reuse) | "
                      "0 (Trident, Trident, plan, Tpetra, hypre); 10 (PETSc, PETSc, reuse) | alike |", table)
        self.peers("--plot-only")
        self.assertEqual(self.lines_of("out/table.md"), table)

    def test_a_checksum_that_differs_fails(self):
        self.library("hypre", bilinear=100.001)
        done = self.peers("--ranks", "1", "--ways", "Trident", "hypre", status=1)
        self.assertIn("FAILED: er:n=10, 1 ranks, hypre, sweep 0: C differs from that of Trident: bilinear", done.stderr)
        self.assertIn("2 of 4 runs FAILED", self.lines_of("out/table.md")[-1])

    def test_galerkin(self):
        for name in ("trident", "hypre"):
            self.library(name, entries=70 if name == "hypre" else 60)
        done = self.peers("--galerkin", "--ranks", "1", "--products=4")
        self.assertRegex(done.stderr, "skipped: PETSc, reuse: .* is not built: it needs libpetsc-real-dev and -D")
        ways = ["Trident", "Trident, two calls", "Trident, plan", "Trident, two plans", "Tpetra", "hypre",
                "hypre, two calls", "hypre, modular"]
        self.assertEqual(self.rows("out/peers.csv", "product", "way"), [("R·A·P", way) for way in ways] * 2)
        first, again = "--warmup=1 --repeat=4", "--warmup=0 --repeat=1 --reuse=4"
        self.assertEqual([line.partition("--A=er:n=10 --galerkin ")[2] for line in self.asked("trident.exe")],
                         ["--way=one-call " + first, "--way=two-calls " + first, "--way=one-call " + again,
                          "--way=two-calls " + again, "--way=tpetra " + first] * 2)
        table = self.lines_of("out/table.md")
        self.assertTrue(any("R = P'" in line for line in table))
        self.assertRegex(table[-1], r"^\| er:n=10 \| 1 \| 0.5 \(1.00\) \| 1 \(2.00\) \| 0.125 \(0.25\) \| 0.25 \(0.50\)"
                                    r" \| 0.5 \(1.00\) \| 0.5 \(1.00\) \| 1 \(2.00\) \| 0.5 \(1.00\) \|.*\| alike \|$")

    def test_refuses_ways_and_matrices_of_the_other_product(self):
        for words, said in ((["--galerkin", "--ways", "CombBLAS"], "nothing forms R·A·P by 'CombBLAS'"),
                            (["--ways", "hypre, modular"], "nothing forms A·A by 'hypre, modular'"),
                            (["--A", "elastic:n=3"], "elastic:n=3 is there for --galerkin alone"),
                            (["--gpus"], "--gpus needs --programs")):
            self.assertIn(said, self.peers(*words, status=2).stderr)

    def on_gpus(self, *words, **more):
        """With folders of made-up programs for GPUs, Trident's apart from the others."""
        folders = [os.path.join(self.folder, name) for name in ("trident", "others")]
        self.python(os.path.join(folders[0], "Trident_Galerkin.exe"), GALERKIN)
        shutil.copy(self.driver, folders[0])
        for name in ("hypre.exe", "petsc.exe", "cupy"):
            self.peer(os.path.join(folders[1], "Trident_Peer_" + name))
        return self.peers("--gpus", "--programs", *folders, "--ranks", "1", *words, **more)

    def test_on_gpus_others_read_files_and_make_stencils(self):
        done = self.on_gpus("2", "--A", "er:n=10", "brick3d:n=3", "--device-mpi")
        written = "out/matrices/er-n=10-A.csr"
        self.assertEqual(self.lines_of("Trident_Galerkin.exe.log"), ["--A=er:n=10 --write-A=" + written])
        asked = self.asked("petsc.exe")
        self.assertEqual(set(line.split()[0] for line in asked), {"--A=" + written, "--A=brick3d:n=3"})
        self.assertTrue(all(line.endswith("--warmup=1 --repeat=3 --reuse=3 --device-mpi") for line in asked))
        self.assertEqual(len(asked), 2 * 2 * 2)  # matrices, ranks, sweeps: a process for both ways
        self.assertFalse(any("--device-mpi" in line for line in self.asked("cupy")))
        self.assertIn("skipped: er:n=10, 2 ranks, CuPy: it has one GPU", done.stderr)
        self.assertEqual(len(self.rows("out/peers.csv")), 2 * 2 * (8 + 7))

    def test_galerkin_on_gpus(self):
        self.on_gpus("--galerkin", "--products=7")
        asked = self.lines_of("Trident_Galerkin.exe.log")
        self.assertEqual(asked[0], "--A=er:n=10 --by=one-call,two-calls,plan --repeat=7")
        files = ["%s=out/matrices/er-n=10-%s.csr" % pair for pair in (("--A", "A"), ("--P", "P"))]
        self.assertEqual([line for line in asked if "write" in line],
                         ["--A=er:n=10 --write-A=out/matrices/er-n=10-A.csr --write-P=out/matrices/er-n=10-P.csr"])
        self.assertEqual(self.asked("hypre.exe")[0].split()[:4], [*files, "--galerkin", "--way=modular-own"])
        self.assertEqual(self.rows("out/peers.csv", "seconds")[:4], [("2",), ("3",), ("4",), ("2",)])
        self.assertEqual([sum("--by=" + by in line for line in asked)
                          for by in ("one-call,two-calls,plan", "tpetra-two-calls")], [2, 2])

    def test_without_a_file_others_on_gpus_fail(self):
        done = self.on_gpus("--A", "bad", "--ways", "hypre", status=1)
        self.assertIn("FAILED: bad, 1 ranks, hypre, sweep 0: no file: Trident_Galerkin: bad: no such file", done.stderr)

    def test_combblas_wants_square_numbers_of_ranks(self):
        self.library("combblas")
        done = self.peers("--ranks", "2", "4", "--ways", "Trident", "CombBLAS")
        self.assertIn("skipped: er:n=10, 2 ranks, CombBLAS: it needs a square number of ranks", done.stderr)


if __name__ == "__main__":
    unittest.main()
