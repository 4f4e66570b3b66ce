"""What one check of `headrace trace verify` found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Check:
    name: str
    holds: bool | None  # None: it could not be checked
    says: str
    amounts: dict[str, Any] = field(default_factory=dict)
