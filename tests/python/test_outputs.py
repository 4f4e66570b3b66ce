"""Files at a place that a user named: whole or not there, and never in the place of something else."""

from __future__ import annotations

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest
from commands import headrace
from headrace import _outputs
from headrace._errors import LogCorruptError, OutputError
from headrace._outputs import any_file, new_file, only_with_force
from made_logs import simulation


def written(target: Path, text: str, force: bool = False) -> None:
    with new_file(target, only_with_force(force)) as partial:
        partial.write_text(text)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.parametrize("links", [True, False], ids=["links", "no-links"])
class TestPlace:
    @pytest.fixture(autouse=True)
    def _links(self, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        """Some file systems have no second names."""

        def link(*_: object) -> None:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

        if not links:
            monkeypatch.setattr(os, "link", link)

    def test_a_new_file(self, tmp_path: Path) -> None:
        written(tmp_path / "a", "mine")
        assert (tmp_path / "a").read_text() == "mine"
        assert names(tmp_path) == ["a"]

    def test_what_comes_meanwhile_is_kept(self, tmp_path: Path) -> None:
        target = tmp_path / "a"
        with (
            pytest.raises(OutputError, match="a: exists already; --force replaces it"),
            new_file(target, only_with_force(False)),
        ):
            target.write_text("theirs")
        assert target.read_text() == "theirs"
        with new_file(target, only_with_force(True)) as partial:
            partial.write_text("mine")
            target.write_text("theirs as well")
        assert target.read_text() == "mine"
        assert names(tmp_path) == ["a"]

    @pytest.mark.parametrize("force", [False, True])
    def test_no_link_that_comes_meanwhile_is_followed(self, tmp_path: Path, force: bool) -> None:
        victim, target = tmp_path / "victim", tmp_path / "a"
        victim.write_text("theirs")
        with (
            pytest.raises(OutputError, match="a: is a link that leads in a circle"),
            new_file(target, only_with_force(force)),
        ):
            target.symlink_to("victim")
        assert target.is_symlink() and victim.read_text() == "theirs"

    def test_many_at_a_time(self, tmp_path: Path) -> None:
        def one(number: int, force: bool) -> bool:
            try:
                written(tmp_path / "a", f"{number}\n" * 1000, force)
            except OutputError:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(lambda number: one(number, False), range(40))) == 1
            assert all(pool.map(lambda number: one(number, True), range(40)))
        lines = (tmp_path / "a").read_text().splitlines()
        assert (len(lines), len(set(lines))) == (1000, 1)
        assert names(tmp_path) == ["a"]


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("table")
    written(tmp_path / "link", "new")
    written(tmp_path / "link", "newer", force=True)
    assert (tmp_path / "link").is_symlink() and (tmp_path / "table").read_text() == "newer"


def test_what_cannot_be_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("theirs")
    for name, why in (
        ("pipe", "is no file that could be replaced"),
        ("loop", "is a link that leads in a circle"),
        ("", "is a directory; name a file in it"),
        ("none/a", "cannot be written: No such file or directory: make its directory first"),
        ("file/a", "cannot be written: Not a directory: make its directory first"),
        ("x" * 300, "cannot be written: File name too long: choose a place"),
    ):
        place = tmp_path / name
        with pytest.raises(OutputError) as caught:
            written(place, "mine", force=True)
        assert str(caught.value).startswith(f"{place}: {why}")
        if name != "x" * 300:
            with pytest.raises(OutputError):
                _outputs.check(place, any_file)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert (tmp_path / "file").read_text() == "theirs"


def test_names_as_long_as_they_may_be(tmp_path: Path) -> None:
    name = "\N{SNOWMAN}" * 85
    written(tmp_path / name, "mine")
    assert names(tmp_path) == [name]


def test_permissions_are_those_of_the_user(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        written(tmp_path / "a", "mine")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("raised", "expected", "said"),
    [
        (OSError(errno.ENOSPC, "full"), OutputError, "a: cannot be written: full: free some space"),
        (OutputError("{}: cannot write: full"), OutputError, "/a: cannot write: full"),
        (LogCorruptError("b.hr: damaged"), LogCorruptError, "b.hr: damaged"),
        (KeyboardInterrupt(), KeyboardInterrupt, ""),
    ],
)
def test_what_fails_leaves_nothing(
    tmp_path: Path, raised: BaseException, expected: type[BaseException], said: str
) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(expected) as caught, new_file(tmp_path / "a", any_file) as partial:
        partial.write_text("new")
        if isinstance(raised, OutputError):
            raised = OutputError(str(raised).format(partial))
        raise raised
    assert said in str(caught.value) and ".partial" not in str(caught.value)
    assert (tmp_path / "a").read_text() == "old"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize(
    "words",
    [
        "convert a.hr --force",
        "convert a.hr --to hr -o ./a.hr --force",
        "convert a.hr --to darshan -o link --force",
        "anonymize a.hr -o a.hr --force",
        "report a.hr -o a.hr --force",
        "diff a.hr b.hr -o b.hr --force",
        "diff a.hr vs b.hr -o link --force",
        "phases a.hr -o a.hr --force",
        "scaling a.hr b.hr -o b.hr --force",
        "export files.csv --to csv --table files -o . --force",
        "cluster points.npy -o points.npy",
        "cluster points.clusters.npy --json",
        "trace unify a.hr -o a.hr --force",
    ],
)
def test_what_is_read_is_not_written_over(tmp_path: Path, words: str) -> None:
    for name in ("a.hr", "b.hr", "files.csv"):
        simulation(tmp_path / name)
    (tmp_path / "link").symlink_to("a.hr")
    for name in ("points.npy", "points.clusters.npy"):
        numpy.save(tmp_path / name, numpy.zeros((4, 2)))
    (tmp_path / "points.clusters.clusters.npy").symlink_to("points.clusters.npy")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = headrace(*words.split(), cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "itself, which is read" in done.stderr or "is a job log already" in done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "words",
    [
        "export a.hr --to csv -o none/tables",
        "report a.hr -o none/a.html",
        "diff a.hr b.hr -o none/a.html",
        "scaling a.hr b.hr -o none/a.html",
        "convert a.hr --to darshan -o none/a.darshan",
        "anonymize a.hr -o none/a.hr",
        "cluster points.npy -o none/a.npy",
        "catalog --at none/catalog add a.hr",
        "bench facility --jobs 100 -o none/made",
    ],
)
def test_no_directory_is_made_above_a_result(tmp_path: Path, words: str) -> None:
    """A slip in its name would be one."""
    for name in ("a.hr", "b.hr"):
        simulation(tmp_path / name)
    numpy.save(tmp_path / "points.npy", numpy.zeros((4, 2)))
    done = headrace(*words.split(), cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    assert "make its directory first" in done.stderr or "none is not there: make it first" in done.stderr
    assert not (tmp_path / "none").exists()


def test_a_log_is_told_what_it_is_already(tmp_path: Path) -> None:
    simulation(tmp_path / "a.hr")
    said = headrace("convert", "a.hr", cwd=tmp_path).stderr
    assert "a.hr: is a job log already" in said and "--to darshan or --to trace" in said


@pytest.mark.parametrize(
    ("words", "again"),
    [
        ("export a.hr --to csv --table files -o .", 4),
        ("convert a.hr --to darshan -o files.csv", 4),
        ("anonymize a.hr -o files.csv", 4),
        ("report a.hr -o files.csv", 0),  # reports replace each other
        ("cluster points.npy -o files.npy", 0),  # and so do clusters
    ],
)
def test_commands_have_no_name_that_others_can_prepare(tmp_path: Path, words: str, again: int) -> None:
    simulation(tmp_path / "a.hr")
    numpy.save(tmp_path / "points.npy", numpy.zeros((4, 2)))
    (tmp_path / "mine").write_text("mine")
    prepared = {".files.csv.partial", ".files.npy.partial"}
    for name in prepared:
        (tmp_path / name).symlink_to("mine")
    for status in (0, again):
        done = headrace(*words.split(), cwd=tmp_path)
        assert done.returncode == status, done.stderr
    assert any((tmp_path / name).is_file() for name in ("files.csv", "files.npy"))
    assert (tmp_path / "mine").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir() if path.is_symlink()} == prepared
