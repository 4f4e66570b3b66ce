"""The grid: equal domains, one a rank, what is in their cells, and the planes that cross some of them.

Arrays have x as their fastest index: [z, y, x] here, (x, y, z) in Yorick.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

AXES = "xyz"


def decompose(ranks: int) -> tuple[int, int, int]:
    """Domains along x, y and z: as equal as possible, the most along z, which is where the light goes."""
    shapes = [
        (x, y, ranks // (x * y))
        for x in range(1, ranks + 1)
        for y in range(x, ranks + 1)
        if ranks % (x * y) == 0 and ranks // (x * y) >= y
    ]
    return min(shapes, key=sum)


@dataclass(frozen=True)
class Plane:
    """All cells with this index along an axis."""

    axis: int  # 0 is x
    index: int

    @property
    def name(self) -> str:
        return f"{AXES[self.axis]}{self.index}"


@dataclass(frozen=True)
class Grid:
    domains: tuple[int, int, int]  # along x, y, z
    cells: int  # along an edge of a domain

    @property
    def ranks(self) -> int:
        return int(np.prod(self.domains))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Cells along x, y and z."""
        x, y, z = (count * self.cells for count in self.domains)
        return x, y, z

    def first(self, rank: int) -> tuple[int, int, int]:
        """The domain's first cell."""
        x, y, _ = self.domains
        return rank % x * self.cells, rank // x % y * self.cells, rank // (x * y) * self.cells

    def field(self, rank: int, variable: int, step: int) -> np.ndarray:
        """What a variable is in a domain: every cell of every step its own number, exact as a double."""
        x, y, z = (np.arange(self.cells) + first for first in self.first(rank))
        cell = x + self.shape[0] * (y[:, None] + self.shape[1] * z[:, None, None])
        return cell + (variable * 2.0**40 + step * 2.0**30)

    def plane(self, text: str) -> Plane:
        """Of "z0", "x17" or "y-1", the last."""
        axis = AXES.index(text[0])
        return Plane(axis, int(text[1:]) % self.shape[axis])

    def crosses(self, plane: Plane, rank: int) -> bool:
        return 0 <= plane.index - self.first(rank)[plane.axis] < self.cells

    def piece(self, plane: Plane, rank: int, field: np.ndarray) -> np.ndarray:
        """The part of a plane that crosses the domain."""
        local = plane.index - self.first(rank)[plane.axis]
        return np.ascontiguousarray(field.take(local, axis=2 - plane.axis))

    def whole(self, plane: Plane, pieces: dict[int, np.ndarray]) -> np.ndarray:
        """A plane of the pieces of the ranks that it crosses."""
        fast, slow = (axis for axis in range(3) if axis != plane.axis)
        result = np.full((self.shape[slow], self.shape[fast]), np.nan)
        for rank, piece in pieces.items():
            at = self.first(rank)
            result[at[slow] : at[slow] + self.cells, at[fast] : at[fast] + self.cells] = piece
        return result
