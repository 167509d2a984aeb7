# SPDX-License-Identifier: BSD-3-Clause
"""The program `measure`: its subcommands, each a module of commands/ that adds its options and runs."""
import argparse
import importlib
import sys

from . import measure, mpi

# In the order in which --help lists them.
COMMANDS = ("compare", "rounds", "galerkin", "expansion", "muelu", "dropin", "core", "peers", "threads", "predicted",
            "gpu", "setups")
WITH_DRIVERS_OPTIONS = ("compare", "rounds")  # what follows -- is not for them, but for the driver


def parser_of(wanted):
    """Returns the parser, which knows the options of one subcommand alone: for some the machine must be asked."""
    modules = {name: importlib.import_module("bench.commands." + name) for name in COMMANDS}
    lines = ["  %-10s %s" % (name, module.__doc__.splitlines()[0]) for name, module in modules.items()]
    parser = argparse.ArgumentParser(
        usage="measure [-h] COMMAND ...", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="\n".join(["Measures Trident (doc/benchmarking.md). Commands:\n", *lines]),
        epilog="measure COMMAND --help lists the options of a command.")
    commands = parser.add_subparsers(prog="measure", dest="command", required=True, metavar="COMMAND",
                                     help=argparse.SUPPRESS)
    for name, module in modules.items():
        found = commands.add_parser(name, description=module.__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
        if name == wanted:
            module.add_arguments(found)
            found.set_defaults(run=module.run, error=found.error)
    return parser


def parsed(words):
    """Returns the arguments of a command line. Their `error` ends the program as argparse does where it finds one."""
    name, options = words[0] if words else "", []
    if name in WITH_DRIVERS_OPTIONS and "--" in words:
        at = words.index("--")
        words, options = words[:at], words[at + 1:]
    arguments = parser_of(name).parse_args(words)
    arguments.options = options
    return arguments


def main():
    """Runs a subcommand, and says what it counted. What could not be started ends the program in one line, with 1."""
    arguments = parsed(sys.argv[1:])
    mpi.end_as_by_keyboard()
    tally = measure.Tally(arguments.command)
    try:
        arguments.run(arguments, tally)
    except (mpi.CannotStart, measure.Failed) as error:
        sys.exit("%s: %s" % (arguments.command, error))
    sys.exit(tally.status())
