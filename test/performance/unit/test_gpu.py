# SPDX-License-Identifier: BSD-3-Clause
"""`measure gpu`, on a machine that is made up: no build, no network, no GPU."""
import json
import os
import unittest

import fakes

PHASES = dict.fromkeys(("setup", "import", "exchange_wait", "gather", "local_multiply", "accumulate", "export", "other"),
                       0.1)
OF_PRODUCTS = {"grid": "1x1x2", "nnzA": 1, "nnzC": 2, "first_call_seconds": 1, "difference": 0, "reuse_phases": PHASES}
# What the programs of `gpu ratios` print, whatever they are asked for.
PRINTED = {
    "Products": [{**OF_PRODUCTS, "B": B, "algorithm": way, "seconds": seconds, "reuse_seconds": again,
                  "phases": {} if way == "tpetra" else {**PHASES, "setup": 0.9} if B == "A" else PHASES}
                 for B in ("A", "restriction") for way, seconds, again in (
                     ("trident", [2.0, 1.0, 4.0], [0.1]), ("tpetra", [1.0], [0.2] * (B == "A")))],
    "Galerkin": [{"by": way, "seconds": seconds, "repeat": 3, "turns": [seconds, 3 * seconds, seconds / 2],
                  "difference": difference, "phases": {} if way.startswith("tpetra") else PHASES}
                 for way, seconds, difference in (
                     ("one-call", 0.25, 0), ("plan", 0.5, 1), ("tpetra-triple", 25, 0), ("tpetra-two-calls", 0.45, 0),
                     ("tpetra-transpose", 0.5, 0), ("one-call-given", 0.2, 0), ("tpetra-given", 0.3, 0))],
    "Expansion": [{"by": way, "iteration": iteration, "seconds": seconds, "pruning": 0.1, "repeat": 3, "difference": 0}
                  for iteration in (1, 2) for way, seconds in (("trident", 0.5), ("tpetra", 2))]}
PRINT = """
with open("devices.log", "a") as log:
    log.write(words["ranks-per-node"] + ":" + os.environ.get("CUDA_VISIBLE_DEVICES", "all") + "\\n")
for line in lines:
    if line.get("B", "A") in words.get("B", "A,restriction").split(","):
        print(json.dumps({**line, "A": words["A"], "ranks": int(words["ranks-per-node"])}))
"""
CLUSTERING = """
ranks = int(words["ranks-per-node"])
write("summary", {"file": sys.argv[1], "ranks": ranks, "grid": "1x1x2", "iterations": 20, "clusters": 4,
                  "modularity": 0.5 + ("n=7" in sys.argv[1] and ranks == 1),
                  "seconds": {"read": 1, "cluster": 3.0 / ranks, "write": 0.5}})
"""
# A control program whose server is there while its folder has no file "dead".
MPS = """#!/bin/sh
case $1 in
  -d) echo "begin $CUDA_MPS_PIPE_DIRECTORY" >> %s ;;
  *) read -r said; echo "$said $CUDA_MPS_PIPE_DIRECTORY" >> %s ;;
esac
"""


class GpuTest(fakes.Machine):
    def gpu(self, *words, gpus=2, **more):
        return self.measure("gpu", *words, "--out=out", "--gpus=%d" % gpus, "--only-matrices", "--matrices", "er:n=10",
                            **more)

    def test_builds_first(self):
        for name in ("nvcc", "nvcc_wrapper"):
            self.program(name, "#!/bin/sh\n")
        self.program("cmake", "#!/bin/sh\necho \"$*\" >> %s\necho '-- Trident: CUDA ON, NCCL ON'\n"
                     "mkdir -p src/build-cuda\n: > src/build-cuda/build.ninja\n" % self.network_log)
        self.program("ninja", "#!/bin/sh\necho \"$*\" >> %s\ncp %s/Trident_SpGEMM.exe src/build-cuda\n"
                     "echo 'FAILED: [code=1] test/Trident_Bad.exe'\nexit 1\n" % (self.network_log, self.bin))
        done = self.gpu("memory", "--source=src", "--trilinos=" + self.folder, status=1)
        cmake, ninja = self.lines_of(self.network_log)
        self.assertIn("-DCMAKE_CXX_FLAGS=--expt-extended-lambda -arch=sm_90 -DCMAKE_PREFIX_PATH=" + self.folder, cmake)
        self.assertIn("-k 0 Trident_SpGEMM.exe", ninja)
        self.assertIn("Trident: CUDA ON, NCCL ON; FAILED: test/Trident_Bad.exe", done.stdout)
        self.assertIn("memory: 3 done, 1 failed", done.stdout)  # the driver was built all the same
        self.assertIn("er:n=800000,d=132: no exception", done.stderr)  # the one that is made up can do everything
        self.assertIn("- build: configured in 0 s", "".join(self.lines_of("out/gpu.md")))
        done = self.gpu("memory", "--source=src", "--build=other", status=1)
        self.assertIn("gpu: a new build needs --trilinos", done.stderr)

    def ratios(self, *words, **more):
        for name, lines in PRINTED.items():
            self.python("Trident_%s.exe" % name, PRINT, lines=lines)
        self.python("Trident_MarkovClustering.exe", CLUSTERING)
        return self.gpu("ratios", *words, **more)

    def test_ratios(self):
        self.ratios("--clustering-nodes", "9", "7", status=1)  # a plan's result differs, and clusters of a graph
        known = {row[:4]: row[4:] for row in self.rows("out/ratios.csv", "product", "A", "ranks", "way", "seconds",
                                                       "tpetra_over_this", "over_product", "error")}
        for key, row in ((("A·A", "er:n=10", "2", "trident"), ("2.000000", "0.5", "", "")),
                         (("A·A again", "laplace3d:n=100", "2", "trident"), ("0.100000", "2", "0.05", "")),
                         (("expansion", "families:n=200000, shuffled", "2", "trident"), ("1.000000", "4", "", "")),
                         (("clustering", "families:n=9", "2", "trident"), ("1.500000", "", "", "")),
                         (("clustering", "families:n=7", "1", "trident"),
                          ("3.000000", "", "", "the clusters are others than in the run before"))):
            self.assertEqual(known[key], row)
        rows = self.rows("out/ratios.csv", "product", "A", "ranks", "way", "tpetra_over_this", "over_one_call",
                         "over_one_gpu", "seconds_gather", "turns", "error")
        self.assertEqual({row[9] for row in rows if row[3] == "plan"}, {"the ways' results differ"})
        self.assertEqual([row[6:8] for row in rows if row[1] == "er:n=10" and row[0] == "A·A" and row[3] == "trident"],
                         [("", "0.200000"), ("1", "0.200000")])
        galerkin = [row[3:] for row in rows if row[:3] == ("R·A·P", "brick3d:n=60", "2")]
        self.assertEqual([row[:3] for row in galerkin],
                         [("one-call", "1.8", ""), ("plan", "0.9", ""), ("tpetra-triple", "", "100"),
                          ("tpetra-two-calls", "", "1.8"), ("tpetra-transpose", "", "2"),
                          ("one-call-given", "1.5", ""), ("tpetra-given", "", "1.5")])
        self.assertEqual(galerkin[0][5], "0.250000 0.750000 0.125000")

    def test_ratios_use_all_gpus(self):
        self.program("nvidia-smi", "#!/bin/sh\nprintf '0\\n1\\n2\\n3\\n'\n")
        self.ratios("--clustering-nodes", gpus=4, status=1)
        used = self.lines_of("devices.log")
        self.assertEqual(len(used), 3 * (1 + 3 + 2 + 1))
        self.assertEqual(used[:7], ["4:0,1,2,3"] * 7)
        self.assertEqual({u for u in used[7:14]}, {"2:0,1", "2:2,3"})
        self.assertTrue({u for u in used[14:]} <= {"1:0", "1:1", "1:2", "1:3"})


class TestsOnGpusTest(fakes.Machine):
    def setUp(self):
        super().setUp()
        self.list("Good\t1\tOMP_NUM_THREADS=1\tTrident_Good.exe\t", "Bad\t1\t\tTrident_Bad.exe\t--x=1",
                  "Other\t1\t\tTrident_Other.exe\t", "Good\t2\tX=1\tTrident_Good.exe\t")
        self.program("Trident_Good.exe", "#!/bin/sh\nexit 0\n")
        self.program("Trident_Other.exe", "#!/bin/sh\necho 'Skipped 0. Other_UnitTest: no second GPU'; exit 77\n")
        self.program("Trident_Bad.exe", "#!/bin/sh\necho ' Some_Thing_UnitTest (0.1 sec) [FAILED]'; exit 1\n")

    def list(self, *lines):
        with open(os.path.join(self.bin, "tests.tsv"), "a", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)

    def run_tests(self, *words, ranks=("1",), **more):
        return self.measure("gpu", "tests", "--out=out", "--gpus=2", "--test-ranks", *ranks, *words, **more)

    def test_fail_one_by_one(self):
        done = self.run_tests(status=1)
        self.assertEqual(self.rows("out/tests.csv", "test", "result"),
                         [("Bad", "FAILED Some_Thing"), ("Good", "passed"), ("Other", "skipped: no second GPU")])
        self.assertIn("tests: 1 done, 1 failed, 1 skipped", done.stdout)
        self.assertIn("Trident_Bad.exe", "".join(self.lines_of("out/failures.log")))

    def test_who_ends_the_server_fails_alone(self):
        self.program("nvidia-cuda-mps-control", MPS % (self.network_log, self.network_log))
        self.program("Trident_Bad.exe", """#!/bin/sh
sleep 0.3
touch "$CUDA_MPS_PIPE_DIRECTORY/dead"
echo 'cudaDeviceSynchronize() error( cudaErrorIllegalAddress): an illegal memory access was encountered'
exit 1
""")
        self.program("Trident_Good.exe", """#!/bin/sh
sleep 0.6
[ ! -e "$CUDA_MPS_PIPE_DIRECTORY/dead" ] || { echo 'MPS server is not ready'; exit 1; }
""")
        done = self.run_tests("--commit=abc", status=1)
        self.assertEqual(self.rows("out/tests.csv", "test", "result", "mps", "commit"),
                         [("Bad", "FAILED", "own, again", "abc"), ("Good", "passed", "own, again", "abc"),
                          ("Other", "skipped: no second GPU", "shared", "abc")])
        self.assertIn("it fails with a server of its own too: Bad --x=1 on 1 ranks: cudaDeviceSynchronize", done.stdout)
        self.assertIn("the MPS server that tests share died 1 times", done.stdout)
        servers = [line.split() for line in self.lines_of(self.network_log)]
        begun, ended = ([line[-1] for line in servers if line[0] == word] for word in ("begin", "quit"))
        self.assertEqual(len(begun), 4)  # the shared one, that which followed it, and two of their own
        self.assertEqual(sorted(begun), sorted(ended))

    def test_risky_tests_have_a_server_of_their_own(self):
        self.program("nvidia-cuda-mps-control", MPS % (self.network_log, self.network_log))
        os.rename(os.path.join(self.bin, "Trident_Bad.exe"), os.path.join(self.bin, "Trident_Failure_Bad.exe"))
        self.list("Failure_Bad\t1\t\tTrident_Failure_Bad.exe\t", "Killed\t1\t\tTrident_MarkovClustering.exe\t")
        done = self.run_tests("--only=Bad|Markov", status=1)
        self.assertEqual(self.rows("out/tests.csv", "test", "mps"), [("Failure_Bad", "own")])
        self.assertIn("left out, a script gives it its arguments: Trident_MarkovClustering.exe", done.stdout)
        self.assertIn("Trident_Bad.exe: it is not built", done.stderr)

    def test_of_few_ranks_are_dealt_to_gpus(self):
        self.program("nvidia-smi", "#!/bin/sh\nprintf '0\\n1\\n'\n")
        for name in ("Good", "Other"):
            self.program("Trident_%s.exe" % name,
                         "#!/bin/sh\necho \"$CUDA_VISIBLE_DEVICES\" >> %s\n" % self.network_log)
        self.run_tests("--only=Good|Other", ranks=("1", "2"))
        self.assertEqual(sorted(self.lines_of(self.network_log)), ["", "0", "1"])  # two ranks have both

    def test_a_slow_one_is_ended_and_the_rest_is_not_run(self):
        self.program("Trident_Good.exe", "#!/bin/sh\nsleep 30\n")
        self.run_tests("--only=Good", "--test-seconds=1.5", status=1)
        self.assertEqual(self.rows("out/tests.csv", "result"), [("ended after its time",)])
        done = self.run_tests("--only=Good", "--minutes=0.17", status=1)
        self.assertIn("not run for lack of time: Good on 1", done.stdout)

    def test_programs_of_a_build(self):
        build = os.path.join(self.folder, "build")
        os.makedirs(os.path.join(build, "test"))
        for name in ("Trident_Good.exe", "Trident_Bad.exe", "Trident_SpGEMM.exe"):
            os.rename(os.path.join(self.bin, name), os.path.join(build, "test", name))
        good, bad = (os.path.join(build, "test", "Trident_%s.exe" % name) for name in ("Good", "Bad"))

        def listed(name, *command, **properties):
            return {"name": name, "command": command, "properties": [{"name": key, "value": value}
                                                                     for key, value in properties.items()]}
        found = [listed("Good_np1", "/usr/bin/mpiexec", "-n", "1", "--flag", good, ENVIRONMENT=["A=1", ""]),
                 listed("Will_fail", "mpiexec", "-n", "1", bad, WILL_FAIL=True),
                 listed("Scripted", "against", "mpiexec", "-n", "1", bad), listed("rooms", "check_rooms.sh", "."),
                 listed("Files", "mpiexec", "-n", "1", bad, build + "/x.json"), {"name": "nothing", "properties": []}]
        self.program("ctest", "#!/bin/sh\ncat << 'END'\n%s\nEND\n" % json.dumps({"tests": found}))
        done = self.run_tests("--build=" + build)
        self.assertEqual(self.rows("out/tests.csv", "test", "result"), [("Good", "passed")])
        for line in ("CTest looks at its output: Will_fail", "a script starts it: Scripted",
                     "it reads or writes files of the build: Files"):
            self.assertIn("left out, " + line, done.stdout)


if __name__ == "__main__":
    unittest.main()
