# SPDX-License-Identifier: BSD-3-Clause
"""A part of the evidence of GPUs: its time, its rows, what it says, and how it runs programs."""
import os
import shlex
import threading
import time

from . import measure, mpi

NO_TIME = "no time left"
SKIPPED = 77  # the status of a test program that could not run here what it has


class Part(measure.Tally):
    """One part of the evidence: its deadline, its rows, what it counts and what it says. Threads may use it."""

    def __init__(self, args, name, seconds):
        super().__init__(name)
        self.args, self.rows, self.notes = args, [], []
        self.deadline = time.monotonic() + seconds
        self.lock = threading.RLock()

    def left(self):
        return self.deadline - time.monotonic()

    def note(self, text):
        with self.lock:
            self.notes.append(text)
            print("%s: %s" % (self.name, text), flush=True)

    def skip(self, what, reason, noted=True):
        with self.lock:
            self.notes += ["skipped: %s: %s" % (what, reason)] * noted
            super().skip(what, reason)

    def fail(self, what, reason):
        with self.lock:
            self.notes.append("FAILED: %s: %s" % (what, reason))
            super().fail(what, reason)

    def count(self, what, error):
        """What was done, or has failed, or had no time."""
        with self.lock:
            if not error:
                self.ok()
            elif error == NO_TIME:
                self.skip(what, error, noted=False)
            else:
                self.fail(what, error)

    def add(self, counted=True, **row):
        """A row. One with an error counts as failed, any other as done, unless the caller counts it."""
        with self.lock:
            self.rows.append(row)
            print("%s: %s" % (self.name, " ".join("%s=%s" % (k, v) for k, v in row.items() if k != "command")),
                  flush=True)
            if counted:
                self.count(" ".join(str(row[k]) for k in ("A", "algorithm", "ranks", "rate") if row.get(k)),
                           row.get("error"))

    def has_time(self, what, seconds=5):
        """Whether so much is left; where it is not, that is said."""
        if self.left() < seconds:
            self.skip(what, NO_TIME)
        return self.left() >= seconds

    def run(self, command, limit, env=None):
        """(exit status or None where it was ended, its output). On any way out nothing of it runs on."""
        limit = min(limit, self.left())
        if limit <= 1:
            return None, NO_TIME
        done = mpi.execute(command, limit, {**os.environ, **(env or {})})
        if done.status not in (0, SKIPPED):
            self.keep(shlex.join(command), done.status, done.output)
        return done

    def keep(self, command, status, output):
        """The output of what failed, for who reads the results."""
        with self.lock, open(os.path.join(self.args.out, "failures.log"), "a", encoding="utf-8") as log:
            log.write("=== %s, status %s: %s\n%s\n" % (self.name, status, command, output[-6000:]))

    def driver(self, prefix, *options, limit=60, env=None):
        """The driver's JSON, or a text that says what went wrong; and the command."""
        limit, exe = min(limit, self.left()), program(self.args, "Trident_SpGEMM")
        if limit <= 1:
            return NO_TIME, shlex.join([*prefix, exe, "--quiet", *options])
        run = measure.driver(prefix, exe, *options, seconds=limit, env={**os.environ, **(env or {})})
        if run.error:
            self.keep(run.command, run.status, run.output)
        if run.got is None:
            return ("ended after its time" if run.status is None else run.error), run.command
        if run.error:  # it wrote its results, and failed: a check, or its end
            self.fail(run.command, run.error)
        return run.got, run.command


def mpirun(args, ranks):
    """Open MPI is asked for more ranks than cores whatever it counts: tests run beside each other."""
    return mpi.mpirun(ranks, args.allow_run_as_root, oversubscribe=True)


def program(args, name):
    """Where a program is: anywhere in a build, or in the one folder of a bundle."""
    return args.programs.get(name + ".exe") or os.path.join(args.bin, name + ".exe")
