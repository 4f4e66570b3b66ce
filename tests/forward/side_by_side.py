"""The same directly and forwarded."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from forward_tools import Place, Result


def tree(root: Path) -> dict[str, str]:
    """Names, kinds, permissions and contents of all below."""
    seen = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            seen[name] = f"-> {path.readlink()}"
        elif path.is_dir():
            seen[name] = f"{path.stat().st_mode:o}"
        else:
            seen[name] = f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return seen


def both(place: Place, tmp_path: Path, script: str, **variables: str) -> tuple[Result, Result, Path]:
    """A shell script in an empty directory, directly and forwarded; it finds the directory's path in $AT."""
    direct = tmp_path / "direct"
    direct.mkdir()
    clean = {**os.environ, "HOME": "/nonexistent", "LC_ALL": "C", **variables}
    one = subprocess.run(
        ["bash", "-ec", f"AT={direct}; cd $AT; {script}"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=clean,
    )
    assert one.returncode == 0, one.stderr
    # What waits for a disk that others are busy with as well may take seconds.
    two = place.run("bash", "-ec", f"AT=/fwd; cd $AT; {script}", patience=30, env=clean)
    assert one.stdout.replace(str(direct), "/fwd").splitlines() == two.stdout.splitlines()
    assert tree(direct) == tree(place.root)
    return one, two, direct
