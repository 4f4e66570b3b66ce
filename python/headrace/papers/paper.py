"""What a paper's file says: tables, their cases, and what was published of each."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headrace._errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Case", "Figure", "Manner", "Measure", "Paper", "Table", "names", "read"]

PUBLISHED = Path(__file__).with_name("published")


@dataclass(frozen=True)
class Measure:
    """`key`: of the JSON that a run prints, with dots between the keys of objects
    and the names of phases, or several with + between them; `less`: less is better; `divisor`: how many
    of the key's units make one of this measure."""

    key: str
    name: str
    unit: str
    less: bool = False
    divisor: float = 1.0

    def of(self, result: Mapping[str, Any]) -> float | None:
        parts = [self._part(key.strip(), result) for key in self.key.split("+")]
        whole = sum(part for part in parts if part is not None)
        return None if None in parts else whole / self.divisor

    def _part(self, key: str, value: Any) -> float | None:
        if not key:
            return float(value) if isinstance(value, (int, float)) else None
        first, _, rest = key.partition(".")
        if isinstance(value, list) and first == "*":
            parts = [part for each in value if (part := self._part(rest, each)) is not None]
            return sum(parts) / len(parts) if parts else None
        if isinstance(value, list):
            return self._part(rest, next((each for each in value if each.get("name") == first), None))
        return self._part(rest, value.get(first)) if isinstance(value, Mapping) else None


@dataclass(frozen=True)
class Case:
    """`published`: figures by the names of measures; "x" where the authors had too little memory. `times`:
    how many times better than the first case, where no more was published."""

    name: str
    words: tuple[str, ...]
    published: Mapping[str, float | str] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """`kind`: "histogram" of all seconds of a list of the JSON, `key`, or "lines" of each rank over it."""

    name: str
    title: str
    kind: str
    key: str

    def __post_init__(self) -> None:
        if self.kind not in ("histogram", "lines"):
            raise ValueError(f"{self.name}: kind is histogram or lines, not {self.kind!r}")


@dataclass(frozen=True)
class Table:
    """`words`: of the pattern, before those of a case; `size`: in words, what is run here."""

    name: str
    title: str
    size: str
    ranks: int
    words: tuple[str, ...]
    measures: tuple[Measure, ...]
    cases: tuple[Case, ...]
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Manner:
    """How a paper is measured: with the sizes of the paper or those that take minutes, and more words."""

    full: bool = False
    options: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """As a command has them."""
        return " ".join((["--full"] if self.full else []) + (["--", *self.options] if self.options else []))


@dataclass(frozen=True)
class Paper:
    name: str
    title: str
    source: str
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    manner: Manner = field(default_factory=Manner)
    fitted: Mapping[str, str] = field(default_factory=dict)

    def fitted_to(self, table: Table) -> str | None:
        """What the profile of a table was derived from, if that is of the paper itself."""
        words = [word for case in table.cases for word in (*table.words, *case.words)]
        return next((said for name, said in self.fitted.items() if name in words), None)

    def chosen(self, names: tuple[str, ...]) -> Paper:
        """With these tables alone, or all if none is named. UsageError: there is no such table."""
        known = {table.name: table for table in self.tables}
        for name in names:
            if name not in known:
                raise UsageError(f"--table: {self.name} has no table {name!r}; it has {', '.join(known)}")
        return replace(self, tables=tuple(known[name] for name in dict.fromkeys(names)) or self.tables)


def names() -> list[str]:
    """Of the papers that there are."""
    return sorted(path.stem for path in PUBLISHED.glob("*.toml"))


def read(name: str, full: bool = False, options: tuple[str, ...] = ()) -> Paper:
    """A paper by its name, or the file of one's own study, to be measured in that manner. UsageError: there
    is no such paper, or the file is wrong."""
    path = Path(name) if name.endswith(".toml") else PUBLISHED / f"{name}.toml"
    try:
        return _paper(path.stem, tomllib.loads(path.read_text(encoding="utf-8-sig")), full, options)
    except FileNotFoundError:
        known = ", ".join(names())
        raise UsageError(
            f"there is no paper {name!r}; there are {known}, and files whose names end with .toml"
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: is no TOML: {error}") from error
    except KeyError as error:
        raise UsageError(f"{path}: {error} is missing; docs/bench/papers.md says what a study has") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path}: {error}; docs/bench/papers.md says what a study has") from error


def _paper(name: str, facts: Mapping[str, Any], full: bool, options: tuple[str, ...]) -> Paper:
    measures = {each["name"]: Measure(**each) for each in facts["measures"]}
    chosen = [each for each in facts["tables"] if full or not each.get("only_full", False)]
    tables = tuple(_table(each, measures, full, options) for each in chosen)
    if not tables:
        raise ValueError("it has no tables")
    return Paper(
        name,
        facts["title"],
        facts["source"],
        _texts(facts.get("notes", [])),
        tables,
        Manner(full, options),
        facts.get("fitted", {}),
    )


def _table(
    facts: Mapping[str, Any], measures: Mapping[str, Measure], full: bool, options: tuple[str, ...]
) -> Table:
    own = {**facts, **facts.get("full", {})} if full else facts
    ranks = own["ranks"]
    if not isinstance(ranks, int) or ranks < 1:
        raise ValueError(f"{facts['name']}: ranks are a number from 1 on, not {ranks!r}")
    cases = tuple(_case(each, full) for each in facts["cases"])
    if len({case.name for case in cases}) < max(1, len(cases)):
        raise ValueError(f"{facts['name']}: has no cases, or two of one name")
    return Table(
        facts["name"],
        facts["title"],
        own["size"],
        ranks,
        (*_texts(own["words"]), *options),
        tuple(measures[name] for name in facts["measures"]),
        cases,
        tuple(Figure(**each) for each in facts.get("figures", [])),
    )


def _case(facts: Mapping[str, Any], full: bool) -> Case:
    words = facts.get("full", facts["words"]) if full else facts["words"]
    return Case(facts["name"], _texts(words), facts.get("published", {}), facts.get("times", {}))


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{values!r} is no list of texts")
    return tuple(values)
