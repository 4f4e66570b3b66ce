"""What is run: options "name=value", the same for both programs. See ../README.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import groups
from grid import Grid, Plane, decompose

SCHEMES = ("one", "multi", "single", "fpp")


@dataclass
class Settings:
    scheme: str
    grid: Grid
    groups: list[list[int]]
    planes: list[Plane]
    block: int
    variables: int
    steps: int
    vis_every: int
    checkpoint_every: int
    vis: str
    directory: str

    def describe(self) -> str:
        """What a reader of the dumps has to know; the file `settings` beside them."""
        x, y, z = self.grid.domains
        planes = ",".join(plane.name for plane in self.planes)
        return (
            f"grid={x}x{y}x{z}\ncells={self.grid.cells}\nplanes={planes}\nvariables={self.variables}\n"
            f"steps={self.steps}\nvis_every={self.vis_every}\ncheckpoint_every={self.checkpoint_every}\n"
        )


def values_of(words: list[str]) -> dict[str, str]:
    defaults = {
        "scheme": "multi", "dir": "dumps", "grid": "", "cells": "32", "planes": "z0,z-1,y0", "variables": "4",
        "steps": "4", "vis_every": "2", "checkpoint_every": "4", "group": "2", "groups": "contiguous",
        "psets": "", "block": "65536", "vis": "logical",
    }  # fmt: skip
    given = dict(word.partition("=")[::2] for word in words)
    unknown = [name for name in given if name not in defaults]
    if unknown:
        raise SystemExit(f"pf3d: unknown option {unknown[0]}; there are {', '.join(defaults)}")
    return defaults | given


def settings_of(words: list[str], ranks: int) -> Settings:
    value = values_of(words)
    domains = tuple(map(int, value["grid"].split("x"))) if value["grid"] else decompose(ranks)
    grid = Grid((domains[0], domains[1], domains[2]), int(value["cells"]))
    if grid.ranks != ranks:
        raise SystemExit(f"pf3d: grid={value['grid']} has {grid.ranks} domains, and there are {ranks} ranks")
    choices = {"scheme": SCHEMES, "groups": ("contiguous", "topology"), "vis": ("logical", "variables")}
    for name, allowed in choices.items():
        if value[name] not in allowed:
            raise SystemExit(f"pf3d: {name}={value[name]}: must be one of {', '.join(allowed)}")
    size = int(value["group"])
    if value["groups"] == "contiguous":
        made = groups.contiguous(ranks, size)
    else:
        made = groups.topology_aware(groups.read_psets(Path(value["psets"]), ranks), size)
    return Settings(
        scheme=value["scheme"],
        grid=grid,
        groups=made,
        planes=[grid.plane(text) for text in value["planes"].split(",")],
        block=int(value["block"]),
        variables=int(value["variables"]),
        steps=int(value["steps"]),
        vis_every=int(value["vis_every"]),
        checkpoint_every=int(value["checkpoint_every"]),
        vis=value["vis"],
        directory=value["dir"],
    )
