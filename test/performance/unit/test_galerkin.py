# SPDX-License-Identifier: BSD-3-Clause
"""Trident_Galerkin.exe: every way forms the same R·A·P, and has all its turns. Its path is the only argument."""
import sys
import unittest

import fakes  # noqa: F401, puts the scripts' folder on the path
from bench import measure, mpi, ratios

PROGRAM = sys.argv.pop()
WAYS = ["one-call", "two-calls", "plan", "one-call-given", "tpetra-triple", "tpetra-two-calls", "tpetra-transpose",
        "tpetra-given"]


def galerkin(*words):
    command = [*mpi.mpirun(2, oversubscribe=True), PROGRAM, "--A=laplace3d:n=6", "--ranks-per-node=2", *words]
    return mpi.execute(command, 100, mpi.environment())


class GalerkinTest(unittest.TestCase):
    def test_all_ways_form_the_same(self):
        done = galerkin("--repeat=3")
        lines = measure.json_lines(done.output)
        self.assertEqual(done.status, 0, done.output)
        self.assertEqual([line["by"] for line in lines], WAYS)
        for line in lines:
            self.assertLess(line["difference"], 1e-10, line)
            self.assertEqual(sorted(line["turns"])[1], line["seconds"], line)
            self.assertEqual(bool(line["phases"]), not line["by"].startswith("tpetra"), line)

    def test_ways_by_name(self):
        done = galerkin("--repeat=1", "--by=tpetra-given,one-call")
        self.assertEqual([line["by"] for line in measure.json_lines(done.output)], ["tpetra-given", "one-call"])
        done = galerkin("--by=tpetra")
        self.assertEqual(done.status, 1)
        self.assertIn('--by: no way is called "tpetra"', done.output)

    def test_scripts_know_each_way_of_tpetra(self):
        self.assertEqual(sorted(ratios.ONE_CALL), sorted(way for way in WAYS if way.startswith("tpetra")))


if __name__ == "__main__":
    unittest.main()
