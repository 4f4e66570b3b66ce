"""Puts the planes of a directory of dumps together, verifies them and all other data:

    python3 planes.py DIRECTORY

Planes go to DIRECTORY/planes/STEP_NAME as doubles. Files are told apart by what is in them: whole planes,
arrays by domain, logical files of domains.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from grid import Grid
from store import Reader

BY_DOMAIN = re.compile(r"(.*)_d(\d{4,})$")


def main() -> None:
    directory = Path(sys.argv[1])
    lines = (directory / "settings").read_text().split()
    value = dict(line.split("=", 1) for line in lines)
    x, y, z = map(int, value["grid"].split("x"))
    grid = Grid((x, y, z), int(value["cells"]))
    variables, steps = int(value["variables"]), int(value["steps"])
    (directory / "planes").mkdir(exist_ok=True)
    for step in range(1, steps + 1):
        verify_spec(directory, grid, value["planes"].split(","), variables, step)
    for kind, dtype in (("vis", np.float32), ("checkpoint", np.float64)):
        every = int(value[f"{kind}_every"])
        for step in range(every, steps + 1, every):
            verify_fields(directory, grid, kind, np.dtype(dtype), variables, step)


def arrays_of(directory: Path, kind: str, step: int) -> dict[str, dict[int, np.ndarray]]:
    """By name and domain, which is -1 for what was put together already."""
    found: dict[str, dict[int, np.ndarray]] = defaultdict(dict)
    for path in sorted(directory.glob(f"{kind}_{step:04}*.dump")):
        own = re.search(r"_d(\d+)\.dump$", path.name)
        file = Reader(path.read_bytes())
        for name in file.names:
            if re.fullmatch(r"d\d+", name):
                logical = Reader(file.load(name).data)
                for inner in logical.names:
                    found[inner][int(name[1:])] = logical.load(inner)
            elif match := BY_DOMAIN.match(name):
                found[match[1]][int(match[2])] = file.load(name)
            else:
                found[name][int(own[1]) if own else -1] = file.load(name)
    return found


def verify_spec(directory: Path, grid: Grid, planes: list[str], variables: int, step: int) -> None:
    found = arrays_of(directory, "spec", step)
    for text in planes:
        plane = grid.plane(text)
        crossed = [rank for rank in range(grid.ranks) if grid.crosses(plane, rank)]
        for variable in range(variables):
            name = f"a{variable}_{plane.name}"
            pieces = found.pop(name)
            whole = pieces[-1] if -1 in pieces else grid.whole(plane, pieces)
            right = grid.whole(
                plane, {rank: grid.piece(plane, rank, grid.field(rank, variable, step)) for rank in crossed}
            )
            check(np.array_equal(whole, right), f"spec {step}: {name}")
            (directory / "planes" / f"{step:04}_{name}").write_bytes(whole.tobytes())
    check(not found, f"spec {step}: also has {sorted(found)}")
    print(f"spec {step}: {variables * len(planes)} planes as they should be")


def verify_fields(directory: Path, grid: Grid, kind: str, dtype: np.dtype, variables: int, step: int) -> None:
    found = arrays_of(directory, kind, step)
    for variable in range(variables):
        fields = found.pop(f"a{variable}")
        check(sorted(fields) == list(range(grid.ranks)), f"{kind} {step}: domains of a{variable}")
        for rank, field in fields.items():
            right = grid.field(rank, variable, step).astype(dtype)
            same = field.dtype == dtype and np.array_equal(field, right)
            check(same, f"{kind} {step}: a{variable} of domain {rank}")
    check(not found, f"{kind} {step}: also has {sorted(found)}")
    print(f"{kind} {step}: {variables} variables of {grid.ranks} domains as they should be")


def check(right: bool, what: str) -> None:
    if not right:
        sys.exit(f"{what}: wrong")


if __name__ == "__main__":
    main()
