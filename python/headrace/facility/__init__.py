"""A made-up facility of which everything is known: `headrace bench facility` (docs/bench/facility.md).

The plan (plan.py) is a function of preset and seed. Its jobs become job logs (logs.py), rows of a catalog
(rows.py) and records of a scheduler (scheduler.py); devices.py and contents.py have what does not come from
jobs; truth.py adds the plan up by itself, so that what a study shows can be held against it.
"""

from __future__ import annotations

from headrace.facility.plan import Plan, make_plan
from headrace.facility.preset import is_file, load_preset

__all__ = ["Plan", "is_file", "load_preset", "make_plan"]
