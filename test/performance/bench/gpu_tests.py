# SPDX-License-Identifier: BSD-3-Clause
"""CTest's tests on GPUs that their ranks share: which there are, and how they run beside each other."""
import collections
import concurrent.futures
import contextlib
import json
import os
import re
import shlex
import subprocess
import threading
import time

from . import facts
from .mps import FAULT, Mps, SharedMps
from .part import NO_TIME, SKIPPED, mpirun, program

# Many tests make many communicators; these make each cheap, and keep NCCL to this machine.
ENVIRONMENT = {"NCCL_MAX_CTAS": "2", "NCCL_IB_DISABLE": "1", "NCCL_SOCKET_IFNAME": "lo"}
# Tests in which memory fails on purpose: they may end a server that others share, and have one of their own.
RISKY = re.compile(r"Fail|Masked|Markov_Errors|Tpetra_(InputMemory|ResultMemory|Reductions|HostView)")
SLOW = re.compile(r"Reproducible|Random|EveryShape")  # begin early: else the end would wait for them

Test = collections.namedtuple("Test", "ranks name environment words")


def lines_of_bundle(folder):
    """(ranks, environment, program, arguments) of each line of tests.tsv, and nothing that was left out."""
    with open(os.path.join(folder, "tests.tsv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return [(int(ranks), environment.split(), name, words) for _, ranks, environment, name, words in lines], []


def lines_of_build(build):
    """The same of what CTest starts by mpiexec in a build, and (test, reason) of what makes sense to CTest alone."""
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True,
                          text=True, timeout=120).stdout
    lines, left_out = [], []
    for test in json.loads(said)["tests"]:
        command = test.get("command", [])
        properties = {p["name"]: p["value"] for p in test["properties"]}
        at = next((n for n, word in enumerate(command) if re.fullmatch(r"Trident_\w+\.exe", os.path.basename(word))), 0)
        if not {"-n", "-np"} & set(command[:at]):
            continue  # a script, or what needs no ranks
        if command[1] not in ("-n", "-np"):
            left_out.append((test["name"], "a script starts it"))
        elif properties.get("WILL_FAIL") or properties.get("PASS_REGULAR_EXPRESSION"):
            left_out.append((test["name"], "CTest looks at its output"))
        elif any(build in word for word in command[at + 1:]):
            left_out.append((test["name"], "it reads or writes files of the build"))
        else:
            lines.append((int(command[2]), [w for w in properties.get("ENVIRONMENT", []) if w],
                          os.path.basename(command[at]), shlex.join(command[at + 1:])))
    return lines, left_out


def rank_counts(registered):
    """1, 2, 4 ranks, and 16 as 4 nodes of 4, where it may: what is registered for several counts runs on any from the
    least of them on; what is for a single count on that alone."""
    if len(registered) == 1:
        return registered & {1, 2, 4, 16}
    return {n for n in (1, 2, 4) if n >= min(registered)} | ({16} if max(registered) >= 8 else set())


def tests_to_run(args):
    """(the tests in their order, (test, reason) of what is left out): risky and slow ones first, stress tests last."""
    lines, left_out = lines_of_build(args.build) if args.build else lines_of_bundle(args.bin)
    counts, tests = {}, []
    for ranks, environment, name, words in lines:
        counts.setdefault((name, tuple(environment), words), set()).add(ranks)
    for (name, environment, words), registered in counts.items():
        if name in ("Trident_SpGEMM.exe", "Trident_MarkovClustering.exe") and not words:
            left_out.append((name, "a script gives it its arguments"))
        elif re.search(args.only, name + " " + words):
            tests += [Test(ranks, name, dict(w.split("=", 1) for w in environment), words)
                      for ranks in rank_counts(registered) & set(args.test_ranks)]
    tests.sort(key=lambda t: ("Stress" in t.name, not RISKY.search(t.name), -t.ranks, not SLOW.search(t.name), t.name,
                              t.words, sorted(t.environment.items())))
    return tests, left_out


def result_of(status, text):
    """What the table says of a test."""
    stands = re.search(r"^watchdog: (rank .*)", text, re.MULTILINE)
    if status is None and text == NO_TIME:
        return "not run: " + NO_TIME
    if status is None or stands:
        return "ended after its time" + (": " + stands.group(1)[:200] if stands else "")
    if status == SKIPPED:
        reasons = re.findall(r"^Skipped .*?: (.*)$", text, re.MULTILINE)
        return "skipped: " + (reasons[0] if reasons else "no reason given")
    if status == 0:
        return "passed"
    failed = re.findall(r"^ *(\w+)_UnitTest .*\[FAILED\]", text, re.MULTILINE)
    return ("FAILED " + " ".join(sorted(set(failed)))[:200]).strip()


class Cores:
    """Tests run beside each other as long as their ranks have a core each. Who came first goes first: else tests of
    few ranks would keep those of many out."""

    def __init__(self, count):
        self.count, self.free, self.first = count, threading.Semaphore(count), threading.Lock()

    @contextlib.contextmanager
    def taken(self, ranks):
        ranks = min(ranks, self.count)
        with self.first:
            for _ in range(ranks):
                self.free.acquire()
        try:
            yield
        finally:
            for _ in range(ranks):
                self.free.release()


class Devices:
    """Deals the GPUs of a machine to tests that have fewer ranks: each gets others than the one before."""

    def __init__(self):
        self.names = facts.gpus()
        self.dealt = collections.Counter()
        self.lock = threading.Lock()

    def environment(self, ranks):
        groups = len(self.names) // ranks
        if groups < 2:
            return {}  # all of them: ranks are dealt to devices by their number
        with self.lock:
            first = self.dealt[ranks] % groups * ranks
            self.dealt[ranks] += 1
        return {"CUDA_VISIBLE_DEVICES": ",".join(self.names[first:first + ranks])}


class Runner:
    """Runs tests of a part: most share an MPS server, the risky ones have one each.

    A test that failed as its server died runs once more, with a server of its own: who fails again has ended the other,
    or cannot do without.
    """

    def __init__(self, part, shared):
        self.part, self.shared = part, shared
        self.devices = Devices()
        self.commit = part.args.commit or facts.commit()
        self.pool = concurrent.futures.ThreadPoolExecutor(64)
        # The risky ones are the slow ones: they have a quarter of the cores, and the others keep theirs.
        count = min(48, len(os.sched_getaffinity(0)))
        self.cores = {True: Cores(max(1, count // 4)), False: Cores(max(1, count - count // 4))}

    def run(self, tests):
        with self.pool:
            jobs = [self.pool.submit(self.first, test) for test in tests]
            jobs += filter(None, [job.result() for job in jobs])  # what runs again
            for job in jobs:
                job.result()

    def first(self, test):
        """The test's first run; the job of a second one, where its server died."""
        if RISKY.search(test.name):
            self.on_its_own(test, "own")
            return None
        with self.cores[False].taken(test.ranks):
            server = self.shared.now
            status, text, seconds = self.attempt(test, server)
            failed = status not in (0, SKIPPED) and text != NO_TIME
            again = failed and self.shared.is_dead(server, text)
        if again:
            said = fault(text) or result_of(status, text)
            self.part.note("the MPS server died as this ran, which runs again: %s: %s" % (full_name(test), said))
            return self.pool.submit(self.on_its_own, test, "own, again", said)
        self.tell(test, "shared" if server.runs else "off", status, text, seconds)
        return None

    def on_its_own(self, test, how, before=None):
        """A run with a server of its own; `before` is what the test said that has failed with another."""
        with self.cores[True].taken(test.ranks), Mps(self.part.left() > 1) as server:
            status, text, seconds = self.attempt(test, server)
            how = how if server.runs else "off"
        if before and fault(text) and status not in (0, SKIPPED):
            self.part.note("it fails with a server of its own too: %s: %s" % (full_name(test), fault(text)))
        self.tell(test, how, status, text, seconds)

    def attempt(self, test, server):
        """(status, output, seconds)."""
        args = self.part.args
        env = {**ENVIRONMENT, **test.environment, **server.environment, **self.devices.environment(test.ranks)}
        if test.ranks <= os.cpu_count():
            env.pop("OMPI_MCA_mpi_yield_when_idle", None)
        limit = min(args.test_seconds, self.part.left())
        if limit > 20:  # every rank then says where it stands
            env["TRIDENT_TEST_WATCHDOG"] = "%d" % (limit - 8)
        began = time.monotonic()
        command = [*mpirun(args, test.ranks), program(args, test.name[:-len(".exe")]), *shlex.split(test.words)]
        status, text = self.part.run(command, limit, env)
        return status, text, time.monotonic() - began

    def tell(self, test, how, status, text, seconds):
        part, result = self.part, result_of(status, text)
        with part.lock:
            part.add(test=test.name[len("Trident_"):-len(".exe")], arguments=test.words, ranks=test.ranks,
                     thread_level=test.environment.get("TRIDENT_TEST_THREADS", "multiple"), result=result,
                     seconds="%.1f" % seconds, mps=how, commit=self.commit, counted=False)
            if status == SKIPPED:
                part.skip(full_name(test), result, noted=False)
            else:
                part.count(full_name(test), "" if result == "passed" else NO_TIME if text == NO_TIME else result)


def fault(text):
    """What a test said that ends a server; None where it said no such thing."""
    found = FAULT.search(text)
    return found and found.group().strip()[:200]


def full_name(test):
    return " ".join(filter(None, [test.name[len("Trident_"):-len(".exe")], test.words, "on %d ranks" % test.ranks]))


def summary(rows):
    """How many of some rows passed, and so on."""
    kinds = collections.Counter(re.match(r"passed|FAILED|skipped|ended|not run", r["result"]).group() for r in rows)
    return ", ".join("%d %s" % (kinds[kind], kind) for kind in ("passed", "FAILED", "ended", "skipped", "not run")
                     if kinds[kind])


def run_tests(part):
    tests, left_out = tests_to_run(part.args)
    missing = sorted({t.name for t in tests if not os.path.exists(program(part.args, t.name[:-len(".exe")]))})
    for name in missing:
        part.fail(name, "it is not built")
    tests = [t for t in tests if t.name not in missing]
    for reason in sorted({reason for _, reason in left_out}):
        part.note("left out, %s: %s" % (reason, " ".join(sorted({what for what, why in left_out if why == reason}))))
    with SharedMps() as shared:
        part.note("MPS on" if shared.now.runs else "MPS off: ranks take turns on a GPU")
        runner = Runner(part, shared)
        part.note("GPUs: " + (" ".join(runner.devices.names) or "none"))
        runner.run(tests)
        if len(shared.all) > 1:
            part.note("the MPS server that tests share died %d times" % (len(shared.all) - 1))
    part.rows.sort(key=lambda r: (r["test"], r["thread_level"], r["arguments"], r["ranks"]))
    for ranks in sorted({r["ranks"] for r in part.rows}):
        part.note("%d ranks: %s" % (ranks, summary([r for r in part.rows if r["ranks"] == ranks])))
    late = [r for r in part.rows if r["result"].startswith("not run")]
    if late:
        part.note("not run for lack of time: " + ", ".join("%s on %d" % (r["test"], r["ranks"]) for r in late))
