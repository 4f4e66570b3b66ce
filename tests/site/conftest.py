from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from site_tools import Site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    spools = Path(tempfile.mkdtemp(prefix="site-test-", dir="/dev/shm"))
    made = Site(tmp_path, spools)
    made.build()
    yield made
    shutil.rmtree(spools)
