"""Figures and names as terminal text."""

from __future__ import annotations

import unicodedata

import pytest
from headrace.commands import _text
from hypothesis import given
from hypothesis import strategies as st


@given(st.text())
def test_nothing_that_steers_a_terminal_passes(text: str) -> None:
    shown = _text.printable(text)
    for character in shown:
        category = unicodedata.category(character)
        assert category[0] != "C", f"U+{ord(character):04X}"
        assert category not in ("Zl", "Zp")
        assert unicodedata.bidirectional(character) not in ("R", "AL", "RLO", "LRO", "RLE", "RLI", "PDF")


def test_plain_names_stay_as_they_are() -> None:
    for name in ("/a b/c.txt", "/caf\u00e9/\u6f22\u5b57", "back\\slash", 'it\'s "quoted" <b>'):
        assert _text.printable(name) == name


def test_escapes_can_be_read() -> None:
    assert _text.printable("a\x1b[31m\n\u202e\u05d0\U000e0001\x9b") == (
        "a\\x1b[31m\\n\\u202e\\u05d0\\U000e0001\\x9b"
    )


@given(st.text(), st.integers(2, 30))
def test_shortened_names_fit(text: str, columns: int) -> None:
    shown = _text.printable(text)
    for short in (_text.shorten_left(shown, columns), _text.shorten_right(shown, columns)):
        assert _text.width(short) <= columns
        assert short == shown or "…" in short


def test_the_end_of_a_path_is_kept() -> None:
    assert _text.shorten_left("/very/long/path/file.txt", 9) == "…file.txt"
    assert _text.shorten_left("/\u6f22\u5b57\u6f22", 5) == "…\u5b57\u6f22"
    assert _text.shorten_left("abc", None) == "abc"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (10**7, "9.54 MiB"),
     (1 << 40, "1 TiB"), (1023 << 20, "1023 MiB"), ((1 << 64) - 1, "16384 PiB"),
     (1024 * 1023.99, "1 MiB"), (1024 * 999.7, "1000 KiB"), (1024 * 1023.4, "1023 KiB"), (-5, "-5 B")],
)  # fmt: skip
def test_sizes(value: int, text: str) -> None:
    assert _text.size(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 ns"), (999, "999 ns"), (1500, "1.5 µs"), (12_345_678, "12.3 ms"), (2e9, "2 s"), (119e9, "119 s"),
     (120e9, "2 min 00 s"), (3725e9, "1 h 02 min"), (999_600_000, "1 s"), (999_999, "1 ms"), (999.7, "1 µs"),
     (-900, "-900 ns"), (-5.25e9, "-5.25 s"), (-3725e9, "-1 h 02 min")],
)  # fmt: skip
def test_durations(value: float, text: str) -> None:
    assert _text.duration(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 B"), (512, "512 B"), (4096, "4 KiB"), (4097, "4,097 B"), (1536, "1,536 B"), (1 << 20, "1 MiB"),
     ((1 << 20) - 1, "1,048,575 B"), (-4097, "-4,097 B"), (-4096, "-4 KiB")],
)  # fmt: skip
def test_exact_sizes(value: int, text: str) -> None:
    assert _text.exact_size(value) == text


def test_nearly_all_is_not_all() -> None:
    assert [_text.percent(x) for x in (0.9961, 0.99999, 1, 0.984)] == ["> 99 %", "> 99 %", "100 %", "98 %"]
    assert _text.percent(0.0997) == "10 %"


def test_counts() -> None:
    assert [_text.count(n, "file") for n in (0, 1, 2000)] == ["0 files", "1 file", "2,000 files"]
    assert _text.count(2, "process", "processes") == "2 processes"


def test_shares() -> None:
    assert [_text.percent(x) for x in (None, 0, 0.0001, 0.055, 0.5, 4.2)] == [
        _text.NONE, "0.0 %", "< 0.1 %", "5.5 %", "50 %", "420 %",
    ]  # fmt: skip


def test_bars_show_whatever_is_there() -> None:
    assert _text.bar(0, 10, 8) == ""
    assert _text.bar(1, 10**9, 8) == "▏"
    assert _text.bar(10, 10, 8) == "█" * 8
    assert _text.bar(5, 10, 8, unicode=False) == "####"


def test_sparklines() -> None:
    assert _text.sparkline([0, 1, 50, 100]) == " ▁▅█"
    assert _text.sparkline([0, 0]) == "  "
    assert _text.sparkline([1, 0, 8], unicode=False) == ": @"


def test_ascii_terminals_get_ascii() -> None:
    assert _text.to_ascii(f"1 µs {_text.NONE} ≤ … · \u6f22") == "1 us - <= ... ; \\u6f22"
