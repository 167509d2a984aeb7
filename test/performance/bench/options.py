# SPDX-License-Identifier: BSD-3-Clause
"""Options that several subcommands have."""
import os

from . import facts, measure

KNOWN = {
    "build": {"type": os.path.realpath,
              "help": "a build with the programs (default: those beside this script, else build/)"},
    "driver": {"default": facts.program("Trident_SpGEMM.exe"),
               "help": "(default: that beside this script, else of build/)"},
    "seconds": {"type": float, "default": measure.RUN_SECONDS,
                "help": "a run that takes longer is ended, and has failed (default: %(default)s)"},
    "nodes": {"type": int, "default": 4, "help": "(default: %(default)s)"},
    "ranks_per_node": {"type": int, "default": 4, "help": "(default: %(default)s)"},
    "ranks": {"type": int, "nargs": "+", "help": "(default: %(default)s)"},
    "repeat": {"type": int, "default": 3, "help": "runs of each (default: %(default)s)"},
    "rates": {"nargs": "+", "default": [], "help": "100mbit ... unlimited (default: no network)"},
    "allow_run_as_root": {"action": "store_true", "help": "let root start Open MPI's ranks"},
    "commit": {"help": "what the results name, where the programs were not built here"},
    "output": {"help": "folder (default: %(default)s)"},
    "plot_only": {"action": "store_true", "help": "tables, and a plot, of earlier CSV files again"}}


def add(parser, *names, **defaults):
    """Adds options by their names, those of `defaults` with a default of their own."""
    for name in [*names, *defaults]:
        own = {"default": defaults[name]} if name in defaults else {}
        parser.add_argument("--" + name.replace("_", "-"), **{**KNOWN[name], **own})
