# SPDX-License-Identifier: BSD-3-Clause
"""The tables that a page has of nodes.csv; pages.py says how they get there."""
import re
import statistics

from . import tables
from .node_rows import PHASES
from .ratio_tables import digits, milliseconds, name, ratio
from .tables import number

PLACE = ("nodes", "gpus_per_node", "rate", "mpi", "device", "commit")
PAPERS = {"paper": "asked for by the queue", "paper-prefetch": "sent ahead"}


class Results:
    """Rows with a result, by product, place (shape, rate, and what they ran with), matrix and algorithm."""

    def __init__(self, rows):
        self.failed = [row for row in rows if row["error"]]
        self.rows = {(row["product"], place(row), row["A"], row["algorithm"]): row for row in rows if not row["error"]}
        # what is the same for all rows is not said of each
        self.differ = [column for column in PLACE[3:] if len({row[column] for row in self.rows.values()}) > 1]

    def cases(self, *algorithms):
        """(product, place, matrix) of A·A and A·restriction of which one of the algorithms has a row."""
        return list(dict.fromkeys(key[:3] for key in self.rows
                                  if key[0] in ("A·A", "A·restriction") and key[3] in algorithms))

    def get(self, case, algorithm):
        return self.rows.get((*case, algorithm), {})

    def label(self, where):
        """2 × 2, 25 Gbit/s"""
        rate = re.sub(r"^(\d+)([mg])bit$", lambda m: "%s %sbit/s" % (m[1], m[2].upper()), where[2])
        return ", ".join(["%s × %s" % where[:2], rate, *(where[PLACE.index(column)] for column in self.differ)])

    def labels(self, case):
        """The first two cells of a row."""
        return self.label(case[1]), "%s %s" % (name(case[2]), case[0])


def place(row):
    return tuple(row[column] for column in PLACE)


def with_grid(row):
    """98.0 (79.9)"""
    return milliseconds(row) + (" (%s)" % milliseconds(row, "on_grid_seconds") if row.get("on_grid_seconds") else "")


def table_of(file, *head):
    """A table whose columns but the first two are numbers."""
    return tables.Markdown("nodes × GPUs, ports", "product", *head, file=file, numbers=range(2, 2 + len(head)))


def write_products(results, file):
    """A·A and A·restriction: times, ratios and bytes; least and geometric mean of each place."""
    table = table_of(file, "Trident", "SUMMA", "Tpetra", "SUMMA / Trident", "on the grid", "Tpetra / Trident",
                     "MB between nodes: Trident", "SUMMA", "SUMMA / Trident")
    cases = results.cases("trident")
    for product, where in dict.fromkeys(case[:2] for case in cases):
        found = []
        for case in (case for case in cases if case[:2] == (product, where)):
            trident, summa, tpetra = (results.get(case, a) for a in ("trident", "summa", "tpetra"))
            sent = [number(row, "internode_bytes") for row in (trident, summa)]
            found.append([number(summa, "over_trident"), number(summa, "over_trident_on_grid"),
                          number(tpetra, "over_trident"), sent[1] / sent[0] if all(sent) else None])
            table.row(*results.labels(case), with_grid(trident), with_grid(summa), milliseconds(tpetra),
                      *map(ratio, found[-1][:3]), *(digits(b, 1e-6) for b in sent), digits(found[-1][3]))
        for what, of in (("least", min), ("geometric mean", statistics.geometric_mean)):
            known = [[value for value in column if value] for column in zip(*found)]
            cells = [of(column) if column else None for column in known]
            table.row(results.label(where), "%s, %s" % (product, what), "", "", "", *map(ratio, cells[:3]), "", "",
                      digits(cells[3]))


def write_phases(results, file):
    table = table_of(file, "by", "all", *PHASES, "local product: least, most")
    for case in results.cases("trident"):
        for algorithm, by in (("trident", "Trident"), ("summa", "SUMMA")):
            row = results.get(case, algorithm)
            if row.get("seconds_setup"):
                table.row(*results.labels(case), by, milliseconds(row),
                          *(milliseconds(row, "seconds_" + phase) for phase in PHASES),
                          ", ".join(milliseconds(row, "multiply_" + which) for which in ("least", "most")))


def write_paper(results, file):
    """The paper's own way beside Trident's and SUMMA's, on the grid, as the paper measures."""
    table = table_of(file, "Trident", "SUMMA", *PAPERS.values(), *("SUMMA / " + how for how in PAPERS.values()))
    for case in results.cases(*PAPERS):
        grids = [number(results.get(case, a), "on_grid_seconds") for a in ("trident", "summa", *PAPERS)]
        table.row(*results.labels(case), *(digits(g, 1e3) for g in grids),
                  *(ratio(grids[1] / g if g and grids[1] else None) for g in grids[2:]))
    refused = {row["error"]: row for row in results.failed if row["algorithm"] == "paper"}
    for error, row in refused.items():
        file.write("\nThe queue was refused, as of %s on %s: %s.\n" % (
            name(row["A"]), results.label(place(row)), error.rstrip(".")))


BLOCKS = {"products": write_products, "phases": write_phases, "paper": write_paper}
