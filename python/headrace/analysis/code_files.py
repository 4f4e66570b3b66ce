"""Files of code: what interpreters and loaders read to run a program, not what the program is about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace import _native

_CODE = re.compile(
    r"""
    \.(py[co]?|pyd|pth|pm|ji|rd[bx]|jar|js|mjs|cjs|rb|lua|tcl|so(\.[0-9]+)*)$  # modules and libraries
    | /(__pycache__|site-packages|dist-packages|node_modules)(/|$)
    | /(lib|lib64)/(python[0-9.]+|R|perl[0-9.]*|julia|ruby|tcl[0-9.]*)(/|$)
    | /pyvenv\.cfg$
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_code(path: str, bytes_written: int) -> bool:
    """Whether a path is of code. What is written is a program's result, whatever it is called."""
    return bytes_written == 0 and _CODE.search(path) is not None


def data_first(merged: _native.Frame, sort: str, most: int) -> list[int]:
    """Numbers of the `most` first rows of a frame by path: as `top` has them, but code behind all else."""
    if sort == "path":
        return merged.top(sort, most)
    wanted = most
    while True:
        numbers = merged.top(sort, wanted)
        rows = merged.rows(numbers, ["path", "bytes_written"])
        code = [is_code(row["path"], row["bytes_written"]) for row in rows]
        if len(numbers) < wanted or code.count(False) >= most or wanted >= len(merged):
            break
        wanted = max(2 * wanted, 64)
    parts: dict[bool, list[int]] = {False: [], True: []}
    for number, is_of_code in zip(numbers, code, strict=True):
        parts[is_of_code].append(number)
    return [*parts[False], *parts[True]][:most]
