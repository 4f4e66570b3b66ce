"""The functions that the system's C headers declare, read from the C preprocessor's output."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MARKER = re.compile(r'^# \d+ "(?P<name>[^"]*)"(?P<flags>[ \d]*)')
# Pieces of other headers, the kernel's and the compiler's: what they declare counts for their includer.
INNER = re.compile(r"/include/(\w+-linux-gnu/)?(bits|linux|asm|asm-generic|gnu)/|/(gcc|clang)/")
NOISE = re.compile(
    r"\b(__extension__|__restrict|__inline|__inline__|inline|extern|static|_Noreturn)\b|\[[^\]]*\]"
)
PROTOTYPE = re.compile(r"^(?P<result>[\w\s*]*?[\s*])(?P<name>[A-Za-z_]\w*)\s*\((?P<parameters>.*)\)$")
# Fortified, so that the headers also declare what fortified programs call.
OPTIONS = ["-E", "-O2", "-D_GNU_SOURCE", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-x", "c", "-"]


@dataclass(frozen=True)
class Declaration:
    """A function. A parameter is (type, name without leading underscores), the name "" if there is none."""

    name: str
    result: str
    parameters: tuple[tuple[str, str], ...]
    header: str


def declared_functions(headers: Iterable[str]) -> dict[str, Declaration]:
    """What those of `headers` that exist declare, by name. Needs a C compiler: $CC, or cc."""
    source = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in headers)
    command = [*shlex.split(os.environ.get("CC", "cc")), *OPTIONS]
    output = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    found: dict[str, Declaration] = {}
    for header, statement in statements(output):
        declaration = parse(statement, header)
        if declaration:
            found.setdefault(declaration.name, declaration)
    return found


def statements(output: str) -> Iterator[tuple[str, str]]:
    """(header, text) of each statement at file level; bodies are left out."""
    includes, depth, text = [""], 0, ""
    for line in output.splitlines():
        marker = MARKER.match(line)
        if marker:
            if "1" in marker["flags"].split():
                name = re.sub(r"^.*/include/(\w+-linux-gnu/)?", "", marker["name"])
                includes.append(includes[-1] if INNER.search(marker["name"]) else name)
            elif "2" in marker["flags"].split():
                includes.pop()
            continue
        header = includes[-1]
        for piece in re.split(r"([{};])", line):
            if piece == "{":
                depth += 1
            elif piece == "}":
                depth -= 1
                if depth == 0 and ")" in text and "typedef" not in text:
                    yield header, text
                    text = ""
            elif piece == ";" and depth == 0:
                yield header, text
                text = ""
            elif depth == 0:
                text += " " + piece


def parse(statement: str, header: str) -> Declaration | None:
    text = NOISE.sub(" ", strip_calls(statement, ("__attribute__", "__asm__", "asm")))
    match = PROTOTYPE.match(" ".join(text.split()))
    if not match or "typedef" in match["result"] or "=" in text:
        return None
    parameters = tuple(parameter(text) for text in split(match["parameters"]) if text not in ("void", ""))
    return Declaration(match["name"], match["result"].strip(), parameters, header)


def strip_calls(text: str, names: tuple[str, ...]) -> str:
    for name in names:
        while (start := re.search(rf"\b{name}\s*\(", text)) is not None:
            depth, position = 1, start.end()
            while depth and position < len(text):
                depth += {"(": 1, ")": -1}.get(text[position], 0)
                position += 1
            text = text[: start.start()] + " " + text[position:]
    return text


def split(parameters: str) -> Iterator[str]:
    depth, piece = 0, ""
    for character in parameters + ",":
        if character == "," and depth == 0:
            yield piece.strip()
            piece = ""
            continue
        depth += {"(": 1, ")": -1}.get(character, 0)
        piece += character


def parameter(text: str) -> tuple[str, str]:
    pointer = re.search(r"\(\s*\*\s*(\w+)", text)
    if pointer:
        return text, pointer[1].lstrip("_")
    match = re.match(r"^(?P<type>.*[\s*])(?P<name>\w+)$", text)
    return (match["type"].strip(), match["name"].lstrip("_")) if match else (text, "")
