#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks how comments of functions begin: with a verb in the third person (CONTRIBUTING.md, "Style").

Usage: check_comments.py <root of the repository> [folder or file ...]
Prints file:line of each comment that does not, and fails where they are more than the limits below.
"""
import pathlib
import re
import sys

# What may be left of each kind. Lower a number when comments were rewritten; never raise it.
CLAUSES = 0
OTHERS = 0

CLAUSE = re.compile(
    r"(What|Whatever|Whether|Of|The same|Same|That|How|As|Where|Which|Who|Whose|When|By|With|For)\b")
# Verbs end in s. These words do, too, and are none.
NO_VERB = set("""This Its As Is Less Plus Thus Always Perhaps Across Whereas Besides Us Unless Kokkos Contiguous
Frobenius Allocations Bits Bytes Cases ColumnSums Columns Communicators Constants Devices
Diagonals Elements Entries Failures Families Grids Hosts Indices Items Lanes Lengths Levels Matrices Medians
Members Messages Networks Nodes Occurrences Offsets Options Pages Parameters Parts Pieces Positions Products Ranks
Roots Rounds Rows Seconds Segments Sentences Sizes Slabs Slices Slots Statistics Tags Threads Tiles Times Values
Vertices Weights Words Workspaces""".split())
BEFORE_THE_VERB = re.compile(r"(Collective[^.]*|Local|Blocking|Not collective)[.:]\s+")
FOLDERS = ["src", "test", "example"]
KEYWORD = re.compile(r"(class|struct|enum|union|using|namespace|typedef|friend class|friend struct|"
                     r"extern template|static_assert|return|if|for|while|switch|case|else|do|throw|"
                     r"public:|private:|protected:|break|try|catch|delete)\b")


def declaration_at(lines, at):
    """Returns the text of the declaration that begins at a line: up to its body, its end or its value."""
    text = " ".join(line.strip() for line in lines[at:at + 25] if not line.strip().startswith("//"))
    depth = 0
    text = without_template(text)
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and char in ";{":
            return text[:i]
    return text


def without_template(text):
    """Returns the text without the `template <...>` and the attributes that it begins with."""
    while True:
        text = text.strip()
        if text.startswith("[["):
            text = text[text.index("]]") + 2:]
            continue
        if not text.startswith("template"):
            return text
        depth, i = 0, text.find("<")
        if i < 0:
            return text
        while i < len(text):
            depth += (text[i] == "<") - (text[i] == ">" and text[i - 1] != "-")
            i += 1
            if depth == 0:
                break
        text = text[i:]


def is_function(lines, at):
    """Returns whether the line begins the declaration or definition of a function."""
    if at >= len(lines):
        return False
    line = lines[at].strip()
    if not line or line[0] in "#}/{":
        return False
    text = declaration_at(lines, at)
    if KEYWORD.match(text) or "(" not in text:
        return False
    head = text[:text.index("(")]
    if re.search(r"\b[A-Z][A-Z0-9_]+\s*$", head):  # a macro, as of a unit test: its comment says a promise
        return False
    if "operator" in head:
        return True
    if "=" in re.sub(r"<[^<>]*>", "", head):  # a value, which calls something
        return False
    return re.search(r"[A-Za-z_]\w*\s*$", head) is not None and "std::function<" not in head


def kind_of(comment):
    """Returns "" where a comment begins as it should, else what it begins with: "clause" or "other"."""
    comment = re.sub(r"^(\\brief\s+|@brief\s+)", "", comment)
    comment = BEFORE_THE_VERB.sub("", comment)
    if CLAUSE.match(comment):
        return "clause"
    first = re.match(r"[A-Za-z]+", comment)
    word = first.group(0) if first else ""
    if word.endswith("s") and word[:1].isupper() and word not in NO_VERB:
        return ""
    return "other"


def faults_of(path):
    """Yields (line, kind, comment) of the comments of one file that do not begin with a verb."""
    lines = path.read_text(encoding="utf-8").split("\n")
    at = 0
    while at < len(lines):
        mark = re.match(r"( *)(///?)(?!/) ", lines[at])
        if not mark or "///<" in lines[at] or "SPDX-" in lines[at]:
            at += 1
            continue
        begin, words = at, []
        while at < len(lines) and re.match(r" *///?(?!/)", lines[at]):
            words.append(re.sub(r"^ *///? ?", "", lines[at]))
            at += 1
        documents = mark.group(2) == "///" or mark.group(1) == ""
        if documents and is_function(lines, at):
            comment = " ".join(words).strip()
            if comment.startswith(("\\", "@", "clang-format")):
                continue
            kind = kind_of(comment)
            if kind:
                yield begin + 1, kind, comment


def main():
    root = pathlib.Path(sys.argv[1])
    wanted = [root / name for name in sys.argv[2:] or FOLDERS]
    count = {"clause": 0, "other": 0}
    for place in wanted:
        paths = [place] if place.is_file() else sorted(
            p for p in place.rglob("*") if re.search(r"\.(cpp|hpp|cu|hpp\.in)$", p.name))
        for path in paths:
            for line, kind, comment in faults_of(path):
                count[kind] += 1
                print(f"{path.relative_to(root)}:{line}: {kind}: {comment[:100]}")
    print(f"comments: {count['clause']} open with a clause (at most {CLAUSES}), "
          f"{count['other']} with another word that is no verb (at most {OTHERS})")
    return int(count["clause"] > CLAUSES or count["other"] > OTHERS)


if __name__ == "__main__":
    sys.exit(main())
