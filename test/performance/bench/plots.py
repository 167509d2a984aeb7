# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures that pages show. Of all modules this one alone needs pandas and matplotlib.

Series differ in brightness, marker, line and hatch, so that a figure is legible in grey.
"""
import contextlib
import os

import matplotlib
matplotlib.use("Agg")  # no display
import matplotlib.pyplot as plt
import pandas
from PIL import Image  # which matplotlib needs, too

# Dark to light, so that neighbours differ in grey too.
COLORS = ("#1b3a6b", "#d9772b", "#6fae8f", "#8c2d62", "#c9b037", "#4f8fd0")
MARKERS, LINES = ("o", "s", "^", "D", "v", "P"), ("-", "--", ":", "-.", "-", "--")
HATCHES = ("", "//", "..", "xx", "\\\\", "++")
GRID_PHASES = {"seconds_setup": "setup", "seconds_exchange": "exchange", "seconds_gather": "gather",
               "seconds_local_multiply": "local product"}


def load(path):
    """A CSV file; empty fields are missing values, whatever else the column holds."""
    return pandas.read_csv(path, keep_default_na=False, na_values=[""])


@contextlib.contextmanager
def sheet(path, title, panels):
    """Yields the axes of a figure with a panel for each name, at most four in a row; then writes it to a PNG file."""
    rows = -(-len(panels) // 4)
    columns = -(-len(panels) // rows)
    figure, axes = plt.subplots(rows, columns, figsize=(1.5 + 4.6 * columns, 4.0 * rows), squeeze=False,
                                constrained_layout=True)
    axes = axes.flatten()
    for empty in axes[len(panels):]:
        empty.remove()
    try:
        yield axes[:len(panels)]
        series = {}  # one legend for all panels
        for axis, name in zip(axes, panels):
            axis.set_title(name, fontsize=9)
            series.update(zip(*reversed(axis.get_legend_handles_labels())))
            if axis.get_legend():
                axis.get_legend().remove()
        figure.suptitle(title, fontsize=10)
        figure.legend(series.values(), series, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
        figure.savefig(path, dpi=120, bbox_inches="tight")
        Image.open(path).convert("RGB").quantize(32, dither=0).save(path, optimize=True)  # a third of the bytes
    finally:
        plt.close(figure)


def lines(axis, table, unit):
    """A line for each column of a table over its index, the ranks. Both axes are logarithmic."""
    for n, (name, column) in enumerate(table.items()):
        known = column[column > 0]
        if len(known):
            axis.plot(known.index, known, LINES[n], marker=MARKERS[n], color=COLORS[n], label=name)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks(list(table.index), labels=[str(count) for count in table.index])
    axis.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    axis.set_xlabel("ranks")
    axis.set_ylabel(unit)
    axis.grid(alpha=0.3)


def medians(frame, columns, names):
    """A table with a row for each number of ranks: medians of columns ({column: ending of its name}) by algorithm."""
    found = frame.pivot_table(index="ranks", columns="algorithm", values=list(columns), aggfunc="median")
    return pandas.DataFrame({name + columns[column]: found.get((column, algorithm), float("nan")) for column in columns
                             for algorithm, name in names.items()}, index=found.index)


def comparison(path, folder, names):
    """Of `compare`: seconds against ranks, a figure for each B, rate and ranks a node, a panel for each problem."""
    frame = load(path)
    frame = frame[frame["error"].isna()]
    frame = frame.assign(rate=frame["rate"].astype(object).fillna("host"))
    for (B, rate, per_node), group in frame.groupby(["B", "rate", "ranks_per_node"], sort=False):
        name = "scaling-%s-%s-%d_a_node.png" % ("".join(c if c.isalnum() else "_" for c in B), rate, per_node)
        problems = list(group["problem"].unique())
        with sheet(os.path.join(folder, name), "A·%s, %d ranks a node, %s, median of the runs" % (
                B, per_node, "one host" if rate == "host" else rate + " between nodes"), problems) as axes:
            for axis, problem in zip(axes, problems):
                lines(axis, medians(group[group["problem"] == problem], {
                    "seconds_total": ", end to end", "seconds_multiply": ", on the grid"}, names), "seconds, slowest rank")


def best(paths):
    """Yields what a panel is called, and the best grids of a file of Trident_Predict.exe."""
    for frame in map(load, paths):
        frame = frame[frame["best"] == 1]
        yield "%s, A·%s" % (frame["A"].iloc[0], frame["B"].iloc[0]), frame


def predictions(paths, output, title):
    """Of Trident_Predict.exe: seconds and bytes against ranks, the best grid of each algorithm; two panels a file."""
    found, names = list(best(paths)), {name: name for name in ("trident", "summa", "tpetra")}
    with sheet(output, title, [name + kind for name, _ in found for kind in ("", ": bytes")]) as axes:
        for n, (_, frame) in enumerate(found):
            frame = frame.assign(megabytes=frame["internode_bytes_fullest_rank"] / 1e6)
            lines(axes[2 * n], medians(frame, {"seconds_total": ""}, names), "seconds, predicted")
            lines(axes[2 * n + 1], medians(frame, {"megabytes": ""}, names),
                  "MB that a rank gets at most\nfrom other nodes")


def predicted_breakdown(paths, output, title):
    """Of Trident_Predict.exe: the phases on the grid, Trident's best grid beside SUMMA, times the ranks. So bars of
    one height scale perfectly; a panel for each file."""
    found = list(best(paths))
    with sheet(output, title, [name for name, _ in found]) as axes:
        for axis, (_, frame) in zip(axes, found):
            frame = frame[frame["algorithm"] != "tpetra"]
            frame = frame.sort_values(["ranks", "algorithm"], ascending=[True, False])  # Trident before SUMMA
            parts = frame[list(GRID_PHASES)].mul(frame["ranks"], axis=0).rename(columns=GRID_PHASES)
            parts.index = frame["algorithm"] + "\n" + frame["ranks"].astype(str)
            parts.plot.bar(stacked=True, ax=axis, color=COLORS, edgecolor="black", linewidth=0.4, width=0.8, rot=0,
                           fontsize=7)
            for bars, hatch in zip(axis.containers, HATCHES):
                for bar in bars:
                    bar.set_hatch(hatch)
            axis.set_ylabel("seconds, predicted, times ranks")
