# SPDX-License-Identifier: BSD-3-Clause
"""The module that draws. Ends with 77, and the reason, where pandas or matplotlib is missing."""
import os
import sys
import tempfile
import unittest

import fakes  # puts the scripts' folder on the path
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

    def test_a_line_has_one_point_a_rank_count(self):
        frame = self.frame([row("er", ranks, "trident", s) for ranks, s in ((4, 1), (4, 3), (4, 2), (16, 1))])
        axis = self.drawn(plots.against_ranks, frame, [("Trident", frame, "seconds_total")], "s")
        (line,) = axis.get_lines()
        self.assertEqual([tuple(p) for p in line.get_xydata()], [(4, 2), (16, 1)])

    def test_predictions_draw_the_best_grids_alone(self):
        rows = [{"A": "er", "B": "A", "algorithm": "trident", "ranks": ranks, "best": best, "seconds_total": seconds,
                 "internode_bytes_fullest_rank": 2e6}
                for ranks, best, seconds in ((4, 1, 1.0), (4, 0, 9.0), (16, 1, 2.0))]
        tables.write_csv(self.path("predicted.csv"), rows)
        lines = []
        draw = plots.against_ranks
        self.addCleanup(setattr, plots, "against_ranks", draw)
        plots.against_ranks = lambda axis, *args, **more: (draw(axis, *args, **more), lines.extend(axis.get_lines()))
        plots.predictions([self.path("predicted.csv")], self.path("out.png"), "a title")
        self.assertEqual([[tuple(p) for p in line.get_xydata()] for line in lines],
                         [[(4, 1), (16, 2)], [(4, 2), (16, 2)]])
        self.assertGreater(os.path.getsize(self.path("out.png")), 1000)

    def test_predicted_phases_are_times_the_ranks(self):
        phases = {"seconds_setup": 0.0, "seconds_exchange": 1.0, "seconds_gather": 2.0, "seconds_local_multiply": 3.0}
        rows = [{"A": "er", "B": "A", "algorithm": algorithm, "ranks": ranks, "best": 1, **phases}
                for ranks in (16, 4) for algorithm in ("summa", "tpetra", "trident")]
        tables.write_csv(self.path("predicted.csv"), rows)
        stacks = []
        draw = plots.stacked
        self.addCleanup(setattr, plots, "stacked", draw)
        plots.stacked = lambda axis, columns, parts, *more: (draw(axis, columns, parts, *more),
                                                             stacks.append((columns, parts)))
        plots.predicted_breakdown([self.path("predicted.csv")], self.path("out.png"), "a title")
        ((columns, parts),) = stacks
        self.assertEqual(columns, ["trident\n4", "summa\n4", "trident\n16", "summa\n16"])
        self.assertEqual(parts["local product"], [12, 12, 48, 48])
        self.assertGreater(os.path.getsize(self.path("out.png")), 1000)

    def test_one_rank_count_gives_bars_with_their_values(self):
        frame = self.frame([row("er", 4, "trident", 1.5), row("er", 4, "tpetra", 3)])
        axis = self.drawn(plots.draw_scaling, frame, NAMES, PHASES)
        self.assertEqual(len(axis.get_lines()), 0)
        self.assertEqual([bar.get_height() for bar in axis.patches], [1.5, 3, 0.75])
        self.assertEqual([t.get_text() for t in axis.texts], ["1.5", "3", "0.75"])
        self.assertEqual(axis.get_ylabel(), "seconds, slowest rank")

    def test_what_was_not_measured_has_no_slot(self):
        values = [("er", 0, "Trident", 1.0), ("er", 2, "Tpetra", 2.0), ("rmat", 2, "Tpetra", 2.0)]
        axis = self.drawn(plots.bars, values, "s")
        places = [bar.get_x() + bar.get_width() / 2 for bar in axis.patches]
        self.assertAlmostEqual(places[1] - places[0], 1.0)
        self.assertEqual([t.get_text() for t in axis.get_xticklabels()], ["er", "rmat"])
        self.assertEqual(axis.get_legend_handles_labels()[1], ["Trident", "Tpetra"])

    def test_series_differ_in_grey(self):
        grey = [sum(w * int(c[n:n + 2], 16) for w, n in ((0.3, 1), (0.59, 3), (0.11, 5))) for c in plots.COLORS[:3]]
        self.assertGreater(grey[1] - grey[0], 40)
        self.assertGreater(grey[2] - grey[1], 10)
        self.assertEqual(len(set(plots.HATCHES)), len(plots.HATCHES))

    def test_stacks_reach_their_totals(self):
        axis = self.drawn(plots.stacked, ["a", "b"], {"x": [1.0, 2.0], "y": [0.5, 0.0]}, "s", [2.0, 2.0])
        self.assertEqual([t.get_text() for t in axis.texts], ["2", "2"])

    def test_figures_of_compare(self):
        rows = [row(A, ranks, a, 1.0) for A in ("er", "rmat") for ranks in (2, 4) for a in NAMES]
        self.frame(rows + [row("er", 2, "tpetra", "", "hung")])
        plots.comparison(self.path("runs.csv"), self.folder, NAMES, PHASES)
        self.assertEqual(sorted(f for f in os.listdir(self.folder) if f.endswith(".png")),
                         ["%s-A-host-2_a_node.png" % kind for kind in ("breakdown", "bytes", "efficiency", "scaling")])

    def test_efficiency_of_a_problem_and_of_one_that_grows(self):
        for problem, expected in (("er", [1.0, 0.5]), ("weak: er", [1.0, 2.0])):
            rows = [{**row("er", ranks, "trident", s), "problem": problem} for ranks, s in ((2, 4.0), (8, 2.0))]
            axis = self.drawn(plots.draw_efficiency, self.frame(rows), {"trident": "Trident"}, PHASES)
            (line,) = axis.get_lines()
            self.assertEqual(list(line.get_ydata()), expected)

    def test_figure_of_gpu(self):
        tables.write_csv(self.path("x.csv"), [
            {"A": "er", "algorithm": "trident", "tpetra_over_this": 3.1, "seconds_gather": 0.1},
            {"A": "er", "algorithm": "tpetra", "tpetra_over_this": 1},
            {"A": "rmat", "algorithm": "trident", "error": "hung"}])
        self.assertTrue(plots.end_to_end_of_gpus(self.path("x.csv"), self.path("x.png"), PHASES))
        self.assertTrue(os.path.getsize(self.path("x.png")))

    def test_figure_of_ratios(self):
        def ratio(product, A, ranks, way="trident", **more):
            return {"product": product, "A": A, "ranks": ranks, "way": way, "error": "", "tpetra_over_this": 1.5,
                    **more}
        rows = [ratio(product, A, ranks, tpetra_over_this=ranks + 0.25) for A in ("er:n=9", "cnr-2000")
                for product in ("A·A", "A·restriction") for ranks in (1, 2)]
        tables.write_csv(self.path("ratios.csv"), rows + [
            ratio("A·A", "laplace3d:n=9", 1), ratio("R·A·P", "er:n=9", 1, "plan"),
            ratio("A·A", "er:n=9", 4, error="hung")])
        bars = []
        draw = plots.lying_bars
        self.addCleanup(setattr, plots, "lying_bars", draw)
        plots.lying_bars = lambda axis, n, series, values: (draw(axis, n, series, values),
                                                            bars.append((series, values)))
        self.assertTrue(plots.ratios(self.path("ratios.csv"), self.path("a.svg")))
        self.assertEqual([series for series, _ in bars], ["one GPU", "2 GPUs"] * 2)
        self.assertEqual([value for _, value in bars[1][1]], [2.25, 2.25])
        plots.ratios(self.path("ratios.csv"), self.path("b.svg"))
        with open(self.path("a.svg"), encoding="utf-8") as a, open(self.path("b.svg"), encoding="utf-8") as b:
            text = a.read()
            self.assertEqual(text, b.read())  # the same numbers give the same file
        for said in ("random", "er:n=9", "cnr-2000", "2.25", "SPDX-License-Identifier: BSD-3-Clause"):
            self.assertIn(said, text)
        self.assertNotIn("laplace3d", text)
        tables.write_csv(self.path("ratios.csv"), rows[:1])
        self.assertFalse(plots.ratios(self.path("ratios.csv"), self.path("c.svg")))

    def test_figure_of_peers(self):
        tables.write_csv(self.path("p.csv"), [
            {"A": A, "ranks": ranks, "way": way, "seconds": 0.5, "error": ""}
            for A in ("er", "cage10") for ranks in (1, 4) for way in ("Trident", "hypre")])
        plots.peers(self.path("p.csv"), self.path("p.png"), "peers")
        self.assertTrue(os.path.getsize(self.path("p.png")))

    def test_parts_of_setups(self):
        of = {((ranks, "brick3d", "none", way), "later", part): seconds for ranks in (1, 4)
              for way, seconds in (("MueLu", 0.3), ("drop-in, plans", 0.2)) for part in ("R*A*P", "the rest")}
        plots.setups(of, self.path("x.svg"), ["brick3d"], ["R*A*P", "the rest"])
        with open(self.path("x.svg"), encoding="utf-8") as file:
            text = file.read()
        for said in ("1 GPU<", "4 GPUs<", "600<", "400<", "R·A·P<", "milliseconds<"):
            self.assertIn(said, text)


if __name__ == "__main__":
    unittest.main()
