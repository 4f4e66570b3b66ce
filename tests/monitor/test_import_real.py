"""`headrace monitor import` of what sysstat's own programs write here, beside `headrace monitor`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from headrace import _errors, catalog, foreign_samples, samples
from headrace.catalog import add

HEADRACE = Path(sys.executable).parent / "headrace"
PLACES = ("/usr/lib/sysstat/sadc", "/usr/libexec/sysstat/sadc", "/usr/lib64/sa/sadc")
SADC = next((path for path in PLACES if Path(path).exists()), "sadc")
PLAIN = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}


def run(*arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    command = [str(HEADRACE), "monitor", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == status, done.stderr
    return done


def sampled(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = samples.read(path)["samples"].to_pylist()
    return rows


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """iostat in four forms, sadc, and `headrace monitor`, all at the same time while something is written."""
    place = tmp_path_factory.mktemp("taken")
    forms = {"extended": ["-x"], "megabytes": ["-x", "-m"], "plain": [], "first_left_out": ["-x", "-y"]}
    started = [
        subprocess.Popen(["iostat", "-o", "JSON", "-t", *words, "1", "5"], stdout=file, env=PLAIN | zone)
        for (name, words), zone in zip(forms.items(), ({"S_TIME_FORMAT": "ISO"}, {}, {}, {}), strict=True)
        for file in [(place / f"{name}.json").open("wb")]
    ]
    started.append(subprocess.Popen([SADC, "-S", "DISK", "1", "5", place / "sa"], env=PLAIN))
    monitor = subprocess.Popen(
        [HEADRACE, "monitor", "--at", place / "own", "--interval", "1"], stderr=subprocess.DEVNULL
    )
    try:
        while any(process.poll() is None for process in started):
            with (place / "data").open("wb") as file:
                file.write(os.urandom(1 << 20))
                file.flush()
                os.fsync(file.fileno())
        assert [process.wait(30) for process in started] == [0] * len(started)
    finally:
        for process in started:
            process.kill() if process.poll() is None else None
        monitor.send_signal(signal.SIGTERM)
        monitor.wait(30)
    sadf = subprocess.run(
        ["sadf", "-j", place / "sa", "--", "-d"], stdout=subprocess.PIPE, check=True, env=PLAIN
    )
    (place / "sar.json").write_bytes(sadf.stdout)
    return place


def test_what_this_machine_gives_is_imported(
    taken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    files = sorted(taken.glob("*.json"))
    found = json.loads(run("import", *files, "-o", tmp_path / "s", "--json").stdout)
    assert found["problems"] == []
    kinds = {Path(row["file"]).stem: row["kind"] for row in found["files"]}
    assert kinds == {path.stem: "sadf" if path.stem == "sar" else "iostat" for path in files}
    own = {(row["host"], row["device"]) for row in sampled(taken / "own")}
    for row in found["files"]:
        assert row["samples"] >= 3 * row["devices"]
    assert {(row["host"], row["device"]) for row in sampled(tmp_path / "s")} >= own
    run("import", *files, "-o", tmp_path / "s")
    assert len(samples.files(tmp_path / "s")) == len(files)  # replaced, not doubled
    assert json.loads(run("show", tmp_path / "s", "--json").stdout)["problems"] == []


def test_bytes_are_those_that_monitor_counts(taken: Path) -> None:
    """Over the seconds that both cover; rates and whole seconds allow for no more than a rough comparison."""
    own = sampled(taken / "own")
    assert own, "this machine has no block device"
    for name in ("extended", "megabytes", "plain", "sar"):
        found = foreign_samples.read(taken / f"{name}.json").tables["samples"].to_pylist()
        begin, end = min(row["start"] for row in found), max(row["end"] for row in found)
        for device in {row["device"] for row in own}:
            of_it = [row for row in own if row["device"] == device]
            inside = sum(r["write_bytes"] for r in of_it if r["start"] >= begin and r["end"] <= end)
            around = sum(r["write_bytes"] for r in of_it if r["end"] > begin and r["start"] < end)
            total = sum(row["write_bytes"] for row in found if row["device"] == device)
            assert total <= 2.0 * around + (8 << 20), (name, device)
            assert total >= 0.3 * inside - (8 << 20), (name, device)


def test_a_catalog_takes_them_with_the_device_map(taken: Path, tmp_path: Path) -> None:
    own = sampled(taken / "own")[0]
    place = f'host = "{own["host"]}"\ndevice = "{own["device"]}"\n'
    rules = f'[[devices]]\n{place}server = "s1"\nfile_system = "fast"\n'
    (tmp_path / "map.toml").write_text(rules)
    paths = [*sorted(taken.glob("*.json")), tmp_path / "map.toml"]
    report = add.add(tmp_path / "c", paths)
    assert (report.added, report.bad) == (len(paths), [])
    assert add.add(tmp_path / "c", paths).known == len(paths)
    connection = catalog.open(tmp_path / "c").connect()
    kinds = connection.execute("SELECT kind, count(*) FROM sources GROUP BY kind ORDER BY kind").fetchall()
    assert kinds == [("iostat", 4), ("sadf", 1), ("toml", 1)]
    query = "SELECT DISTINCT server, file_system FROM device_minutes WHERE device = ? AND host = ?"
    assert connection.execute(query, [own["device"], own["host"]]).fetchall() == [("s1", "fast")]


def test_damage_is_told_and_the_rest_imported(taken: Path, tmp_path: Path) -> None:
    whole = (taken / "extended.json").read_bytes()
    (tmp_path / "cut.json").write_bytes(whole[: whole.rindex(b"timestamp")])
    (tmp_path / "none.json").write_bytes(b"{}")
    shutil.copy(taken / "sar.json", tmp_path / "sar.json")
    names = [tmp_path / name for name in ("cut.json", "none.json", "sar.json", "nowhere.json")]
    done = run("import", *names, "-o", tmp_path / "s", status=3)
    assert "cut.json: ends, or is no JSON, at line" in done.stderr
    assert "none.json: neither JSON of iostat or sadf" in done.stderr
    assert "nowhere.json: cannot be read: No such file" in done.stderr
    assert "2 files of 4 could not be imported" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(samples.files(tmp_path / "s")) == 2
    report = add.add(tmp_path / "c", names[:1])
    assert "Add the file when it is finished" in report.bad[0][1]


def test_a_store_that_cannot_be_made(taken: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("import", taken / "sar.json", "-o", tmp_path / "file", status=4)
    assert "cannot be made" in done.stderr
    with pytest.raises(_errors.LogUnreadableError):
        foreign_samples.read(tmp_path)
