#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""prepare.py WORK: makes of Debian's packages in WORK what the parts of the library include.

WORK/root          headers of 17.0; their configuration is cut down to Tpetra
WORK/trilinos      MueLu and Xpetra of 13.2
WORK/generated     13.2's files that are no templates, adapted; for each part X the header definitions_X.hpp
"""

import pathlib
import re
import sys

work = pathlib.Path(sys.argv[1])
headers = work / "root/usr/include/trilinos"
generated = work / "generated"

# What other packages and types MueLu and Xpetra were configured with.
OFF = ("AMESOS2|BELOS|GALERI|IFPACK2|INTREPID2|PAMGEN|TEKO|THYRA|THYRATPETRAADAPTERS|STRATIMIKOS|ZOLTAN|ZOLTAN2CORE|"
       "BOOST|SERIAL|DEPRECATED_CODE|TPETRA_INST_INT_INT")

# The files of 13.2 that base.cpp includes.
PLAIN = ["MueLu_Exceptions", "MueLu_FactoryBase", "MueLu_VerbosityLevel", "MueLu_Describable", "MueLu_VerboseObject",
         "MueLu_Level", "MueLu_NoFactory", "MueLu_Factory", "MueLu_ParameterListAcceptor", "MueLu_Monitor",
         "MueLu_MasterList", "MueLu_ParameterListUtils", "MueLu_Utilities", "Xpetra_Utils"]

# What no definition of a part may be taken from: it would bring in every factory that there is.
MANAGERS = {"MueLu_FactoryManager", "MueLu_HierarchyManager", "MueLu_HierarchyFactory"}

# Classes whose definitions a part has, with those that these reach, in an order that their short names bear; and what
# is not wanted of it, since it is left out, or is in another part, or its names do not go together with the others'.
PARTS = {
    "xpetra": (["Xpetra_TpetraCrsMatrix", "Xpetra_TpetraVector", "Xpetra_TpetraMultiVector", "Xpetra_VectorFactory",
                "Xpetra_MultiVectorFactory", "Xpetra_CrsMatrixWrap", "Xpetra_MatrixUtils", "Xpetra_IO",
                "MueLu_SmootherPrototype"], set()),
    "hierarchy": (["MueLu_Hierarchy", "MueLu_NullspaceFactory", "MueLu_SmootherFactory", "MueLu_AmalgamationFactory",
                   "MueLu_CoarseMapFactory"], {"of the manager"}),
    "aggregates": (["MueLu_UncoupledAggregationFactory"], set()),
    "graph": (["MueLu_CoalesceDropFactory_kokkos"],
              {"MueLu_AmalgamationInfo", "MueLu_Aggregates", "MueLu_IndexManager", "MueLu_IndexManager_kokkos",
               "MueLu_ScalarDroppingDistanceLaplacian", "MueLu_VectorDroppingDistanceLaplacian"}),
    "transfer": (["MueLu_TentativePFactory_kokkos", "MueLu_TentativePFactory", "MueLu_SaPFactory",
                  "MueLu_TransPFactory", "MueLu_RAPFactory"], set()),
}


def included(header):
    """The headers of MueLu and Xpetra that a header includes."""
    text = (headers / header).read_text()
    return re.findall(r'^\s*#\s*include\s*[<"]((?:MueLu|Xpetra)_\w+\.hpp)[>"]', text, re.M)


def definitions(classes, without):
    """The _def headers that the classes reach, each behind those that it includes itself."""
    seen, found = set(), []

    def visit(header):
        if header in seen or not (headers / header).exists():
            return
        seen.add(header)
        for other in included(header):
            visit(other)
        name = re.sub(r"_(decl|def)\.hpp$", "", header)
        if header.endswith("_decl.hpp") and name not in without:
            visit(name + "_def.hpp")
        if header.endswith("_def.hpp"):
            found.append(header)

    for name in classes:
        visit(name + ".hpp")
    return found


def write(path, text):
    """Leaves the file as it is where it has this text."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def cut_configuration():
    for package in "MueLu", "Xpetra":
        path = headers / f"{package}_config.hpp"
        text = path.read_text()
        write(path, re.sub(rf"(?m)^#define HAVE_(?:MUELU|XPETRA)_({OFF})\b.*", r"/* \1 off */", text))


def write_definitions():
    of_manager = set(re.findall(r"MueLu_\w+(?=\.hpp)", (headers / "MueLu_FactoryManager_def.hpp").read_text()))
    for part, (classes, without) in PARTS.items():
        if "of the manager" in without:
            without = {name[:-5] if name.endswith("_decl") else name for name in of_manager} - set(classes)
        first = ["Tpetra_Core.hpp", "Tpetra_CrsMatrix.hpp"] + [name + ".hpp" for name in classes]
        last = ["MueLu_FactoryManager_def.hpp"] if part == "hierarchy" else []
        found = [header for header in definitions(classes, without | MANAGERS)
                 if "Intrepid" not in header and "Ifpack2" not in header]
        write(generated / f"definitions_{part}.hpp", "".join(f"#include <{name}>\n" for name in first + found + last))


def master_list():
    """All parameters of 17.0 with their defaults: the text is in Debian's library."""
    library = next(work.glob("root/usr/lib/*/libtrilinos_muelu.so.17*")).read_bytes()
    texts = [library[match.start():library.index(b"\0", match.start())]
             for match in re.finditer(rb'<ParameterList name="MueLu"><Parameter name="problem: type"', library)]
    text = max(texts, key=len).decode()
    if '"aggregation: backend"' not in text:
        sys.exit("prepare.py: Debian's library has no list of parameters of 17.0")
    return text


def with_master_list(text):
    entries = re.split(r"(?<=/>)", master_list())
    literal = "\n".join('"' + entry.replace("\\", "\\\\").replace('"', '\\"') + '"' for entry in entries if entry)
    return re.sub(r'(?s)(MasterList::stringList_ =).*?"</ParameterList>"\s*;', lambda m: f"{m[1]}\n{literal};", text,
                  count=1)


def adapted(name, text):
    """A file of 13.2 for headers of 17.0."""
    if name == "MueLu_Monitor":  # 17.0 has no exclusive timers
        text = re.sub(r",\n\s*timerMonitorExclusive_\([^\n]*\n", "\n", text)
        text = re.sub(r"\n\s*levelTimeMonitorExclusive_ = rcp\(new [^;]*;", "", text)
    if name == "Xpetra_Utils":  # nor Epetra
        text = re.sub(r'\} else if \(lib == Xpetra::UseEpetra\) \{\s*return "Epetra";\s*', "", text)
    return with_master_list(text) if name == "MueLu_MasterList" else text


def write_plain():
    for name in PLAIN:
        paths = [path for path in (work / "trilinos/packages").rglob(f"{name}.cpp")
                 if not re.search("ETI|Forward", str(path))]
        write(generated / f"{name}.cpp", adapted(name, sorted(paths)[0].read_text()))


generated.mkdir(exist_ok=True)
cut_configuration()
write_definitions()
write_plain()
