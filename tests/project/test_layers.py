"""scripts/check_layers.py: the tree keeps its rules, and each kind of bad arrow is found where it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "check_layers.py"


def run_check(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """An empty tree that has the project's own rules."""
    (tmp_path / "layers.toml").write_text(
        (ROOT / "layers.toml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    return tmp_path


def put(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_this_tree_keeps_its_rules() -> None:
    result = run_check(ROOT)
    assert (result.returncode, result.stderr) == (0, "")


ALLOWED = {
    "src/format/reader.cc": '#include "format/reader.h"\n#include <format>\n#include <zstd.h>\n',
    "src/format/writer.cc": '#include "base/result.h"\n#include "model/counters.h"\n',
    "src/model/counters.h": '#include "model/counters.def"\n',
    "src/bindings/logs.cc": '#include "format/reader.h"\n#include "headrace/phases.h"\n',
    "examples/phases/main.c": '#include "headrace/phases.h"\n#include "local.h"\n',
    "fuzz/reader.cc": '#include "format/reader.h"\n',
    "web/src/grid/a.ts": 'import { h } from "../ui/dom";\nimport "./b";\nimport uPlot from "uplot";\n',
    "web/src/main.ts": 'import { jobPage } from "./job/page";\n',
    "python/headrace/commands/show.py": "import headrace\nfrom headrace import __version__, logs\n",
    "python/headrace/commands/export.py": "from ..logs import x\n",
    "python/headrace/__init__.py": "from . import logs\nfrom ._errors import E\n",
    "python/headrace/__main__.py": "from headrace.commands import main\n",
    "python/headrace/logs.py": "import pyarrow\nfrom headrace import _native\n",
}

FORBIDDEN = {
    "upward": ("src/base/clock.cc", '\n#include "model/counters.h"\n', 2, "base may not include model"),
    "page": ("web/src/diff/a.ts", '\nimport { b } from "../job/b";\n', 2, "diff may not import job"),
    "lazy": ("web/src/ui/a.ts", 'await import("../grid/b");\n', 1, "ui may not import grid"),
    "outside": ("web/src/ui/a.ts", 'import { b } from "../../plugins/b";\n', 1, "ui may not import .."),
    "sibling": ("src/capture/a.cc", '#include "convert/darshan.h"\n', 1, "capture may not include convert"),
    "deeper file": (
        "src/capture/x/a.h",
        '  #  include "programs/a.h"\n',
        1,
        "capture may not include programs",
    ),
    "angle brackets": ("src/model/a.h", "#include <format/chunk.h>\n", 1, "model may not include format"),
    "unit test": ("src/base/a_test.cc", '#include "format/a.h"\n', 1, "base may not include format"),
    "list": ("src/model/a.def", '#include "format/a.h"\n', 1, "model may not include format"),
    "relative": ("src/base/a.cc", '#include "a.h"\n', 1, 'write "folder/file.h"'),
    "climbing": ("src/base/a.cc", '#include "base/../model/a.h"\n', 1, "climbs out"),
    "unknown folder": ("src/strange/a.cc", "int x;\n", 1, "'strange' is in no layer"),
    "public header": (
        "include/headrace/a.h",
        '#include "base/result.h"\n',
        1,
        "include may not include base",
    ),
    "import from": (
        "python/headrace/logs.py",
        "\n\nfrom headrace.commands import main\n",
        3,
        "logs may not import commands",
    ),
    "relative import": (
        "python/headrace/logs.py",
        "from . import commands\n",
        1,
        "logs may not import commands",
    ),
    "deep import": (
        "python/headrace/study/a/b.py",
        "from ...reports import x\n",
        1,
        "study may not import reports",
    ),
    "plain import": (
        "python/headrace/_errors.py",
        "import headrace.logs as l\n",
        1,
        "_errors may not import logs",
    ),
    "late import": (
        "python/headrace/logs.py",
        "def f():\n    import headrace.advise\n",
        2,
        "logs may not import advise",
    ),
    "package": ("python/headrace/logs.py", "from headrace import open\n", 1, "logs may not import headrace"),
    "unknown module": ("python/headrace/strange.py", "x = 1\n", 1, "'strange' is in no layer"),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(tree: Path, name: str) -> None:
    put(tree, name, ALLOWED[name])
    result = run_check(tree)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("case", FORBIDDEN)
def test_forbidden(tree: Path, case: str) -> None:
    name, text, line, message = FORBIDDEN[case]
    put(tree, name, text)
    result = run_check(tree)
    assert result.returncode == 1
    assert result.stderr.startswith(f"{name}:{line}: ")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_rules_that_point_up_are_refused(tree: Path) -> None:
    rules = (tree / "layers.toml").read_text(encoding="utf-8")
    put(tree, "layers.toml", rules.replace("\nbase = []", '\nbase = ["format", "nothing"]'))
    result = run_check(tree)
    assert result.returncode == 1
    assert "format reaches itself" in result.stderr
    assert "base names 'nothing'" in result.stderr
