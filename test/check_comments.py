#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks how comments begin (CONTRIBUTING.md, "Style").

Usage: check_comments.py <root of the repository> [folder or file ...]
Fails where a kind has more comments than its limit, and prints these with file:line; of named places it prints all.
The kinds:
  clause   a function's comment begins with a clause ("What ...") and not with a verb
  other    a function's comment begins with another word that is no verb in the third person
  object   the object of the first verb is no noun: "Returns what ...", "Tells them ..."
  member   the comment behind a member is no noun phrase: "of the indices", "when it ended"
  opening  the comment of a class, a file or a variable begins with a clause, or half a sentence
"""
import pathlib
import re
import sys

# What may be left of each kind in a folder. Lower a number when comments were rewritten; never raise it.
KINDS = ["clause", "other", "object", "member", "opening"]
LIMITS = {"src": [0, 0, 0, 0, 0], "test": [0, 0, 0, 0, 0], "example": [0, 0, 0, 0, 0]}

CLAUSE = re.compile(
    r"(What|Whatever|Whether|Of|The same|Same|That|How|As|Where|Which|Who|Whose|When|By|With|For)\b")
# Verbs end in s. These words do, too, and are none.
NO_VERB = set("""This Its As Is Less Plus Thus Always Perhaps Across Whereas Besides Us Unless Kokkos Contiguous
Frobenius Allocations Bits Bytes Cases ColumnSums Columns Communicators Constants Devices
Diagonals Elements Entries Failures Families Grids Hosts Indices Items Lanes Lengths Levels Matrices Medians
Members Messages Networks Nodes Occurrences Offsets Options Pages Parameters Parts Pieces Positions Products Ranks
Roots Rounds Rows Seconds Segments Sentences Sizes Slabs Slices Slots Statistics Tags Threads Tiles Times Values
Vertices Weights Words Workspaces""".split())
NO_NOUN = ("what whatever whichever how when where wherever whether which who whom whose why that as it its them "
           "those itself themselves they their theirs so such everything").split()
# Where nothing follows, these stand for a noun as well.
ALONE = "several both one this these all some many each any every none".split()
OBJECT = re.compile(
    r"[A-Z]\w*s,?(?: (?:only|also|just|then))?(?: (?:for|of) (?:each|every)(?: [\w'-]+){1,2}| in words)? "
    r"(?:(?:%s)\b(?!::)|(?:%s)\b(?=[.,;:]| (?:are|is|that|who|which|has|have)\b))"
    % ("|".join(NO_NOUN), "|".join(ALONE)))
# Words with which a phrase is the end of another sentence.
HALVES = set(NO_NOUN + """of in on at by for from to with without within into onto over under before after
behind beside between among along above below around across until since than though through per because if
else otherwise only also again not and or but once out up back down off then here there too
is are was were be been being has have had may can must needs does do gets get waits stays joins forms keeps
come comes lies lie stands goes""".split())
HALF = re.compile(r"(?:(?:%s)(?! (?:of|for) each\b)(?=[.,;:]|$| (?:of|that|which|who|is|are|has|have)\b)|the same\b)"
                  % "|".join(ALONE))
OPENING = re.compile(
    r"(What|Whatever|Whether|Of|Same|That|Those|How|As|Where|Wherever|Which|Who|Whose|When|By|With|For|In|On|At|After|"
    r"Before|From|To|Its|It|Them|They|Their|So|Such|Without|Within|If|Else|Beside|Also|Everything|Something)\b")
BEFORE_THE_VERB = re.compile(r"(Collective[^.]*|Local|Blocking|Not collective)[.:]\s+")
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


def without_literals(text):
    """Returns the text with blanks in the place of comments, directives, strings and characters."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'R"\(.*?\)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|^ *#[^\n]*', blank,
                  text, flags=re.DOTALL | re.MULTILINE)


def lines_of_members(lines):
    """Returns the lines that end in the body of a class or an enumeration, not of a function."""
    inside, head, ends, line = [], "", set(), 0
    for char in without_literals("\n".join(lines)):
        if char == "\n":
            if inside and inside[-1]:
                ends.add(line)
            line += 1
            head += " "
        elif char == "{":
            head = without_template(re.sub(r".*(?:public|private|protected):", "", head))
            is_class = re.match(r"(typedef )?(class|struct|union|enum)\b", head) and not head.endswith(")")
            inside.append(bool(is_class))
            head = ""
        elif char == "}":
            del inside[-1:]
            head = ""
        else:
            head = "" if char == ";" else head + char
    return ends


def is_half(comment):
    """Returns true if a comment behind a member does not stand alone."""
    first = re.match(r"[^\s,.;:]*", comment).group(0)
    return first in HALVES or HALF.match(comment) is not None


def faults_of_members(lines):
    """Yields (line, kind, comment) of comments behind members that are halves of sentences."""
    ends = lines_of_members(lines)
    for at, line in enumerate(lines):
        match = re.match(r"\s*[^/\s].*?\s(///<|//) (.*)", line)
        if not match or "clang-format" in line or "NOLINT" in line:
            continue
        if (match.group(1) == "///<" or at in ends) and is_half(match.group(2)):
            yield at, "member", match.group(2)


def kind_of_documented(comment, function):
    """Returns the kind of fault in a comment before a declaration; "" if there is none."""
    comment = re.sub(r"^(\\file \S+\s+|[\\@]brief\s+)", "", comment)
    kind = kind_of(comment) if function else ""
    comment = BEFORE_THE_VERB.sub("", comment)
    if not kind and function and OBJECT.match(comment):
        return "object"
    if not kind and not function and OPENING.match(comment):
        return "opening"
    return kind


def faults_of(path):
    """Yields (line, kind, comment) of the comments of one file that break a rule."""
    lines = path.read_text(encoding="utf-8").split("\n")
    yield from ((at + 1, kind, comment) for at, kind, comment in faults_of_members(lines))
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
        comment = " ".join(words).strip()
        documents = mark.group(2) == "///" or mark.group(1) == ""
        function = is_function(lines, at)
        if not documents or comment.startswith("clang-format"):
            continue
        if function and comment.startswith(("\\", "@")):
            continue
        kind = kind_of_documented(comment, function)
        if kind:
            yield begin + 1, kind, comment


def main():
    root = pathlib.Path(sys.argv[1])
    found = {folder: {kind: [] for kind in KINDS} for folder in LIMITS}
    for place in [root / name for name in sys.argv[2:] or LIMITS]:
        paths = [place] if place.is_file() else sorted(
            p for p in place.rglob("*") if re.search(r"\.(cpp|hpp|cu|hpp\.in)$", p.name))
        for path in paths:
            name = path.relative_to(root)
            for line, kind, comment in faults_of(path):
                found[name.parts[0]][kind].append(f"{name}:{line}: {kind}: {comment[:100]}")
    failed = False
    for folder, kinds in found.items():
        for (kind, faults), most in zip(kinds.items(), LIMITS[folder]):
            failed |= len(faults) > most
            if len(faults) > most or (faults and len(sys.argv) > 2):
                print("\n".join(faults))
        print(f"comments of {folder}: " + ", ".join(
            f"{kind} {len(faults)} (at most {most})" for (kind, faults), most in zip(kinds.items(), LIMITS[folder])))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
