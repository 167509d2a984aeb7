# SPDX-License-Identifier: BSD-3-Clause
"""The tables of `gpu ratios`, ready for a page of results: milliseconds, medians, of the slowest rank."""
import statistics

from . import tables
from .tables import number

PRODUCTS = ["A·A", "A·restriction", "R·A·P", "A·A again", "A·restriction again", "expansion", "clustering"]
PHASES = ["setup", "import", "gather", "multiply", "export", "other"]
ON_GRID = ["gather", "multiply"]
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
    results = Results([row for row in rows if row.get("way") and not row.get("error")], compared)
    file.write("# Products on GPUs\n\n" + "".join("- %s: %s\n" % item for item in known.items()))
    file.write("\nMilliseconds of the slowest rank, medians of seven after two, and of three where a product takes longer\n"
               "than 0.1 s. A ratio is Tpetra's time over Trident's, of R·A·P by Tpetra's fastest way.\n")
    for head, body in sections():
        file.write("\n## %s\n\n" % head)
        body(results, file)
    failed = [row for row in rows if row.get("error")]
    if failed:
        file.write("\n## Without a result\n\n")
        table = tables.Markdown("product", "A", "GPUs", "way", "why", file=file)
        for row in failed:
            table.row(row["product"], name(row["A"]), row["ranks"], row.get("way", ""), row["error"])


def sections():
    """Heads and what writes the tables below them."""
    return [("Products", write_products), ("Phases", write_phases), ("R·A·P", write_galerkin),
            ("The same product again", write_again), ("Markov clustering: expansion", write_expansion),
            ("Markov clustering: whole runs", write_clustering)]


class Results:
    """Rows by product, matrix, number of GPUs and way; of two the first."""

    def __init__(self, rows, compared):
        self.rows, self.compared = {}, compared
        for row in rows:
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
        """(product, matrix, GPUs), the GPUs of a matrix after each other."""
        for product in products:
            for A in self.matrices(product):
                for ranks in self.counts(product):
                    if any(self.get(product, A, ranks, way) for way in {way for _, _, _, way in self.rows}):
                        yield product, A, ranks


# --- cells ------------------------------------------------------------------------------------------------

def name(A):
    """Generators as what is typed, files as they are."""
    return "`%s`" % A if ":" in A and " " not in A else A


def milliseconds(row, column="seconds"):
    return digits(number(row, column), 1e3)


def digits(value, unit=1.0):
    """Three digits, all that stand before the point, and at most three behind it."""
    if value is None:
        return "-"
    size = abs(value * unit)
    return ("%.0f" if size >= 100 else "%#.3g" if size >= 0.1 else "%.3f") % (value * unit)


def ratio(value):
    """Bold where Trident is the slower one."""
    return "-" if value is None else ("%s" if value >= 1 else "**%s**") % digits(value)


def on_gpus(count):
    return "one GPU" if count == 1 else "%d GPUs" % count


def phases(row):
    return [milliseconds(row, "seconds_" + phase) for phase in PHASES]


def on_grid(row):
    """Seconds of the product on the grid: neither the ways to and from it nor setup."""
    parts = [number(row, "seconds_" + phase) for phase in ON_GRID]
    return None if None in parts else sum(parts)


def quotient(above, below):
    return above / below if above is not None and below else None


# --- tables -----------------------------------------------------------------------------------------------

def write_products(results, file):
    counts = results.counts()
    more = [count for count in counts if count > 1]
    head = ["A·B"]
    for count in counts:
        head += [on_gpus(count) + ": Tpetra", "Trident", "ratio"]
    table = tables.Markdown(*head, *("%s / one" % on_gpus(count) for count in more), file=file)
    for product, way in MAIN.items():
        found = {count: [] for count in counts}
        for A in results.matrices(product):
            cells = [name(A) + " " + product]
            for count in counts:
                mine = results.get(product, A, count, way)
                times = number(mine, "tpetra_over_this")
                found[count] += [times] if times is not None else []
                cells += [milliseconds(results.tpetra(product, A, count, way)), milliseconds(mine), ratio(times)]
            if set(cells[1:]) == {"-"}:
                continue
            table.row(*cells, *(digits(number(results.get(product, A, count, way), "over_one_gpu")) for count in more))
        for what, of in (("least", min), ("geometric mean", statistics.geometric_mean)):
            if found and all(found.values()):
                cells = [cell for count in counts for cell in ("", "", ratio(of(found[count])))]
                table.row("%s, %s" % (product, what), *cells, *[""] * len(more))


def write_phases(results, file):
    """Where Trident's time goes; the speed on the grid beside that of one GPU."""
    table = tables.Markdown("A·B", "GPUs", "Trident", *PHASES, "on the grid: times one GPU's speed", "first product",
                            file=file)
    for product, A, ranks in results.cases(*MAIN):
        row, one = (results.get(product, A, count, MAIN[product]) for count in (ranks, 1))
        if row:
            speed = quotient(on_grid(one), on_grid(row)) if ranks > 1 else None
            table.row(name(A) + " " + product, ranks, milliseconds(row), *phases(row), digits(speed),
                      milliseconds(row, "first_call_seconds"))


def write_galerkin(results, file):
    """Times of all ways, then ratios of them."""
    ways = {"one-call": "Trident: one call", "two-calls": "two calls", "plan": "plan",
            "tpetra-two-calls": "Tpetra: two calls", "tpetra-transpose": "with a transpose",
            "tpetra-triple": "triple product", "one-call-given": "R given: Trident", "tpetra-given": "Tpetra"}
    table = tables.Markdown("A", "GPUs", *ways.values(), file=file)
    for product, A, ranks in results.cases("R·A·P"):
        times = [milliseconds(results.get(product, A, ranks, way)) for way in ways]
        if set(times) != {"-"}:
            table.row(name(A), ranks, *times)
    file.write("\n")
    table = tables.Markdown("A", "GPUs", "Tpetra's two calls / Trident's one", "with a transpose / one",
                            "triple product / one", "R given: Tpetra / Trident", "plan / one call",
                            "one call: GPUs / one", "plan: GPUs / one", file=file)
    for product, A, ranks in results.cases("R·A·P"):
        by = {way: results.get(product, A, ranks, way) for way in ("one-call", "plan", *ONE_CALL)}
        table.row(name(A), ranks, *(ratio(number(by[way], "over_one_call")) for way in ONE_CALL),
                  digits(number(by["plan"], "over_product")),
                  *(digits(number(by[way], "over_one_gpu")) for way in ("one-call", "plan")))


def write_again(results, file):
    """Plans, with the structure known; Tpetra's is a product into a C that has its graph."""
    table = tables.Markdown("A·B", "GPUs", "product", "plan", "plan / product", "Tpetra again", "Tpetra / plan",
                            "GPUs / one", *PHASES, file=file)
    for product, A, ranks in results.cases("A·A again", "A·restriction again", "R·A·P"):
        if product == "R·A·P":  # of which Tpetra has no second one
            whole, plan, tpetra = results.get(product, A, ranks, "one-call"), results.get(product, A, ranks, "plan"), {}
        else:
            whole = results.get(product[:-len(" again")], A, ranks, "trident")
            plan, tpetra = (results.get(product, A, ranks, way) for way in ("trident", "tpetra"))
        if plan:
            table.row(name(A) + " " + product, ranks, milliseconds(whole), milliseconds(plan),
                      digits(number(plan, "over_product")), milliseconds(tpetra),
                      ratio(number(plan, "tpetra_over_this")) if tpetra else "-", digits(number(plan, "over_one_gpu")),
                      *phases(plan))


def write_expansion(results, file):
    table = tables.Markdown("M", "GPUs", "iterations", "Trident", "SUMMA", "Tpetra", "Tpetra / Trident",
                            "Trident: GPUs / one", file=file)
    for product, A, ranks in results.cases("expansion"):
        by = {way: results.get(product, A, ranks, way) for way in ("trident", "summa", "tpetra")}
        table.row(name(A), ranks, by["trident"].get("iterations", "-"), *(milliseconds(row) for row in by.values()),
                  ratio(number(by["trident"], "tpetra_over_this")), digits(number(by["trident"], "over_one_gpu")))


def write_clustering(results, file):
    """Seconds of one run each."""
    table = tables.Markdown("network", "GPUs", "s to read", "s to cluster", "s to write", "to cluster: GPUs / one",
                            "iterations", "clusters", "modularity", file=file)
    for product, A, ranks in results.cases("clustering"):
        row = results.get(product, A, ranks, "trident")
        table.row(name(A), ranks, *(digits(number(row, c)) for c in ("seconds_read", "seconds", "seconds_write")),
                  digits(number(row, "over_one_gpu")), row["iterations"], row["clusters"], row["modularity"])
