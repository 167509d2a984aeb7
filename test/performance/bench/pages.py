# SPDX-License-Identifier: BSD-3-Clause
"""What pages say of ratios.csv: the README's sentence, tables and limits, and the tables of the page of results.

A page holds such a text between the lines "<!-- ratios: NAME -->" and "<!-- ratios: end -->". `gpu --plot-only --pages`
writes it anew, and a test compares.
"""
import io
import os
import re
import statistics
import textwrap

from . import mpi, ratio_tables, tables
from .ratio_tables import digits, name, number, ratio

HOSTS = os.path.normpath(os.path.join(mpi.FOLDER, "../../doc/results/ratios.csv"))
BLOCK = re.compile(r"(<!-- ratios: (?!end)(\w+) -->\n).*?(<!-- ratios: end -->\n)", re.DOTALL)
# The README's rows: product, matrix, and what it is.
SHOWN = [("R·A·P", "laplace3d:n=100", "stencil"), ("R·A·P", "brick3d:n=60", "stencil of 27 points"),
         ("R·A·P", "brick3d:n=100", "stencil of 27 points"), ("A·A", "er:n=1000000,d=16", "random (Erdős–Rényi)"),
         ("A·A", "rmat:scale=18,d=8", "graph with hubs"), ("A·A", "laplace3d:n=160", "stencil"),
         ("A·restriction", "cnr-2000", "graph of the web")]
WORDS = dict(enumerate("one two three four five six seven eight nine ten".split(), 1))
SHORT = 0.01  # s on one GPU, below which more GPUs do not pay


def rewritten(text, rows, hosts):
    """A page with its texts written anew. Raises KeyError where it names one that is not known."""
    written = blocks(rows, hosts)
    return BLOCK.sub(lambda match: match.group(1) + written[match.group(2)]() + match.group(3), text)


def blocks(rows, hosts):
    """What writes each text."""
    both = {row["A"] for row in rows if row["product"] == "A·restriction"}  # of others, A·A again is shown alone
    results = ratio_tables.Results([row for row in rows if row.get("way") and not row.get("error")], both)
    found = {"lead": lambda: lead(results, hosts), "table": lambda: table(results), "cpus": lambda: cpus(hosts),
             "conditions": lambda: conditions(results), "limits": lambda: limits(results)}
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
    galerkin = {way: [row for row in rows if row["way"] == way and row.get("over_one_call")]
                for way in ("tpetra-two-calls", "tpetra-transpose")}
    said = []
    if galerkin["tpetra-two-calls"]:
        said.append("On %s Tpetra's two products of R·A·P took %s times as long as Trident's one call"
                    % (gpus(galerkin["tpetra-two-calls"]), ratios_of(galerkin["tpetra-two-calls"], "over_one_call")))
        if galerkin["tpetra-transpose"]:
            said[-1] += ", and %s times with the transpose that MueLu forms by default" \
                % ratios_of(galerkin["tpetra-transpose"], "over_one_call")
        said[-1] += "."
    squares = [row for row in rows if row["product"] == "A·A" and row["way"] == "trident"
               and row.get("tpetra_over_this") and row["A"] in results.compared]
    if squares:
        same = said and gpus(squares) == gpus(galerkin["tpetra-two-calls"])
        said.append("%s A·A of %s matrices took Tpetra %s times as long, in the geometric mean %s%s."
                    % ("There" if same else "On " + gpus(squares), word(len({row["A"] for row in squares})), ratios_of(squares, "tpetra_over_this"),
                       two(statistics.geometric_mean(number(row, "tpetra_over_this") for row in squares)),
                       oddity(results, squares)))
    known = [number(row, "ratio") for row in hosts]
    ranks = listed([word(count) for count in sorted({int(row["ranks"]) for row in hosts})])
    said.append("On CPUs, on %s ranks, %d products took it %s times as long, in the geometric mean %s (\"Evidence\" below)."
                % (ranks, len({(row["A"], row["product"]) for row in hosts}), span(known),
                   two(statistics.geometric_mean(known))))
    return "\n" + paragraph(" ".join(said)) + "\n"


def ratios_of(rows, column):
    return span([number(row, column) for row in rows])


def oddity(results, rows):
    """Where the greatest ratio is one at which Tpetra loses by more GPUs, its times."""
    most = max(rows, key=lambda row: number(row, "tpetra_over_this"))
    ranks = int(most["ranks"])
    here, one = (number(results.get("A·A", most["A"], count, "tpetra"), "seconds") for count in (ranks, 1))
    if ranks == 1 or not here or not one or here < one:
        return ""
    return "; the %s is where Tpetra itself takes longer on more GPUs, %s ms on %s and %s on one" \
        % (two(number(most, "tpetra_over_this")), digits(here, 1e3), word(ranks), two(1e3 * one))


# --- tables -----------------------------------------------------------------------------------------------

def table(results):
    """The README's rows on one GPU and on most, R·A·P by two ways of Tpetra's."""
    counts = results.counts()
    counts = [counts[0], counts[-1]] if len(counts) > 1 else counts
    heads = ["product"]
    for count in counts:
        heads += ["%s GPU%s: Tpetra" % (word(count), "s" * (count > 1)), "Trident", "ratio"]
    lines = ["| " + " | ".join(heads) + " |", "| --- |" + " --: |" * (len(heads) - 1)]
    for product, A, what in SHOWN:
        for way, by in (("tpetra-two-calls", ", two calls"), ("tpetra-transpose", ", and a transpose")) \
                if product == "R·A·P" else (("tpetra", ""),):
            cells = ["%s, %s, %s%s" % (what, name(A), product.replace("restriction", "R"), by)]
            for count in counts:
                cells += cells_of(results, product, A, count, way)
            if any(cell != "-" for cell in cells[1:]):
                lines.append("| " + " | ".join(cells) + " |")
    return "\n" + "\n".join(lines) + "\n\n"


def cells_of(results, product, A, count, way):
    """Milliseconds of Tpetra and of Trident, and their ratio; of a ratio alone no times."""
    tpetra = results.get(product, A, count, way)
    trident = results.get(product, A, count, "one-call" if product == "R·A·P" else "trident")
    times = number(tpetra, "over_one_call") if product == "R·A·P" else number(trident, "tpetra_over_this")
    if product == "R·A·P" and not tpetra.get("seconds"):
        trident = {}
    return [ratio_tables.milliseconds(tpetra), ratio_tables.milliseconds(trident),
            "-" if times is None else two(times)]


def cpus(hosts):
    """Geometric mean, least and greatest ratio on hosts, by the number of ranks."""
    counts = sorted({int(row["ranks"]) for row in hosts})
    head = ["on [CPUs](doc/results/core.md), Tpetra 13.2 / Trident: geometric mean (least to most)"] + ["%s rank%s" % (word(c), "s" * (c > 1)) for c in counts]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --: |" * len(counts)]
    kinds = {}
    for row in hosts:
        kinds.setdefault("A·R" if row["product"] == "A*R" else "A·A or A·Aᵀ", []).append(row)
    for what, rows in kinds.items():
        cells = ["%s, %d matrices" % (what, len({row["A"] for row in rows}))]
        for count in counts:
            of = [number(row, "ratio") for row in rows if int(row["ranks"]) == count]
            cells.append("%s (%s)" % (digits(statistics.geometric_mean(of)), span(of)))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n" + "\n".join(lines) + "\n\n"


def conditions(results):
    """GPUs and commits of what the table shows."""
    by = {}
    for row in results.rows.values():
        if row["product"] in ("R·A·P", "A·A", "A·restriction") and (row.get("seconds") or row.get("over_one_call")):
            by.setdefault((kind(row), row["commit"], "" if row.get("seconds") else "ratios of R·A·P alone"),
                          set()).add(int(row["ranks"]))
    texts = ["%s %s, commit %s%s" % (word(max(ranks)), what, commit, more and " (%s)" % more)
             for (what, commit, more), ranks in by.items()]
    return "\n" + paragraph("GPUs of one machine: %s." % "; ".join(texts)) + "\n"


# --- limits -----------------------------------------------------------------------------------------------

def limits(results):
    """Where it does not pay, by the same numbers."""
    return "\n" + limit_of_gpus(results) + limit_of_thin(results) + "\n"


def limit_of_gpus(results):
    """What takes longer on more GPUs than on one."""
    counts = [count for count in results.counts() if count > 1]
    short, long, most = {}, [], 0
    for product, A, ranks in results.cases(*ratio_tables.MAIN):
        here, one = (number(results.get(product, A, count, ratio_tables.MAIN[product]), "seconds")
                     for count in (ranks, 1))
        if ranks > 1 and here and one and one < SHORT:
            short.setdefault(product, {}).setdefault(A, []).append(here / one)
            most = max(most, here - one)
        elif ranks > 1 and here and one:
            long.append(here / one)
    slower = [text for product, times in short.items() for text in slower_of(product, times)]
    if not slower or not long:
        return ""
    return paragraph("- **Several GPUs for a product below %.0f ms.** On %s GPUs such products take up to %s ms more "
                     "than on one: %s. Those that take longer on one GPU take %s of its time."
                     % (1e3 * SHORT, " or ".join(word(count) for count in counts), digits(most, 1e3),
                        ", ".join(slower), span(long)), "  ")


def slower_of(product, times):
    """What of a product is slower on each number of GPUs, and how much; nothing where none is."""
    slow = {A: each for A, each in times.items() if min(each) > 1}
    if slow:
        what, many = product.replace("restriction", "R"), len(slow)
        named = "%s of %s" % (what, listed([name(A) for A in slow])) if many == 1 or many < len(times) else \
            "both %s" % what if many == 2 else "all %s %s" % (word(many), what)
        yield "%s %s times as long" % (named, span([t for each in slow.values() for t in each]))


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
