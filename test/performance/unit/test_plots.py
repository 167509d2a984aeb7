# SPDX-License-Identifier: BSD-3-Clause
"""The module that draws. Ends with 77, and the reason, where pandas or matplotlib is missing."""
import os
import sys
import tempfile
import unittest
from unittest import mock

import fakes  # noqa: F401, puts the scripts' folder on the path
from bench import tables
try:
    from bench import plots
except ImportError as error:
    print("skipped: %s: %s" % (sys.executable, error))
    sys.exit(77)


def row(problem, ranks, algorithm, seconds, error=""):
    """A line of compare's runs.csv."""
    return {"problem": problem, "A": "er", "B": "A", "rate": "", "ranks": ranks, "ranks_per_node": 2,
            "algorithm": algorithm, "error": error, "seconds_total": seconds,
            "seconds_multiply": seconds / 2 if algorithm == "trident" else ""}


class PlotsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="trident-plots-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.runs = os.path.join(self.folder, "runs.csv")

    def drawn(self, rows, figure, *more):
        """The axes of the one figure that is drawn of rows, and of each the lines by their labels."""
        tables.write_csv(self.runs, rows)
        self.addCleanup(plots.plt.close, "all")
        with mock.patch.object(plots.plt, "close"):
            getattr(plots, figure)(*more)
        axes = plots.plt.gcf().axes
        return axes, [{line.get_label(): [tuple(p) for p in line.get_xydata()] for line in axis.lines} for axis in axes]

    def test_comparison(self):
        rows = [row("er", ranks, "trident", s) for ranks, s in ((4, 1), (4, 3), (4, 2), (16, 1))]
        rows += [row("er", 4, "tpetra", 4), row("er", 16, "tpetra", 9, "hung"), row("rmat", 4, "tpetra", 8)]
        axes, lines = self.drawn(rows, "comparison", self.runs, self.folder, {"trident": "Trident", "tpetra": "Tpetra"})
        self.assertEqual([axis.get_title() for axis in axes], ["er", "rmat"])
        self.assertEqual(lines, [{"Trident, end to end": [(4, 2), (16, 1)], "Trident, on the grid": [(4, 1), (16, 0.5)],
                                  "Tpetra, end to end": [(4, 4)]}, {"Tpetra, end to end": [(4, 8)]}])
        look = [axis.lines[-1 if n else 1].get_color() for n, axis in enumerate(axes)]
        self.assertEqual(look[0], look[1])  # a series looks the same in each panel
        self.assertEqual(sorted(os.listdir(self.folder)), ["runs.csv", "scaling-A-host-2_a_node.png"])

    def test_predictions_draw_the_best_grids_alone(self):
        phases = {"seconds_setup": 0.0, "seconds_exchange": 1.0, "seconds_gather": 2.0, "seconds_local_multiply": 3.0}
        rows = [{"A": "er", "B": "A", "algorithm": algorithm, "ranks": ranks, "best": best, "seconds_total": 1.0,
                 "internode_bytes_fullest_rank": 2e6 if ranks > 4 else 0, **phases}
                for ranks, best in ((16, 1), (4, 1), (4, 0)) for algorithm in ("summa", "tpetra", "trident")]
        of = [self.runs], os.path.join(self.folder, "out.png"), "a title"
        axes, lines = self.drawn(rows, "predictions", *of)
        self.assertEqual([axis.get_title() for axis in axes], ["er, A·A", "er, A·A: bytes"])
        self.assertEqual([line["trident"] for line in lines], [[(4, 1), (16, 1)], [(16, 2)]])  # no 0 on a log scale
        (axis,), _ = self.drawn(rows, "predicted_breakdown", *of)
        self.assertEqual([tick.get_text() for tick in axis.get_xticklabels()],
                         ["trident\n4", "summa\n4", "trident\n16", "summa\n16"])
        self.assertEqual([bar.get_height() for bar in axis.containers[-1]], [12, 12, 48, 48])  # times the ranks


if __name__ == "__main__":
    unittest.main()
