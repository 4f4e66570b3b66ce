"""The payload of a report and the page around it, read back by a decoder of its own."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from headrace._errors import MissingPackageError, OutputError
from headrace.reports import html
from headrace.reports.payload import Column, Table, codes, numbers, pieces, texts
from report_reader import read_payload, read_report, stand_in

SPECIFICATION = Path(__file__).parents[2] / "docs/formats/report-payload.md"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "'\"`&amp;",
    "a\nb\r\x00\u2028",
    "\u202etxt.exe \u05e9\u05dc\u05d5\u05dd",
    "x" * 4000,
    "\U0001f600",
    "",
]


def payload(facts: dict[str, object], **tables: Table) -> bytes:
    return b"".join(pieces("job", facts, tables))


def test_columns_of_every_type_come_back() -> None:
    table = Table(
        3,
        {
            "a": numbers("u8", [0, 1, 255]),
            "b": numbers("u16", [0, 1, 65535]),
            "c": numbers("u32", [0, 1, 2**32 - 1]),
            "d": numbers("i32", [-1, 0, 2**31 - 1]),
            "e": numbers("f64", [0.5, 2.0**53, -1e300]),
            "f": texts(["", "é", "ab"]),
            "g": codes(["file", "directory", "file"]),
        },
    )
    found = read_payload(
        payload({"x": 1}, files=table, empty=Table(0, {"t": texts([]), "n": numbers("f64", [])}))
    )
    assert (found["format"], found["kind"], found["facts"]) == (1, "job", {"x": 1})
    assert found["tables"]["files"] == {
        "a": [0, 1, 255],
        "b": [0, 1, 65535],
        "c": [0, 1, 2**32 - 1],
        "d": [-1, 0, 2**31 - 1],
        "e": [0.5, 2.0**53, -1e300],
        "f": ["", "é", "ab"],
        "g": ["file", "directory", "file"],
    }
    assert found["tables"]["empty"] == {"t": [], "n": []}


@pytest.mark.parametrize(
    ("different", "kind"), [(1, "code8"), (256, "code8"), (257, "code16"), (65537, "code")]
)
def test_codes_are_as_wide_as_they_must_be(different: int, kind: str) -> None:
    column = codes([str(number) for number in range(different)] * 2)
    assert column.type == kind
    found = read_payload(payload({}, t=Table(2 * different, {"c": column})))
    assert found["tables"]["t"]["c"] == [str(number) for number in range(different)] * 2


def test_columns_of_the_wrong_length_are_refused() -> None:
    with pytest.raises(ValueError, match="column a"):
        Table(2, {"a": numbers("u8", [1])})
    with pytest.raises(ValueError, match="column t"):
        Table(2, {"t": texts(["one"])})
    with pytest.raises(OverflowError):
        numbers("u8", [256])
    assert Column("u8", (b"ab", b"c")).size == 3


def test_hostile_texts_stay_inside(tmp_path: Path) -> None:
    table = Table(len(HOSTILE), {"path": texts(HOSTILE), "kind": codes(HOSTILE)})
    for title in HOSTILE:
        page = b"".join(
            html.document(
                "job", title, {"names": HOSTILE, "lone": "\ud800"}, {"files": table}, stand_in(tmp_path)
            )
        )
        found = read_report(page)
        assert found["facts"] == {"names": HOSTILE, "lone": "\ud800"}
        assert found["tables"]["files"]["path"] == HOSTILE
        assert found["tables"]["files"]["kind"] == HOSTILE
        assert page.count(b"<script") == page.count(b"</script>") == 1
        assert b"<!--" not in page
        assert page.isascii()


def test_large_payloads_are_joined_rightly(tmp_path: Path) -> None:
    """More than one part of base64, of bytes that do not compress."""
    data = os.urandom(3_000_001)
    parts = html.document(
        "job", "t", {}, {"t": Table(len(data), {"c": Column("u8", (data,))})}, stand_in(tmp_path)
    )
    assert bytes(read_report(b"".join(parts))["tables"]["t"]["c"]) == data


def test_the_worked_example_of_the_specification() -> None:
    text = SPECIFICATION.read_text(encoding="utf-8")
    dump = "".join(re.findall(r"^[0-9a-f]{4}  ((?:[0-9a-f]{2} ?)+)", text, re.MULTILINE))
    table = Table(2, {"path": texts(["/a", "/b"]), "time_ns": numbers("f64", [1500.0, 0.0])})
    assert bytes.fromhex(dump).hex(" ") == payload({}, files=table).hex(" ")


def test_a_missing_or_foreign_template_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MissingPackageError, match=r"none\.html.*run 'make build'"):
        list(html.document("job", "t", {}, {}, tmp_path / "none.html"))
    twice = tmp_path / "twice.html"
    twice.write_bytes(b"<title>Headrace</title>" + html.MARKER * 2)
    with pytest.raises(MissingPackageError, match="2 times"):
        list(html.document("job", "t", {}, {}, twice))


class TestWrite:
    def parts(self, directory: Path) -> list[bytes]:
        return list(html.document("job", "t", {}, {}, stand_in(directory)))

    def test_a_report_is_replaced_and_nothing_else_is(self, tmp_path: Path) -> None:
        path = tmp_path / "report.html"
        parts = self.parts(tmp_path)
        assert html.write(parts, str(path)) == path.stat().st_size == sum(map(len, parts))
        assert html.is_report(path)
        html.write(parts, str(path))
        path.write_text("<html>my own page</html>")
        with pytest.raises(OutputError, match=r"is no report; --force replaces it"):
            html.write(parts, str(path))
        assert path.read_text() == "<html>my own page</html>"
        html.write(parts, str(path), force=True)
        assert html.is_report(path)
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["report.html", "template.html"]

    def test_an_empty_file_is_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "made-by-mktemp"
        path.touch()
        html.write(self.parts(tmp_path), str(path))
        assert html.is_report(path)

    def test_the_usual_permissions(self, tmp_path: Path) -> None:
        path = tmp_path / "report.html"
        mask = os.umask(0o027)
        try:
            html.write(self.parts(tmp_path), str(path))
        finally:
            os.umask(mask)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640

    def test_a_link_is_followed(self, tmp_path: Path) -> None:
        (tmp_path / "link.html").symlink_to("real.html")
        html.write(self.parts(tmp_path), str(tmp_path / "link.html"))
        assert (tmp_path / "link.html").is_symlink()
        assert html.is_report(tmp_path / "real.html")

    def test_what_cannot_be_written(self, tmp_path: Path) -> None:
        parts = self.parts(tmp_path)
        for output, said in (
            (tmp_path, "is a directory"),
            (tmp_path / "none/report.html", "cannot be written"),
            (tmp_path / "template.html/report.html", "cannot be written"),
        ):
            with pytest.raises(OutputError, match=said):
                html.write(parts, str(output))

    def test_a_failure_leaves_the_old_report_and_nothing_else(self, tmp_path: Path) -> None:
        path = tmp_path / "report.html"
        html.write(self.parts(tmp_path), str(path))
        before = path.read_bytes()

        def failing():  # type: ignore[no-untyped-def]
            yield b"<html>"
            raise OutputError("no")

        with pytest.raises(OutputError):
            html.write(failing(), str(path))
        assert path.read_bytes() == before
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["report.html", "template.html"]

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_devices_are_written_into(self, tmp_path: Path) -> None:
        html.write(self.parts(tmp_path), "/dev/null")
        with pytest.raises(OutputError, match="No space left"):
            html.write(self.parts(tmp_path), "/dev/full")

    def test_standard_output(self, tmp_path: Path) -> None:
        code = (
            "import sys; from pathlib import Path; from headrace.reports import html;"
            "html.write(html.document('job', 't', {'a': 1}, {}, Path(sys.argv[1])), '-')"
        )
        run = subprocess.run(
            [sys.executable, "-c", code, str(stand_in(tmp_path))], capture_output=True, check=True, timeout=60
        )
        assert read_report(run.stdout)["facts"] == {"a": 1}
