# SPDX-License-Identifier: BSD-3-Clause
"""The part memory of `measure gpu`: peak memory of products up to the largest that fits."""
from .part import mpirun

MEMORY = (  # ranks (0: all GPUs), matrix, what is expected, whether that is an exception
    (0, "er:n=1000000,d=16", "peak against slices, tile and result", False),
    (1, "er:n=3000000,d=27", "more than 2^31 entries of C on one rank", False),
    (1, "er:n=1600000,d=64", "the largest that was tried and fits 141 GB: 79 GB of C", False),
    # few entries of A for so many of C
    (1, "er:n=800000,d=132", "past the limit: 165 GB of C, an exception", True))


def memory(part):
    for ranks, spec, what, fails in MEMORY:
        ranks = ranks or part.args.gpus
        got, words = part.driver(mpirun(part.args, ranks), "--A=" + spec, "--check-vector",
                                 "--ranks-per-node=%d" % ranks, limit=120)
        row = {"what": what, "A": spec, "ranks": ranks}
        if isinstance(got, str):
            part.add(counted=False, **row, error=got, command=words)
            expected = fails and got.startswith("Trident_SpGEMM: ")  # neither ended nor killed
            part.count(spec, "" if expected else got)
            continue
        peaks = got["memory"]
        worst = max(range(ranks), key=lambda r: peaks["device_allocated_peak"][r])
        row.update({k + "_bytes": int(peaks[k][worst]) for k in ("device_allocated_peak", "slices", "tile", "result")})
        part.add(counted=False, **row, nnzC=got["nnzC"], vector_error=got["vector_error"], command=words)
        part.count(spec, "no exception" if fails else "")
