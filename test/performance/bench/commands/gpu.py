# SPDX-License-Identifier: BSD-3-Clause
"""All that is to be known of a CUDA build, on a machine with GPUs: CSV files and Markdown.

  measure gpu [PART ...] --out=DIR [--source=DIR --trilinos=DIR] [--build=DIR | --bin=DIR] [--matrices FILE ...]
          [--minutes=8]

Parts: tests memory sanitizer (default: these, in this order), ratios, nodes. Each has a share of the minutes; what hangs or does not fit is ended and said so, and the others keep theirs. --build
names a CUDA build, whose programs run where they lie; --bin a folder of programs with tests.tsv, as in a bundle, where
it is the default. --source names a checkout that is built first, with a Trilinos that has CUDA, in --build (default:
build-cuda of the checkout), before the minutes begin: what the parts need, and all where tests are among them. The
exit status is 1 where something failed; what was skipped, as by lack of time, is said and counted.
doc/results/columns.md explains the columns.
"""
import os
import time

from .. import cuda_build, facts, gpu_memory, gpu_nodes, mpi, options, pages, ratios, tables
from ..gpu_sanitizer import sanitizer
from ..gpu_tests import run_tests
from ..part import Part, mpirun, program

# Shares of the time, so that one part cannot eat the rest. What a part leaves goes to the later ones.
SHARES = {"tests": 120, "memory": 35, "sanitizer": 25, "ratios": 400, "nodes": 600}
# What all parts run but tests, and what ratios run.
OF_RATIOS = ["Trident_Galerkin.exe", "Trident_Products.exe", "Trident_Expansion.exe", "Trident_MarkovClustering.exe"]
TARGETS = ["Trident_SpGEMM.exe", *OF_RATIOS]
ALONE = {"ratios": OF_RATIOS, "nodes": gpu_nodes.TARGETS}  # parts that run only where they are asked for

PARTS = {"tests": run_tests, "memory": gpu_memory.memory, "sanitizer": sanitizer,
         "ratios": ratios.measure_ratios, "nodes": gpu_nodes.measure_nodes}
OPTIONS = {
    "--source": {"help": "a checkout to build first"},
    "--trilinos": {"help": "where a Trilinos with CUDA is installed, for a new build"},
    "--build": {"help": "a CUDA build, made with Ninja"},
    "--bin": {"help": "a folder of programs with tests.tsv (default: this script's)"},
    "--out": {"default": "gpu-results", "help": "folder (default: %(default)s)"},
    "--matrices": {"nargs": "+", "default": [], "metavar": "FILE",
                   "help": "matrices of ratios and nodes besides the generated ones, as the driver takes them"},
    "--only-matrices": {"action": "store_true", "help": "none but those of --matrices"},
    "--test-ranks": {"type": int, "nargs": "+", "choices": [1, 2, 4, 16], "default": [1, 2, 4, 16],
                     "help": "of tests (default: all)"},
    "--only": {"metavar": "REGEX", "default": "", "help": "of tests: those whose program and arguments match"},
    "--test-seconds": {"type": float, "default": 150,
                       "help": "a test that takes longer is ended, and has failed (default: %(default)s)"},
    "--clustering-nodes": {
        "type": int, "nargs": "*", "default": ratios.CLUSTERED, "metavar": "N",
        "help": "of the graphs that ratios clusters, the last of which may find no time (default: %(default)s)"},
    "--minutes": {"type": float, "default": 8},
    "--pages": {"nargs": "+", "default": [], "metavar": "FILE",
                "help": "with --plot-only: pages that have tables of ratios.csv or nodes.csv, which are written anew"}}


def add_arguments(parser):
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(PARTS))
    for name, how in OPTIONS.items():
        parser.add_argument(name, **how)
    parser.add_argument("--gpus", type=int, default=len(facts.gpus()) or 4,
                        help="ranks of a node, one a GPU (default: %(default)s, the GPUs here)")
    gpu_nodes.add_options(parser)
    options.add(parser, "plot_only", "allow_run_as_root", "commit")


def complete(args):
    """Refuses what does not go together, and derives what is asked for."""
    if bool(args.pages) != args.plot_only:
        args.error("--pages goes with --plot-only")
    unknown = set(args.parts) - set(PARTS)
    if unknown:
        args.error("%s is none of %s" % (" ".join(sorted(unknown)), " ".join(PARTS)))
    args.parts = [p for p in PARTS if p in args.parts] or [p for p in PARTS if p not in ALONE]
    args.ratio_matrices = ([] if args.only_matrices else ratios.PRODUCTS) + args.matrices
    args.programs = {}
    if args.source and not args.build:
        args.build = os.path.join(args.source, "build-cuda")


def write_markdown(args, known, parts):
    with open(os.path.join(args.out, "gpu.md"), "w", encoding="utf-8") as file:
        file.write("# On GPUs\n\n" + "".join("- %s: %s\n" % (k, v.replace("\n", "; ")) for k, v in known.items()))
        for part in parts:
            file.write("\n## %s\n\n" % part.name + "".join("- %s\n" % note for note in [part.summary(), *part.notes]))


def write_pages(args, tally):
    known = pages.known(args.out)
    if not known:
        tally.fail("pages", "neither ratios.csv nor nodes.csv in " + args.out)
    for path in args.pages if known else []:
        with open(path, encoding="utf-8") as file:
            text = pages.rewritten(file.read(), known)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        tally.ok()


def measured_parts(args, built):
    """Runs the parts, each in its share of the time; writes what each found as soon as it is done."""
    began = time.monotonic()
    known, parts = {**facts.of_gpus(args.commit), **built}, []
    for n, name in enumerate(args.parts):
        left = 60 * args.minutes - 10 - (time.monotonic() - began)
        part = Part(args, name, left * SHARES[name] / sum(SHARES[p] for p in args.parts[n:]))
        parts.append(part)
        try:
            PARTS[name](part)
        except Exception as error:  # a part that breaks must not take the others with it
            part.fail("the rest", "broke off: %s: %s" % (type(error).__name__, error))
        if part.rows:
            tables.write_csv(os.path.join(args.out, part.name + ".csv"), part.rows)
        write_markdown(args, known, parts)
    return parts


def needed(args):
    """The programs that parts run, but tests."""
    return ALONE.get(args.parts[0], TARGETS) if len(args.parts) == 1 else TARGETS


def prepare(args, tally):
    """Finds the programs, which it builds first where it shall. What is to be said of the build."""
    said = {}
    if args.source:
        targets = [] if "tests" in args.parts else needed(args)
        try:
            said["build"], whole = cuda_build.build(args.source, args.build, args.trilinos, targets,
                                                    os.path.join(args.out, "build.log"))
        except cuda_build.CannotBuild as error:
            raise mpi.CannotStart(str(error)) from None
        print("gpu: " + said["build"], flush=True)
        if not whole:
            tally.fail("build", said["build"])
    if args.build:
        args.build = os.path.realpath(args.build)
        args.programs = cuda_build.programs(args.build)
    args.bin = os.path.realpath(args.bin or mpi.FOLDER)
    return said


def run(args, tally):
    complete(args)
    if args.plot_only:
        write_pages(args, tally)
        return
    os.makedirs(args.out, exist_ok=True)
    built = prepare(args, tally)
    first = needed(args)[0]
    if not os.path.exists(program(args, first[:-len(".exe")])):
        args.error("there is no %s in %s: say --source, --build or --bin" % (first, args.build or args.bin))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    mpirun(args, 1)  # says so now where it cannot start any
    for part in measured_parts(args, built):
        tally.add(part)
        print("%s: %s" % (part.name, part.summary()), flush=True)
