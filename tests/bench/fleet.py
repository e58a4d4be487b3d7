"""Hammers fleets of daemons over real redis-servers, breaks them, and prints what was promised beside what came of it.

Method: the scenarios of tests/integration/fleet_promises.py and fleet_faults.py at full scale, on the release build.
Clients, daemons and Redis share the machine: "checks a second sent" says whether the clients kept up.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import fleet_scenarios  # noqa: E402  pylint: disable=wrong-import-position
from scenario import FULL  # noqa: E402  pylint: disable=wrong-import-position

HEADS = ("what", "measured", "bound", "ok")


def cells(row):
    return (row.what, row.measured, row.bound, "yes" if row.ok else "NO")


def print_table(rows):
    table = [HEADS] + [cells(row) for row in rows]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADS))]
    for line in table:
        print(" | ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def main():
    names = [scenario.__name__ for scenario in fleet_scenarios.SCENARIOS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", metavar="scenario", help="only these: " + ", ".join(names))
    parser.add_argument("--json", action="store_true", help="for machines")
    arguments = parser.parse_args()
    if unknown := set(arguments.scenarios) - set(names):
        parser.error("no such scenario: " + ", ".join(sorted(unknown)))
    rows = []
    for scenario in fleet_scenarios.SCENARIOS:
        if arguments.scenarios and scenario.__name__ not in arguments.scenarios:
            continue
        if sys.stderr.isatty():
            print(f"{scenario.__name__} …", file=sys.stderr)
        rows += fleet_scenarios.rows_of(scenario, FULL)
    if arguments.json:
        print(json.dumps([row._asdict() for row in rows], indent=2))
    else:
        print_table(rows)
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
