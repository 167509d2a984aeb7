# SPDX-License-Identifier: BSD-3-Clause
"""The rows of nodes.csv: their columns, and what fills them."""
from . import measure
from .ratios import MOST_DIFFERENCE

PHASES = {"setup": ("setup",), "import": ("import",), "wait": ("exchange_wait",), "gather": ("gather",),
          "multiply": ("local_multiply", "accumulate"), "export": ("export",), "other": ("other",)}
PLACE = ("product", "nodes", "gpus_per_node", "A")
COLUMNS = [
    "product", "nodes", "gpus_per_node", "rate", "A", "algorithm", "seconds", "median_of", "turns", "on_grid_seconds",
    "over_trident", "over_trident_on_grid", *("seconds_" + phase for phase in PHASES), "multiply_least",
    "multiply_most", "internode_bytes", "setup_bytes", "port_bytes", "port_run_bytes", "products", "grid", "fetch",
    "exchange", "gather", "kernel", "reasons", "first_call_seconds", "nnzA", "nnzC", "iterations", "difference",
    "device", "mpi", "commit", "error", "command"]


def named(product):
    return {"square": "A·A", "restriction": "A·restriction", "galerkin": "R·A·P"}.get(product, product)


def place(row):
    return tuple(row[column] for column in PLACE)


def said(row):
    """What a line of the output has of a row, in milliseconds."""
    if row["error"]:
        return row["error"]
    times = " ".join("%s %.3g" % (p, 1e3 * float(row["seconds_" + p])) for p in PHASES if row["seconds_" + p] != "")
    return " ".join(filter(None, [
        "%.4g ms" % (1e3 * float(row["seconds"])),
        row["on_grid_seconds"] and "(%.4g on the grid)" % (1e3 * float(row["on_grid_seconds"])),
        row["over_trident"] and "%s of Trident's" % row["over_trident"],
        row["over_trident_on_grid"] and "(%s)" % row["over_trident_on_grid"], times and "[%s]" % times, row["grid"],
        row["exchange"], row["internode_bytes"] != "" and "%.4g MB" % (row["internode_bytes"] / 1e6)]))


def text(value):
    if isinstance(value, list):
        return " ".join("%.6f" % each for each in value)
    return "%.6g" % value if isinstance(value, float) else value


def differs(difference):
    """Of C·x from A·(B·x), or of a way's result from the first one's."""
    return {"difference": "%.1e" % difference, "error": "" if difference <= MOST_DIFFERENCE else "the result is wrong"}


def columns_of(got):
    """What the driver's JSON has. Its reasons are kept whole."""
    seconds = got["seconds"]
    found = {"seconds_" + phase: sum(seconds[p]["median"] for p in parts)
             for phase, parts in PHASES.items() if all(seconds.get(p) for p in parts)}
    if seconds.get("multiply"):  # Tpetra's product is not cut into parts
        found.update(on_grid_seconds=seconds["multiply"]["max"], multiply_least=seconds["local_multiply"]["min"],
                     multiply_most=seconds["local_multiply"]["max"],
                     setup_bytes=measure.received(got, "internode", ("setup",)))
    found.update({column: got.get(column) for column in (
        "fetch", "exchange", "gather", "kernel", "reasons", "first_call_seconds", "nnzA", "nnzC")},
                 internode_bytes=measure.received(got, "internode"), grid=measure.grid(got))
    return {**found, **(differs(got["vector_error"]) if got.get("vector_error") is not None else {})}


def compare(rows):
    """To each row its seconds over those of Trident, and the same on the grid."""
    def key(row):
        return tuple(str(row[c]) for c in (*PLACE, "rate", "mpi", "commit", "device"))

    of_trident = {key(row): row for row in rows if row["algorithm"] == "trident" and not row["error"]}
    for row in rows:
        mine = of_trident.get(key(row), {})
        for column, of in (("over_trident", "seconds"), ("over_trident_on_grid", "on_grid_seconds")):
            if row.get(of) and mine.get(of):
                row[column] = "%.4g" % (float(row[of]) / float(mine[of]))
