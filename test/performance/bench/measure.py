# SPDX-License-Identifier: BSD-3-Clause
"""Runs the driver and reads what it measured, lets ways take turns, and counts what failed and what was skipped."""
import collections
import json
import os
import re
import shlex
import statistics
import sys
import tempfile

from . import mpi

PHASES = ("import", "setup", "exchange_wait", "gather", "local_multiply", "accumulate", "export")
PARTS = ("import", "rounds", "export", "setup")
RUN_SECONDS = 600  # a run that takes longer hangs
WEAK = "weak: "  # begins the name of a problem that grows with the ranks


class Failed(Exception):
    """A run has no result; the text says why."""


# got: the program's JSON, None where it wrote none; error: what is wrong with the run, "" where nothing is: a program
# that fails may have written its JSON before; command: what was run, as one line
Run = collections.namedtuple("Run", "got error command output status")


def run_json(launcher, program, options, seconds=RUN_SECONDS, env=None, into="--json"):
    """Runs a program that writes JSON to the file of its option `into`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.json")
        command = [*launcher, program, *options]
        done = mpi.execute([*command, into + "=" + path], seconds, env)
        try:
            with open(path, encoding="utf-8") as file:
                got = json.load(file)
        except (OSError, ValueError):
            got = None
    error = "" if got is not None and done.status == 0 else why(done, seconds, os.path.basename(program))
    if isinstance(got, dict) and got.get("verified") is False:  # the driver's status says it too: this says it better
        error = "the product does not match Tpetra's"
    return Run(got, error, shlex.join(command), done.output, done.status)


def json_lines(text):
    """The lines of a program's output that are JSON objects; what is cut off, or no number, is left out."""
    found = []
    for line in text.splitlines():
        try:
            if line.startswith("{"):
                found.append(json.loads(line))
        except ValueError:
            pass
    return found


def run_lines(launcher, program, options, seconds=RUN_SECONDS, env=None, read=json_lines):
    """Runs a program that prints what it measured. `read` makes of its output what is kept: nothing is a failure."""
    command = [*launcher, program, *options]
    done = mpi.execute(command, seconds, env)
    got = read(done.output)
    error = "" if got and done.status == 0 else why(done, seconds, os.path.basename(program))
    return Run(got, error, shlex.join(command), done.output, done.status)


def why(done, seconds, program):
    """What a run without a result said, in one line."""
    if done.status is None:
        return "ended after %g s" % seconds
    own = re.search(r"^(%s: |(CUDA|CUSPARSE) ERROR ).*" % re.escape(program.replace(".exe", "")), done.output,
                    re.MULTILINE)  # hypre ends the program by itself
    if own:
        return own.group()  # amid what mpirun says
    return "status %s: %s" % (done.status, " ".join(done.output.split())[-300:] or "it said nothing")


def driver(launcher, program, *options, seconds=RUN_SECONDS, env=None):
    return run_json(launcher, program, ["--quiet", *options], seconds, env)


def efficiency(problem, fewest, base, ranks, seconds):
    """Of seconds on that many ranks, against `base` seconds on the fewest; numbers, or columns of a table."""
    return base / seconds / (1 if problem.startswith(WEAK) else ranks / fewest)


def received(got, level, parts=("import", "rounds", "export")):
    """Bytes that all ranks received in one product, from other nodes ("internode") or their own ("intranode")."""
    known = (got.get("bytes") or {}).get(level, {})
    return int(sum(sum(known.get(part) or []) for part in parts))


def flops(got):
    """Floating-point operations of a product: two for each multiply-add. None where they are not known."""
    return None if got["multiply_adds"] is None else 2 * got["multiply_adds"]


def grid(got):
    """The grid of a product as "2x2x4"; nothing for Tpetra's, which has none."""
    return "x".join(str(n) for n in got["grid"] or [])


def turns(count, ways):
    """(turn, way): every way once a turn, so that what changes on the machine concerns all of them alike."""
    for turn in range(count):
        for way in ways:
            yield turn, way


def median(values):
    """Of those that are known; None where none is."""
    known = [v for v in values if v is not None]
    return statistics.median(known) if known else None


def quotient(above, below):
    return above / below if above is not None and below else None


class Tally:
    """What failed and what was skipped: said when it happens, counted at the end, and the exit status."""

    def __init__(self, name, file=sys.stderr):
        self.name, self.file = name, file
        self.failed, self.skipped, self.passed = [], [], 0

    def ok(self):
        self.passed += 1

    def say(self, what):
        print("%s: %s" % (self.name, what), file=self.file, flush=True)

    def fail(self, what, reason):
        self.failed.append((what, reason))
        self.say("FAILED: %s: %s" % (what, reason))

    def skip(self, what, reason):
        self.skipped.append((what, reason))
        self.say("skipped: %s: %s" % (what, reason))

    def tell(self, what, error, said):
        """Counts a run, and prints what it said where it has no error."""
        if error:
            self.fail(what, error)
        else:
            self.ok()
            print("%s: %s" % (what, said), flush=True)

    def take(self, what, run):
        """The run's JSON; None where it failed, which is counted."""
        if run.error:
            self.fail(what, run.error)
            return None
        self.ok()
        return run.got

    def add(self, other):
        """Counts what a part of its own counted, which has been said."""
        self.failed += other.failed
        self.skipped += other.skipped
        self.passed += other.passed

    def summary(self):
        return "%d done, %d failed, %d skipped" % (self.passed, len(self.failed), len(self.skipped))

    def status(self):
        """Says the counts; 1 where something failed, or nothing was done at all."""
        self.say(self.summary())
        return 1 if self.failed or not self.passed else 0


def draw(tally, again, figure, *arguments):
    """Calls a function of plots, by its name. Where pandas or matplotlib is missing it is skipped, and `again` is the
    subcommand that draws elsewhere; or empty where nothing but plots was asked for, and their lack is a failure."""
    try:
        from . import plots
    except ImportError as error:
        if again:
            tally.skip("plots", "%s; where pandas and matplotlib are: measure %s" % (error, again))
        else:
            tally.fail("plots", str(error))
        return
    getattr(plots, figure)(*arguments)
    tally.ok()


def make_output(folder):
    """Makes the folder of results. Raises CannotStart where this user cannot write there, before anything is run."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise mpi.CannotStart("%s cannot be made (%s): name another folder by --output"
                              % (folder, error.strerror)) from None
    if not os.access(folder, os.W_OK):
        raise mpi.CannotStart("%s cannot be written: name another folder by --output" % folder)
