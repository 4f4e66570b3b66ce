"""TOML, whose reader came to Python's library with 3.11."""

from __future__ import annotations

import sys
from typing import Any

from headrace._errors import CatalogError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def loads(content: bytes) -> dict[str, Any]:
    """Raises CatalogError."""
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise CatalogError(f"not TOML: {error}") from error
