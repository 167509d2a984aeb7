# SPDX-License-Identifier: BSD-3-Clause
"""Tables: Markdown and CSV."""
import csv
import os


def cell(value, form="%.3f"):
    return "-" if value is None else form % value


def mega(value):
    return cell(None if value is None else value / 1e6, "%.2f")


class Markdown:
    """A table that is written row by row, so that an interrupted run keeps what it has. `numbers`: the columns, from 0
    on, that are aligned at the right."""

    def __init__(self, *head, file=None, numbers=()):
        self.file, self.columns = file, len(head)
        self.line(head)
        self.line("--:" if n in numbers else "---" for n in range(len(head)))

    def line(self, cells):
        print("| " + " | ".join(str(c).replace("|", "/") for c in cells) + " |", file=self.file, flush=True)

    def row(self, *cells):
        if len(cells) != self.columns:
            raise ValueError("%d cells for %d columns" % (len(cells), self.columns))
        self.line(cells)

    def note(self, what, text):
        """A row that has a first cell and one text, as of what failed."""
        self.row(what, *["-"] * (self.columns - 2), " ".join(text.split())[-300:])


class Csv:
    """A CSV file that is written line by line. `always` is in each; None is an empty field."""

    def __init__(self, path, columns, always=None, end="\r\n"):
        self.file = open(path, "w", newline="", encoding="utf-8")
        self.writer = csv.DictWriter(self.file, columns, lineterminator=end)
        self.writer.writeheader()
        self.always = always or {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def row(self, row):
        self.writer.writerow({**self.always, **{k: v for k, v in row.items() if v is not None}})
        self.file.flush()


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def columns_of(rows):
    """Of rows that differ in their columns: each where it is met first, `command` last."""
    names = dict.fromkeys(name for row in rows for name in row)
    return sorted(names, key=lambda name: name == "command")


def write_csv(path, rows, columns=None, end="\r\n"):
    with Csv(path, columns or columns_of(rows), end=end) as file:
        for row in rows:
            file.row(row)


def open_table(folder):
    return open(os.path.join(folder, "table.md"), "w", encoding="utf-8")


def grouped(rows, *keys):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[k] for k in keys), []).append(row)
    return groups


def number(row, column):
    return float(row[column]) if row.get(column) not in (None, "") else None
