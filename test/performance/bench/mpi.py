# SPDX-License-Identifier: BSD-3-Clause
"""Starts programs: by mpirun with the flags that this MPI wants, or in the network of two_level_network."""
import collections
import contextlib
import csv
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

# beside the scripts, not beside this module
FOLDER = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
NETWORK = os.path.join(FOLDER, "two_level_network")
# Ethernet 14 + IPv4 20 + TCP 20 + time stamps 12: in front of every segment's payload.
HEADER_BYTES = 66
# status: the process's, None where it was ended after its time
Finished = collections.namedtuple("Finished", "status output")


class CannotStart(Exception):
    """Nothing was started, and the text says what to do."""


@functools.lru_cache(maxsize=None)
def implementation(command="mpirun"):
    """"open-mpi", "mpich" (and what took over its launcher), or "unknown"."""
    try:
        done = subprocess.run([command, "--version"], check=False, capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotStart("%s does not run (%s): is MPI installed, and on PATH?" % (command, error)) from error
    said = done.stdout + done.stderr
    if "Open MPI" in said or "OpenRTE" in said:
        return "open-mpi"
    return "mpich" if "HYDRA" in said.upper() or "mpich" in said.lower() else "unknown"


def cores():
    """Physical cores that this process may use: what Open MPI takes for the places of a machine. Hardware threads where
    cores are unknown."""
    allowed = len(os.sched_getaffinity(0))
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            known = set(re.findall(r"^physical id\s*: (\d+)$.*?^core id\s*: (\d+)$", file.read(), re.M | re.S))
    except OSError:
        known = ()
    return min(allowed, len(known) or allowed)


def is_root():
    return os.geteuid() == 0


def mpirun(ranks, allow_root=False, oversubscribe=None):
    """The words before a program, for `ranks` ranks on this machine.

    allow_root: whoever started the script asked for ranks of root (or set Open MPI's two variables).
    oversubscribe: None where the number of cores decides.
    """
    words = ["mpirun"]
    if implementation() == "open-mpi":
        if allow_root and is_root():
            words.append("--allow-run-as-root")
        elif is_root() and not root_is_allowed():
            raise CannotStart("Open MPI starts no ranks of root unless it is asked to: say --allow-run-as-root, or set "
                              "OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
        if oversubscribe or (oversubscribe is None and ranks > cores()):
            words.append("--oversubscribe")
        words += ["--bind-to", "none"]  # two programs beside each other would be bound to the same cores
        if not shutil.which("ssh") and not shutil.which("rsh"):
            words += ["--mca", "plm", "isolated"]  # it asks for one of these even for this host alone
    return words + ["-n", str(ranks)]


def root_is_allowed():
    return all(os.environ.get(name) == "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"))


def environment(ranks=0, **more):
    """This process's, with one thread a rank, and ranks that yield where they are more than cores."""
    env = dict(os.environ)
    env.setdefault("OMP_NUM_THREADS", "1")
    if ranks > cores():
        env["OMPI_MCA_mpi_yield_when_idle"] = "1"
    return {**env, **more}


def execute(command, seconds, env=None):
    """Runs a command for `seconds` at most. On any way out nothing of it runs on."""
    with tempfile.TemporaryFile("w+", errors="replace") as text:
        try:
            process = subprocess.Popen(command, env=env, stdout=text, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            return Finished(127, "%s cannot be started: %s" % (command[0], error))
        ended = False
        with process:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                ended = True
            finally:
                if process.poll() is None:
                    end(process)
        text.seek(0)
        return Finished(None if ended else process.returncode, text.read())


def end(process):
    """Politely first: mpirun then ends its ranks, and the network's script clears its nodes."""
    for number, seconds in ((signal.SIGTERM, 8), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            process.wait(seconds)
            return
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def end_as_by_keyboard():
    """A script that is told to end takes its network down first, as by Ctrl-C."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Network:
    """`nodes` nodes behind ports of `rate`, while it is entered. Needs root."""

    def __init__(self, nodes, rate, script=NETWORK):
        self.nodes, self.rate, self.script = nodes, rate, script

    def __enter__(self):
        if not is_root():
            raise CannotStart("the two-level network needs root")
        done = execute([self.script, "up", str(self.nodes), self.rate], 300)
        if done.status != 0:
            raise CannotStart("no network: " + " ".join(done.output.split())[-300:])
        return self

    def __exit__(self, *_):
        execute([self.script, "down"], 60)

    def launcher(self, ranks, ranks_per_node):
        """The words before a program."""
        return [self.script, "run", str(ranks // ranks_per_node), str(ranks_per_node)]

    def received(self):
        """Bytes and packets that the ports of all nodes have received since they came up."""
        text = subprocess.run([self.script, "bytes"], check=True, capture_output=True, text=True, timeout=60).stdout
        rows = list(csv.DictReader(text.splitlines(), delimiter="\t"))
        return sum(int(r["received_bytes"]) for r in rows), sum(int(r["received_packets"]) for r in rows)


def network_of(nodes, rate):
    """Returns the network to enter for a rate; where the rate is empty, that is None: this host."""
    return Network(nodes, rate) if rate else contextlib.nullcontext()


def start(network, ranks, ranks_per_node, allow_root):
    """Returns the words before a program and its environment, in a network or, where that is None, on this host."""
    if network:
        return network.launcher(ranks, ranks_per_node), environment()
    return mpirun(ranks, allow_root), environment(ranks)


def payload(after, before):
    """Received bytes less headers, between two looks at the ports."""
    return (after[0] - before[0]) - HEADER_BYTES * (after[1] - before[1])
