from __future__ import annotations

from pathlib import Path

import pytest
from wheel_tools import made_wheel


@pytest.fixture(scope="session")
def wheel() -> Path:
    return made_wheel()
