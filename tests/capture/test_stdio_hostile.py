"""What programs do to streams works under capture as it does alone: c/stream_hostile.c, and real programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from capture_tools import Captured

PRINTS = {
    "keeps_errno": b"",
    "cancelled": b"cancelled\n",
    "jumped": b"jumped\n",
    "vforked": b"",
    "closed_elsewhere": b"closed\n",
    "full": b"2 -1\n",
    "no_stdout": b"",
    "early_and_late": b"constructor\nmmmmm\natexit\ndestructor\n",
}
COMMANDS = {
    "awk": 'awk \'{ n += $2; printf "%s-%s\\n", $2, $1 | "sort" } END { print n }\' in',
    "sort": "sort -k2 -n -r in | tail -n 100",
    "sed": "sed -n 's/9/nine/gp' in",
    "diff": "sort in > sorted; diff in sorted",
    "bash": 'while read -r a b; do printf \'%s:%s\\n\' "$b" "$a"; done < in | md5sum',
    "bzip2": "bzip2 -k -c in | bzip2 -d | md5sum",
    "gzip": "gzip -n -c in | md5sum",
    "sqlite3": "sqlite3 -separator ' ' x.db 'create table t(a, b)' '.import in t' .dump | md5sum",
    "gcc": "printf '#include <stdio.h>\\nint main(void){puts(\"x\");}' > x.c; gcc -O1 -S -o - x.c | md5sum",
}


@pytest.mark.parametrize("case", PRINTS)
def test_case(
    case: str, program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    environment = dict(os.environ, EARLY_AND_LATE="1") if case == "early_and_late" else None
    captured = capture([program("stream_hostile"), case], cwd=tmp_path, env=environment)
    assert (captured.status, captured.stdout) == (0, PRINTS[case]), captured.stderr
    with captured.log as log:
        assert not log.damage
    if case == "no_stdout":
        assert captured.stderr == b"10 -1 1\n"
    if case == "jumped":  # callbacks do POSIX I/O, and what waits survives the jump
        assert captured.file("/cookie", layer="posix")["bytes_written"] == 14
        assert captured.file("/jumped")["bytes_written"] == 1000
    if case == "vforked":
        assert (tmp_path / "vforked").read_bytes() == b"parent\nchild\npppppppppp"
        assert captured.file("/vforked", layer="stdio")["bytes_written"] == 17  # the child's are its own
    if case == "early_and_late":  # what a destructor prints may wait for ever
        assert 6 + 12 + 7 <= captured.file("<stdout>")["bytes_written"] <= 6 + 12 + 7 + 11


def test_signal_handler_that_writes(
    program: Callable[[str], Path], capture: Callable[..., Captured], tmp_path: Path
) -> None:
    """Every fwrite is counted once, at its file or, when it interrupted the counting, in the totals."""
    captured = capture([program("stream_hostile"), "interrupted"], cwd=tmp_path)
    assert captured.status == 0
    handled = int(captured.stdout)
    of_main, of_handler = captured.file("/main"), captured.file("/handler")
    assert (tmp_path / "handler").stat().st_size == 8 * handled
    assert of_main["bytes_written"] == 8 * 300_000
    apart = sum(row["bytes_written"] for row in captured.files(kind="no_file"))
    assert of_handler["bytes_written"] + apart == 8 * handled
    assert apart == sum(row["amount"] for row in captured.rows("gaps") if row["unit"] == "bytes")
    (function,) = (row for row in captured.rows("profiles") if row["function"] == "fwrite")
    assert (function["calls"], function["bytes"]) == (300_000 + handled, 8 * (300_000 + handled))
    facts = captured.shown()
    assert facts["totals"]["write"]["bytes"] == 8 * (300_000 + handled)
    assert [gap for gap in facts["not_captured"] if gap["loss"]] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_output_is_the_same(name: str, capture: Callable[..., Captured], tmp_path: Path) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    outputs = []
    for place in ("alone", "captured"):
        work = tmp_path / place
        work.mkdir()
        lines = (f"{(i * 7919) % 3001} {i}\n" for i in range(3000))
        (work / "in").write_text("".join(lines))
        command = ["bash", "-c", COMMANDS[name]]
        if place == "alone":
            done = subprocess.run(command, cwd=work, capture_output=True, check=False)
            outputs.append((done.returncode, done.stdout, done.stderr))
        else:
            captured = capture(command, cwd=work)
            outputs.append((captured.status, captured.stdout, captured.stderr))
    assert outputs[0] == outputs[1]
    assert outputs[0][1]
