# SPDX-License-Identifier: BSD-3-Clause
"""gpu_setup/setups: what it runs, and the tables that it makes of what the programs print."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import tempfile
import unittest
import unittest.mock

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "gpu_setup"
loader = importlib.machinery.SourceFileLoader("setups", str(FOLDER / "setups"))
setups = importlib.util.module_from_spec(importlib.util.spec_from_loader("setups", loader))
loader.exec_module(setups)

PROGRAM = """#!/bin/sh
case "$*" in *trident*) first=0.2 later=0.05 rap=0.01;; *) first=0.3 later=0.1 rap=0.04;; esac
for word; do case $word in --problem=*) problem=${word#*=};; --reuse=*) reuse=${word#*=};; esac; done
echo "$problem:n=9 by muelu, R explicit, reuse $reuse, tentative device, 2 ranks"
echo "new setup 0 $first s"
echo "new setup 1 $later s"
echo "    $rap s  R*A*P"
echo "    0.02 s  aggregation"
"""


class SetupsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in [("gpu_setup", PROGRAM), ("gpu_setup_trident", PROGRAM), ("gpu_setup_wrapped", PROGRAM),
                           ("mpirun", '#!/bin/sh\nshift 3\nexec "$@"\n')]:
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        self.before = dict(os.environ)
        os.environ["PATH"] = f"{self.folder}:{os.environ['PATH']}"
        self.addCleanup(os.environ.update, self.before)

    def call(self, *words):
        out, wrong = io.StringIO(), io.StringIO()
        with unittest.mock.patch("sys.argv", ["setups", *map(str, words)]):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(wrong):
                status = setups.main()
        return status, out.getvalue(), wrong.getvalue()

    def test_runs_and_tables(self):
        status, _, wrong = self.call("run", f"--programs={self.folder}", "--ranks", 2, f"--output={self.folder}")
        self.assertEqual((status, wrong), (0, ""))
        status, out, _ = self.call("table", self.folder / "setups.txt", f"--output={self.folder}")
        self.assertEqual(status, 0)
        self.assertIn("| 2 | laplace3d | none | MueLu | 300 | 1.00 | 100 | 1.00 | 40.0 | 1.00 |", out)
        self.assertIn("| 2 | brick3d | RP | factories | 200 | 1.50 | 50.0 | 2.00 | 10.0 | 4.00 |", out)
        rows = (self.folder / "setups.csv").read_text().splitlines()
        ways = len(setups.PROBLEMS) * (len(setups.WAYS) + len(setups.REUSED))
        self.assertEqual(len(rows), 1 + ways * 4)  # two setups, two parts

    def test_a_program_that_fails(self):
        (self.folder / "gpu_setup_wrapped").write_text("#!/bin/sh\nexit 3\n")
        status, _, wrong = self.call("run", f"--programs={self.folder}", f"--output={self.folder}")
        self.assertEqual(status, 9)
        self.assertIn("setups: failed: mpirun", wrong)


if __name__ == "__main__":
    unittest.main()
