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

OPEN_MPI = mock.patch.object(mpi, "implementation", lambda: "open-mpi")
MPICH = mock.patch.object(mpi, "implementation", lambda: "mpich")


def user(number):
    return mock.patch.object(os, "geteuid", lambda: number)


def on_cores(number):
    return mock.patch.object(mpi, "cores", lambda: number)


class MpirunTest(unittest.TestCase):
    def words(self, *args, **more):
        with mock.patch("shutil.which", lambda name: "/bin/ssh"):
            return mpi.mpirun(*args, **more)

    @OPEN_MPI
    @user(1000)
    @on_cores(4)
    def test_oversubscribes_where_ranks_are_more_than_cores(self):
        self.assertNotIn("--oversubscribe", self.words(4))
        self.assertIn("--oversubscribe", self.words(5))
        self.assertIn("--oversubscribe", self.words(2, oversubscribe=True))
        self.assertEqual(self.words(3)[-2:], ["-n", "3"])

    @OPEN_MPI
    @on_cores(4)
    def test_root_must_ask(self):
        with user(0), mock.patch.dict(os.environ, clear=True):
            with self.assertRaisesRegex(mpi.CannotStart, "--allow-run-as-root"):
                self.words(1)
            self.assertIn("--allow-run-as-root", self.words(1, allow_root=True))
        both = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        with user(0), mock.patch.dict(os.environ, both):
            self.assertNotIn("--allow-run-as-root", self.words(1))
        with user(1000):
            self.assertNotIn("--allow-run-as-root", self.words(1, allow_root=True))

    @MPICH
    @on_cores(1)
    def test_mpich_wants_no_flags(self):
        with user(0):
            self.assertEqual(self.words(8, allow_root=True, oversubscribe=True), ["mpirun", "-n", "8"])

    @OPEN_MPI
    @user(1000)
    def test_works_without_ssh(self):
        with mock.patch("shutil.which", lambda name: None):
            self.assertIn("isolated", mpi.mpirun(1))

    def test_knows_the_implementations(self):
        for said, name in (("mpirun (Open MPI) 4.1.4", "open-mpi"), ("mpirun (OpenRTE) 2.1", "open-mpi"),
                           ("HYDRA build details:", "mpich"), ("prun 1", "unknown")):
            mpi.implementation.cache_clear()
            with mock.patch("subprocess.run") as run:
                run.return_value = mock.Mock(stdout=said, stderr="")
                self.assertEqual(mpi.implementation(), name)
        mpi.implementation.cache_clear()
        with self.assertRaisesRegex(mpi.CannotStart, "is MPI installed"):
            with tempfile.TemporaryDirectory() as empty:
                mpi.implementation(empty + "/mpirun")

    @on_cores(2)
    def test_ranks_yield_where_they_share_cores(self):
        with mock.patch.dict(os.environ, clear=True):
            self.assertNotIn("OMPI_MCA_mpi_yield_when_idle", mpi.environment(2))
            self.assertEqual(mpi.environment(3)["OMPI_MCA_mpi_yield_when_idle"], "1")
            self.assertEqual(mpi.environment(1, X="y"), {"OMP_NUM_THREADS": "1", "X": "y"})


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

    def test_ends_what_takes_too_long_with_its_children(self):
        began = time.monotonic()
        done = mpi.execute(["sh", "-c", "sleep 60 & echo $!; wait"], 0.5)
        self.assertIsNone(done.status)
        self.assertLess(time.monotonic() - began, 30)
        child = int(done.output)
        while runs(child) and time.monotonic() - began < 30:  # where others keep the cores busy
            time.sleep(0.05)
        self.assertFalse(runs(child))

    def test_says_what_cannot_be_started(self):
        with tempfile.TemporaryDirectory() as empty:
            program = empty + "/program"
            done = mpi.execute([program], 1)
        self.assertNotEqual(done.status, 0)
        self.assertIn(program + " cannot be started", done.output)


class DriverTest(fakes.Machine):
    def driver(self, *options, seconds=20):
        return measure.driver([], os.path.join(self.bin, "Trident_SpGEMM.exe"), *options, seconds=seconds)

    def test_reads_its_json(self):
        run = self.driver("--A=x", "--algorithm=summa")
        self.assertEqual((run.got["algorithm"], run.error), ("summa", ""))
        self.assertIn("--quiet --A=x", run.command)
        self.assertNotIn("--json", run.command)

    def test_says_why_there_is_none(self):
        self.assertEqual(self.driver("--A=bad").error, "Trident_SpGEMM: bad: no such file")
        self.assertEqual(self.driver("--A=slow", seconds=0.3).error, "ended after 0.3 s")

    def test_says_what_a_library_said_that_ended_the_program(self):
        said = "CUDA ERROR (code = 2, out of memory) at memory.c:302"
        done = mpi.Finished(1, "noise\n%s\n%s\nmpirun has much to say" % (said, "-" * 400))
        self.assertEqual(measure.why(done, 5, "Trident_Peer_hypre.exe"), said)

    def test_a_wrong_product_is_an_error(self):
        run = self.driver("--A=wrong", "--verify")
        self.assertIn("does not match", run.error)
        self.assertEqual(run.got["nnzC"], 60)

    def test_sums_received_bytes(self):
        got = self.driver("--A=x").got
        self.assertEqual(measure.received(got, "internode"), 80)
        self.assertEqual(measure.received(got, "intranode", ["setup"]), 4)
        self.assertEqual(measure.received({"bytes": None}, "internode"), 0)
        self.assertEqual(measure.grid(got), "2x1x2")


class MeasureTest(unittest.TestCase):
    def test_turns_are_interleaved(self):
        self.assertEqual(list(measure.turns(2, "ab")), [(0, "a"), (0, "b"), (1, "a"), (1, "b")])

    def test_median_leaves_out_what_is_unknown(self):
        self.assertEqual(measure.median([3, None, 1]), 2)
        self.assertIsNone(measure.median([None]))
        self.assertIsNone(measure.quotient(1, 0))
        self.assertIsNone(measure.quotient(None, 2))

    def test_json_lines(self):
        self.assertEqual(measure.json_lines('{"a": 1}\nnoise\n{"cut": \n{"b": 2}'), [{"a": 1}, {"b": 2}])

    def test_tally(self):
        said = io.StringIO()
        tally = measure.Tally("x", said)
        self.assertEqual(tally.status(), 1)  # nothing was done at all
        tally.ok()
        tally.skip("plots", "no pandas")
        self.assertEqual(tally.status(), 0)
        tally.fail("er", "hung")
        self.assertEqual(tally.status(), 1)
        self.assertIn("x: skipped: plots: no pandas\n", said.getvalue())
        self.assertIn("x: FAILED: er: hung\n", said.getvalue())
        self.assertTrue(said.getvalue().endswith("x: 1 done, 1 failed, 1 skipped\n"))

    def test_names_of_matrices(self):
        self.assertEqual([facts.short(s) for s in ("/a/b.mtx.gz", "c.bin", "er:n=5,d=2")], ["b", "c", "er:n=5,d=2"])


class TablesTest(unittest.TestCase):
    def test_markdown(self):
        file = io.StringIO()
        table = tables.Markdown("a", "b", file=file)
        table.row(1, "x|y")
        table.note("er", "FAILED: it\n hung")
        self.assertEqual(file.getvalue(),
                         "| a | b |\n| --- | --- |\n| 1 | x/y |\n| er | FAILED: it hung |\n")
        with self.assertRaises(ValueError):
            table.row(1)

    def test_csv_of_rows_that_differ(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "x.csv")
        tables.write_csv(path, [{"a": 1, "command": "c"}, {"a": None, "b": 2.5, "command": "d"}])
        self.assertEqual(tables.read_csv(path), [{"a": "1", "b": "", "command": "c"},
                                                 {"a": "", "b": "2.5", "command": "d"}])
        self.assertEqual(tables.number({"a": ""}, "a"), None)

    def test_cells(self):
        self.assertEqual([tables.cell(None), tables.cell(1.23456), tables.mega(2.5e6)], ["-", "1.235", "2.50"])


if __name__ == "__main__":
    unittest.main()
