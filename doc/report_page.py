#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes doc/report.md from doc/report.md.in, or checks that it is up to date.

  report_page.py           write the page
  report_page.py --check   return 1 if the page differs

A line `@fields FILE STRUCT@` of the template becomes a list of the struct's fields, and a line
`@values FILE ENUM@` one of the enumeration's values, with their Doxygen comments. FILE is a header
in src/.
"""
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCES = FOLDER.parent / "src"


def body(header, kind, name):
    """The lines between the braces of a struct or an enumeration."""
    text = (SOURCES / header).read_text(encoding="utf-8")
    found = re.search(r"^%s %s \{\n(.*?)^\};" % (kind, name), text, re.M | re.S)
    if not found:
        sys.exit("report_page.py: src/%s has no %s %s" % (header, kind, name))
    return found.group(1).splitlines()


def documented(lines):
    """Pairs of a declaration of one line and its comment, which stands before it or behind it."""
    comment = ""
    for line in lines:
        line = line.strip()
        before = re.match(r"///(?!<) ?(.*)", line)
        if before:
            comment = (comment + " " + before.group(1)).strip()
            continue
        declaration, _, behind = line.partition("///<")
        declaration = declaration.strip()
        if declaration.endswith((";", ",")) or re.fullmatch(r"\w+", declaration):
            yield declaration.rstrip(";,"), behind.strip() or comment
        comment = ""


def fields(header, name):
    rows = []
    for declaration, comment in documented(body(header, "struct", name)):
        member = re.fullmatch(r"([\w:<>, ]+?) (\w+)(?: = .*)?", declaration)
        if not member:  # of a function
            continue
        if not comment:
            sys.exit("report_page.py: %s::%s has no comment" % (name, member.group(2)))
        rows.append("- `%s`: %s" % (member.group(2), sentence(comment)))
    return rows


def values(header, name):
    rows = []
    for value, comment in documented(body(header, "enum class", name)):
        if not comment:
            sys.exit("report_page.py: %s::%s has no comment" % (name, value))
        key = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", value).lower()  # as phaseName()
        rows.append("- `%s`: %s" % (key, sentence(comment)))
    return rows


def sentence(comment):
    return comment[0].upper() + comment[1:] + ("" if comment.endswith(".") else ".")


def page():
    lines = []
    for line in (FOLDER / "report.md.in").read_text(encoding="utf-8").splitlines():
        order = re.fullmatch(r"@(fields|values) (\S+) (\w+)@", line)
        if order:
            lines += {"fields": fields, "values": values}[order.group(1)](*order.groups()[1:])
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def main():
    path = FOLDER / "report.md"
    if sys.argv[1:] == ["--check"]:
        if path.read_text(encoding="utf-8") == page():
            return 0
        print("%s is out of date; build the target report_page and commit it" % path, file=sys.stderr)
        return 1
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    path.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
