"""Makes the benchmark driver importable: it is a package of the tree's root and is not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
