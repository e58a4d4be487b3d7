"""Aim: daemons that share a Redis keep one limit to the token, ask Redis little, and get over its faults and their own.

Method: the scenarios of `./dev fleet` at a small scale, on real daemons and a real redis-server; each row is a check.
"""

import unittest

import fleet_scenarios
from scenario import SMALL


class FleetTest(unittest.TestCase):
    """Its tests are made from the scenarios."""


def test_of(scenario):
    def test(self):
        for row in fleet_scenarios.rows_of(scenario, SMALL):
            with self.subTest(row.what):
                self.assertTrue(row.ok, f"{row.measured}; bound: {row.bound}")

    test.__doc__ = scenario.__doc__
    return test


for each in fleet_scenarios.SCENARIOS:
    setattr(FleetTest, f"test_{each.__name__}", test_of(each))


if __name__ == "__main__":
    unittest.main()
