"""The page and the terminal word figures and names alike.

web/src/text/terminal.json holds what the terminal says; web/src/text/terminal.test.ts holds the page to it.
After a change of the terminal's words: `python tests/web/test_wording.py` writes it anew.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from headrace.commands import _text

WORDING = Path(__file__).parents[2] / "web/src/text/terminal.json"

NAMES = [
    "/plain/name.txt",
    "caf\u00e9 \u6f22\u5b57 \U0001f600",
    "line\nbreak\ttab\rreturn",
    "nul\x00 esc\x1b[31m del\x7f c1\x9b",
    "\u202egnp.exe \u2066x\u2069 \u200b \ufeff",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u0661\u0662",
    "no\u00a0break\u2003em\u2028line\u2029paragraph",
    "private \ue000 tag \U000e0001 unassigned \u0378",
    "<script>&amp;</script> \"quoted\" 'it' \\n",
]


def wording() -> dict[str, list[list[Any]]]:
    generator = random.Random(20260101)
    whole = [
        0,
        1,
        2,
        999,
        1000,
        1023,
        1024,
        1025,
        1152,
        1536,
        4096,
        4097,
        10**7,
        1 << 20,
        1 << 40,
        10**15,
        -5,
        -4096,
    ]
    whole += [generator.randrange(1 << generator.randrange(1, 50)) for _ in range(300)]
    whole += [1024 * eighths // 8 for eighths in range(8, 200)]  # ties of rounding
    times = [
        0,
        999,
        1000,
        999_499,
        999_500,
        1.5e9,
        119.4e9,
        119.6e9,
        125e9,
        3599.6e9,
        7322e9,
        -900,
        -5.25e9,
        -4000e9,
    ]
    times += [float(generator.randrange(1 << generator.randrange(1, 50))) for _ in range(300)]
    shares = [0, 1e-9, 0.0009, 0.001, 0.0994, 0.0995, 0.5, 0.985, 0.9899, 0.999, 1, 1.004, 2.5]
    shares += [generator.random() for _ in range(100)]
    functions = {
        "size": (_text.size, whole),
        "exactSize": (_text.exact_size, whole),
        "number": (_text.number, whole),
        "duration": (_text.duration, times),
        "percent": (_text.percent, shares),
        "printable": (_text.printable, NAMES),
    }
    return {name: [[each, say(each)] for each in given] for name, (say, given) in functions.items()}


def test_the_page_is_held_to_the_words_of_the_terminal() -> None:
    assert json.loads(WORDING.read_text(encoding="utf-8")) == json.loads(json.dumps(wording()))


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(pairs)}" for name, pairs in wording().items()]
    WORDING.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
