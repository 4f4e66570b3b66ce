"""Every command of docs/deployment.md, in order, on a real program."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from deployment_tools import Site

from tests.test_tutorial import matches, steps

PAGE = Path(__file__).parents[2] / "docs/deployment.md"
MODULES = Path("/usr/share/modules/init/bash")


@pytest.mark.skipif(not MODULES.exists(), reason="environment-modules is not installed")
def test_every_command_of_the_page(site: Site) -> None:
    here = "."
    for command, shown in steps(PAGE.read_text(encoding="utf-8")):
        prologue = f"set +u; . {MODULES}; " if command.startswith("module ") else ""
        printed = site.shell(f"{prologue}cd {here}\n{command}")
        assert matches(shown, printed), f"$ {command}\n--- shown\n{shown}--- printed\n{printed}{site.said}"
    assert os.access(site.slurm / "epilog", os.X_OK)
    assert site.left() == []
    assert len(site.found()) >= 4  # module, linked, static, by hand
    shutil.rmtree(site.logs)
