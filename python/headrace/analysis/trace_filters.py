"""What was asked to be recorded and of which a trace has nothing: names with a slip of the pen, as a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import translate
from typing import Any

from headrace.analysis.opened_traces import OpenedTrace

Facts = dict[str, Any]

_SETTING = re.compile(r"(?:^| )(trace(?:_[a-z]+)?)=")
_LAYERS = {
    "phases": "phase",
    "regions": "region",
    "functions": "function",
}  # of modules, where it is not their name
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_MOST_RANKS = 1 << 20  # that are looked at one by one


def unmatched(trace: OpenedTrace) -> list[str]:
    """Parts of settings of `headrace run`, as "trace_only: solve*", that nothing in the trace is of."""
    settings = _settings(trace.facts.get("filter", ""))
    if not settings and "trace_python" not in trace.facts:
        return []
    references = trace.native.references().rows()
    found = [
        *_modules(settings.get("trace", ""), references),
        *_patterns(settings.get("trace_only", ""), references),
        *_phases(settings, references),
        *_ranks(settings.get("trace_ranks", ""), trace.locations),
        *_python(trace.facts.get("trace_python", ""), references),
    ]
    # What it leaves out is not in the trace: it is only known how much that was.
    if settings.get("trace_skip") and not trace.native.accounts().get("name"):
        found.append(f"trace_skip: {settings['trace_skip']}")
    return found


def records(modules: str, name: str) -> bool:
    """Whether such a setting `trace` has this module, as src/capture/trace_filter.h reads it."""
    words = modules.split(",")
    has = words[0].startswith("-") and name != "sync"
    for word in words:
        if word.removeprefix("-") in (name, "all"):
            has = not word.startswith("-")
    return has


def _settings(text: str) -> dict[str, str]:
    """Of "trace=posix trace_only=a b,c"; values may have spaces."""
    begins = list(_SETTING.finditer(text))
    ends = [each.start() for each in begins[1:]] + [len(text)]
    return {each[1]: text[each.end() : end] for each, end in zip(begins, ends, strict=False)}


def _words(text: str) -> list[str]:
    return text.split(",") if text else []


def _matches(pattern: str, name: str) -> bool:
    """As src/base/pattern.h: `*` and `?` alone are special."""
    return re.fullmatch(translate(pattern.replace("[", "[[]")), name) is not None


def _modules(text: str, references: list[Facts]) -> Iterator[str]:
    layers = {row["layer"] for row in references if row["kind"] != "communicator"}
    if any(row["kind"] == "communicator" for row in references):
        layers.update(("mpi", "messages"))
    if any(row["kind"] == "counter" for row in references):
        layers.add("region")
    for word in _words(text):
        if word == "all" or word.startswith("-"):
            continue  # what is left out is not there
        if _LAYERS.get(word, word) not in layers:
            yield f"trace: {word}"


def _patterns(text: str, references: list[Facts]) -> Iterator[str]:
    names = {row["name"] for row in references if row["kind"] != "communicator"}
    for pattern in _words(text):
        if not any(_matches(pattern, name) for name in names):
            yield f"trace_only: {pattern}"


def _phases(settings: dict[str, str], references: list[Facts]) -> Iterator[str]:
    """Of phases the trace has the last part of their path."""
    text = settings.get("trace_phase", "")
    names = {row["name"] for row in references if row["layer"] == "phase"}
    if "trace_only" in settings or not records(settings.get("trace", "all"), "phases") or not text:
        if text and not references:
            yield f"trace_phase: {text}"
        return
    for word in _words(text):
        if _RANGE.fullmatch(word):
            continue  # more instances of the one before
        pattern = word.rpartition(":")[0] or word
        if not any(_matches(pattern.rpartition("/")[2], name) for name in names):
            yield f"trace_phase: {pattern}"


def _ranks(text: str, locations: list[Facts]) -> Iterator[str]:
    there = {row["rank"] for row in locations}
    for word in _words(text):
        if parts := _RANGE.fullmatch(word):
            first, last = int(parts[1]), int(parts[2] or parts[1])
            if not there & set(range(first, min(last, first + _MOST_RANKS) + 1)):
                yield f"trace_ranks: {word}"


def _python(text: str, references: list[Facts]) -> Iterator[str]:
    names = {row["name"] for row in references if row["layer"] == "python"}
    for word in _words(text):
        if not (names if word in ("own", "all") else any(name.startswith(f"{word}.") for name in names)):
            yield f"trace_python: {word}"
