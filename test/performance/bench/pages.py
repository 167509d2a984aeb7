# SPDX-License-Identifier: BSD-3-Clause
"""The tables that pages have of ratios.csv, between the lines "<!-- ratios: NAME -->" and "<!-- ratios: end -->", and of
nodes.csv likewise. `measure gpu --plot-only --pages` writes them anew, and a test compares. Plain Python, so that the
test runs anywhere."""
import io
import os
import re
import statistics

from . import gpu_nodes, ratios, tables
from .tables import number

BLOCK = re.compile(r"(<!-- (ratios|nodes): (?!end)(.+?) -->\n).*?(<!-- \2: end -->\n)", re.DOTALL)
# The README's rows: product, matrix, and what it is.
SHOWN = [("R·A·P", "laplace3d:n=100", "stencil"), ("A·A", "er:n=1000000,d=16", "random"),
         ("A·A", "rmat:scale=18,d=8", "with hubs"), ("A·restriction", "cnr-2000", "web")]
WORDS = {1: "one", 2: "two", 3: "three", 4: "four"}
# R·A·P stands beside the products by Trident's one call.
MAIN = {"A·A": "trident", "A·restriction": "trident", "R·A·P": "one-call"}
# Product and way of a plan for each of these.
PLANS = {"A·A": ("A·A again", "trident"), "A·restriction": ("A·restriction again", "trident"),
         "R·A·P": ("R·A·P", "plan")}
OF_GALERKIN = {"one-call": "Trident: one call", "two-calls": "two calls", "plan": "plan",
               "tpetra-two-calls": "Tpetra: two calls", "tpetra-transpose": "with a transpose",
               "tpetra-triple": "triple product", "one-call-given": "R given: Trident", "tpetra-given": "Tpetra"}
PAPERS = dict(zip(gpu_nodes.PAPERS, ("asked for by the queue", "sent ahead")))
SUMS = {"least": min, "geometric mean": statistics.geometric_mean}


def known(folder):
    """Returns the rows of a folder's ratios.csv and nodes.csv, those that are there."""
    paths = {kind: os.path.join(folder, kind + ".csv") for kind in ("ratios", "nodes")}
    return {kind: tables.read_csv(path) for kind, path in paths.items() if os.path.exists(path)}


def rewritten(text, rows):
    """Returns a page with its tables of `rows` ({"ratios": ..., "nodes": ...}) written anew. Raises KeyError where it
    names one that there is not."""
    return BLOCK.sub(lambda found: found[1] + block(found[2], found[3], rows[found[2]]) + found[4]
                     if found[2] in rows else found[0], text)


def block(kind, words, rows):
    """Returns what stands between the two lines. `words`: a table; and of which product, shape or commit its rows are."""
    table, *wanted = words.split()
    rows = [row for row in rows if not row.get("error") and all(word in (
        row["product"], row["commit"], "%sx%s" % (row.get("nodes"), row.get("gpus_per_node"))) for word in wanted)]
    file = io.StringIO()
    TABLES[kind, table]((Ratios if kind == "ratios" else cases_of_nodes)(rows), file)
    return "\n%s\n" % file.getvalue()


def name(A):
    """Generators as what is typed, files as they are."""
    return "`%s`" % A if ":" in A and " " not in A else A


def digits(value, unit=1.0):
    """Three digits, all that stand before the point, and at most three behind it."""
    if value is None:
        return "-"
    size = abs(value * unit)
    return ("%.0f" if size >= 100 else "%#.3g" if size >= 0.1 else "%.3f") % (value * unit)


def milliseconds(row, column="seconds"):
    return digits(number(row, column), 1e3)


def ratio(value):
    """Bold where Trident is the slower one."""
    return "-" if value is None else ("%s" if value >= 1 else "**%s**") % digits(value)


def over(row, what):
    return digits(number(row, "over_" + what))


def phases(row, of):
    return [milliseconds(row, "seconds_" + phase) for phase in of]


def aligned(file, texts, *head):
    """A table whose columns but the first are numbers."""
    return tables.Markdown(*head, file=file, numbers=range(texts, len(head)))


class Ratios:
    """Rows of ratios.csv with a result by product, matrix, number of GPUs and way; of two the first."""

    def __init__(self, rows):
        self.rows = {}
        for row in rows:
            self.rows.setdefault((row["product"], row["A"], int(row["ranks"]), row["way"]), row)
        self.counts = sorted({key[2] for key, row in self.rows.items() if row["seconds"]})

    def get(self, *key):
        return self.rows.get(key, {})

    def matrices(self, *products):
        """(product, matrix); of A·A those that have an A·restriction: of others, A·A again is shown alone."""
        found = dict.fromkeys(key[:2] for product in products for key in self.rows if key[0] == product)
        return [(product, A) for product, A in found
                if product != "A·A" or any(key[:2] == ("A·restriction", A) for key in self.rows)]

    def cases(self, product):
        """(matrix, GPUs) of one product, the GPUs of a matrix after each other."""
        return [(A, count) for _, A in self.matrices(product) for count in self.counts
                if any(key[:3] == (product, A, count) for key in self.rows)]


def on_gpus(count):
    return "one GPU" if count == 1 else "%d GPUs" % count


def write_products(results, file):
    """Trident's time, Tpetra's over it, and that of a plan, for each number of GPUs; the least and the mean."""
    table = aligned(file, 1, "A·B", *(cell for count in results.counts for cell in (
        on_gpus(count) + ": Trident", "Tpetra / Trident", "plan")))
    for product, way in MAIN.items():
        found = {count: [] for count in results.counts}
        again, planned = PLANS[product]
        for _, A in results.matrices(product):
            cells = []
            for count in results.counts:
                mine = results.get(product, A, count, way)
                times = number(mine, "tpetra_over_this")
                found[count] += [times] if times is not None else []
                cells += [milliseconds(mine), ratio(times), milliseconds(results.get(again, A, count, planned))]
            if set(cells) != {"-"}:
                table.row(name(A) + " " + product, *cells)
        for what, of in SUMS.items():
            if found and all(found.values()):
                table.row("%s, %s" % (product, what), *(cell for count in results.counts for cell in (
                    "", ratio(of(found[count])), "")))


def write_galerkin(results, file):
    table = aligned(file, 1, "A", "GPUs", *OF_GALERKIN.values())
    for A, count in results.cases("R·A·P"):
        table.row(name(A), count, *(milliseconds(results.get("R·A·P", A, count, way)) for way in OF_GALERKIN))


def write_expansion(results, file):
    ways = ("trident", "summa", "tpetra")
    table = aligned(file, 1, "M", "GPUs", "iterations", "Trident", "SUMMA", "Tpetra", "Tpetra / Trident",
                    "Trident: GPUs / one")
    for A, count in results.cases("expansion"):
        of = [results.get("expansion", A, count, way) for way in ways]
        table.row(name(A), count, of[0].get("iterations", "-"), *map(milliseconds, of),
                  ratio(number(of[0], "tpetra_over_this")), over(of[0], "one_gpu"))


def write_clustering(results, file):
    """Seconds of one run each."""
    table = aligned(file, 1, "network", "GPUs", "s to read", "s to cluster", "s to write", "to cluster: GPUs / one",
                    "iterations", "clusters", "modularity")
    for A, count in results.cases("clustering"):
        row = results.get("clustering", A, count, "trident")
        table.row(name(A), count, *(digits(number(row, c)) for c in ("seconds_read", "seconds", "seconds_write")),
                  over(row, "one_gpu"), row["iterations"], row["clusters"], row["modularity"])


def of_readme(results, file):
    """Products on one GPU and on most."""
    counts = list(dict.fromkeys([results.counts[0], results.counts[-1]]))
    heads = ["%s GPU%s: Tpetra" % (WORDS[count], "s" * (count > 1)) for count in counts]
    table = aligned(file, 1, "product", *(cell for head in heads for cell in (head, "Trident", "ratio")))
    for product, A, what in SHOWN:
        label = "%s, %s, %s" % (product.replace("restriction", "R"), what, name(A))
        table.row(label, *(cell for count in counts for cell in cells_of(results, product, A, count)))


def two(value):
    """Two digits, or all before the point."""
    return ("%.0f" if value >= 100 else "%#.3g" if value >= 10 else "%#.2g") % value


def cells_of(results, product, A, count):
    """Milliseconds of Tpetra and of Trident, and their ratio."""
    galerkin = product == "R·A·P"
    tpetra = results.get(product, A, count, "tpetra-two-calls" if galerkin else "tpetra")
    trident = results.get(product, A, count, MAIN[product])
    times = number(tpetra, "over_one_call") if galerkin else number(trident, "tpetra_over_this")
    return [milliseconds(tpetra), milliseconds(trident), "-" if times is None else two(times)]


def cases_of_nodes(rows):
    """Rows of nodes.csv: {(place, product, matrix): {algorithm: row}}; of two the first. The place is a shape, with the
    rate where rows have several."""
    cases = {}
    one_rate = len({row["rate"] for row in rows}) == 1
    for row in rows:
        place = "%s×%s" % (row["nodes"], row["gpus_per_node"])
        if not one_rate:
            place += ", " + row["rate"].replace("gbit", " Gbit/s")
        cases.setdefault((place, row["product"], row["A"]), {}).setdefault(row["algorithm"], row)
    return {case: by for case, by in cases.items() if case[1] in MAIN and "trident" in by}


def of_nodes(file, *head):
    return aligned(file, 2, "nodes×GPUs", "product", *head)


def write_nodes(cases, file):
    """Times, ratios and bytes; least and geometric mean of each place."""
    table = of_nodes(file, "Trident", "SUMMA", "Tpetra", "SUMMA / Trident", "on the grid", "Tpetra / Trident",
                     "MB between nodes: Trident", "SUMMA", "SUMMA / Trident")
    for where in dict.fromkeys(case[:2] for case in cases):
        found = []
        for (place, product, A), by in cases.items():
            if (place, product) != where:
                continue
            trident, summa, tpetra = (by.get(algorithm, {}) for algorithm in ("trident", "summa", "tpetra"))
            sent = [number(row, "internode_bytes") for row in (trident, summa)]
            found.append([number(summa, "over_trident"), number(summa, "over_trident_on_grid"),
                          number(tpetra, "over_trident"), sent[1] / sent[0] if all(sent) else None])
            grids = ["%s (%s)" % (milliseconds(row), milliseconds(row, "on_grid_seconds")) if row else "-"
                     for row in (trident, summa)]
            table.row(place, "%s %s" % (name(A), product), *grids, milliseconds(tpetra), *map(ratio, found[-1][:3]),
                      *(digits(b, 1e-6) for b in sent), digits(found[-1][3]))
        for what, of in SUMS.items():
            known_ones = [[value for value in column if value] for column in zip(*found)]
            cells = [of(column) if column else None for column in known_ones]
            table.row(where[0], "%s, %s" % (where[1], what), "", "", "", *map(ratio, cells[:3]), "", "", digits(cells[3]))


def write_phases_of_nodes(cases, file):
    """The phases that matter, of Trident and of SUMMA beside each other."""
    libraries = {"trident": ("Trident", ("wait", "gather", "multiply", "export")),
                 "summa": ("SUMMA", ("wait", "multiply", "export"))}
    table = of_nodes(file, *(cell for library, of in libraries.values() for cell in (library + ": all", *of)))
    for (place, product, A), by in cases.items():
        cells = [cell for algorithm, (_, of) in libraries.items() for cell in (
            milliseconds(by.get(algorithm, {})), *phases(by.get(algorithm, {}), of))]
        if number(by["trident"], "seconds_setup") is not None:
            table.row(place, "%s %s" % (name(A), product), *cells)


def write_paper(cases, file):
    """The paper's own way beside Trident's and SUMMA's, on the grid, as the paper measures."""
    table = of_nodes(file, "Trident", "SUMMA", *PAPERS.values(), *("SUMMA / " + how for how in PAPERS.values()))
    for (place, product, A), by in cases.items():
        grids = [number(by.get(a, {}), "on_grid_seconds") for a in ("trident", "summa", *PAPERS)]
        if any(grids[2:]):
            table.row(place, "%s %s" % (name(A), product), *(digits(g, 1e3) for g in grids),
                      *(ratio(grids[1] / g if g and grids[1] else None) for g in grids[2:]))


TABLES = {("ratios", "table"): of_readme, ("ratios", "products"): write_products,
          ("ratios", "galerkin"): write_galerkin, ("ratios", "expansion"): write_expansion,
          ("ratios", "clustering"): write_clustering,
          ("nodes", "products"): write_nodes, ("nodes", "phases"): write_phases_of_nodes, ("nodes", "paper"): write_paper}
