#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""changed_objects.py BUILD COMMIT: objects of tests and programs that other sources or headers than those of COMMIT make.

Prints them in the order in which a part of them is best compiled: those whose folder, or whose room in src, has what
changed, the newest change first; then others, beginning elsewhere on each commit, so that all have their turn.
"""
import collections
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def lines_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


build, commit = sys.argv[1:]
folders = ["src", "test", "example"]
changed = lines_of("git", "diff", "--name-only", "HEAD", "--", *folders)
changed += lines_of("git", "log", "--format=", "--name-only", commit + "..HEAD", "--", *folders)
age = {name: number for number, name in reversed(list(enumerate(changed)))}  # 0: the newest

includes = collections.defaultdict(set)  # of a file, by name without folder
for name in lines_of("git", "ls-files", *folders):
    if re.search(r"\.[ch]pp(\.in)?$", name) and pathlib.Path(name).exists():
        found = INCLUDE.findall(pathlib.Path(name).read_text(encoding="utf-8"))
        includes[pathlib.Path(name).name.removesuffix(".in")] |= {pathlib.Path(f).name for f in found}


def all_included(name):
    reached, left = set(), [name]
    while left:
        now = left.pop()
        if now not in reached:
            reached.add(now)
            left += includes[now]
    return reached


newest = {}  # by name without folder
for name in sorted(age, key=age.get):
    newest.setdefault(pathlib.Path(name).name.removesuffix(".in"), name)
near, others = {}, []
for line in lines_of("ninja", "-C", build, "-t", "targets", "all"):
    match = re.match(r"((test|example)/.*)CMakeFiles/[^/]+\.dir/(.+\.cpp)\.o: ", line)
    if not match or "__/" in match[3]:  # a source of the library's
        continue
    folder, source = match[1], match[1] + match[3]
    object_ = line.split(": ")[0]
    reasons = [newest[name] for name in all_included(pathlib.Path(source).name) if name in newest]
    room = folder.replace("test/", "src/", 1)
    here = [age[reason] for reason in reasons if reason.startswith((folder, room))]
    if here:
        near[object_] = min(here)
    elif reasons:
        others.append(object_)

begin = 0
if others:
    begin = 37 * int(lines_of("git", "rev-list", "--count", "HEAD")[0]) % len(others)
print("\n".join(sorted(near, key=near.get) + others[begin:] + others[:begin]))
