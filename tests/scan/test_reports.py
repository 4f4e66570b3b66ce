"""show, csv, merge and diff of scans."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest
from headrace import scans
from headrace._errors import UsageError
from headrace.scans import bins
from headrace.scans.fsstats import csv_lines
from headrace.scans.growth import compare
from headrace.scans.merging import merge
from headrace.scans.scan import COUNTS, Bin, Key, Scan
from hypothesis import given
from hypothesis import strategies as st

Headrace = Callable[..., subprocess.CompletedProcess[str]]
DAY = 86400 * 10**9
COUNT = st.integers(0, 2**40)


def made(root: str, files: int, size: int = 0, start: int = 0, **facts: str) -> Scan:
    scan = Scan({"format_version": "1", "root": root, "host": "h", "complete": "yes", **facts})
    scan.facts |= {
        "start_utc_ns": str(start),
        "end_utc_ns": str(start),
        "files": str(files),
        "bytes": str(size),
    }
    for by, owner in (("all", ""), ("user", "ann")):
        scan.bins[Key("size", by, owner, 5)] = Bin(files, size, size, 0.0)
    scan.path = root
    return scan


@st.composite
def any_scan(draw: st.DrawFn) -> Callable[[str], Scan]:
    histogram = st.sampled_from(sorted(bins.HISTOGRAMS))
    by = st.sampled_from([("all", ""), ("user", "o"), ("project", "o")])
    whose = st.tuples(histogram, by, st.integers(0, 50))
    keys = whose.map(lambda one: Key(one[0], *one[1], one[2]))
    one_bin = st.builds(Bin, COUNT, st.integers(0, 2**62), COUNT, st.just(0.0))
    found = draw(st.dictionaries(keys, one_bin, max_size=6))
    facts = {name: str(draw(COUNT)) for name in COUNTS}
    start = draw(st.integers(0, 2**60))
    ranges = {"size": (draw(COUNT), draw(COUNT))}

    def at(root: str) -> Scan:
        facts_ = {"root": root, "complete": "yes", **facts}
        facts_ |= dict.fromkeys(("start_utc_ns", "end_utc_ns"), str(start))
        return Scan(dict(facts_), dict(found), dict(ranges), [(root, "x")], root)

    return at


def all_of(scan: Scan) -> object:
    return scan.facts, scan.bins, scan.ranges, scan.problems


Made = Callable[[str], Scan]


@given(any_scan(), any_scan(), any_scan())
def test_merging_has_no_order(one: Made, two: Made, three: Made) -> None:
    a, b, c = one("/a"), two("/b"), three("/c")
    whole = merge([a, b, c])
    assert all_of(merge([c, a, b])) == all_of(whole)
    assert all_of(merge([merge([a, b]), c])) == all_of(whole)
    assert whole.number("files") == sum(scan.number("files") for scan in (a, b, c))
    assert whole.number("largest") == max(scan.number("largest") for scan in (a, b, c))
    for key in whole.bins:
        assert whole.bins[key].files == sum(scan.bins[key].files for scan in (a, b, c) if key in scan.bins)


def test_parts_of_a_tree_merge_to_the_tree(tmp_path: Path, headrace: Headrace) -> None:
    for i, name in enumerate(("a", "b")):
        (tmp_path / "t" / name).mkdir(parents=True)
        (tmp_path / "t" / name / "f").write_bytes(b"x" * (100 << i))
    for name in ("a", "b"):
        headrace(tmp_path / "t" / name, "-o", tmp_path / f"{name}.hr")
    headrace(tmp_path / "t" / "a", tmp_path / "t" / "b", "-o", tmp_path / "both.hr")
    headrace("merge", tmp_path / "a.hr", tmp_path / "b.hr", "-o", tmp_path / "merged.hr")
    merged, both = scans.load(tmp_path / "merged.hr"), scans.load(tmp_path / "both.hr")
    for name in COUNTS:
        assert merged.number(name) == both.number(name), name
    assert merged.histogram("size") == both.histogram("size")
    assert merged.roots == both.roots
    done = headrace("merge", tmp_path / "a.hr", tmp_path / "both.hr", "-o", tmp_path / "no.hr", status=2)
    assert "overlap" in done.stderr


def test_incomplete_parts_are_told() -> None:
    broken = made("/b", 1, complete="no: power went away")
    assert merge([made("/a", 1), broken]).facts["complete"] == "no: 1 of 2 parts: power went away"
    with pytest.raises(UsageError, match="overlap"):
        merge([made("/", 1), broken])
    apart = merge([made("/tmp", 1, file_system="n1"), made("/tmp", 2, file_system="n2")])
    assert apart.number("files") == 3


# Growth in the study of Intrepid (Carns et al., MSST 2011, Table III), which forecast September 2011.
def intrepid() -> tuple[Scan, Scan]:
    before = int(datetime(2010, 1, 23, tzinfo=timezone.utc).timestamp()) * 10**9
    after = int(datetime(2010, 3, 25, tzinfo=timezone.utc).timestamp()) * 10**9
    return made("/g", 96_200_000, 1_140 * 10**12, before), made("/g", 191_400_000, 1_280 * 10**12, after)


def test_forecasts_as_in_the_study_of_intrepid() -> None:
    facts = compare(*intrepid())
    files = facts["forecast"][0]
    assert files["limit"] == 10**9
    when = datetime.fromtimestamp(files["linear_utc_ns"] / 1e9, tz=timezone.utc)
    assert (when.year, when.month) in ((2011, 8), (2011, 9))
    assert files["doubling_days"] == pytest.approx(61.5, abs=0.5)
    assert facts["growth"]["files"]["share"] == pytest.approx(0.99, abs=0.001)
    assert facts["owners"][0]["share_of_files_change"] == 1


def test_scans_of_one_day_have_no_forecast() -> None:
    facts = compare(made("/g", 5, 5, 0), made("/g", 7, 7, DAY - 1))
    assert [one["linear_utc_ns"] for one in facts["forecast"]] == [None, None]


def test_no_growth_has_no_forecast() -> None:
    facts = compare(made("/g", 5, 5, 0), made("/g", 5, 4, DAY))
    assert [one["linear_utc_ns"] for one in facts["forecast"]] == [None, None]
    hardly = compare(made("/g", 5, 2**60, 0), made("/g", 5, 2**60 + 1, DAY))
    assert hardly["forecast"][1]["doubling_days"] > 1e17
    from_nothing = compare(made("/g", 0, 0, 0), made("/g", 10, 4, DAY), limits={"files": 30})["forecast"][0]
    assert (from_nothing["linear_utc_ns"], from_nothing["doubling_utc_ns"]) == (3 * DAY, None)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="not older"):
        compare(made("/g", 1, 1, DAY), made("/g", 1, 1, DAY))
    with pytest.raises(UsageError, match="one file system"):
        compare(made("/g", 1, 1, 0), made("/h", 1, 1, DAY))


def test_diff_in_words(tmp_path: Path, headrace: Headrace) -> None:
    before, after = intrepid()
    before.save(str(tmp_path / "a.hr"))
    after.save(str(tmp_path / "b.hr"))
    words = ["diff", tmp_path / "a.hr", tmp_path / "b.hr", "--created", "200000000"]
    text = headrace(*words).stdout
    assert "Reaches 1,000,000,000 files in" in text
    assert "doubling every" in text
    assert "at least 104,800,000 files (52 % as many) were removed" in text
    facts = json.loads(headrace(*words, "--json").stdout)
    assert facts["churn"]["removed_at_least"] == 104_800_000
    assert "not older" in headrace("diff", tmp_path / "b.hr", tmp_path / "a.hr", status=2).stderr


def test_the_csv_of_fsstats(tmp_path: Path, headrace: Headrace) -> None:
    top = tmp_path / "t"
    top.mkdir()
    for size in (0, 1, 2047, 2048, 5000):
        (top / ("n" * (size % 7 + 1))).write_bytes(b"x" * size)
    (top / ("l" * 200)).symlink_to("/x")
    headrace(top, "-o", tmp_path / "s.hr")
    lines = headrace("csv", tmp_path / "s.hr").stdout.splitlines()
    titles = [line.split(",", 1)[1] for line in lines if line.startswith("histogram,")]
    assert titles == [
        "file size", "capacity used", "positive overhead", "negative overhead", "directory size (entries)",
        "directory size", "filename length", "link count", "symlink target length",
        "mtime (files)", "mtime (KB)", "ctime (files)", "ctime (KB)", "atime (files)", "atime (KB)",
    ]  # fmt: skip
    rows = list(csv.reader(lines))
    at = rows.index(["histogram", "file size"])
    assert rows[at + 1] == ["count", "5", "items"]
    assert [row[:3] for row in rows[at + 6 : at + 9]] == [["0", "2", "3"], ["2", "4", "1"], ["4", "8", "1"]]
    assert float(rows[at + 8][4]) == 1
    at = rows.index(["histogram", "filename length"])
    assert rows[at + 7][:3] == ["127", "-1", "1"]
    assert ["absolute symlink target pct", "1.000000"] in rows


def test_csv_needs_sums() -> None:
    scan = made("/", 1, 1)
    scan.bins[Key("links", "all", "", 1)] = Bin(1, 1)
    with pytest.raises(UsageError, match="no sums"):
        list(csv_lines(scan))


def test_show(tmp_path: Path, headrace: Headrace) -> None:
    top = tmp_path / "t\x1b[31m\n"
    top.mkdir()
    (top / "f").write_bytes(b"x" * 3000)
    headrace(top, "-o", tmp_path / "s.hr")
    text = headrace("show", tmp_path / "s.hr").stdout
    assert "\x1b" not in text
    assert "1 file, 2.93 KiB" in text
    assert "2 KiB to below 4 KiB" in text
    facts = json.loads(headrace("show", tmp_path / "s.hr", "--json").stdout)
    assert facts["totals"]["files"] == 1
    assert facts["roots"] == [str(top)]
    user = scans.load(tmp_path / "s.hr").owners("user")[0]
    assert "2 KiB to below 4 KiB" in headrace("show", tmp_path / "s.hr", "--of", f"user:{user}").stdout
    assert "has no files of" in headrace("show", tmp_path / "s.hr", "--of", "user:none such", status=2).stderr
