# SPDX-License-Identifier: BSD-3-Clause
"""The modules that the scripts share, but for the one that draws."""
import io
import os
import tempfile
import time
import unittest
from unittest import mock

import fakes
from bench import facts, measure, mpi, tables


def machine(mpi_is="open-mpi", cores=4, user=1000, env=None):
    """What mpi sees: the implementation, the cores, the user and the environment."""
    stack = mock.patch.multiple(mpi, implementation=lambda: mpi_is, cores=lambda: cores, is_root=lambda: user == 0)
    return mock.patch.dict(os.environ, env or {}, clear=True)(stack(lambda call, *args, **more: call(*args, **more)))


class MpirunTest(unittest.TestCase):
    def words(self, *args, ssh="/bin/ssh", seen=machine(), **more):
        with mock.patch("shutil.which", lambda name: ssh):
            return seen(mpi.mpirun, *args, **more)

    def test_open_mpi(self):
        self.assertNotIn("--oversubscribe", self.words(4))
        self.assertIn("--oversubscribe", self.words(5))
        self.assertIn("--oversubscribe", self.words(2, oversubscribe=True))
        self.assertEqual(self.words(3)[-2:], ["-n", "3"])
        self.assertIn("isolated", self.words(1, ssh=None))

    def test_root_must_ask(self):
        with self.assertRaisesRegex(mpi.CannotStart, "--allow-run-as-root"):
            self.words(1, seen=machine(user=0))
        self.assertIn("--allow-run-as-root", self.words(1, allow_root=True, seen=machine(user=0)))
        both = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.assertNotIn("--allow-run-as-root", self.words(1, seen=machine(user=0, env=both)))
        self.assertNotIn("--allow-run-as-root", self.words(1, allow_root=True))

    def test_mpich_wants_no_flags(self):
        seen = machine("mpich", 1, 0)
        self.assertEqual(self.words(8, allow_root=True, oversubscribe=True, seen=seen), ["mpirun", "-n", "8"])

    def test_knows_the_implementations(self):
        for said, name in (("mpirun (Open MPI) 4.1.4", "open-mpi"), ("mpirun (OpenRTE) 2.1", "open-mpi"),
                           ("HYDRA build details:", "mpich"), ("prun 1", "unknown")):
            mpi.implementation.cache_clear()
            with mock.patch("subprocess.run", return_value=mock.Mock(stdout=said, stderr="")):
                self.assertEqual(mpi.implementation(), name)
        mpi.implementation.cache_clear()
        with self.assertRaisesRegex(mpi.CannotStart, "is MPI installed"):
            mpi.implementation("/nowhere/mpirun")

    def test_ranks_yield_where_they_share_cores(self):
        seen = machine(cores=2)
        self.assertNotIn("OMPI_MCA_mpi_yield_when_idle", seen(mpi.environment, 2))
        self.assertEqual(seen(mpi.environment, 3)["OMPI_MCA_mpi_yield_when_idle"], "1")
        self.assertEqual(seen(mpi.environment, 1, X="y"), {"OMP_NUM_THREADS": "1", "X": "y"})


def runs(process):
    """Whether a process is there, and has not ended."""
    try:
        with open("/proc/%d/stat" % process, encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class ExecuteTest(unittest.TestCase):
    def test_returns_status_and_all_output(self):
        done = mpi.execute(["sh", "-c", "echo out; echo err >&2; exit 3"], 10)
        self.assertEqual((done.status, done.output), (3, "out\nerr\n"))
        done = mpi.execute(["/nowhere/program"], 1)
        self.assertNotEqual(done.status, 0)
        self.assertIn("/nowhere/program cannot be started", done.output)

    def test_ends_what_takes_too_long_with_its_children(self):
        began = time.monotonic()
        done = mpi.execute(["sh", "-c", "sleep 60 & echo $!; wait"], 0.5)
        self.assertIsNone(done.status)
        self.assertLess(time.monotonic() - began, 30)
        child = int(done.output)
        while runs(child) and time.monotonic() - began < 30:  # where others keep the cores busy
            time.sleep(0.05)
        self.assertFalse(runs(child))


class DriverTest(fakes.Machine):
    def driver(self, *options, seconds=20):
        return measure.driver([], os.path.join(self.bin, "Trident_SpGEMM.exe"), *options, seconds=seconds)

    def test_reads_its_json(self):
        run = self.driver("--A=x", "--algorithm=summa")
        self.assertEqual((run.got["algorithm"], run.error), ("summa", ""))
        self.assertIn("--quiet --A=x", run.command)
        self.assertNotIn("--json", run.command)
        self.assertEqual(measure.received(run.got, "internode"), 80)
        self.assertEqual(measure.received(run.got, "intranode", ["setup"]), 4)
        self.assertEqual(measure.received({"bytes": None}, "internode"), 0)
        self.assertEqual(measure.grid(run.got), "2x1x2")

    def test_says_what_is_wrong(self):
        self.assertEqual(self.driver("--A=bad").error, "Trident_SpGEMM: bad: no such file")
        self.assertEqual(self.driver("--A=slow", seconds=0.3).error, "ended after 0.3 s")
        run = self.driver("--A=wrong", "--verify")
        self.assertIn("does not match", run.error)
        self.assertEqual(run.got["nnzC"], 60)
        said = "CUDA ERROR (code = 2, out of memory) at memory.c:302"  # by a library that ended the program
        done = mpi.Finished(1, "noise\n%s\n%s\nmpirun has much to say" % (said, "-" * 400))
        self.assertEqual(measure.why(done, 5, "Trident_Peer_hypre.exe"), said)


class MeasureTest(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual(list(measure.turns(2, "ab")), [(0, "a"), (0, "b"), (1, "a"), (1, "b")])
        self.assertEqual([measure.median([3, None, 1]), measure.median([None])], [2, None])
        self.assertEqual([measure.quotient(1, 0), measure.quotient(None, 2)], [None, None])
        self.assertEqual(measure.json_lines('{"a": 1}\nnoise\n{"cut": \n{"b": 2}'), [{"a": 1}, {"b": 2}])
        self.assertEqual([facts.short(s) for s in ("/a/b.mtx.gz", "c.bin", "er:n=5,d=2")], ["b", "c", "er:n=5,d=2"])

    def test_tally(self):
        said = io.StringIO()
        tally = measure.Tally("x", said)
        self.assertEqual(tally.status(), 1)  # nothing was done at all
        tally.ok()
        tally.skip("plots", "no pandas")
        self.assertEqual(tally.status(), 0)
        tally.fail("er", "hung")
        self.assertEqual(tally.status(), 1)
        for line in ("skipped: plots: no pandas", "FAILED: er: hung", "1 done, 1 failed, 1 skipped"):
            self.assertIn("x: %s\n" % line, said.getvalue())

    def test_markdown(self):
        file = io.StringIO()
        table = tables.Markdown("a", "b", file=file, numbers=[1])
        table.row(1, "x|y")
        table.note("er", "FAILED: it\n hung")
        self.assertEqual(file.getvalue(), "| a | b |\n| --- | --: |\n| 1 | x/y |\n| er | FAILED: it hung |\n")
        with self.assertRaises(ValueError):
            table.row(1)
        self.assertEqual([tables.cell(None), tables.cell(1.23456), tables.mega(2.5e6)], ["-", "1.235", "2.50"])

    def test_csv_of_rows_that_differ(self):
        with tempfile.TemporaryDirectory() as folder:
            tables.write_csv(folder + "/x.csv", [{"a": 1, "command": "c"}, {"a": None, "b": 2.5, "command": "d"}])
            self.assertEqual(tables.read_csv(folder + "/x.csv"), [{"a": "1", "b": "", "command": "c"},
                                                                  {"a": "", "b": "2.5", "command": "d"}])
        self.assertEqual(tables.number({"a": ""}, "a"), None)


if __name__ == "__main__":
    unittest.main()
