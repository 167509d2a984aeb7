# SPDX-License-Identifier: BSD-3-Clause
"""The tables that pages have of CSV files: that they agree, and how they are made."""
import os
import shutil
import unittest

import fakes  # puts the scripts' folder on the path
from bench import node_rows, pages

ROOT = os.path.normpath(os.path.join(fakes.SCRIPTS, "../.."))
PAGES = {"README.md": "trilinos17", "doc/results/trilinos17.md": "trilinos17", "doc/results/paper.md": "nodes"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def node(algorithm, seconds="", **more):
    return {**dict.fromkeys(node_rows.COLUMNS, ""), "product": "A·A", "nodes": "2", "gpus_per_node": "2",
            "rate": "25gbit", "A": "x", "algorithm": algorithm, "seconds": seconds, **more}


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
        self.assertTrue(once.startswith("a\n<!-- nodes: products -->\n\n| nodes × GPUs, ports | product | "))
        self.assertEqual(pages.rewritten(once, rows), once)
        with self.assertRaises(KeyError):
            pages.rewritten(text.replace("products", "other"), rows)

    def test_products_on_nodes(self):
        rows = [node("trident", "0.098", on_grid_seconds="0.08", internode_bytes="196000000"),
                node("summa", "0.049", on_grid_seconds="0.16", internode_bytes="392000000"),
                node("tpetra", "0.98"), node("trident", "0.1", rate="unlimited", device="H100")]
        node_rows.compare(rows)
        said = pages.block("nodes", "products", rows)
        for line in ("2 × 2, 25 Gbit/s,  | x A·A | 98.0 (80.0) | 49.0 (160) | 980 | **0.500** | 2.00 | 10.0 | 196 | 392 "
                     "| 2.00 |", "2 × 2, unlimited, H100 | x A·A | 100 | - | - | - | - | - | - | - | - |",
                     "2 × 2, 25 Gbit/s,  | A·A, geometric mean |  |  |  | **0.500** | 2.00 | 10.0 |  |  | 2.00 |"):
            self.assertIn("| %s\n" % line, said)

    def test_a_refused_queue_is_said_once(self):
        rows = [node("summa", "0.2", on_grid_seconds="0.2"), node("paper", error="no window."),
                node("paper", error="no window.", A="y"), node("paper-prefetch", "0.1", on_grid_seconds="0.1")]
        said = pages.block("nodes", "paper", rows)
        self.assertIn("| 2 × 2, 25 Gbit/s | x A·A | - | 200 | - | 100 | - | 2.00 |", said)
        self.assertEqual(said.count("no window"), 1)

    def test_one_command_writes_pages(self):
        shutil.copytree(os.path.join(ROOT, "doc/results/trilinos17"), os.path.join(self.folder, "out"))
        page = os.path.join(self.folder, "page.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write("<!-- ratios: Products -->\n<!-- ratios: end -->\n")
        done = self.measure("gpu", "--plot-only", "--out=out", "--pages", "page.md")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| --- | --: | --: |", read(page))
        done = self.measure("gpu", "--out=out", "--pages", "page.md", status=2)
        self.assertIn("--pages goes with --plot-only", done.stderr)


if __name__ == "__main__":
    unittest.main()
