# SPDX-License-Identifier: BSD-3-Clause
"""`measure setups`: what it runs, and the tables that it makes of what the programs print."""
import os
import unittest

import fakes
from bench.commands import setups

PROGRAM = """#!/bin/sh
case "$*" in *trident*) first=0.2 later=0.05 rap=0.01;; *) first=0.3 later=0.1 rap=0.04;; esac
for word; do case $word in --problem=*) problem=${word#*=};; --reuse=*) reuse=${word#*=};; esac; done
echo "$problem:n=9 by muelu, R explicit, reuse $reuse, tentative device, 2 ranks"
echo "new setup 0 $first s"
echo "new setup 1 $later s"
echo "    $rap s  R*A*P"
echo "    0.02 s  aggregation"
"""


class SetupsTest(fakes.Machine):
    def setUp(self):
        super().setUp()
        self.programs = os.path.join(self.folder, "programs")
        os.makedirs(self.programs)
        for name in ("gpu_setup", "gpu_setup_trident", "gpu_setup_wrapped"):
            self.program(os.path.join(self.programs, name), PROGRAM)

    def run_all(self):
        return self.measure("setups", "run", "--programs=" + self.programs, "--ranks", "2", "--output=out")

    def test_runs_and_tables(self):
        done = self.run_all()
        ways = len(setups.PROBLEMS) * (len(setups.WAYS) + len(setups.REUSED))
        self.assertEqual((done.returncode, done.stderr), (0, "setups: %d done, 0 failed, 0 skipped\n" % ways))
        done = self.measure("setups", "table", "out/setups.txt", "--output=out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| --: | --- | --- | --- | --: | --: | --: | --: | --: | --: |\n", done.stdout)
        self.assertIn("| 2 | laplace3d | none | MueLu | 300 | 1.00 | 100 | 1.00 | 40.0 | 1.00 |", done.stdout)
        self.assertIn("| 2 | brick3d | RP | factories | 200 | 1.50 | 50.0 | 2.00 | 10.0 | 4.00 |", done.stdout)
        self.assertEqual(len(self.lines_of("out/setups.csv")), 1 + ways * 4)  # two setups, two parts
        with open(os.path.join(self.folder, "out/setups.csv"), "rb") as file:
            self.assertEqual(file.readline(), b"ranks,problem,n,reuse,way,setup,part,seconds\n")

    def test_a_program_that_fails(self):
        self.program(os.path.join(self.programs, "gpu_setup_wrapped"), "#!/bin/sh\nexit 3\n")
        done = self.run_all()
        self.assertEqual(done.returncode, 1)
        self.assertIn("15 done, 9 failed", done.stderr)
        self.assertIn("FAILED: drop-in, 2 ranks: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
