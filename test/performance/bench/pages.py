# SPDX-License-Identifier: BSD-3-Clause
"""What pages say of ratios.csv: the README's sentence, table and limits, and the tables of the page of results.

A page holds such a text between the lines "<!-- ratios: NAME -->" and "<!-- ratios: end -->". `measure gpu --plot-only
--pages` writes it anew, and a test compares.
"""
import io
import os
import re
import statistics
import textwrap

from . import mpi, ratio_tables
from .ratio_tables import digits, name, number

RESULTS = os.path.normpath(os.path.join(mpi.FOLDER, "../../doc/results"))
HOSTS = os.path.join(RESULTS, "ratios.csv")
SETUPS = os.path.join(RESULTS, "gpu/setups.csv")
BLOCK = re.compile(r"(<!-- ratios: (?!end)(\w+) -->\n).*?(<!-- ratios: end -->\n)", re.DOTALL)
# The README's rows: product, matrix, and what it is.
SHOWN = [("R·A·P", "laplace3d:n=100", "stencil"), ("A·A", "er:n=1000000,d=16", "random"),
         ("A·A", "rmat:scale=18,d=8", "with hubs"), ("A·restriction", "cnr-2000", "web")]
SETUP = ("laplace3d", "100")  # of the README's setup: the problem with which Trident gains least on four GPUs
WORDS = dict(enumerate("one two three four five six seven eight nine ten".split(), 1))
SHORT = 0.01  # s on one GPU, below which more GPUs do not pay


def rewritten(text, rows, hosts, setups):
    """A page with its texts written anew. Raises KeyError where it names one that is not known."""
    written = blocks(rows, hosts, setups)
    return BLOCK.sub(lambda match: match.group(1) + written[match.group(2)]() + match.group(3), text)


def blocks(rows, hosts, setups):
    """What writes each text."""
    both = {row["A"] for row in rows if row["product"] == "A·restriction"}  # of others, A·A again is shown alone
    results = ratio_tables.Results([row for row in rows if row.get("way") and not row.get("error")], both)
    found = {"lead": lambda: lead(results, hosts), "table": lambda: table(results, hosts, setups),
             "limits": lambda: limits(results)}
    for head, body in ratio_tables.sections():
        found[re.sub(r"\W+", "_", head).strip("_")] = lambda body=body: section(results, body)
    return found


def section(results, body):
    file = io.StringIO()
    body(results, file)
    return "\n" + re.sub(r"(?<= )---(?= \|)(?<!^\| ---)", "--:", file.getvalue(), flags=re.MULTILINE) + "\n"


def paragraph(text, indent=""):
    """Below 120 columns."""
    return textwrap.fill(text, 119, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) + "\n"


# --- words ------------------------------------------------------------------------------------------------

def word(count):
    return WORDS.get(count, str(count))


def listed(words):
    """a; a and b; a, b and c"""
    words = list(dict.fromkeys(words))
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def two(value):
    """A number of a sentence: two digits, or all before the point."""
    return ("%.0f" if value >= 100 else "%#.3g" if value >= 10 else "%#.2g") % value


def span(values):
    low, high = two(min(values)), two(max(values))
    return low if low == high else "%s to %s" % (low, high)


def gpus(rows):
    """What was measured on: "one, two and four H200 GPUs"."""
    kinds = sorted({kind(row) for row in rows})
    counts = sorted({int(row["ranks"]) for row in rows})
    return "%s %s GPU%s" % (listed([word(c) for c in counts]), "/".join(kinds), "s" * (counts != [1]))


def kind(row):
    """H200, of NVIDIA H200."""
    found = re.search(r"\b[A-Z]+\d+\w*", row.get("device") or "")
    return found.group() if found else row.get("device") or "unknown"


# --- the sentence -----------------------------------------------------------------------------------------

def lead(results, hosts):
    """What the README says first."""
    rows = list(results.rows.values())
    galerkin = [row for row in rows if row["way"] == "tpetra-two-calls" and row.get("over_one_call")]
    said = []
    if galerkin:
        said.append("On %s Tpetra's two products of R·A·P took %s times as long as Trident's one call."
                    % (gpus(galerkin), span([number(row, "over_one_call") for row in galerkin])))
    squares = [row for row in rows if row["product"] == "A·A" and row["way"] == "trident"
               and row.get("tpetra_over_this") and row["A"] in results.compared]
    if squares:
        same = said and gpus(squares) == gpus(galerkin)
        said.append("%s A·A of %s matrices took Tpetra, in the geometric mean, %s times as long%s."
                    % ("There" if same else "On " + gpus(squares), word(len({row["A"] for row in squares})),
                       mean_and_span(number(row, "tpetra_over_this") for row in squares), oddity(results, squares)))
    ranks = listed([word(count) for count in sorted({int(row["ranks"]) for row in hosts})])
    said.append("On CPUs, on %s ranks, %d products took it likewise %s times as long."
                % (ranks, len({(row["A"], row["product"]) for row in hosts}),
                   mean_and_span(number(row, "ratio") for row in hosts)))
    return "\n" + paragraph(" ".join(said)) + "\n"


def mean_and_span(values):
    """1.9 (0.22 to 7.4): the geometric mean, the least and the most."""
    values = list(values)
    return "%s (%s)" % (two(statistics.geometric_mean(values)), span(values))


def oddity(results, rows):
    """Says so where the greatest ratio is one at which Tpetra loses by more GPUs."""
    most = max(rows, key=lambda row: number(row, "tpetra_over_this"))
    ranks = int(most["ranks"])
    here, one = (number(results.get("A·A", most["A"], count, "tpetra"), "seconds") for count in (ranks, 1))
    if ranks == 1 or not here or not one or here < one:
        return ""
    return "; at the %s Tpetra itself takes longer on more GPUs" % two(number(most, "tpetra_over_this"))


# --- tables -----------------------------------------------------------------------------------------------

def table(results, hosts, setups):
    """The README's rows: products on one GPU and on most, a setup, and CPUs; and what was measured on."""
    counts = results.counts()
    counts = [counts[0], counts[-1]] if len(counts) > 1 else counts
    heads = ["product"]
    for count in counts:
        heads += ["%s GPU%s: Tpetra" % (word(count), "s" * (count > 1)), "Trident", "ratio"]
    rows = []
    for product, A, what in SHOWN:
        way = "tpetra-two-calls" if product == "R·A·P" else "tpetra"
        label = "%s, %s, %s" % (product.replace("restriction", "R"), what, name(A))
        rows.append([label] + [cell for count in counts for cell in cells_of(results, product, A, count, way)])
    rows.append(["MueLu's later setup, %s" % name("%s:n=%s" % SETUP)]
                + [cell for count in counts for cell in cells_of_setup(setups, count)])
    squares = [row for row in hosts if row["product"] != "A*R" and int(row["ranks"]) in counts]
    rows.append(["A·A, CPUs, %s rank%s, %d matrices" % (" and ".join(word(count) for count in counts),
                                                       "s" * (counts != [1]), len({row["A"] for row in squares}))]
                + [cell for count in counts for cell in cells_of_hosts(squares, count)])
    lines = ["| " + " | ".join(heads) + " |", "| --- |" + " --: |" * (len(heads) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows if any(cell != "-" for cell in row[1:])]
    return "\n" + "\n".join(lines) + "\n\n" + conditions(results)


def cells_of_setup(setups, count):
    """Milliseconds of MueLu's later setups as they are, and by the drop-in with plans, and their ratio."""
    seconds = {way: [float(row["seconds"]) for row in setups
                     if (row["problem"], row["n"]) == SETUP and row["ranks"] == str(count) and row["way"] == way
                     and row["reuse"] == "none" and row["part"] == "whole" and row["setup"] != "0"]
               for way in ("MueLu", "drop-in, plans")}
    if not all(seconds.values()):
        return ["-", "-", "-"]
    tpetra, trident = (statistics.median(each) for each in seconds.values())
    return [digits(tpetra, 1e3), digits(trident, 1e3), two(tpetra / trident)]


def cells_of_hosts(squares, count):
    ratios = [number(row, "ratio") for row in squares if int(row["ranks"]) == count]
    return ["-", "-", mean_and_span(ratios) if ratios else "-"]


def cells_of(results, product, A, count, way):
    """Milliseconds of Tpetra and of Trident, and their ratio; of a ratio alone no times."""
    tpetra = results.get(product, A, count, way)
    trident = results.get(product, A, count, "one-call" if product == "R·A·P" else "trident")
    times = number(tpetra, "over_one_call") if product == "R·A·P" else number(trident, "tpetra_over_this")
    if product == "R·A·P" and not tpetra.get("seconds"):
        trident = {}
    return [ratio_tables.milliseconds(tpetra), ratio_tables.milliseconds(trident),
            "-" if times is None else two(times)]


def conditions(results):
    """GPUs and commits of the products that the table shows."""
    by = {}
    for row in results.rows.values():
        if row["product"] in ("R·A·P", "A·A", "A·restriction") and (row.get("seconds") or row.get("over_one_call")):
            by.setdefault((kind(row), row["commit"], "" if row.get("seconds") else "ratios of R·A·P alone"),
                          set()).add(int(row["ranks"]))
    texts = ["%s %s, commit %s%s" % (word(max(ranks)), what, commit, more and " (%s)" % more)
             for (what, commit, more), ranks in by.items()]
    return paragraph("GPUs of one machine: %s." % "; ".join(texts)) + "\n"


# --- limits -----------------------------------------------------------------------------------------------

def limits(results):
    """Where it does not pay, by the same numbers."""
    return "\n" + limit_of_gpus(results) + limit_of_thin(results) + "\n"


def limit_of_gpus(results):
    """How many short products take longer on more GPUs than on one, and what the others gain."""
    counts = [count for count in results.counts() if count > 1]
    short, long = [], []
    for product, A, ranks in results.cases(*ratio_tables.MAIN):
        here, one = (number(results.get(product, A, count, ratio_tables.MAIN[product]), "seconds")
                     for count in (ranks, 1))
        if ranks > 1 and here and one:
            (short if one < SHORT else long).append((here, one))
    slower = [here - one for here, one in short if here > one]
    if not slower or not long:
        return ""
    return paragraph("- **Several GPUs for a product below %.0f ms.** On %s GPUs %d of %d such products took longer than "
                     "on one, by up to %s ms. Longer ones took %s of one GPU's time."
                     % (1e3 * SHORT, " or ".join(word(count) for count in counts), len(slower), len(short),
                        digits(max(slower), 1e3), span([here / one for here, one in long])), "  ")


def limit_of_thin(results):
    """Where Tpetra's product with a thin factor is faster."""
    alone = [number(row, "tpetra_over_this") for row in results.rows.values()
             if row["product"] == "A·restriction" and row["way"] == "trident" and row.get("tpetra_over_this")
             and int(row["ranks"]) == 1]
    below = sorted(times for times in alone if times < 1)
    if not below:
        return ""
    return paragraph("- **Thin right factors on one GPU.** %s of %s ratios of A·R are below 1: %s."
                     % (word(len(below)).capitalize(), word(len(alone)), listed([digits(t) for t in below])), "  ")
