# SPDX-License-Identifier: BSD-3-Clause
"""What pages say of ratios.csv: that they say it, and how it is made."""
import difflib
import os
import shutil
import unittest

import fakes  # puts the scripts' folder on the path
from bench import pages, tables

ROOT = os.path.normpath(os.path.join(fakes.SCRIPTS, "../.."))
RATIOS = os.path.join(ROOT, "doc/results/trilinos17/ratios.csv")
PAGES = ["README.md", "doc/results/trilinos17.md"]
AGAIN = "test/performance/measure gpu --plot-only --out=doc/results/trilinos17 --pages " + " ".join(PAGES)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def row(product, A, ranks, way, seconds="", **more):
    return {"product": product, "A": A, "ranks": str(ranks), "way": way, "seconds": str(seconds), "error": "",
            "commit": "abc", "device": "NVIDIA H100 80GB HBM3", **{name: str(value) for name, value in more.items()}}


def host(A, product, ranks, ratio):
    return {"A": A, "product": product, "ranks": str(ranks), "ratio": str(ratio)}


def setup(ranks, way, number, seconds, **more):
    return {"ranks": str(ranks), "problem": pages.SETUP[0], "n": pages.SETUP[1], "reuse": "none", "way": way,
            "setup": str(number), "part": "whole", "seconds": str(seconds), **more}


HOSTS = [host("x", "A*A", 1, 4), host("x", "A*R", 1, 0.5), host("x", "A*A", 16, 1), host("x", "A*R", 16, 8)]
SETUPS = [setup(2, way, number, seconds) for way, seconds in (("MueLu", 0.3), ("drop-in, plans", 0.2))
          for number in (1, 2)] + \
         [setup(2, "MueLu", 0, 9), setup(2, "factories", 1, 9), setup(2, "MueLu", 1, 9, part="R*A*P"),
          setup(2, "MueLu", 1, 9, reuse="RP"), setup(2, "MueLu", 1, 9, problem="other")]


def measured(tpetra_on_two):
    """A random and another matrix on one and two GPUs."""
    rows = []
    for A, times in (("er:n=1000000,d=16", {1: 0.08, 2: tpetra_on_two}), ("cnr-2000", {1: 0.02, 2: 0.02})):
        for ranks, seconds in times.items():
            rows += [row("A·A", A, ranks, "trident", 0.01, tpetra_over_this=seconds / 0.01),
                     row("A·A", A, ranks, "tpetra", seconds),
                     row("A·restriction", A, ranks, "trident", 0.004 if ranks > 1 else 0.002, tpetra_over_this=0.9)]
    return rows


def written(name, rows):
    return " ".join(pages.blocks(rows, HOSTS, SETUPS)[name]().split())


class PagesTest(unittest.TestCase):
    def test_pages_say_what_ratios_csv_has(self):
        known = [tables.read_csv(path) for path in (RATIOS, pages.HOSTS, pages.SETUPS)]
        for page in PAGES:
            text = read(os.path.join(ROOT, page))
            self.assertRegex(text, pages.BLOCK)
            differs = list(difflib.unified_diff(text.splitlines(), pages.rewritten(text, *known).splitlines(),
                                                page, "what %s has" % os.path.relpath(RATIOS, ROOT), lineterm="", n=0))
            if differs:
                self.fail("%s:\n%s\nTo write it anew:\n    %s" % (page, "\n".join(differs), AGAIN))

    def test_every_block_of_a_page_is_known_and_ends(self):
        known = pages.blocks([], HOSTS, SETUPS)
        for page in PAGES:
            text = read(os.path.join(ROOT, page))
            names = [match.group(2) for match in pages.BLOCK.finditer(text)]
            self.assertEqual(text.count("<!-- ratios: "), 2 * len(names), page)
            self.assertLessEqual(set(names), set(known), page)

    def test_what_is_between_the_lines_is_replaced(self):
        text = "a\n<!-- ratios: lead -->\nold\n<!-- ratios: end -->\nb\n"
        once = pages.rewritten(text, [], HOSTS, SETUPS)
        self.assertNotIn("old", once)
        self.assertTrue(once.startswith("a\n<!-- ratios: lead -->\n\nOn CPUs, "))
        self.assertTrue(once.endswith(".\n\n<!-- ratios: end -->\nb\n"))
        self.assertEqual(pages.rewritten(once, [], HOSTS, SETUPS), once)
        with self.assertRaises(KeyError):
            pages.rewritten(text.replace("lead", "other"), [], HOSTS, SETUPS)

    def test_the_sentence_has_least_and_most(self):
        rows = [row("R·A·P", A, ranks, way, over_one_call=ratio * ranks)
                for A, least in (("x", 2), ("y", 2.5)) for ranks in (1, 4)
                for way, ratio in (("tpetra-two-calls", least), ("tpetra-transpose", 2 * least))]
        self.assertIn("On one and four H100 GPUs Tpetra's two products of R·A·P took 2.0 to 10.0 times as long as "
                      "Trident's one call.", written("lead", rows))
        self.assertTrue(written("lead", rows).endswith(
            "On CPUs, on one and 16 ranks, 2 products took it likewise 2.0 (0.50 to 8.0) times as long."))

    def test_where_tpetra_loses_by_more_gpus_that_stands_beside_the_ratio(self):
        self.assertIn("A·A of two matrices took Tpetra, in the geometric mean, 6.2 (2.0 to 46.5) times as long; at the "
                      "46.5 Tpetra itself takes longer on more GPUs.", written("lead", measured(0.465)))
        self.assertNotIn("itself", written("lead", measured(0.05)))
        galerkin = [row("R·A·P", "x", ranks, "tpetra-two-calls", over_one_call=2) for ranks in (1, 2)]
        self.assertIn("one call. There A·A of two", written("lead", measured(0.05) + galerkin))
        self.assertIn("one call. On one and two H100 GPUs A·A of two", written("lead", measured(0.05) + galerkin[:1]))

    def test_tables_and_limits(self):
        rows = measured(0.465) + [row("R·A·P", "laplace3d:n=100", 2, "one-call", 0.005),
                                  row("R·A·P", "laplace3d:n=100", 2, "tpetra-two-calls", 0.01, over_one_call=2),
                                  row("R·A·P", "laplace3d:n=100", 4, "tpetra-transpose", over_one_call=3)]
        table = pages.blocks(rows, HOSTS, SETUPS)["table"]()
        self.assertIn("| R·A·P, stencil, `laplace3d:n=100` | - | - | - | 10.0 | 5.00 | 2.0 |", table)
        self.assertIn("| A·A, random, `er:n=1000000,d=16` | 80.0 | 10.0 | 8.0 | 465 | 10.0 | 46.5 |", table)
        self.assertIn("| MueLu's later setup, `laplace3d:n=100` | - | - | - | 300 | 200 | 1.5 |", table)
        self.assertIn("| A·A, CPUs, one and two ranks, 1 matrices | - | - | 4.0 (4.0) | - | - | - |", table)
        self.assertTrue(written("table", rows).endswith(
            " | GPUs of one machine: two H100, commit abc; four H100, commit abc (ratios of R·A·P alone)."))
        said = written("limits", rows)
        self.assertIn("On two GPUs 2 of 2 such products took longer than on one, by up to 2.00 ms. Longer ones took 1.0 of "
                      "one GPU's time.", said)
        self.assertIn("Two of two ratios of A·R are below 1: 0.900.", said)

    def test_limits_count_what_is_slower_on_more_gpus(self):
        rows = [row("A·A", A, ranks, "trident", seconds) for A, times in
                (("x", {1: 0.002, 2: 0.003, 4: 0.004}), ("y", {1: 0.002, 2: 0.003, 4: 0.001}),
                 ("z", {1: 0.1, 2: 0.09, 4: 0.05})) for ranks, seconds in times.items()]
        rows += [row("A·restriction", A, 1, "trident", 0.2) for A in "xyz"]  # A·A of others is not shown
        rows += [row("R·A·P", A, ranks, "one-call", 0.002 * ranks) for A in "xyz" for ranks in (1, 2, 4)]
        self.assertIn("On two or four GPUs 9 of 10 such products took longer than on one, by up to 6.00 ms. Longer ones "
                      "took 0.50 to 0.90 of one GPU's time.", written("limits", rows))
        self.assertEqual(written("limits", [each for each in rows if each["ranks"] == "1"]), "")


class ScriptTest(fakes.Machine):
    def test_one_command_writes_pages(self):
        os.makedirs(os.path.join(self.folder, "out"))
        os.makedirs(os.path.join(self.folder, "doc/results"))
        os.rename(self.bin, os.path.join(self.folder, "performance"))
        os.makedirs(os.path.join(self.folder, "test"))
        self.bin = os.path.join(self.folder, "test/performance")
        os.rename(os.path.join(self.folder, "performance"), self.bin)
        os.makedirs(os.path.join(self.folder, "doc/results/gpu"))
        tables.write_csv(os.path.join(self.folder, "doc/results/ratios.csv"), HOSTS)
        tables.write_csv(os.path.join(self.folder, "doc/results/gpu/setups.csv"), SETUPS)
        shutil.copy(RATIOS, os.path.join(self.folder, "out/ratios.csv"))
        page = os.path.join(self.folder, "page.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write("<!-- ratios: Products -->\n<!-- ratios: end -->\n")
        done = self.measure("gpu", "--plot-only", "--out=out", "--pages", "page.md")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| --- | --: | --: |", read(page))
        done = self.measure("gpu", "--out=out", "--pages", "page.md")
        self.assertIn("--pages goes with --plot-only", done.stderr)


if __name__ == "__main__":
    unittest.main()
