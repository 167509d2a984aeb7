# SPDX-License-Identifier: BSD-3-Clause
"""The module that draws. Ends with 77, and the reason, where pandas or matplotlib is missing."""
import os
import sys
import tempfile
import unittest
from unittest import mock

import fakes  # noqa: F401, puts the scripts' folder on the path
from bench import tables
from bench.measure import PHASES
try:
    from bench import plots
except ImportError as error:
    print("skipped: %s: %s" % (sys.executable, error))
    sys.exit(77)

NAMES = {"trident": "Trident", "tpetra": "Tpetra"}


def row(A, ranks, algorithm, seconds, error=""):
    """A line of compare's runs.csv."""
    found = {"A": A, "B": "A", "rate": "", "ranks": ranks, "ranks_per_node": 2, "algorithm": algorithm,
             "measure": "time", "error": error, "seconds_total": seconds, "seconds_multiply": "",
             "internode_bytes_per_rank": 1e6, **{"seconds_" + p: "" for p in PHASES}}
    if algorithm == "trident":
        found.update(seconds_multiply=seconds / 2, seconds_gather=seconds / 4)
    return found


class PlotsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="trident-plots-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def drawn(self, draw, *args):
        """The one panel that a function draws."""
        figure, axis = plots.plt.subplots()
        self.addCleanup(plots.plt.close, figure)
        draw(axis, *args)
        return axis

    def frame(self, rows):
        tables.write_csv(self.path("runs.csv"), rows)
        return plots.load(self.path("runs.csv"))

    def called(self, part, figure, *args):
        """What a figure hands to one of the functions that draw a panel."""
        with mock.patch.object(plots, part, side_effect=getattr(plots, part)) as calls:
            getattr(plots, figure)(*args)
        return [call.args[1:] for call in calls.call_args_list]

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_a_line_has_one_point_a_rank_count(self):
        frame = self.frame([row("er", ranks, "trident", s) for ranks, s in ((4, 1), (4, 3), (4, 2), (16, 1))])
        (line,) = self.drawn(plots.against_ranks, [("Trident", frame, "seconds_total")], "s").get_lines()
        self.assertEqual([tuple(p) for p in line.get_xydata()], [(4, 2), (16, 1)])

    def test_predictions_draw_the_best_grids_alone(self):
        phases = {"seconds_setup": 0.0, "seconds_exchange": 1.0, "seconds_gather": 2.0, "seconds_local_multiply": 3.0}
        self.frame([{"A": "er", "B": "A", "algorithm": algorithm, "ranks": ranks, "best": best, "seconds_total": 1.0,
                     "internode_bytes_fullest_rank": 2e6, **phases}
                    for ranks, best in ((16, 1), (4, 1), (4, 0)) for algorithm in ("summa", "tpetra", "trident")])
        of = [self.path("runs.csv")], self.path("out.png"), "a title"
        seconds, megabytes = self.called("lines", "predictions", *of)
        self.assertEqual((seconds[0][0], megabytes[0][0]), (("trident", {4: 1, 16: 1}), ("trident", {4: 2, 16: 2})))
        ((columns, parts, _),) = self.called("stacked", "predicted_breakdown", *of)
        self.assertEqual(columns, ["trident\n4", "summa\n4", "trident\n16", "summa\n16"])
        self.assertEqual(parts["local product"], [12, 12, 48, 48])  # times the ranks

    def test_one_rank_count_gives_bars_with_their_values(self):
        frame = self.frame([row("er", 4, "trident", 1.5), row("er", 4, "tpetra", 3)])
        axis = self.drawn(plots.draw_scaling, frame, NAMES, PHASES)
        self.assertEqual([bar.get_height() for bar in axis.patches], [1.5, 3, 0.75])
        self.assertEqual([t.get_text() for t in axis.texts], ["1.5", "3", "0.75"])
        self.assertEqual(axis.get_ylabel(), "seconds, slowest rank")

    def test_what_was_not_measured_has_no_slot(self):
        values = [("er", 0, "Trident", 1.0), ("er", 2, "Tpetra", 2.0), ("rmat", 2, "Tpetra", 2.0)]
        axis = self.drawn(plots.bars, values, "s")
        self.assertAlmostEqual(axis.patches[1].get_x() - axis.patches[0].get_x(), 1.0)
        self.assertEqual([t.get_text() for t in axis.get_xticklabels()], ["er", "rmat"])
        self.assertEqual(axis.get_legend_handles_labels()[1], ["Trident", "Tpetra"])

    def test_stacks_reach_their_totals(self):
        axis = self.drawn(plots.stacked, ["a", "b"], {"x": [1.0, 2.0], "y": [0.5, 0.0]}, "s", [2.0, 2.0])
        self.assertEqual([t.get_text() for t in axis.texts], ["2", "2"])

    def test_figures_of_compare(self):
        self.frame([row(A, ranks, a, 1.0) for A in ("er", "rmat") for ranks in (2, 4) for a in NAMES]
                   + [row("er", 2, "tpetra", "", "hung")])
        plots.comparison(self.path("runs.csv"), self.folder, NAMES, PHASES)
        self.assertEqual(sorted(f for f in os.listdir(self.folder) if f.endswith(".png")),
                         ["%s-A-host-2_a_node.png" % kind for kind in ("breakdown", "bytes", "efficiency", "scaling")])
        for problem, expected in (("er", [1.0, 0.5]), ("weak: er", [1.0, 2.0])):
            rows = [{**row("er", ranks, "trident", s), "problem": problem} for ranks, s in ((2, 4.0), (8, 2.0))]
            (line,) = self.drawn(plots.draw_efficiency, self.frame(rows), {"trident": "Trident"}, PHASES).get_lines()
            self.assertEqual(list(line.get_ydata()), expected)

    def test_figure_of_ratios(self):
        def ratio(product, A, ranks, way="trident", **more):
            return {"product": product, "A": A, "ranks": ranks, "way": way, "error": "",
                    "tpetra_over_this": ranks + 0.25, **more}
        self.frame([ratio(product, A, ranks) for A in ("er:n=9", "cnr-2000") for product in ("A·A", "A·restriction")
                    for ranks in (1, 2)] + [ratio("A·A", "laplace3d:n=9", 1), ratio("R·A·P", "er:n=9", 1, "plan"),
                                            ratio("A·A", "er:n=9", 4, error="hung")])
        bars = self.called("lying_bars", "ratios", self.path("runs.csv"), self.path("a.svg"))
        self.assertEqual([series for _, series, _ in bars], ["one GPU", "2 GPUs"] * 2)
        self.assertEqual([value for _, value in bars[1][2]], [2.25, 2.25])
        plots.ratios(self.path("runs.csv"), self.path("b.svg"))
        text = self.read("a.svg")
        self.assertEqual(text, self.read("b.svg"))  # the same numbers give the same file
        for said in ("random", "er:n=9", "cnr-2000", "2.25", "SPDX-License-Identifier: BSD-3-Clause"):
            self.assertIn(said, text)
        self.assertNotIn("laplace3d", text)

    def test_figures_of_peers_and_threads(self):
        self.frame([{"A": A, "ranks": count, "threads": count, "way": way, "seconds": 0.5, "error": ""}
                    for A in ("er", "cage10") for count in (1, 4) for way in ("Trident", "hypre")])
        for figure, more in (("peers", ["peers"]), ("threads", [])):
            getattr(plots, figure)(self.path("runs.csv"), self.path(figure + ".svg"), *more)
            self.assertIn("hypre<", self.read(figure + ".svg"))

    def test_parts_of_setups(self):
        of = {((ranks, "brick3d", "none", way), "later", part): seconds for ranks in (1, 4)
              for way, seconds in (("MueLu", 0.3), ("drop-in, plans", 0.2)) for part in ("R*A*P", "the rest")}
        plots.setups(of, self.path("x.svg"), ["brick3d"], ["R*A*P", "the rest"])
        for said in ("1 GPU<", "4 GPUs<", "600<", "400<", "R·A·P<", "milliseconds<"):
            self.assertIn(said, self.read("x.svg"))


if __name__ == "__main__":
    unittest.main()
