# SPDX-License-Identifier: BSD-3-Clause
"""The tables that pages have of CSV files: that they agree, and how they are made."""
import os
import shutil
import unittest

import fakes  # puts the scripts' folder on the path
from bench import gpu_nodes, pages, ratios

ROOT = os.path.normpath(os.path.join(fakes.SCRIPTS, "../.."))
PAGES = {"README.md": "trilinos17", "doc/results/trilinos17.md": "trilinos17", "doc/results/paper.md": "nodes"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def node(algorithm, seconds="", **more):
    return {**dict.fromkeys(gpu_nodes.COLUMNS, ""), "product": "A·A", "nodes": "2", "gpus_per_node": "2",
            "rate": "25gbit", "A": "x", "algorithm": algorithm, "seconds": seconds, **more}


def ratio(product, way, seconds, ranks=1, A="x", **more):
    return {"product": product, "A": A, "ranks": ranks, "way": way, "seconds": seconds, "commit": "abc",
            "first_call_seconds": "1", **{"seconds_" + phase: "0.1" for phase in ratios.PHASES}, **more}


class PagesTest(fakes.Machine):
    def test_pages_say_what_their_csv_files_have(self):
        self.maxDiff = None
        for page, folder in PAGES.items():
            text, results = read(os.path.join(ROOT, page)), os.path.join("doc/results", folder)
            self.assertEqual(text.count("<!-- "), 2 * len(pages.BLOCK.findall(text)) + text.count("<!-- SPDX"), page)
            self.assertRegex(text, pages.BLOCK)
            self.assertEqual(text, pages.rewritten(text, pages.known(os.path.join(ROOT, results))), "to write it anew: "
                             "test/performance/measure gpu --plot-only --out=%s --pages %s" % (results, page))

    def test_what_is_between_the_lines_is_replaced(self):
        rows = {"nodes": [node("trident", "0.1")]}
        text = "a\n<!-- nodes: products -->\nold\n<!-- nodes: end -->\nb <!-- ratios: x -->\n<!-- ratios: end -->\n"
        once = pages.rewritten(text, rows)
        self.assertNotIn("old", once)
        self.assertTrue(once.startswith("a\n<!-- nodes: products -->\n\n| nodes×GPUs | product | "))
        self.assertEqual(pages.rewritten(once, rows), once)
        with self.assertRaises(KeyError):
            pages.rewritten(text.replace("products", "other"), rows)

    def test_products_on_nodes(self):
        rows = [node("trident", "0.098", on_grid_seconds="0.08", internode_bytes="196000000"),
                node("summa", "0.049", on_grid_seconds="0.16", internode_bytes="392000000"), node("tpetra", "0.98"),
                node("paper", error="no window."), node("paper-prefetch", "0.1", on_grid_seconds="0.1"),
                node("trident", "0.1", rate="unlimited", commit="abc"), node("trident", "0.1", product="A·restriction")]
        gpu_nodes.compare(rows)
        said = pages.block("nodes", "products A·A", rows)
        for line in ("2×2, 25 Gbit/s | x A·A | 98.0 (80.0) | 49.0 (160) | 980 | **0.500** | 2.00 | 10.0 | 196 | 392 "
                     "| 2.00 |", "2×2, unlimited | x A·A | 100 (-) | - | - | - | - | - | - | - | - |",
                     "2×2, 25 Gbit/s | A·A, geometric mean |  |  |  | **0.500** | 2.00 | 10.0 |  |  | 2.00 |"):
            self.assertIn("| %s\n" % line, said)
        self.assertNotIn("restriction", said)
        self.assertIn("| 2×2 | x A·A | 100 (-)", pages.block("nodes", "products abc 2x2", rows))  # of one rate
        self.assertTrue(pages.block("nodes", "paper", rows).endswith(
            "| 2×2, 25 Gbit/s | x A·A | 80.0 | 160 | - | 100 | - | 1.60 |\n\n"))

    def test_ratios(self):
        rows = [ratio(product, way, str(seconds), count) for product in ("A·A", "A·restriction") for count in (1, 2)
                for way, seconds in (("trident", 0.002), ("tpetra", 0.001))]
        rows += [ratio("R·A·P", *way) for way in (("one-call", "0.25"), ("plan", "0.1"), ("tpetra-triple", "25"),
                                                  ("tpetra-two-calls", "0.45"), ("tpetra-given", "0.3"))]
        rows += [ratio("A·A again", "trident", "0.001"), ratio("A·A", "trident", "0.1", A="only again"),
                 ratio("expansion", "trident", "1", iterations="2"), ratio("expansion", "tpetra", "4"),
                 ratio("clustering", "trident", "3", iterations="20", clusters="4", modularity="0.5")]
        ratios.compare(rows)
        for table, line in (
                ("products", "x A·A | 2.00 | **0.500** | 1.00 | 2.00 | **0.500** | - |"),
                ("products", "A·A, geometric mean |  | **0.500** |  |  | **0.500** |  |"),
                ("products", "x R·A·P | 250 | 1.80 | 100 | - | - | - |"),
                ("galerkin", "x | 1 | 250 | - | 100 | 450 | - | 25000 | - | 300 |"),
                ("expansion", "x | 1 | 2 | 1000 | - | 4000 | 4.00 | - |"),
                ("clustering", "x | 1 | - | 3.00 | - | - | 20 | 4 | 0.5 |")):
            said = pages.block("ratios", table, rows)
            self.assertIn("\n| %s\n" % line, said)
            self.assertNotIn("only again", said)

    def test_one_command_writes_pages(self):
        shutil.copytree(os.path.join(ROOT, "doc/results/trilinos17"), os.path.join(self.folder, "out"))
        page = os.path.join(self.folder, "page.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write("<!-- ratios: products -->\n<!-- ratios: end -->\n")
        self.measure("gpu", "--plot-only", "--out=out", "--pages", "page.md")
        self.assertIn("| --- | --: | --: |", read(page))
        done = self.measure("gpu", "--out=out", "--pages", "page.md", status=2)
        self.assertIn("--pages goes with --plot-only", done.stderr)


if __name__ == "__main__":
    unittest.main()
