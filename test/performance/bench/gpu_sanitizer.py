# SPDX-License-Identifier: BSD-3-Clause
"""The part sanitizer of `measure gpu`: compute-sanitizer on a small product, and which of its errors are others'."""
import pathlib
import re
import shlex
import shutil

from .part import NO_TIME, mpirun, program

# racecheck warns of races inside Kokkos' own reductions of a warp, hundreds of times: its errors alone are shown.
SANITIZERS = {"memcheck": [], "racecheck": ["--print-level", "error"]}


def records_of(log):
    """compute-sanitizer's records, each a list of lines; an empty line of its own ends one."""
    lines = [line[len("========="):].strip() for line in log.splitlines() if line.startswith("=========")]
    return [record.split("\n") for record in "\n".join(lines).split("\n\n")]


def is_probe_of_nccl(record):
    """Whether a record is of NCCL 2.28 asking, in ncclCommInitRank, for kernels that it was not built with.

    Such a call of CUDA fails on purpose. It is NCCL's where the first frame outside CUDA's own libraries is.
    """
    hit = r"cudaErrorNoKernelImageForDevice .* on CUDA API call to cudaFuncGetAttributes"
    if not any(re.search(hit, line) for line in record):
        return False
    frames = [re.search(r"\bin (\S+?)[\])]*$", line) for line in record]
    places = [f.group(1) for f in frames if f and not re.search(r"lib(cuda|cudart)\.so", f.group(1))]
    return bool(places) and "libnccl" in places[0]


def is_race_of_cusparse(record):
    """Whether a record is of a race inside kernels of cuSPARSE alone, which Tpetra's product calls (--verify)."""
    accesses = [line for line in record if re.search(r"access at", line)]
    return any("Race reported" in line for line in record) and all("cusparse::" in line for line in accesses)


def counted(logs):
    """(errors by the summaries of compute-sanitizer but NCCL's probes and cuSPARSE's races; these; the summaries); each
    log is a rank's."""
    summaries = [s for log in logs for s in re.findall(r"(?:ERROR|RACECHECK) SUMMARY: .*", log)]
    errors = sum(int(n) for s in summaries for n in re.findall(r"(\d+) errors?\b", s))
    records = [record for log in logs for record in records_of(log)]
    probes, races = sum(map(is_probe_of_nccl, records)), sum(map(is_race_of_cusparse, records))
    return errors - probes - races, probes, races, summaries


def sanitizer(part):
    """The errors of memcheck and racecheck; the logs of the ranks are kept whole beside the results."""
    tool = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    if not tool:
        part.skip("all", "no compute-sanitizer")
        return
    for name, options in SANITIZERS.items():
        for ranks in (1, 2):
            folder = pathlib.Path(part.args.out)
            logs = "sanitizer-%s-%d-%%s.log" % (name, ranks)
            for old in folder.glob(logs % "*"):
                old.unlink()
            command = [*mpirun(part.args, ranks), tool, "--tool", name, *options, "--log-file",
                       str(folder / (logs % "%p")), program(part.args, "Trident_SpGEMM"), "--quiet", "--A=er:n=500,d=6",
                       "--ranks-per-node=%d" % ranks, "--verify"]
            status, text = part.run(command, 60)
            found = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob(logs % "*"))]
            *counts, summaries = counted(found)
            whole = len(summaries) == ranks  # a rank that was ended has none, and nothing is known of it
            columns = zip(("errors", "probes_of_nccl", "races_of_cusparse"), counts if whole else ("", "", ""))
            part.add(tool=name, ranks=ranks, status=status, **dict(columns), summaries="; ".join(summaries),
                     command=shlex.join(command), counted=False)
            part.count("%s on %d ranks" % (name, ranks), NO_TIME if text == NO_TIME else
                       "a rank has no summary" if not whole else "%d errors" % counts[0] if counts[0] else "")
