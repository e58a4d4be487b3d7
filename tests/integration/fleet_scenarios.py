"""All that a fleet over one Redis is shown to keep: see fleet_promises.py and fleet_faults.py."""

import fleet_faults
import fleet_promises
from scenario import Row

SCENARIOS = fleet_promises.SCENARIOS + fleet_faults.SCENARIOS


def rows_of(scenario, scale):
    """The scenario's rows; one that says so where it did not come to its end."""
    try:
        return scenario(scale)
    except AssertionError as failure:
        return [Row(scenario.__name__, str(failure), "comes to its end", False)]
