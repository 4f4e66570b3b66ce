"""Files that are no good job log give one clear error, or a log that says what it lacks."""

from __future__ import annotations

import random
from pathlib import Path

import headrace
import pytest
from made_logs import simulation


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(headrace.LogNotFoundError, match=r"none\.hr"):
        headrace.open(tmp_path / "none.hr")


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(headrace.LogError, match=str(tmp_path)):
        headrace.open(tmp_path)


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "a.hr"
    path.write_bytes(b"")
    with pytest.raises(headrace.LogTruncatedError, match="empty"):
        headrace.open(path)


def test_foreign_files(tmp_path: Path) -> None:
    path = tmp_path / "a.hr"
    for content in (b"PK\3\4" + bytes(99), b"hello\n", b"\x89HDF\r\n\x1a\n" + bytes(99)):
        path.write_bytes(content)
        with pytest.raises(headrace.LogForeignError, match=r"a\.hr"):
            headrace.open(path)
    with pytest.raises(headrace.LogForeignError, match="HDF5"):
        headrace.open(path)


def test_a_name_that_is_not_unicode(tmp_path: Path) -> None:
    path = Path(str(tmp_path) + "/\udcff.hr")
    with pytest.raises(headrace.LogNotFoundError, match=r"\\xff\.hr"):
        headrace.open(path)
    simulation(path)
    assert headrace.open(path).files.num_rows == 10


@pytest.mark.parametrize("seed", range(4))
def test_truncated_anywhere_opens_in_part_or_says_why(tmp_path: Path, seed: int) -> None:
    whole = simulation(tmp_path / "a.hr").read_bytes()
    path = tmp_path / "cut.hr"
    rng = random.Random(seed)
    for length in [rng.randrange(1, len(whole)) for _ in range(50)]:
        path.write_bytes(whole[:length])
        check_safe(path)


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bits_never_change_a_figure_silently(tmp_path: Path, seed: int) -> None:
    path = simulation(tmp_path / "a.hr")
    whole = path.read_bytes()
    truth = headrace.open(path).merged("all").to_pylist()
    bad = tmp_path / "flipped.hr"
    rng = random.Random(seed)
    for _ in range(100):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        bad.write_bytes(data)
        log = check_safe(bad)
        if log and log.merged("all").to_pylist() != truth:
            assert log.verify(), "a figure changed and no damage is said"


def check_safe(path: Path) -> headrace.JobLog | None:
    """Everything works, or one of our own errors names the file."""
    try:
        log = headrace.open(path)
        for name in log.tables:
            log.table(name).validate(full=True)
        log.verify()
    except headrace.LogError as error:
        assert path.name in str(error)
        return None
    repr(log)
    return log
