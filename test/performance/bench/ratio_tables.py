# SPDX-License-Identifier: BSD-3-Clause
"""The tables of `gpu ratios`, ready for a page of results: milliseconds, medians, of the slowest rank."""
import statistics

from . import tables
from .tables import number

PRODUCTS = ["A·A", "A·restriction", "R·A·P", "A·A again", "A·restriction again", "expansion", "clustering"]
PHASES = ["setup", "import", "gather", "multiply", "export", "other"]
# R·A·P stands beside the products by Trident's one call.
MAIN = {"A·A": "trident", "A·restriction": "trident", "R·A·P": "one-call"}
# Tpetra's ways to form R·A·P, each with Trident's that has the same operands.
ONE_CALL = {"tpetra-two-calls": "one-call", "tpetra-transpose": "one-call", "tpetra-triple": "one-call",
            "tpetra-given": "one-call-given"}


def tpetras(product, way):
    """The ways of Tpetra's that a way of Trident's is compared with."""
    if product != "R·A·P":
        return ["tpetra"]
    return [other for other, one in ONE_CALL.items() if (one == "one-call-given") == (way == "one-call-given")]


def fastest(rows):
    """Of those that are known and have seconds; an empty row where there is none."""
    return min((row for row in rows if row and row.get("seconds")), key=lambda row: float(row["seconds"]), default={})


def place(product):
    """Where a product stands among the others; what failed has no product, and comes last."""
    return PRODUCTS.index(product) if product in PRODUCTS else len(PRODUCTS)


def write(rows, known, compared, file):
    """`rows` of ratios.csv; `known`: what is to be said of the machine; `compared`: the matrices of A·A and
    A·restriction, beside which others have a product again."""
    results = Results(rows, compared)
    file.write("# Products on GPUs\n\n" + "".join("- %s: %s\n" % item for item in known.items()))
    file.write("\nMilliseconds of the slowest rank, medians of seven after two, and of three where a product takes longer\n"
               "than 0.1 s. A ratio is Tpetra's time over Trident's, of R·A·P by Tpetra's fastest way.\n")
    for head, body in SECTIONS.items():
        file.write("\n## %s\n\n" % head)
        body(results, file)
    failed = [row for row in rows if row.get("error")]
    if failed:
        file.write("\n## Without a result\n\n")
        table = tables.Markdown("product", "A", "GPUs", "way", "why", file=file)
        for row in failed:
            table.row(row["product"], name(row["A"]), row["ranks"], row.get("way", ""), row["error"])


class Results:
    """Rows by product, matrix, number of GPUs and way; of two the first."""

    def __init__(self, rows, compared):
        self.rows, self.compared = {}, compared
        for row in rows:
            if row.get("way") and not row.get("error"):
                self.rows.setdefault((row["product"], row["A"], int(row["ranks"]), row["way"]), row)

    def get(self, product, A, ranks, way):
        return self.rows.get((product, A, ranks, way), {})

    def tpetra(self, product, A, ranks, way):
        """Tpetra's fastest way, beside one of Trident's."""
        return fastest(self.get(product, A, ranks, other) for other in tpetras(product, way))

    def matrices(self, product):
        found = dict.fromkeys(A for p, A, _, _ in self.rows if p == product)
        return [A for A in found if A in self.compared or product not in ("A·A", "A·restriction")]

    def counts(self, product=None):
        """How many GPUs: of one product, or of all that have seconds."""
        return sorted({ranks for (p, _, ranks, _), row in self.rows.items()
                       if p == product or product is None and row.get("seconds")})

    def cases(self, *products):
        """(product, matrix, GPUs, rows by way), the GPUs of a matrix after each other."""
        for product in products:
            for A in self.matrices(product):
                for ranks in self.counts(product):
                    by = {way: row for (*of, way), row in self.rows.items() if of == [product, A, ranks]}
                    if by:
                        yield product, A, ranks, by


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


def on_gpus(count):
    return "one GPU" if count == 1 else "%d GPUs" % count


def over(row, what):
    return digits(number(row, "over_" + what))


def phases(row):
    return [milliseconds(row, "seconds_" + phase) for phase in PHASES]


def on_grid(row):
    """Seconds of the product on the grid: neither the ways to and from it nor setup."""
    parts = [number(row, "seconds_" + phase) for phase in ("gather", "multiply")]
    return None if None in parts else sum(parts)


def aligned(file, *head):
    """A table whose columns but the first are numbers."""
    return tables.Markdown(*head, file=file, numbers=range(1, len(head)))


def write_products(results, file):
    counts = results.counts()
    more = [count for count in counts if count > 1]
    heads = [cell for count in counts for cell in (on_gpus(count) + ": Tpetra", "Trident", "ratio")]
    table = aligned(file, "A·B", *heads, *("%s / one" % on_gpus(count) for count in more))
    for product, way in MAIN.items():
        found = {count: [] for count in counts}
        for A in results.matrices(product):
            cells = []
            for count in counts:
                mine = results.get(product, A, count, way)
                times = number(mine, "tpetra_over_this")
                found[count] += [times] if times is not None else []
                cells += [milliseconds(results.tpetra(product, A, count, way)), milliseconds(mine), ratio(times)]
            if set(cells) != {"-"}:
                table.row(name(A) + " " + product, *cells,
                          *(over(results.get(product, A, count, way), "one_gpu") for count in more))
        for what, of in (("least", min), ("geometric mean", statistics.geometric_mean)):
            if found and all(found.values()):
                cells = [cell for count in counts for cell in ("", "", ratio(of(found[count])))]
                table.row("%s, %s" % (product, what), *cells, *[""] * len(more))


def write_phases(results, file):
    """Where Trident's time goes; the speed on the grid beside that of one GPU."""
    table = aligned(file, "A·B", "GPUs", "Trident", *PHASES, "on the grid: times one GPU's speed", "first product")
    for product, A, ranks, by in results.cases(*MAIN):
        row = by.get(MAIN[product])
        if row:
            one, all_of_them = on_grid(results.get(product, A, 1, MAIN[product])), on_grid(row)
            table.row(name(A) + " " + product, ranks, milliseconds(row), *phases(row),
                      digits(one / all_of_them if ranks > 1 and one and all_of_them else None),
                      milliseconds(row, "first_call_seconds"))


def write_galerkin(results, file):
    """Times of all ways, then ratios of them."""
    ways = {"one-call": "Trident: one call", "two-calls": "two calls", "plan": "plan",
            "tpetra-two-calls": "Tpetra: two calls", "tpetra-transpose": "with a transpose",
            "tpetra-triple": "triple product", "one-call-given": "R given: Trident", "tpetra-given": "Tpetra"}
    table = aligned(file, "A", "GPUs", *ways.values())
    for _, A, ranks, by in results.cases("R·A·P"):
        table.row(name(A), ranks, *(milliseconds(by.get(way, {})) for way in ways))
    file.write("\n")
    table = aligned(file, "A", "GPUs", "Tpetra's two calls / Trident's one", "with a transpose / one",
                    "triple product / one", "R given: Tpetra / Trident", "plan / one call", "one call: GPUs / one",
                    "plan: GPUs / one")
    for _, A, ranks, by in results.cases("R·A·P"):
        plan = by.get("plan", {})
        table.row(name(A), ranks, *(ratio(number(by.get(way, {}), "over_one_call")) for way in ONE_CALL),
                  over(plan, "product"), over(by.get("one-call", {}), "one_gpu"), over(plan, "one_gpu"))


def write_again(results, file):
    """Plans, with the structure known; Tpetra's is a product into a C that has its graph."""
    table = aligned(file, "A·B", "GPUs", "product", "plan", "plan / product", "Tpetra again", "Tpetra / plan",
                    "GPUs / one", *PHASES)
    for product, A, ranks, by in results.cases("A·A again", "A·restriction again", "R·A·P"):
        if product == "R·A·P":  # of which Tpetra has no second one
            whole, plan, tpetra = by.get("one-call", {}), by.get("plan"), {}
        else:
            whole, plan = results.get(product[:-len(" again")], A, ranks, "trident"), by.get("trident")
            tpetra = by.get("tpetra", {})
        if plan:
            table.row(name(A) + " " + product, ranks, milliseconds(whole), milliseconds(plan), over(plan, "product"),
                      milliseconds(tpetra), ratio(number(plan, "tpetra_over_this")) if tpetra else "-",
                      over(plan, "one_gpu"), *phases(plan))


def write_expansion(results, file):
    table = aligned(file, "M", "GPUs", "iterations", "Trident", "SUMMA", "Tpetra", "Tpetra / Trident",
                    "Trident: GPUs / one")
    for _, A, ranks, by in results.cases("expansion"):
        trident = by.get("trident", {})
        table.row(name(A), ranks, trident.get("iterations", "-"),
                  *(milliseconds(by.get(way, {})) for way in ("trident", "summa", "tpetra")),
                  ratio(number(trident, "tpetra_over_this")), over(trident, "one_gpu"))


def write_clustering(results, file):
    """Seconds of one run each."""
    table = aligned(file, "network", "GPUs", "s to read", "s to cluster", "s to write", "to cluster: GPUs / one",
                    "iterations", "clusters", "modularity")
    for _, A, ranks, by in results.cases("clustering"):
        row = by["trident"]
        table.row(name(A), ranks, *(digits(number(row, c)) for c in ("seconds_read", "seconds", "seconds_write")),
                  over(row, "one_gpu"), row["iterations"], row["clusters"], row["modularity"])


# Heads, and what writes the tables below them.
SECTIONS = {"Products": write_products, "Phases": write_phases, "R·A·P": write_galerkin,
            "The same product again": write_again, "Markov clustering: expansion": write_expansion,
            "Markov clustering: whole runs": write_clustering}
