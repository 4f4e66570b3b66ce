"""Fails on an #include, a TypeScript or a Python import that layers.toml does not allow.

Usage: check_layers.py [DIRECTORY]   (default: the tree this script lies in)
Prints a line "file:line: what is wrong and which rule" for each, and exits 1 if there is one.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Arrows = dict[str, list[str]]

NATIVE_SUFFIXES = {".h", ".c", ".cc", ".cpp", ".def", ".inc", ".S"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>["<])(?P<path>[^">]+)[">]')

WEB_IMPORT = re.compile(r"""\b(?:from|import)\s*\(?\s*["'](?P<path>\.[^"']*)["']""")


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def check(root: Path) -> list[str]:
    """Every forbidden arrow in the tree at `root` and every fault of its rules, as "file:line: message"."""
    rules = tomllib.loads((root / "layers.toml").read_text(encoding="utf-8"))
    native, public, python = rules["native"], rules["public"], rules["python"]
    problems = [*faults("native", native), *faults("web", rules["web"]), *faults("python", python)]
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in NATIVE_SUFFIXES:
            problems += native_problems(root, path, path.relative_to(root / "src").parts[0], native, native)
    for folder in public:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in NATIVE_SUFFIXES:
                problems += native_problems(root, path, folder, public, native)
    for path in sorted((root / "web" / "src").rglob("*.ts")):
        problems += web_problems(root, path, rules["web"])
    for path in sorted((root / "python" / "headrace").rglob("*.py")):
        problems += python_problems(root, path, python)
    return problems


def faults(section: str, arrows: Arrows) -> list[str]:
    """Arrows to a name that does not exist, and arrows that close a circle."""
    problems = []
    for name, targets in arrows.items():
        problems += [
            f"layers.toml: [{section}] {name} names '{target}', which it does not list"
            for target in targets
            if target not in arrows
        ]
        if name in reachable(arrows, targets):
            problems.append(f"layers.toml: [{section}] {name} reaches itself: arrows point down only")
    return problems


def reachable(arrows: Arrows, names: list[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += arrows.get(name, [])
    return found


def native_problems(root: Path, path: Path, folder: str, arrows: Arrows, folders: Arrows) -> Iterator[str]:
    place = path.relative_to(root)
    if folder not in arrows:
        yield f"{place}:1: '{folder}' is in no layer: add it to layers.toml"
        return
    inside = folder in folders and place.parts[0] == "src"
    for line, text in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        match = INCLUDE.match(text)
        if not match:
            continue
        included = match["path"]
        target = included.split("/")[0] if "/" in included else ""
        if match["open"] == "<" and target not in folders:
            continue
        if ".." in included.split("/"):
            yield f'{place}:{line}: "{included}" climbs out of its folder: write "folder/file.h"'
        elif inside and target not in folders and target != "headrace":
            advice = 'write "folder/file.h", or <…> for a library'
            yield f'{place}:{line}: "{included}" is in no folder of src/: {advice}'
        elif target in folders and not (inside and target == folder) and target not in arrows[folder]:
            rule = f"{folder} may not include {target} ({allowed(arrows, folder)})"
            yield f'{place}:{line}: "{included}": {rule}'


def web_problems(root: Path, path: Path, arrows: Arrows) -> Iterator[str]:
    place = path.relative_to(root)
    source = root / "web" / "src"
    if path.parent == source:
        return  # main.ts composes the folders
    folder = path.relative_to(source).parts[0]
    if folder not in arrows:
        yield f"{place}:1: '{folder}' is in no layer: add it to layers.toml"
        return
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for match in WEB_IMPORT.finditer(text):
            target = Path(os.path.normpath(path.parent / match["path"]))
            parts = target.relative_to(source).parts if target.is_relative_to(source) else ("..", "")
            if len(parts) > 1 and parts[0] not in (folder, *arrows[folder]):
                rule = f"{folder} may not import {parts[0]} ({allowed(arrows, folder)})"
                yield f"{place}:{line}: '{match['path']}': {rule}"


def python_problems(root: Path, path: Path, arrows: Arrows) -> Iterator[str]:
    place = path.relative_to(root)
    parts = list(path.relative_to(root / "python").with_suffix("").parts)
    unit = unit_of(parts)
    if unit not in arrows:
        yield f"{place}:1: '{unit}' is in no layer: add it to layers.toml"
        return
    package = parts if parts[-1] == "__init__" else parts[:-1]
    package = [part for part in package if part != "__init__"]
    for line, module in imports(ast.parse(path.read_bytes(), filename=str(place)), package):
        # `from headrace import open` is a name of the package; an unlisted module is told at its file.
        target = unit_of(module) if unit_of(module) in arrows else "headrace"
        if target not in (unit, *arrows[unit]):
            name = ".".join(module)
            yield f"{place}:{line}: imports {name}: {unit} may not import {target} ({allowed(arrows, unit)})"


def unit_of(module: list[str]) -> str:
    """The name that layers.toml has for headrace.a.b: "a"; for the package's own __init__: "headrace"."""
    return "headrace" if len(module) < 2 or module[1] == "__init__" else module[1]


def imports(tree: ast.Module, package: list[str]) -> Iterator[tuple[int, list[str]]]:
    """(line, dotted name as a list) of every import of the package itself, wherever it stands in the file.

    `from headrace import x` counts as headrace.x, whether x is a module or a name.
    """
    for node in ast.walk(tree):
        names: list[list[str]] = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            names = [[*base, alias.name] if base == ["headrace"] else base for alias in node.names]
        for name in names:
            if name[:1] == ["headrace"]:
                yield getattr(node, "lineno", 1), name


def allowed(arrows: Arrows, name: str) -> str:
    return f"layers.toml allows it: {', '.join(arrows[name]) or 'nothing'}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
