# SPDX-License-Identifier: BSD-3-Clause
"""`measure`, and its subcommands but for `gpu` and `peers`, on a machine that is made up: no build, no network."""
import contextlib
import gzip
import io
import os
import re
import shlex
import subprocess
import unittest

import fakes
from bench.commands import setups
from bench.main import COMMANDS, parsed

ROOT = os.path.normpath(os.path.join(fakes.SCRIPTS, "../.."))
needs_root = unittest.skipUnless(os.geteuid() == 0, "the network needs root")


class MeasureTest(fakes.Machine):
    def test_help(self):
        said = self.measure("--help").stdout
        for name in COMMANDS:
            self.assertRegex(said, r"(?m)^ +%s +[^ ].*\w" % name)
            self.assertIn("measure %s " % name, self.measure(name, "--help").stdout)

    def test_refuses_what_it_does_not_know(self):
        for words, said in ((["look"], "invalid choice: 'look'"), (["compare", "--what"], "--what"),
                            (["core", "volume", "nowhere"], "measure core: error: DIR is to be a folder"),
                            (["compare", "--ranks", "2x2", "4x2", "--weak", "--A", "x"], "--weak wants a matrix")):
            self.assertIn(said, self.measure(*words, status=2).stderr)

    def test_says_in_a_line_what_cannot_start(self):
        said = self.measure("compare", "--A", "er:n=10", status=1, PATH="/nowhere").stderr
        self.assertEqual(said.count("\n"), 1)
        self.assertIn("compare: mpirun does not run", said)

    def test_fails_where_programs_do(self):
        cases = [("Trident_SpGEMM.exe", "core memory", "0 done, 10 failed"),
                 ("Trident_Expansion.exe", "expansion -- bad", "bad, this host"),
                 ("Trident_05_muelu.exe", "muelu --ranks 1 --repeat=1 -- file.mtx", "file.mtx, 1 ranks"),
                 ("MueLu_UnderPreload.exe", "dropin --ranks 1 --repeat=1 --library bin/measure -- sa",
                  "sa, as it is, 1 ranks")]
        if os.geteuid() == 0:
            cases.append(("Trident_Galerkin.exe", "galerkin -- x", "x, all ways"))
        for program, words, what in cases:
            self.program(program, "#!/bin/sh\necho %s: no; exit 1\n" % program[:-len(".exe")])
            said = self.measure(*words.split(), status=1).stderr
            self.assertIn(what, said)
            self.assertRegex(said, "FAILED: .*: %s: no" % program[:-len(".exe")])


class QuotedTest(unittest.TestCase):
    """What pages quote can be called."""

    CALL = re.compile(r"^ *(?:\w+=\S+ )*(?:python3 )?[./\w]*\bmeasure ([a-z].*)$", re.MULTILINE)

    def commands(self, page):
        """Yields the words of each command in a page's blocks of code. Variables are what the page says before."""
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            text = re.sub(r"\s*\\\n\s*", " ", file.read())
        blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for block in blocks + re.findall(r"(?:^    .*\n)+", text, re.MULTILINE):
            known = dict(re.findall(r'^ *(\w+)="(.*)"$', block, re.MULTILINE))
            for line in self.CALL.findall(block):
                yield shlex.split(re.sub(r"\$([A-Z])\b", lambda name: known[name.group(1)], line), comments=True)

    def test_commands_of_pages(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.md"], check=False, capture_output=True, text=True)
        found = [(page, words) for page in listed.stdout.split() for words in self.commands(page)]
        if listed.returncode != 0:
            self.skipTest("this is no checkout of git")
        self.assertGreater(len(found), 40)
        for page, words in found:
            said = io.StringIO()
            try:
                with contextlib.redirect_stderr(said):
                    self.assertIn(parsed(words).command, COMMANDS)
            except SystemExit:
                self.fail("%s: %s: %s" % (page, words, said.getvalue()))


class CompareTest(fakes.Machine):
    def compare(self, *words, **more):
        return self.measure("compare", "--output=out", "--repeat=2", "--ranks", "4x2", *words, **more)

    def test_runs_in_turns_and_writes_rows_and_table(self):
        done = self.compare("--A", "er:n=10", "--", "--verify")
        self.assertEqual(self.rows("out/runs.csv", "sweep", "algorithm"),
                         [(s, a) for s in "01" for a in ("trident", "summa", "tpetra")])
        row = self.rows("out/runs.csv", "seconds_total", "grid", "internode_rounds_bytes", "verified", "command")[0]
        self.assertEqual(row[:4], ("1.0", "2x1x2", "40", "True"))
        self.assertIn("--verify", row[4])
        table = self.lines_of("out/table.md")
        self.assertEqual(sum(line.startswith("| er:n=10 | A | - | 4 | 2 |") for line in table), 3)
        self.assertTrue(any("| Tpetra |" in line and "| 2.000 | 2.00 |" in line for line in table))
        self.assertIn("er:n=10 x A, 4 ranks: Tpetra / Trident = 2.00\n", done.stdout)

    def test_a_problem_that_grows_with_the_ranks(self):
        self.compare("--ranks", "2x2", "4x2", "--weak", "--algorithms", "trident", "--A", "er:n=10", "er:n=20",
                     "--repeat=1")
        self.assertEqual(self.rows("out/runs.csv", "ranks", "problem", "A"),
                         [("2", "weak: from er:n=10", "er:n=10"), ("4", "weak: from er:n=10", "er:n=20")])
        weak = [line for line in self.lines_of("out/table.md") if line.startswith("| er")]
        self.assertEqual([line.split(" | ")[11] for line in weak], ["1.00", "1.00"])

    def test_goes_on_where_a_run_fails_and_says_so(self):
        done = self.compare("--A", "bad", "er:n=10", "wrong", "--", "--verify", status=1)
        self.assertEqual(done.stderr.count("FAILED"), 12)
        self.assertIn("Trident_SpGEMM: bad: no such file", done.stderr)
        self.assertEqual({error for A, error in self.rows("out/runs.csv", "A", "error") if A == "er:n=10"}, {""})
        self.assertTrue(all(line.endswith("| 2 |") for line in self.lines_of("out/table.md") if line.startswith("| wrong")))

    def test_ends_what_hangs(self):
        done = self.compare("--A", "slow", "--algorithms", "trident", "--seconds=0.3", "--repeat=1", status=1)
        self.assertIn("ended after 0.3 s", done.stderr)

    def test_without_plots_it_says_what_it_skips(self):
        self.assertIn("skipped: plots: no pandas here", self.compare("--A", "er:n=10").stderr)
        self.compare("--plot-only", status=1)

    @needs_root
    def test_in_a_network(self):
        self.compare("--A", "er:n=10", "--algorithms", "trident", "--rates", "100mbit")
        verbs = [line.split()[0] for line in self.lines_of("network.log")]
        self.assertEqual(verbs, ["up", "run", "run", "down"])
        self.assertFalse(os.path.exists(self.log))  # no plain mpirun

    @unittest.skipIf(os.geteuid() == 0, "root may make a network")
    def test_a_network_needs_root(self):
        self.assertIn("needs root", self.compare("--A", "er:n=10", "--rates", "100mbit", status=1).stderr)


class CoreTest(fakes.Machine):
    def setUp(self):
        super().setUp()
        for name, size in (("small", "10 10 40"), ("wide", "10 20 40"), ("large", "10 10 3000000")):
            with gzip.open(os.path.join(self.folder, name + ".mtx.gz"), "wt") as file:
                file.write("%%MatrixMarket matrix coordinate real general\n% c\n" + size + "\n")

    def test_the_other_tables(self):
        for what in ("volume", "memory"):
            self.assertNotIn("FAILED", self.measure("core", what, self.folder).stdout)
        done = self.measure("core", "ratios", self.folder, "--repeat=1", "--ranks", "1", "4", "--csv=seconds.csv")
        self.assertIn("12 done, 0 failed, 1 skipped", done.stderr)  # 3 products, 2 libraries, 2 numbers of ranks
        self.assertIn("| wide | A*A' | 2.00 | 2.00 |\n", done.stdout)
        self.assertIn("P = 4: geometric mean", done.stdout)
        self.assertEqual(len(self.lines_of("seconds.csv")), 7)


class OthersTest(fakes.Machine):
    """Subcommands whose programs print what they measured."""

    @needs_root
    def test_galerkin(self):
        ways = ("one-call", "two-calls", "plan", "one-call-given", "tpetra-two-calls", "tpetra-transpose",
                "tpetra-triple", "tpetra-given")
        self.prints("Trident_Galerkin.exe", [{"by": way, "seconds": 1.0 if way == "tpetra-given" else 0.5,
                                              "internode_bytes": 2000000, "difference": 0} for way in ways])
        said = self.measure("galerkin", "--", "laplace3d:n=4").stdout
        self.assertIn("| 1gbit | laplace3d:n=4 | plan | 0.5000 | 1.00 | 2.00 | 0.00 | 0.0e+00 |", said)
        self.assertIn("| one-call-given | 0.5000 | 2.00 | 2.00 |", said)
        self.assertIn("| tpetra-triple | 0.5000 | 1.00 |  |", said)

    def expansion(self, *words, difference=0, status=0):
        self.prints("Trident_Expansion.exe", [
            {"iteration": iteration, "by": way, "ranks": 16, "entries": 40, "multiply_adds": 90, "kept": 30,
             "seconds": 0.5, "pruning": 0.25, "repeat": 1, "port_bytes": 2000000, "difference": difference,
             "internode_bytes": None if way == "tpetra" else 1000000}
            for iteration in (1, 2) for way in ("trident", "trident-square", "summa", "tpetra")])
        return self.measure("expansion", "--iterations=2", "--repeat=1", "--output=out", *words, status=status)

    def test_expansion(self):
        self.expansion("--shuffled", "families:n=9", "--", "some/file.mtx.gz")
        rows = self.rows("out/expansion.csv", "A", "shuffled", "rate", "by", "command")
        self.assertEqual((len(rows), rows[8][:4]), (2 * 2 * 4, ("file", "no", "", "trident")))
        self.assertEqual(["--shuffle" in row[4] for row in rows], 8 * [True] + 8 * [False])
        table = self.lines_of("out/table.md")
        self.assertIn("| families:n=9, shuffled | - | summa | 1.000 | 1.00 | 0.500 | 2.00 | 4.00 | 1.00 |", table)
        self.assertIn("| file | - | tpetra | 1.000 | 1.00 | 0.500 | - | 4.00 | 1.00 |", table)
        done = self.expansion("--", "families:n=9", difference=0.002, status=1)
        self.assertIn("FAILED: families:n=9, this host: results differ by 0.002", done.stderr)

    @needs_root
    def test_expansion_in_a_network(self):
        self.expansion("--rates", "100mbit", "1gbit", "--", "families:n=9")
        rows = self.rows("out/expansion.csv", "rate", "command")
        self.assertEqual([row[0] for row in rows], ["100mbit"] * 8 + ["1gbit"] * 8)
        self.assertTrue(all("--port=eth0" in row[1] for row in rows))

    def test_muelu(self):
        self.program("Trident_05_muelu.exe", "#!/bin/sh\n"
                     "echo 'first setup: MueLu 0.30 s, Trident 0.20 s, MueLu / Trident = 1.50'\n"
                     "echo 'further setups: MueLu 0.10 s, Trident 0.05 s, MueLu / Trident = 2.00'\n")
        done = self.measure("muelu", "--ranks", "4", "--", "laplace3d:n=4")
        self.assertIn("| laplace3d:n=4 | 4 | 0.300 / 0.200 | 1.50 | 0.100 / 0.050 | 2.00 |", done.stdout)

    def test_dropin(self):
        self.program("MueLu_UnderPreload.exe", "#!/bin/sh\n"
                     "seconds=${TRIDENT_PLANS:+1}; seconds=${seconds:-2}\n"
                     "product='{\"function\": \"Multiply\", \"seconds\": 3, \"rows in blocks\": 5, '\n"
                     "echo \"$product\\\"Tpetra's seconds\\\": 6.5}\" > ${TRIDENT_REPORT:-/dev/null}\n"
                     "echo '{\"case\": \"sa\", \"rows\": 8, \"wall\": [9, '$seconds', 2], \"cpu\": [9, 4, 2]}'\n")
        self.program("library.so", "")
        done = self.measure("dropin", "--ranks", "2", "--library", "bin/library.so", "--", "sa")
        self.assertIn("| sa | 8 | 2 | 2.000 | 1.00 | 2.00 | 2.000 | 1.00 | 1.00 |", done.stdout)
        self.assertIn("| sa | 2 | Multiply | 1 | 6.500 | 0.50 | 3.000 | 2.17 | 0 | 5 |", done.stdout)

    def test_setups(self):
        for name in ("gpu_setup", "gpu_setup_trident", "gpu_setup_wrapped", "gpu_setup_hypre"):
            self.program(name, SETUP)
        ways = len(setups.PROBLEMS) * (len(setups.WAYS) + len(setups.REUSED))
        done = self.measure("setups", "run", "--programs=" + self.bin, "--ranks", "2", "--output=out")
        self.assertEqual(done.stderr, "setups: %d done, 0 failed, 0 skipped\n" % ways)
        done = self.measure("setups", "table", "out/setups.txt", "--output=out")
        self.assertIn("| --: | --- | --- | --- | --: | --: | --: | --: | --: | --: |\n", done.stdout)
        self.assertIn("| 2 | laplace3d | none | MueLu | 300 | 1.00 | 100 | 1.00 | 40.0 | 1.00 |", done.stdout)
        self.assertIn("| 2 | brick3d | RP | factories | 200 | 1.50 | 50.0 | 2.00 | 10.0 | 4.00 |", done.stdout)
        self.assertIn("| 2 | laplace3d | none | hypre | 150 | 2.00 | 50.0 | 2.00 | - | - |", done.stdout)
        self.assertIn("| 2 | laplace3d | hypre | 2 | 1.25 | 12 | 20.0, 10.0 |", done.stdout)
        self.assertNotIn("| 2 | laplace3d | MueLu | 2 |", done.stdout)
        lines = self.lines_of("out/setups.csv")
        self.assertEqual((len(lines), lines[0]), (1 + ways * 2, ",".join(setups.COLUMNS)))
        self.program("gpu_setup_wrapped", "#!/bin/sh\nexit 3\n")
        done = self.measure("setups", "run", "--programs=" + self.bin, "--ranks", "2", "--output=out", status=1)
        self.assertIn("18 done, 9 failed", done.stderr)
        done = self.measure("setups", "run", "--programs=" + self.bin, "--ways", "MueLu", "hypre", "--reuse", "none",
                            "--output=out", "--solve")
        self.assertIn("setups: 6 done, 0 failed", done.stderr)


SETUP = """#!/bin/sh
for word; do case $word in --problem=*) problem=${word#*=};; --reuse=*) reuse=${word#*=};; esac; done
case $0 in *hypre)
  echo "$problem:n=9 by hypre 30100, products vendor, filter 0, reuse $reuse, 2 ranks"
  for setup in "0 0.15 0.02" "1 0.05 0.01"; do
    set -- $setup
    echo "new setup $1 $2 s"
    echo "    $3 s  matrix"
  done
  echo "  level 0:   100 rows   400 entries"
  echo "  level 1:    10 rows   100 entries"
  echo "  12 iterations, 0.1 s"
  exit;;
esac
case "$*" in *trident*) first=0.2 later=0.05 rap=0.01;; *) first=0.3 later=0.1 rap=0.04;; esac
echo "$problem:n=9 by muelu, R explicit, reuse $reuse, tentative device, 2 ranks"
echo "new setup 0 $first s"
echo "new setup 1 $later s"
echo "    $rap s  R*A*P"
echo "    0.02 s  aggregation"
"""
# A predictor that expects twice the seconds that the driver says, and its bytes.
PREDICT = """
write("calibrate", 0)
if "csv" in words:
    open(words["machine"]).close()
    with open(words["csv"], "w") as file:
        file.write("algorithm,grid,internode_import_bytes,internode_rounds_bytes,internode_export_bytes,"
                   "internode_setup_bytes,seconds_total\\n")
        for way in ("trident,2x2x4", "trident,4x1x4", "summa,4x4x1", "tpetra,"):
            file.write(way + ",10,40,30,4,2.0\\n")
"""


@needs_root
class PredictedTest(fakes.Machine):
    def check(self, **more):
        self.python("Trident_Predict.exe", PREDICT)
        return self.measure("predicted", "check", "--rates", "1gbit", "--A", "er:n=10", "--folder", "out", **more)

    def test_puts_predictions_beside_measurements(self):
        done = self.check()
        self.assertEqual(self.rows("out/predicted.csv", "algorithm", "seconds_ratio"),
                         [("trident", "2.0"), ("trident", "2.0"), ("summa", "2.0"), ("tpetra", "1.0")])
        self.assertIn("| 1gbit | er:n=10 | 16 | trident | 2x2x4 | 1.0000 | 1.00 | 2.00 | 2.00 |", done.stdout)
        for _ in range(2):  # what the folder has is not measured again
            self.assertEqual([line.split()[0] for line in self.lines_of("network.log")], ["up"] + ["run"] * 5 + ["down"])
            self.check()

    def test_fails_where_a_program_does(self):
        self.program("Trident_SpGEMM.exe", "#!/bin/sh\nexit 1\n")
        self.check(status=1)
        self.assertEqual(self.lines_of("network.log")[-1].split()[0], "down")


TRIAD = """
asked = int(os.environ["OMP_NUM_THREADS"])
write("json", {"threads": threads or asked, "space": "OpenMP", "bytes_per_second": 1000.0 * asked})
"""


class ThreadsTest(fakes.Machine):
    def threads(self, *words, triad=None, status=0):
        self.peer("Trident_Peer_hypre.exe")
        self.python("Trident_Triad.exe", TRIAD, threads=triad)
        return self.measure("threads", "--output=out", "--A", "er:n=10", "--threads", "1", "4", *words, status=status)

    def test_turns_rows_and_table(self):
        self.threads("--repeat=2")
        self.assertEqual(self.rows("out/threads.csv", "sweep", "threads", "way"),
                         [(s, t, w) for s in "01" for t in "14" for w in ("Trident", "Trident, plan", "Tpetra", "hypre")])
        self.assertEqual(len(self.rows("out/triad.csv")), 4)
        self.assertIn("| er:n=10 | 4 | 1 (1.0) | 0.5 (1.0) | 2 (1.0) | 0.5 (1.0) | 4e-06 (4.0) | 0 |",
                      self.lines_of("out/table.md"))

    def test_stops_in_time_and_tells_threads(self):
        said = self.threads("--minutes=0").stderr  # a triad was done
        self.assertIn("skipped: er:n=10, 1 threads, Trident and all that follows: no time left", said)
        said = self.threads("--repeat=1", "--ways", "Trident", triad=1, status=1).stderr
        self.assertIn("FAILED: triad, 4 threads, sweep 0: it ran on 1 threads of OpenMP", said)


if __name__ == "__main__":
    unittest.main()
