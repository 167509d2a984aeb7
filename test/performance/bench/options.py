# SPDX-License-Identifier: BSD-3-Clause
"""Options that several subcommands have."""
import os

from . import facts, measure


def add_build(parser):
    parser.add_argument("--build", type=os.path.realpath,
                        help="a build with the programs (default: those beside this script, else build/)")


def add_driver(parser):
    parser.add_argument("--driver", default=facts.program("Trident_SpGEMM.exe"),
                        help="(default: that beside this script, else of build/)")


def add_seconds(parser, limit=measure.RUN_SECONDS):
    parser.add_argument("--seconds", type=float, default=limit,
                        help="a run that takes longer is ended, and has failed (default: %(default)s)")


def add_nodes(parser):
    """Adds the two options that cut this machine into nodes."""
    parser.add_argument("--nodes", type=int, default=4, help="(default: 4)")
    parser.add_argument("--ranks-per-node", type=int, default=4, help="(default: 4)")


def add_rates(parser):
    parser.add_argument("--rates", nargs="+", default=[], help="100mbit ... unlimited (default: no network)")


def add_root(parser):
    parser.add_argument("--allow-run-as-root", action="store_true", help="let root start Open MPI's ranks")


def add_commit(parser):
    parser.add_argument("--commit", help="what the results name, where the programs were not built here")


def add_output(parser, folder):
    parser.add_argument("--output", default=folder, help="folder (default: %(default)s)")


def add_plot_only(parser):
    parser.add_argument("--plot-only", action="store_true", help="tables and plots of earlier CSV files again")
