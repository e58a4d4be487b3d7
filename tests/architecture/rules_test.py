"""Aim: the architecture that src/ARCHITECTURE.md states is the one that the sources have.

Method: reads the tables of that page and every include in src/, and reports each include that the tables forbid. Also
holds the sources to what a reviewer would otherwise have to count.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
LONGEST_FILE = 400


def tables():
    """The two tables of the page, as {first column: [entries of the second]}."""
    found = []
    rows = None
    for line in (SRC / "ARCHITECTURE.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            rows = None
        elif rows is None:
            rows = {}
            found.append((cells, rows))
        elif not set(cells[0]) <= {"-"}:
            rows[cells[0]] = [entry.strip() for entry in cells[1].split(",") if entry.strip()]
    by_title = {cells[0]: rows for cells, rows in found}
    return by_title["folder"], by_title["header"]


def forbidden(folder, quote, header, may_include, only_in):
    """Why this include is not allowed; None where it is."""
    if quote == '"':
        target = header.split("/")[0]
        if target == folder or target in may_include[folder] or header in may_include[folder]:
            return None
        return f"{folder} may not include {header}"
    for prefix, folders in only_in.items():
        if header.startswith(prefix) and folder not in folders:
            return f"<{header}> belongs to {', '.join(folders)} only"
    return None


def sources():
    return sorted(path for path in SRC.rglob("*") if path.suffix in (".h", ".cc"))


class Architecture(unittest.TestCase):
    def setUp(self):
        self.may_include, self.only_in = tables()

    def test_every_folder_is_in_the_table(self):
        folders = {path.name for path in SRC.iterdir() if path.is_dir()}
        self.assertLessEqual(folders, set(self.may_include))

    def test_includes(self):
        faults = []
        for path in sources():
            folder = path.relative_to(SRC).parts[0]
            for match in INCLUDE.finditer(path.read_text()):
                reason = forbidden(folder, match[1], match[2], self.may_include, self.only_in)
                if reason:
                    faults.append(f"{path.relative_to(ROOT)}: {reason}")
        self.assertEqual(faults, [])

    def test_a_forbidden_include_is_found(self):
        self.assertIsNotNone(forbidden("limiter", '"', "store/store.h", self.may_include, self.only_in))
        self.assertIsNotNone(forbidden("engine", '"', "store/memory/memory_store.h", self.may_include, self.only_in))
        self.assertIsNotNone(forbidden("server", "<", "uv.h", self.may_include, self.only_in))
        self.assertIsNone(forbidden("engine", '"', "store/store.h", self.may_include, self.only_in))

    def test_files_are_short(self):
        long = {str(path.relative_to(ROOT)): lines
                for path in sources()
                if (lines := len(path.read_text().splitlines())) > LONGEST_FILE}
        self.assertEqual(long, {})

    def test_headers_are_guarded_and_introduced(self):
        for path in sources():
            text = path.read_text()
            if path.suffix == ".h":
                self.assertIn("#pragma once", text, path)
                self.assertTrue(text.startswith("//"), f"{path} does not begin with what it is for")


if __name__ == "__main__":
    unittest.main()
