# SPDX-License-Identifier: BSD-3-Clause
"""`measure`, and its subcommands but for `gpu`, `peers` and `setups`, on a machine that is made up: no build, no network,
no GPU."""
import contextlib
import gzip
import io
import os
import re
import shlex
import subprocess
import sys
import unittest

import fakes
from bench import tables
from bench.main import COMMANDS, parsed

ROOT = os.path.normpath(os.path.join(fakes.SCRIPTS, "../.."))


class MeasureTest(fakes.Machine):
    def test_help_lists_each_module_with_a_line(self):
        done = self.measure("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        modules = {name[:-len(".py")] for name in os.listdir(os.path.join(fakes.SCRIPTS, "bench/commands"))
                   if name.endswith(".py") and name != "__init__.py"}
        self.assertEqual(sorted(modules), sorted(COMMANDS))
        for name in modules:
            self.assertRegex(done.stdout, r"(?m)^ +%s +[^ ].*\w" % name)

    def test_each_has_help(self):
        for name in COMMANDS:
            done = self.measure(name, "--help")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("measure %s " % name, done.stdout)

    def test_refuses_what_it_does_not_know(self):
        for words, said in ((["look"], "invalid choice: 'look'"), (["compare", "--what"], "--what"),
                            (["core", "volume", "nowhere"], "measure core: error: DIR is to be a folder")):
            done = self.measure(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_says_in_a_line_what_cannot_start(self):
        done = self.measure("compare", "--A", "er:n=10", PATH="/nowhere")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("compare: mpirun does not run", done.stderr)


class QuotedTest(unittest.TestCase):
    """What pages quote can be called."""

    CALL = re.compile(r"^ *(?:\w+=\S+ )*(?:python3 )?[./\w]*\bmeasure ([a-z].*)$", re.MULTILINE)

    def commands(self, page):
        """Yields the words of each command in a page's blocks of code. Variables are what the page says before."""
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            text = re.sub(r"\s*\\\n\s*", " ", file.read())
        blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        blocks += re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
        for block in blocks:
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
            with self.subTest(page=page, words=words):
                said = io.StringIO()
                try:
                    with contextlib.redirect_stderr(said):
                        self.assertIn(parsed(words).command, COMMANDS)
                except SystemExit:
                    self.fail(said.getvalue())


class CompareTest(fakes.Machine):
    def compare(self, *words):
        return self.measure("compare", "--output=out", "--repeat=2", "--ranks", "4x2", *words)

    def test_runs_in_turns_and_writes_rows_and_table(self):
        done = self.compare("--A", "er:n=10", "--", "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = tables.read_csv(os.path.join(self.folder, "out/runs.csv"))
        self.assertEqual([(r["sweep"], r["algorithm"]) for r in rows],
                         [(s, a) for s in "01" for a in ("trident", "summa", "tpetra")])
        self.assertEqual([rows[0][c] for c in ("seconds_total", "grid", "internode_rounds_bytes", "verified")],
                         ["1.0", "2x1x2", "40", "True"])
        self.assertIn("--verify", rows[0]["command"])
        table = self.lines_of("out/table.md")
        self.assertEqual(sum(line.startswith("| er:n=10 | A | - | 4 | 2 |") for line in table), 3)
        tpetra = next(line for line in table if "| Tpetra |" in line)
        self.assertIn("| 2.000 | 2.00 |", tpetra)  # seconds, and over Trident's
        self.assertIn("er:n=10 x A, 4 ranks: Tpetra / Trident = 2.00\n", done.stdout)

    def test_a_problem_that_grows_with_the_ranks(self):
        done = self.measure("compare", "--output=out", "--repeat=1", "--ranks", "2x2", "4x2", "--weak", "--algorithms",
                               "trident", "--A", "er:n=10", "er:n=20")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = tables.read_csv(os.path.join(self.folder, "out/runs.csv"))
        self.assertEqual([(r["ranks"], r["problem"], r["A"]) for r in rows],
                         [("2", "weak: from er:n=10", "er:n=10"), ("4", "weak: from er:n=10", "er:n=20")])
        weak = [line for line in self.lines_of("out/table.md") if line.startswith("| er")]
        self.assertEqual([line.split(" | ")[12] for line in weak], ["1.00", "1.00"])
        done = self.measure("compare", "--output=out", "--ranks", "2x2", "4x2", "--weak", "--A", "er:n=10")
        self.assertEqual(done.returncode, 2)

    def test_goes_on_where_a_run_fails_and_says_so(self):
        done = self.compare("--A", "bad", "er:n=10")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("FAILED"), 6)
        self.assertIn("Trident_SpGEMM: bad: no such file", done.stderr)
        rows = tables.read_csv(os.path.join(self.folder, "out/runs.csv"))
        self.assertEqual(len(rows), 12)
        self.assertEqual({r["error"] for r in rows if r["A"] != "bad"}, {""})

    def test_a_wrong_product_fails(self):
        self.assertEqual(self.compare("--A", "wrong", "--", "--verify").returncode, 1)
        self.assertTrue(all(" NO |" in line for line in self.lines_of("out/table.md") if line.startswith("| wrong")))

    def test_ends_what_hangs(self):
        done = self.compare("--A", "slow", "--algorithms", "trident", "--seconds=0.3", "--repeat=1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ended after 0.3 s", done.stderr)

    def test_without_plots_it_says_what_it_skips(self):
        self.program("bench/plots.py", "raise ImportError('no pandas here')")
        done = self.compare("--A", "er:n=10")
        self.assertEqual(done.returncode, 0)
        self.assertIn("skipped: plots: no pandas here", done.stderr)
        self.assertIn("1 skipped", done.stderr)
        done = self.measure("compare", "--output=out", "--plot-only")
        self.assertEqual(done.returncode, 1)

    @unittest.skipUnless(os.geteuid() == 0, "the network needs root")
    def test_counts_the_ports_in_a_network(self):
        done = self.compare("--A", "er:n=10", "--algorithms", "trident", "--rates", "100mbit")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = tables.read_csv(os.path.join(self.folder, "out/runs.csv"))
        self.assertEqual([(r["measure"], r["products"], r["port_payload_bytes"]) for r in rows],
                         [("time", "1", "1000"), ("time", "1", "1000"), ("port", "2", "1000")])
        self.assertEqual(rows[2]["port_payload_per_product"], "0.0")
        verbs = [line.split()[0] for line in self.lines_of("network.log")]
        self.assertEqual((verbs[0], verbs[-1]), ("up", "down"))
        self.assertFalse(os.path.exists(self.log))  # no plain mpirun

    @unittest.skipIf(os.geteuid() == 0, "root may make a network")
    def test_a_network_needs_root(self):
        done = self.compare("--A", "er:n=10", "--rates", "100mbit")
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs root", done.stderr)


class CoreEvidenceTest(fakes.Machine):
    def matrix(self, name, size):
        with gzip.open(os.path.join(self.folder, name + ".mtx.gz"), "wt") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n% c\n" + size + "\n")

    def test_matrices_says_which_it_skips(self):
        self.matrix("small", "10 10 40")
        self.matrix("wide", "10 20 40")
        self.matrix("large", "10 10 3000000")
        done = self.measure("core", "matrices", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("skipped: large: 3000000 stored entries", done.stderr)
        self.assertIn("3 done, 0 failed, 1 skipped", done.stderr)
        self.assertEqual([line.split(" | ")[:2] for line in done.stdout.splitlines() if line.startswith(("| s", "| w"))],
                         [["| small", "A*A"], ["| small", "A*R"], ["| wide", "A*A'"]])

    def test_the_other_tables(self):
        for what in ("volume", "speed", "memory"):
            done = self.measure("core", what, self.folder, "--repeat=1")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("FAILED", done.stdout)

    def test_ratios(self):
        self.matrix("small", "10 10 40")
        self.matrix("wide", "10 20 40")
        seconds = os.path.join(self.folder, "seconds.csv")
        done = self.measure("core", "ratios", self.folder, "--repeat=1", "--ranks", "1", "4",
                               "--csv=" + seconds)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("12 done, 0 failed, 0 skipped", done.stderr)  # 3 products, 2 libraries, 2 numbers of ranks
        self.assertEqual(done.stdout.count("| small | A*"), 2)
        self.assertIn("P = 4: geometric mean", done.stdout)
        with open(seconds, encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 7)

    def test_fails_where_runs_fail(self):
        self.program("Trident_SpGEMM.exe", "#!/bin/sh\necho Trident_SpGEMM: no; exit 1\n")
        done = self.measure("core", "memory")
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 done, 10 failed", done.stderr)
        self.assertEqual(done.stdout.count("FAILED: Trident_SpGEMM: no"), 10)


class RoundsTest(fakes.Machine):
    def test_volume(self):
        done = self.measure("rounds", "volume", "--A", "er:n=10", "--ranks", "16x4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| er:n=10 | 16 | 4 | 4.000 | 2 | 4.000 | 3 | 1.000 | 1.500 | 33.3% |", done.stdout)

    def test_volume_fails_where_runs_fail(self):
        done = self.measure("rounds", "volume", "--A", "bad", "er:n=10", "--ranks", "16x4")
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 done, 2 failed, 0 skipped", done.stderr)


GALERKIN = """#!/bin/sh
for way in one-call two-calls plan one-call-given tpetra-two-calls tpetra-transpose tpetra-triple tpetra-given; do
  seconds=0.5
  if [ $way = tpetra-given ]; then seconds=1.0; fi
  echo '{"by": "'$way'", "seconds": '$seconds', "internode_bytes": 2000000, "difference": 0}'
done
"""


@unittest.skipUnless(os.geteuid() == 0, "the network needs root")
class GalerkinTest(fakes.Machine):
    def test_prints_a_row_for_each_way(self):
        self.program("Trident_Galerkin.exe", GALERKIN)
        done = self.measure("galerkin", "--rate", "1gbit", "--", "laplace3d:n=4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| 1gbit | laplace3d:n=4 | plan | 0.5000 | 1.00 | 2.00 | 0.00 | 0.0e+00 |", done.stdout)
        self.assertIn("| one-call-given | 0.5000 | 2.00 | 2.00 |", done.stdout)
        self.assertIn("| tpetra-triple | 0.5000 | 1.00 |  |", done.stdout)

    def test_fails_where_the_program_does(self):
        self.program("Trident_Galerkin.exe", "#!/bin/sh\necho Trident_Galerkin: no; exit 1\n")
        done = self.measure("galerkin", "--", "laplace3d:n=4")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: laplace3d:n=4, all ways: Trident_Galerkin: no", done.stderr)


EXPANSION = """#!/bin/sh
echo "$*" >> words.txt
for iteration in 1 2; do
  for way in trident trident-square summa tpetra; do
    counted=1000000
    if [ $way = tpetra ]; then counted=null; fi
    echo '{"iteration": '$iteration', "by": "'$way'", "ranks": 16, "entries": 40, "multiply_adds": 90, "kept": 30,' \
         '"seconds": 0.5, "pruning": 0.25, "repeat": 1, "internode_bytes": '$counted', "port_bytes": 2000000,' \
         '"difference": DIFFERENCE}'
  done
done
"""


class ExpansionTest(fakes.Machine):
    def expansion(self, *words, difference="1e-16"):
        self.program("Trident_Expansion.exe", EXPANSION.replace("DIFFERENCE", difference))
        return self.measure("expansion", "--iterations=2", "--repeat=1", "--output=out", *words)

    def test_writes_rows_and_tables(self):
        done = self.expansion("--shuffled", "families:n=9", "--", "some/file.mtx.gz")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = tables.read_csv(os.path.join(self.folder, "out/expansion.csv"))
        self.assertEqual(len(rows), 2 * 2 * 4)
        self.assertEqual([rows[8][c] for c in ("A", "shuffled", "rate", "by")], ["file", "no", "", "trident"])
        words = self.lines_of("words.txt")
        self.assertEqual([("--shuffle" in w, "--port" in w) for w in words], [(True, False), (False, False)])
        table = self.lines_of("out/table.md")
        self.assertIn("| families:n=9, shuffled | - | summa | 1.000 | 1.00 | 0.500 | 2.00 | 4.00 | 1.00 |", table)
        self.assertIn("| file | - | 2 | 40 | 90 | 30 | 0.500, 0.500, 0.500, 0.500 | 2.00, 2.00, 2.00, 2.00 |", table)

    @unittest.skipUnless(os.geteuid() == 0, "the network needs root")
    def test_counts_the_ports_in_a_network(self):
        done = self.expansion("--rates", "100mbit", "1gbit", "--", "families:n=9")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(all("--port=eth0" in words for words in self.lines_of("words.txt")))
        rows = tables.read_csv(os.path.join(self.folder, "out/expansion.csv"))
        self.assertEqual([r["rate"] for r in rows], ["100mbit"] * 8 + ["1gbit"] * 8)

    def test_results_that_differ_fail(self):
        done = self.expansion("--", "families:n=9", difference="0.002")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: families:n=9, this host: results differ by 0.002", done.stderr)

    def test_fails_where_the_program_does(self):
        self.program("Trident_Expansion.exe", "#!/bin/sh\necho Trident_Expansion: no; exit 1\n")
        done = self.measure("expansion", "--", "bad")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: bad, this host: Trident_Expansion: no", done.stderr)


# A predictor that expects twice the seconds that the driver says, and its bytes.
PREDICT = """#!{python}
import sys
words = dict(w.lstrip("-").partition("=")[::2] for w in sys.argv[1:])
with open("words.txt", "a") as log:
    log.write(" ".join(sorted(words)) + "\\n")
if "calibrate" in words:
    open(words["calibrate"], "w").close()
    sys.exit()
open(words["machine"]).close()
ways = [("trident", "2x2x4"), ("trident", "4x1x4"), ("summa", "4x4x1"), ("tpetra", "")]
with open(words["csv"], "w") as file:
    file.write("algorithm,grid,internode_import_bytes,internode_rounds_bytes,internode_export_bytes,"
               "internode_setup_bytes,seconds_total\\n")
    file.writelines("%s,%s,10,40,30,4,2.0\\n" % way for way in ways)
"""


class PredictedTest(fakes.Machine):
    def check(self):
        self.program("Trident_Predict.exe", PREDICT.format(python=sys.executable))
        return self.measure("predicted", "check", "--rates", "1gbit", "--A", "er:n=10", "--folder", "out")

    def test_puts_predictions_beside_measurements(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = tables.read_csv(os.path.join(self.folder, "out/predicted.csv"))
        self.assertEqual([r["algorithm"] for r in rows], ["trident", "trident", "summa", "tpetra"])
        self.assertEqual([r["seconds_ratio"] for r in rows], ["2.0", "2.0", "2.0", "1.0"])
        self.assertIn("| 1gbit | er:n=10 | 16 | trident | 2x2x4 | 1.0000 | 1.00 | 2.00 | 2.00 |", done.stdout)
        network = [line.split()[0] for line in self.lines_of("network.log")]
        self.assertEqual(network, ["up"] + ["run"] * 5 + ["down"])

    def test_does_not_measure_what_the_folder_has(self):
        self.check()
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([words.count("calibrate") for words in self.lines_of("words.txt")], [1, 0, 0])

    def test_fails_where_a_program_does(self):
        self.program("Trident_SpGEMM.exe", "#!/bin/sh\nexit 1\n")
        self.assertNotEqual(self.check().returncode, 0)
        self.assertEqual(self.lines_of("network.log")[-1].split()[0], "down")


class MueLuTest(fakes.Machine):
    def test_prints_medians_of_both_setups(self):
        self.program("Trident_05_muelu.exe", "#!/bin/sh\n"
                     "echo 'first setup: MueLu 0.30 s, Trident 0.20 s, MueLu / Trident = 1.50'\n"
                     "echo 'further setups: MueLu 0.10 s, Trident 0.05 s, MueLu / Trident = 2.00'\n")
        done = self.measure("muelu", "--ranks", "4", "--", "laplace3d:n=4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| laplace3d:n=4 | 4 | 0.300 / 0.200 | 1.50 | 0.100 / 0.050 | 2.00 |", done.stdout)

    def test_fails_where_the_program_does(self):
        self.program("Trident_05_muelu.exe", "#!/bin/sh\necho Trident_05_muelu: no; exit 1\n")
        done = self.measure("muelu", "--ranks", "1", "--repeat=1", "--", "file.mtx")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: file.mtx, 1 ranks: Trident_05_muelu: no", done.stderr)


class DropInTest(fakes.Machine):
    def setUp(self):
        super().setUp()
        self.library = os.path.join(self.bin, "library.so")
        with open(self.library, "w", encoding="utf-8"):
            pass

    def test_prints_ratios_of_both_setups(self):
        self.program("MueLu_UnderPreload.exe", "#!/bin/sh\n"
                     "seconds=${TRIDENT_PLANS:+1}; seconds=${seconds:-2}\n"
                     "echo '{\"case\": \"sa\", \"rows\": 8, \"wall\": [9, '$seconds', 2], \"cpu\": [9, 4, 2]}'\n")
        done = self.measure("dropin", "--ranks", "2", "--library", self.library, "--", "sa")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| sa | 8 | 2 | 2.000 | 1.00 | 2.00 | 2.000 | 1.00 | 1.00 |", done.stdout)

    def test_fails_where_the_program_does(self):
        self.program("MueLu_UnderPreload.exe", "#!/bin/sh\necho MueLu_UnderPreload: no; exit 1\n")
        done = self.measure("dropin", "--ranks", "1", "--repeat=1", "--library", self.library, "--", "sa")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: sa, as it is, 1 ranks: MueLu_UnderPreload: no", done.stderr)


TRIAD = """#!{python}
import json, os, sys
threads = int(os.environ["OMP_NUM_THREADS"])
with open(sys.argv[-1].partition("=")[2], "w") as file:
    json.dump({{"threads": {threads}, "space": "OpenMP", "bytes_per_second": 1000.0 * threads}}, file)
"""


class ThreadsTest(fakes.Machine):
    def setUp(self):
        super().setUp()
        self.program("Trident_Peer_hypre.exe", fakes.PEER.format(python=sys.executable, entries=60, bilinear=100.0,
                                                                  log=os.path.join(self.folder, "hypre.log")))
        self.triad("threads")

    def triad(self, threads):
        self.program("Trident_Triad.exe", TRIAD.format(python=sys.executable, threads=threads))

    def threads(self, *words):
        return self.measure("threads", "--output=out", "--A", "er:n=10", "--threads", "1", "4", *words)

    def test_turns_rows_and_table(self):
        done = self.threads("--repeat=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = tables.read_csv(os.path.join(self.folder, "out/threads.csv"))
        self.assertEqual([(r["sweep"], r["threads"], r["way"]) for r in rows],
                         [(s, t, w) for s in "01" for t in "14" for w in ("Trident", "Trident, plan", "Tpetra", "hypre")])
        # 40 entries of A, 60 of C, 10 rows, 50 multiply-adds: 2 * (480 + 88) + 720 + 88, and 568 + 600 + 640 + 808
        self.assertEqual({(r["least_bytes"], r["most_bytes"]) for r in rows}, {("1944", "2616")})
        self.assertEqual(len(tables.read_csv(os.path.join(self.folder, "out/triad.csv"))), 4)
        self.assertIn("| er:n=10 | 4 | 1 (1.0) | 0.5 (1.0) | 2 (1.0) | 0.5 (1.0) | 4e-06 (4.0) | 0.49 | 0.65 | 0 |",
                      self.lines_of("out/table.md"))

    def test_stops_in_time(self):
        done = self.threads("--minutes=0")
        self.assertEqual(done.returncode, 0, done.stderr)  # a triad was done
        self.assertIn("skipped: er:n=10, 1 threads, Trident and all that follows: no time left", done.stderr)

    def test_other_threads_than_asked_for_fail(self):
        self.triad("1")
        done = self.threads("--repeat=1", "--ways", "Trident")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: triad, 4 threads, sweep 0: it ran on 1 threads of OpenMP", done.stderr)

if __name__ == "__main__":
    unittest.main()
