"""Checks that files of a folder can be compiled as one (CMAKE_UNITY_BUILD).

Two files' names in anonymous namespaces that are alike fail to compile once both are in one unit. One that
is also a name of a header hides that from the files behind it, and where both fit, nothing fails. So names
differ within a folder, no constant of a file has the name of any header's, and no name the name of one in a
header of its folder. The project's format puts what a namespace declares at column 0: a few patterns find it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMESPACE = re.compile(r"namespace (?:([\w:]+) )?\{$")
END = re.compile(r"\}  // namespace\b")
DECLARED = (
    re.compile(r"(?:struct|class|union|enum class|enum|using) (?!namespace|alignas)(\w+)\b(?! *;|::)"),
    re.compile(
        r"(?!using|namespace|struct|class|union|enum|TEST)[\w:<>,&*\s]*?"
        r"[\s&*](?!alignas|__)(\w+)(?: =|;|\{|\(|\[)"
    ),
)
ALONE = ("emulate", "preload", "sync")  # whose files are compiled one by one
MORE = re.compile(r", (k[A-Z]\w*) = ")  # constexpr int kOne = 1, kTwo = 2;


def names(path: Path) -> Iterator[tuple[str, str, bool, str]]:
    """Namespace, name and whether it is anonymous, of each declaration, and its line."""
    inside: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if (opened := NAMESPACE.match(line)) is not None:
            inside.append(opened[1] or "")
        elif END.match(line):
            inside = inside[:-1]
        elif line[:1] not in ("", " ", "}", "#", "/"):
            where, anonymous = "::".join(filter(None, inside)), "" in inside
            found = [match[1] for pattern in DECLARED if (match := pattern.match(line)) is not None]
            if line.startswith(("constexpr", "inline constexpr")):
                found += MORE.findall(line)
            yield from ((where, name, anonymous, line) for name in found)


def hidden(sources: Path, folder: Path) -> Iterator[str]:
    """What a file's own name would hide from the others."""
    declared: dict[tuple[str, str], Path] = {}
    for header in sorted(sources.rglob("*.h")):
        for where, name, _, _ in names(header):
            declared.setdefault((where, name), header)
    for path in sorted(folder.glob("*.cc")):
        for where, name, anonymous, _ in names(path):
            parts = where.split("::")
            for depth in range(len(parts), 0, -1) if anonymous else ():
                found = declared.get(("::".join(parts[:depth]), name))
                if found is not None and is_met(name, folder, found):
                    yield f"{path.relative_to(sources)}: '{name}' is also in {found.relative_to(sources)}"


def is_met(name: str, folder: Path, header: Path) -> bool:
    """Whether files of the folder may mean the header's. Each program is compiled alone."""
    is_constant = name.startswith("k") and name[1:2].isupper()
    return header.parent == folder or (is_constant and "programs" not in header.parts)


def doubled(sources: Path, folder: Path) -> Iterator[str]:
    """What two files of one target have; functions of one name may differ in what they take."""
    seen: dict[tuple[bool, str, str], Path] = {}
    for path in sorted(folder.glob("*.cc")):
        if folder.name in ALONE or path.stem.endswith("main") or path.stem.startswith("made_"):
            continue
        for where, name, anonymous, line in names(path):
            if not anonymous or line.startswith(
                ("using", "__extension__ using")
            ):  # an alias may be there twice
                continue
            what = line if f"{name}(" in line else name
            first = seen.setdefault((path.stem.endswith("_test"), where, what), path)
            if first != path:
                yield f"{path.relative_to(sources)}: '{name}' is also in {first.relative_to(sources)}"


def main(arguments: list[str]) -> int:
    sources = Path(arguments[0]) if arguments else ROOT / "src"
    folders = sorted({path.parent for path in sources.rglob("*.cc")})
    found = [line for folder in folders for check in (hidden, doubled) for line in check(sources, folder)]
    for line in found:
        print(f"{line}: rename one of them; folders are compiled as one", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
