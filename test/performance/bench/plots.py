# SPDX-License-Identifier: BSD-3-Clause
"""Draws what was measured. Of all modules this one alone needs pandas and matplotlib.

Every figure has a title, its axes a unit, its bars their values. Series differ in brightness, marker, line and hatch,
so that a figure is legible in grey. A line joins rank counts of one matrix, with one point each; where there is only
one rank count, bars are drawn. What was not measured has no slot.
"""
import os

import matplotlib
matplotlib.use("Agg")  # no display
import matplotlib.pyplot as plt
import pandas

from . import measure

# Dark to light, so that neighbours differ in grey too.
COLORS = ("#1b3a6b", "#d9772b", "#6fae8f", "#8c2d62", "#c9b037", "#4f8fd0", "#bfbfbf", "#333333")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", ":", "-.")
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo", "--")
# The same numbers give the same file, whose text stays text.
SVG_METADATA = {"Date": None, "Creator": None, "Rights": "SPDX-License-Identifier: BSD-3-Clause"}
matplotlib.rcParams.update({"svg.hashsalt": "trident", "svg.fonttype": "none"})


def load(path):
    """A CSV file; empty fields are missing values, whatever else the column holds."""
    return pandas.read_csv(path, keep_default_na=False, na_values=[""])


def short_number(value):
    """Three digits: 0.00123, 1.23, 123, 12300."""
    return "%.3g" % value if abs(value) < 1000 else "%.0f" % value


class Sheet:
    """One figure with a panel for each name, at most four in a row; entered, drawn into, and written to a file."""

    def __init__(self, path, title, panels, width=4.6, height=4.0):
        self.path, self.title, self.panels = path, title, list(panels)
        rows = -(-len(self.panels) // 4)
        columns = -(-len(self.panels) // rows)
        self.figure, axes = plt.subplots(rows, columns, figsize=(1.5 + width * columns, height * rows),
                                         squeeze=False, constrained_layout=True)
        self.axes = axes.flatten()[:len(self.panels)]
        for empty in axes.flatten()[len(self.panels):]:
            empty.remove()

    def __enter__(self):
        for axis, name in zip(self.axes, self.panels):
            axis.set_title(name, fontsize=9)
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.figure.suptitle(self.title, fontsize=10)
            self.add_legend()
            more = {"metadata": SVG_METADATA} if self.path.endswith(".svg") else {}
            self.figure.savefig(self.path, dpi=120, bbox_inches="tight", **more)
        plt.close(self.figure)

    def add_legend(self):
        """One for all panels: a series that one of them lacks is in it too."""
        known = {}
        for axis in self.axes:
            for handle, label in zip(*axis.get_legend_handles_labels()):
                known.setdefault(label, handle)
        if known:
            self.figure.legend(known.values(), known.keys(), fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


def medians(frame, by, column):
    """{key: median} of a column, without what is missing, in the order of the keys."""
    return dict(frame.dropna(subset=[column]).groupby(by, sort=True)[column].median())


def style(n):
    """How the areas of a series look."""
    return {"color": COLORS[n % len(COLORS)], "hatch": HATCHES[n % len(HATCHES)], "edgecolor": "black"}


def lines(axis, series, unit, by="ranks"):
    """A line for each series [(label, {number of ranks or threads: value})]; one without points is left out."""
    counts = sorted({int(x) for _, points in series for x in points})
    for n, (label, points) in enumerate(series):
        if points:
            axis.plot(list(points), list(points.values()), LINES[n % len(LINES)], marker=MARKERS[n % len(MARKERS)],
                      color=COLORS[n % len(COLORS)], label=label)
    axis.set_xscale("log", base=2)
    axis.set_xticks(counts, labels=[str(c) for c in counts])
    axis.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    axis.set_xlabel(by)
    axis.set_ylabel(unit)
    axis.grid(alpha=0.3)


def against_ranks(axis, series, unit, log=False):
    """Lines of the medians of each series [(label, rows, column)]; bars where there is only one number of ranks."""
    found = [(label, medians(rows, "ranks", column)) for label, rows, column in series]
    counts = sorted({int(x) for _, points in found for x in points})
    if len(counts) < 2:
        bars(axis, [("%d rank%s" % (c, "s" * (c > 1)), n, label, points[c])
                    for c in counts for n, (label, points) in enumerate(found) if points], unit)
        return
    lines(axis, found, unit)
    if log:
        axis.set_yscale("log")
    else:
        axis.set_ylim(bottom=0)


def bars(axis, values, unit, label_size=7):
    """Bars beside each other, each with its value: [(group, number of the series, series, value)]. A series that a
    group lacks takes no room."""
    at, ticks, labelled = -1.0, {}, set()
    for group, n, series, value in values:
        at += 1.7 if ticks and group not in ticks else 1.0
        label = None if series in labelled else series
        drawn = axis.bar([at], [value], width=0.9, linewidth=0.5, label=label, **style(n))
        labelled.add(series)
        axis.bar_label(drawn, labels=[short_number(value)], fontsize=label_size, padding=1)
        ticks.setdefault(group, []).append(at)
    axis.set_xticks([sum(places) / len(places) for places in ticks.values()], labels=list(ticks), fontsize=7)
    if len(ticks) > 3:
        slant(axis)
    axis.set_ylabel(unit)
    axis.margins(y=0.12)


def slant(axis):
    """Long names under an axis, each ending at its tick."""
    plt.setp(axis.get_xticklabels(), rotation=30, ha="right")


def stacked(axis, columns, parts, unit, totals=None):
    """A bar for each of `columns`, of {part: its value in each}, the sum or `totals` on top; what no part covers is
    white."""
    places, bottom = range(len(columns)), [0.0] * len(columns)
    shown = [(part, heights, style(n)) for n, (part, heights) in enumerate(parts.items())]
    if totals:
        rest = [max(0.0, total - sum(of)) for total, of in zip(totals, zip(*parts.values()))]
        shown.append(("not divided", rest, {"color": "white", "edgecolor": "black"}))
    for part, heights, look in shown:
        if any(heights):
            axis.bar(places, heights, bottom=bottom, width=0.8, linewidth=0.4, label=part, **look)
        bottom = [b + h for b, h in zip(bottom, heights)]
    for place, top in zip(places, bottom):
        axis.annotate(short_number(top), (place, top), ha="center", va="bottom", fontsize=7)
    axis.set_xticks(list(places), labels=list(columns), fontsize=7)
    axis.set_ylabel(unit)
    axis.margins(y=0.12)


def plain(text):
    """What a file's name may have of a text."""
    return "".join(c if c.isalnum() else "_" for c in text)


def comparison(path, folder, names, phases):
    """Of `compare`: scaling, efficiency, breakdown and bytes, for each B, rate and ranks a node; a panel for each
    problem."""
    frame = load(path)
    if "problem" not in frame:  # of files from before there was weak scaling
        frame = frame.assign(problem=frame["A"])
    frame = frame[(frame["measure"] == "time") & frame["error"].isna()]
    frame = frame.assign(rate=frame["rate"].fillna(""), megabytes=frame["internode_bytes_per_rank"].astype(float) / 1e6)
    for (B, rate, per_node), group in frame.groupby(["B", "rate", "ranks_per_node"], sort=False):
        label = "-".join([plain(B), rate or "host", "%d_a_node" % per_node])
        title = "A·%s, %d ranks a node, %s, median of the runs" % (
            B, per_node, rate + " between nodes" if rate else "one host")
        for kind, draw, wanted in (("scaling", draw_scaling, True), ("breakdown", draw_breakdown, True),
                                   ("efficiency", draw_efficiency, group["ranks"].nunique() > 1),
                                   ("bytes", draw_bytes, group["megabytes"].any())):
            if wanted:
                with Sheet(os.path.join(folder, "%s-%s.png" % (kind, label)), title,
                           dict.fromkeys(group["problem"])) as sheet:
                    for axis, (_, panel) in zip(sheet.axes, group.groupby("problem", sort=False)):
                        draw(axis, panel, names, phases)


def by_algorithm(panel, names, column, label="%s"):
    return [(label % name, panel[panel["algorithm"] == algorithm], column) for algorithm, name in names.items()]


def draw_scaling(axis, panel, names, _):
    against_ranks(axis, by_algorithm(panel, names, "seconds_total", "%s, end to end")
                  + by_algorithm(panel, names, "seconds_multiply", "%s, on the grid"), "seconds, slowest rank", log=True)


def draw_efficiency(axis, panel, names, _):
    """Against the fewest ranks: the same problem on p times the ranks, or p times the problem."""
    fewest, problem = panel["ranks"].min(), str(panel["problem"].iloc[0])
    series = []
    for name, rows, column in by_algorithm(panel, names, "seconds_total"):
        base = rows[rows["ranks"] == fewest][column].median()
        efficient = measure.efficiency(problem, fewest, base, rows["ranks"], rows[column])
        series.append((name, rows.assign(efficiency=efficient), "efficiency"))
    against_ranks(axis, series, "efficiency, end to end, against %d ranks" % fewest)


def draw_bytes(axis, panel, names, _):
    against_ranks(axis, by_algorithm(panel, names, "megabytes"),
                  "MB a rank receives from other nodes:\nimport, rounds and export")


def draw_breakdown(axis, panel, names, phases):
    found = panel.groupby(["ranks", "algorithm"]).median(numeric_only=True)
    columns = [(ranks, algorithm) for ranks in sorted(set(panel["ranks"])) for algorithm in names
               if (ranks, algorithm) in found.index]
    found = found.reindex(columns=["seconds_total", *("seconds_" + phase for phase in phases)]).fillna(0).loc[columns]
    stacked(axis, ["%s\n%d" % (names[algorithm].split()[-1], ranks) for ranks, algorithm in columns],
            {phase.replace("_", " "): list(found["seconds_" + phase]) for phase in phases},
            "seconds, end to end (phases: median rank)", list(found["seconds_total"]))
    axis.set_xlabel("algorithm, ranks")


WHAT = {"er": "random", "rmat": "hubs", "brick3d": "27-point stencil", "laplace3d": "7-point stencil"}


def ratios(path, output):
    """Of `gpu ratios`: Tpetra's time over Trident's, A·A beside A·restriction, a bar for each number of GPUs."""
    frame = load(path)
    frame = frame[(frame["way"] == "trident") & frame["product"].isin(["A·A", "A·restriction"]) & frame["error"].isna()]
    both = frame[frame["product"] == "A·restriction"]["A"]  # of some, A·A alone was measured
    frame = frame[frame["A"].isin(both)].dropna(subset=["tpetra_over_this"])
    matrices, counts = list(dict.fromkeys(frame["A"])), sorted(set(frame["ranks"]))
    labels = ["\n".join(filter(None, [WHAT.get(A.partition(":")[0]), A])) for A in matrices]
    with Sheet(output, "Tpetra's time / Trident's time", ["A·A", "A·R, R sums aggregates of A's columns"],
               height=1 + 0.28 * len(matrices) * (1 + len(counts))) as sheet:
        for axis, product in zip(sheet.axes, ["A·A", "A·restriction"]):
            values = frame[frame["product"] == product].groupby(["A", "ranks"])["tpetra_over_this"].median()
            for n, count in enumerate(counts):
                lying_bars(axis, n, "one GPU" if count == 1 else "%d GPUs" % count,
                           [(row * (len(counts) + 0.7) + n, values[A, count]) for row, A in enumerate(matrices)
                            if (A, count) in values])
            middle = (len(counts) - 1) / 2
            axis.set_yticks([row * (len(counts) + 0.7) + middle for row in range(len(matrices))],
                            labels=labels if product == "A·A" else [""] * len(labels), fontsize=8)
            axis.invert_yaxis()
            axis.axvline(1, color="black", linestyle="--", linewidth=1)
            axis.set_xlabel("times Trident's time; 1 is a tie")
            axis.margins(x=0.12)


def lying_bars(axis, n, series, bars_at):
    """Bars of one series [(where, value)], each with its value behind its end."""
    drawn = axis.barh([at for at, _ in bars_at], [value for _, value in bars_at], height=0.9, linewidth=0.5,
                      label=series, **style(n))
    axis.bar_label(drawn, labels=[short_number(value) for _, value in bars_at], fontsize=7, padding=2)


def peers(path, output, title):
    """Of `peers`: seconds of each way, a panel for each rank count, bars in groups by matrix."""
    frame = load(path)
    frame = frame[frame["error"].isna()]
    ways, counts = list(dict.fromkeys(frame["way"])), sorted(set(frame["ranks"]))
    with Sheet(output, title, ["%d rank%s" % (n, "s" * (n > 1)) for n in counts], 7.5, 4.2) as sheet:
        for axis, count in zip(sheet.axes, counts):
            values = frame[frame["ranks"] == count].groupby(["A", "way"], sort=False)["seconds"].median()
            bars(axis, [(A, ways.index(way), way, values[A, way]) for A in dict.fromkeys(frame["A"]) for way in ways
                        if (A, way) in values], "seconds, slowest rank, median of the runs", 5)
            axis.set_yscale("log")


def threads(path, output):
    """Of `threads`: seconds of each way against threads, a panel for each matrix, both axes logarithmic."""
    frame = load(path)
    frame = frame[frame["error"].isna()]
    ways = list(dict.fromkeys(frame["way"]))
    with Sheet(output, "A·A on one rank, end to end", dict.fromkeys(frame["A"])) as sheet:
        for axis, (_, panel) in zip(sheet.axes, frame.groupby("A", sort=False)):
            lines(axis, [(way, medians(panel[panel["way"] == way], "threads", "seconds")) for way in ways],
                  "seconds, median of the runs", "threads")
            axis.set_yscale("log")


def best(paths):
    """Yields what a panel is called, and the best grids of a file of Trident_Predict.exe."""
    for frame in map(load, paths):
        frame = frame[frame["best"] == 1]
        yield "%s, A·%s" % (frame["A"].iloc[0], frame["B"].iloc[0]), frame


def predictions(paths, output, title):
    """Of Trident_Predict.exe: seconds and bytes against ranks, the best grid of each algorithm; two panels a file."""
    found = list(best(paths))
    with Sheet(output, title, [name + kind for name, _ in found for kind in ("", ": bytes")]) as sheet:
        axes = iter(sheet.axes)
        for _, frame in found:
            frame = frame.assign(megabytes=frame["internode_bytes_fullest_rank"] / 1e6)
            for column, unit in (("seconds_total", "seconds, predicted"),
                                 ("megabytes", "MB that a rank gets at most\nfrom other nodes")):
                above = frame[frame[column] > 0]  # no 0 on a log scale
                names = {name: name for name in ("trident", "summa", "tpetra")}
                against_ranks(next(axes), by_algorithm(above, names, column), unit, log=True)


GRID_PHASES = {"seconds_setup": "setup", "seconds_exchange": "exchange", "seconds_gather": "gather",
               "seconds_local_multiply": "local product"}


def predicted_breakdown(paths, output, title):
    """Of Trident_Predict.exe: the phases on the grid, Trident's best grid beside SUMMA, times the ranks. So bars of
    one height scale perfectly; a panel for each file."""
    found = list(best(paths))
    with Sheet(output, title, [name for name, _ in found]) as sheet:
        for axis, (_, frame) in zip(sheet.axes, found):
            frame = frame[frame["algorithm"] != "tpetra"]
            frame = frame.sort_values(["ranks", "algorithm"], ascending=[True, False])  # Trident before SUMMA
            stacked(axis, ["%s\n%d" % row for row in zip(frame["algorithm"], frame["ranks"])],
                    {name: list(frame["ranks"] * frame[column]) for column, name in GRID_PHASES.items()},
                    "seconds, predicted, times ranks")


def setups(of, path, problems, parts):
    """Of `setups`: the parts of later setups, by MueLu alone and with plans; a panel for each number of GPUs. `of`:
    seconds by (ranks, problem, reuse, way), "later", and part."""
    columns = [(problem, way) for problem in problems for way in ("MueLu", "drop-in, plans")]
    counts = sorted({key[0][0] for key in of})
    with Sheet(path, "A later setup", ["%d GPU%s" % (n, "s" * (n > 1)) for n in counts], 6.0) as sheet:
        for axis, count in zip(sheet.axes, counts):
            stacked(axis, ["%s\n%s" % column for column in columns],
                    {part.replace("*", "·"): [1e3 * of.get(((count, problem, "none", way), "later", part), 0)
                                              for problem, way in columns] for part in parts}, "milliseconds")
            slant(axis)
