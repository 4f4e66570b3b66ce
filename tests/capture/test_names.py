"""What a path is, and what a failed open was of, as far as calls on names show it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from capture_tools import Captured

_PROGRAM = """
import os, sys
base = sys.argv[1]
os.stat(base + "/seen")
os.lstat(base + "/seen too/")
os.access(base + "/perhaps", os.F_OK)
os.stat(base + "/file")
os.mkdir(base + "/made")
os.makedirs(base + "/gone")
os.rmdir(base + "/gone")
open(base + "/gone", "w").close()
for name in ("absent", "missing/below", "absent", "file/below", "file"):
    try:
        os.open(base + "/" + name, os.O_RDONLY | (os.O_EXCL | os.O_CREAT if name == "file" else 0))
    except OSError:
        pass
"""


def test_directories_are_no_files_and_failed_opens_have_names(
    capture: Callable[..., Captured], tmp_path: Path
) -> None:
    base = tmp_path / "names"
    for name in ("seen", "seen too", "perhaps"):
        (base / name).mkdir(parents=True)
    (base / "file").write_text("x")
    done = capture([sys.executable, "-S", "-c", _PROGRAM, base])
    assert done.status == 0
    kinds = {row["path"].removeprefix(f"{base}/").rstrip("/"): row["kind"] for row in done.rows("files")}
    found = {name: kinds[name] for name in ("seen", "seen too", "perhaps", "file", "made")}
    directories = dict.fromkeys(("seen", "seen too", "perhaps", "made"), "directory")
    assert found == {**directories, "file": "file"}
    # First a directory, then a file: two things of one name.
    kinds_of_gone = sorted(row["kind"] for row in done.files("/names/gone"))
    assert kinds_of_gone == ["directory", "file"]

    paths = {row["record"]: row["path"] for row in done.rows("files")}
    failed = {
        (paths[row["record"]], row["key"].removeprefix("failed_open.")): row["value"]
        for row in done.rows("properties")
        if row["key"].startswith("failed_open.") and paths[row["record"]].startswith(str(base))
    }
    assert failed == {
        (str(base), "absent"): "no such file or directory",
        (f"{base}/missing", "below"): "no such file or directory",
        (f"{base}/file", "below"): "not a directory",
    }
    assert done.file("/names/file")["meta_errors"] == 2
