from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from deployment_tools import Site


@pytest.fixture
def site() -> Iterator[Site]:
    """In directories that other users can reach, which pytest's own are not."""
    spools = Path(tempfile.mkdtemp(prefix="site-test-", dir="/dev/shm"))
    directory = Path(tempfile.mkdtemp(prefix="headrace-site-test-"))
    directory.chmod(0o755)
    try:
        made = Site(directory, spools)
        made.build()
        yield made
    finally:
        shutil.rmtree(spools)
        shutil.rmtree(directory)
