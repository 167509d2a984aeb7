# SPDX-License-Identifier: BSD-3-Clause
"""The tables that a page has of nodes.csv, between the lines "<!-- nodes: NAME -->" and "<!-- nodes: end -->".
`measure gpu --plot-only --pages` writes them anew, and a test compares."""
import io
import os
import re
import statistics

from . import mpi, tables
from .ratio_tables import digits, milliseconds, name, ratio
from .tables import number

NODES = os.path.normpath(os.path.join(mpi.FOLDER, "../../doc/results/nodes/nodes.csv"))
BLOCK = re.compile(r"(<!-- nodes: (?!end)(\w+) -->\n).*?(<!-- nodes: end -->\n)", re.DOTALL)
PHASES = ["setup", "import", "wait", "gather", "multiply", "export", "other"]
PLACE = ("nodes", "gpus_per_node", "rate", "mpi", "device", "commit")
PAPERS = {"paper": "asked for by the queue", "paper-prefetch": "sent ahead"}


def rewritten(text, rows):
    """A page with its tables written anew. Raises KeyError where it names one that is not known."""
    results = Results(rows)
    return BLOCK.sub(lambda match: match.group(1) + block(BLOCKS[match.group(2)], results) + match.group(3), text)


def block(body, results):
    """Numbers are aligned at the right: all but the first two columns."""
    file = io.StringIO()
    body(results, file)
    text = re.sub(r"^(\| --- \| ---)((?: \| ---)+)", lambda m: m[1] + m[2].replace("---", "--:"), file.getvalue(),
                  flags=re.MULTILINE)
    return "\n" + (text or "Nothing was measured yet.\n") + "\n"


class Results:
    """Rows with a result, by product, place (shape, rate, and what they ran with), matrix and algorithm."""

    def __init__(self, rows):
        self.rows, self.failed = {}, [row for row in rows if row["error"]]
        for row in rows:
            if not row["error"]:
                self.rows[row["product"], place(row), row["A"], row["algorithm"]] = row
        # what is the same for all rows is not said of each
        self.differ = [column for column in PLACE[3:] if len({row[column] for row in self.rows.values()}) > 1]

    def cases(self, *products, algorithms=("trident",)):
        """(product, place, matrix) of which one of the algorithms has a row."""
        return list(dict.fromkeys(key[:3] for key in self.rows if key[0] in products and key[3] in algorithms))

    def get(self, case, algorithm):
        return self.rows.get((*case, algorithm), {})

    def label(self, where):
        """2 × 2, 25 Gbit/s"""
        rate = re.sub(r"^(\d+)([mg])bit$", lambda m: "%s %sbit/s" % (m[1], m[2].upper()), where[2])
        return ", ".join(["%s × %s" % where[:2], rate, *(where[PLACE.index(column)] for column in self.differ)])


def place(row):
    return tuple(row[column] for column in PLACE)


def with_grid(row):
    """98.0 (79.9)"""
    return milliseconds(row) + (" (%s)" % milliseconds(row, "on_grid_seconds") if row.get("on_grid_seconds") else "")


def megabytes(row):
    return digits(number(row, "internode_bytes"), 1e-6)


def times(row, column="over_trident"):
    """Bold where Trident is slower than another library, or than SUMMA."""
    return (ratio if row.get("algorithm", "").startswith(("summa", "tpetra")) else digits)(number(row, column))


def write_products(results, file):
    """A·A and A·restriction: times, ratios and bytes; least and geometric mean of each place."""
    cases = results.cases("A·A", "A·restriction")
    if not cases:
        return
    table = tables.Markdown("nodes × GPUs, ports", "product", "Trident", "SUMMA", "Tpetra", "SUMMA / Trident",
                            "on the grid", "Tpetra / Trident", "MB between nodes: Trident", "SUMMA", "SUMMA / Trident",
                            file=file)
    for (product, where), group in tables.grouped([{"p": p, "w": w, "A": A} for p, w, A in cases], "p", "w").items():
        found = {column: [] for column in ("summa", "grid", "tpetra", "bytes")}
        for case in ((product, where, row["A"]) for row in group):
            trident, summa, tpetra = (results.get(case, a) for a in ("trident", "summa", "tpetra"))
            bytes_of = [number(row, "internode_bytes") for row in (trident, summa)]
            less = bytes_of[1] / bytes_of[0] if all(bytes_of) else None
            for column, value in (("summa", number(summa, "over_trident")), ("tpetra", number(tpetra, "over_trident")),
                                  ("grid", number(summa, "over_trident_on_grid")), ("bytes", less)):
                found[column] += [value] if value else []
            table.row(results.label(where), "%s %s" % (name(case[2]), product), with_grid(trident), with_grid(summa),
                      milliseconds(tpetra), times(summa), times(summa, "over_trident_on_grid"), times(tpetra),
                      megabytes(trident), megabytes(summa), digits(less))
        for what, of in (("least", min), ("geometric mean", statistics.geometric_mean)):
            cells = [(digits if column == "bytes" else ratio)(of(values) if values else None)
                     for column, values in found.items()]
            table.row(results.label(where), "%s, %s" % (product, what), "", "", "", *cells[:3], "", "", cells[3])


def write_phases(results, file):
    cases = results.cases("A·A", "A·restriction")
    cases = [case for case in cases if results.get(case, "trident")["seconds_setup"] != ""]
    if not cases:
        return
    table = tables.Markdown("nodes × GPUs, ports", "product", "by", "all", *PHASES, "local product: least, most",
                            file=file)
    for case in cases:
        for algorithm in ("trident", "summa"):
            row = results.get(case, algorithm)
            if row.get("seconds_setup"):
                table.row(results.label(case[1]), "%s %s" % (name(case[2]), case[0]),
                          {"trident": "Trident", "summa": "SUMMA"}[algorithm], milliseconds(row),
                          *(milliseconds(row, "seconds_" + phase) for phase in PHASES),
                          ", ".join(milliseconds(row, "multiply_" + which) for which in ("least", "most")))


def write_paper(results, file):
    """The paper's own way beside Trident's and SUMMA's, on the grid, as the paper measures."""
    cases = results.cases("A·A", "A·restriction", algorithms=PAPERS)
    refused = {row["error"]: row for row in results.failed if row["algorithm"] == "paper"}
    if cases:
        table = tables.Markdown("nodes × GPUs, ports", "product", "Trident", "SUMMA", *PAPERS.values(),
                                *("SUMMA / " + how for how in PAPERS.values()), file=file)
        for case in cases:
            grids = [number(results.get(case, a), "on_grid_seconds") for a in ("trident", "summa", *PAPERS)]
            table.row(results.label(case[1]), "%s %s" % (name(case[2]), case[0]), *(digits(g, 1e3) for g in grids),
                      *(ratio(grids[1] / g if g and grids[1] else None) for g in grids[2:]))
    for error, row in refused.items():
        file.write("%sThe queue was refused, as of %s on %s: %s.\n" % (
            "\n" if cases else "", name(row["A"]), results.label(place(row)), error.rstrip(".")))


def write_others(product):
    """R·A·P or the expansion: all ways."""
    def write(results, file):
        ways = list(dict.fromkeys(key[3] for key in results.rows if key[0] == product))
        if not ways:
            return
        others = [way for way in ways if way != "trident"]
        table = tables.Markdown("nodes × GPUs, ports", "A", *ways, *(way + " / trident" for way in others),
                                *(["MB at the ports: " + ", ".join(ways)] if product == "expansion" else []), file=file)
        for case in results.cases(product, algorithms=ways):
            row = [results.get(case, way) for way in ways]
            ports = [", ".join(digits(number(r, "port_bytes"), 1e-6) for r in row)] if product == "expansion" else []
            table.row(results.label(case[1]), name(case[2]), *(milliseconds(r) for r in row),
                      *(times(results.get(case, way)) for way in others), *ports)
    return write


def write_conditions(results, file):
    """Cards, commits, MPI."""
    found = dict.fromkeys(tuple(row[c] for c in ("device", "commit", "mpi")) for row in results.rows.values())
    for device, commit, version in found:
        file.write("- %s; commit %s; %s\n" % (device or "no GPU", commit, version))


BLOCKS = {"products": write_products, "phases": write_phases, "paper": write_paper, "galerkin": write_others("R·A·P"),
          "expansion": write_others("expansion"), "conditions": write_conditions}
