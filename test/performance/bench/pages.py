# SPDX-License-Identifier: BSD-3-Clause
"""The tables that pages have of ratios.csv, between the lines "<!-- ratios: NAME -->" and "<!-- ratios: end -->", and of
nodes.csv likewise. `measure gpu --plot-only --pages` writes them anew, and a test compares."""
import io
import os
import re
import statistics

from . import mpi, node_tables, ratio_tables, tables
from .ratio_tables import digits, milliseconds, name
from .tables import number

RESULTS = os.path.normpath(os.path.join(mpi.FOLDER, "../../doc/results"))
BLOCK = re.compile(r"(<!-- (ratios|nodes): (?!end)(\w+) -->\n).*?(<!-- \2: end -->\n)", re.DOTALL)
# The README's rows: product, matrix, and what it is.
SHOWN = [("R·A·P", "laplace3d:n=100", "stencil"), ("A·A", "er:n=1000000,d=16", "random"),
         ("A·A", "rmat:scale=18,d=8", "with hubs"), ("A·restriction", "cnr-2000", "web")]
SETUP = ("laplace3d", "100")  # of the README's setup: the problem with which Trident gains least on four GPUs
WORDS = {1: "one", 2: "two", 3: "three", 4: "four"}


def known(folder):
    """Returns the rows of a folder's ratios.csv and nodes.csv, those that are there."""
    paths = {kind: os.path.join(folder, kind + ".csv") for kind in ("ratios", "nodes")}
    return {kind: tables.read_csv(path) for kind, path in paths.items() if os.path.exists(path)}


def rewritten(text, rows):
    """Returns a page with its tables of `rows` ({"ratios": ..., "nodes": ...}) written anew. Raises KeyError where it
    names one that there is not."""
    return BLOCK.sub(lambda found: found[1] + block(found[2], found[3], rows[found[2]]) + found[4]
                     if found[2] in rows else found[0], text)


def block(kind, table, rows):
    """Returns what stands between the two lines."""
    file = io.StringIO()
    if kind == "nodes":
        node_tables.BLOCKS[table](node_tables.Results(rows), file)
    else:
        both = {row["A"] for row in rows if row["product"] == "A·restriction"}  # of others, A·A again is shown alone
        blocks = {re.sub(r"\W+", "_", head).strip("_"): body for head, body in ratio_tables.SECTIONS.items()}
        {"table": of_readme, **blocks}[table](ratio_tables.Results(rows, both), file)
    return "\n%s\n" % file.getvalue()


def of_readme(results, file):
    """Products on one GPU and on most, a setup, and CPUs."""
    counts = results.counts()
    counts = list(dict.fromkeys([counts[0], counts[-1]]))
    heads = ["%s GPU%s: Tpetra" % (WORDS[count], "s" * (count > 1)) for count in counts]
    table = tables.Markdown("product", *(cell for head in heads for cell in (head, "Trident", "ratio")), file=file,
                            numbers=range(1, 9))
    setups, hosts = (tables.read_csv(os.path.join(RESULTS, path)) for path in ("gpu/setups.csv", "ratios.csv"))
    squares = [row for row in hosts if row["product"] != "A*R" and int(row["ranks"]) in counts]
    rows = [("%s, %s, %s" % (product.replace("restriction", "R"), what, name(A)), cells_of, (results, product, A))
            for product, A, what in SHOWN]
    rows += [("MueLu's later setup, %s" % name("%s:n=%s" % SETUP), cells_of_setup, (setups,)),
             ("A·A, CPUs, %s ranks, %d matrices" % (" and ".join(WORDS[count] for count in counts),
                                                   len({row["A"] for row in squares})), cells_of_hosts, (squares,))]
    for label, cells, of in rows:
        table.row(label, *(cell for count in counts for cell in cells(*of, count)))


def two(value):
    """Two digits, or all before the point."""
    return ("%.0f" if value >= 100 else "%#.3g" if value >= 10 else "%#.2g") % value


def cells_of(results, product, A, count):
    """Milliseconds of Tpetra and of Trident, and their ratio."""
    galerkin = product == "R·A·P"
    tpetra = results.get(product, A, count, "tpetra-two-calls" if galerkin else "tpetra")
    trident = results.get(product, A, count, "one-call" if galerkin else "trident")
    ratio = number(tpetra, "over_one_call") if galerkin else number(trident, "tpetra_over_this")
    return [milliseconds(tpetra), milliseconds(trident), "-" if ratio is None else two(ratio)]


def cells_of_setup(setups, count):
    """The same of MueLu's later setups as they are, and by the drop-in with plans."""
    tpetra, trident = ([float(row["seconds"]) for row in setups
                        if (row["problem"], row["n"]) == SETUP and row["ranks"] == str(count) and row["way"] == way
                        and row["reuse"] == "none" and row["part"] == "whole" and row["setup"] != "0"]
                       for way in ("MueLu", "drop-in, plans"))
    if not tpetra or not trident:
        return ["-", "-", "-"]
    tpetra, trident = statistics.median(tpetra), statistics.median(trident)
    return [digits(tpetra, 1e3), digits(trident, 1e3), two(tpetra / trident)]


def cells_of_hosts(squares, count):
    """No times, and of the ratios the geometric mean, the least and the most."""
    ratios = [number(row, "ratio") for row in squares if int(row["ranks"]) == count]
    return ["-", "-", "%s (%s to %s)" % tuple(map(two, (statistics.geometric_mean(ratios), min(ratios), max(ratios))))
            if ratios else "-"]
