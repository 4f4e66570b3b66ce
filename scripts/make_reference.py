"""Writes docs/reference/: functions and counters from the lists in the native sources, and figures.

Usage: make_reference.py [--check]   (--check writes nothing and exits 1 if a page is not up to date)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from function_lists import ALIAS_MACROS, FUNCTION_MACROS, Row, Version, read_rows
from library_lists import ASYNCHRONOUS_MACROS, HDF5_MACROS, PNETCDF_MACROS, mpi_functions, rows_of

ROOT = Path(__file__).resolve().parent.parent
INTERCEPT = ROOT / "src" / "intercept"
REFERENCE = ROOT / "docs" / "reference"

MODULES = {
    "posix": "Files and directories: data and metadata",
    "stdio": "Streams of the C library",
    "descriptor": "What only creates, closes or duplicates descriptors",
    "process": "What starts, replaces or ends a process",
}
HDF5_GROUPS = {
    "files": "Files",
    "groups": "Groups",
    "links": "Links",
    "objects": "Objects of any kind",
    "datasets": "Datasets",
    "attributes": "Attributes",
    "dataspaces": "Dataspaces: set-up, in memory",
    "properties": "Property lists: set-up, in memory",
    "types": "Types: set-up, in memory unless they are stored",
}
UNITS = {
    "count": "number",
    "bytes": "bytes",
    "ns": "nanoseconds (a duration)",
    "at_ns": "nanoseconds since the job's start; 0 = never",
    "flags": "bits, see below",
}
# By how the expression in the list begins.
MPI_EXPRESSIONS = {
    "sent": "what it hands over or fetches",
    "at_root": "the buffer",
    "part_of": "this rank's part",
    "part": "this rank's part",
    "to_all": "what goes to all ranks, the own included",
    "to_each": "what goes to all ranks, the own included",
    "typed_to_each": "what goes to all ranks, the own included",
    "to_members": "the parts of all ranks",
    "to_neighbours": "what goes to all neighbours",
    "to_each_neighbour": "what goes to all neighbours",
    "typed_to_neighbours": "what goes to all neighbours",
    "size_of": "the buffer",
}
RECEIVED = "what the receives got that it completed"
MPI_BYTES = {
    **dict.fromkeys(("Wait", "Waitall", "Waitany", "Waitsome"), RECEIVED),
    **dict.fromkeys(("Test", "Testall", "Testany", "Testsome"), RECEIVED),
    **dict.fromkeys(("Recv", "Mrecv"), "what it got"),
    **dict.fromkeys(("Irecv", "Imrecv"), "none; the call that completes it counts them"),
    **dict.fromkeys(("Recv_init", "Precv_init"), "none; the call that completes it counts them"),
    **dict.fromkeys(("Sendrecv", "Sendrecv_replace"), "what it sent"),
    **dict.fromkeys(("Start", "Startall"), "what the requests hand over that it starts"),
}
FIGURE_UNITS = {
    "ns": "nanoseconds",
    "at_ns": "nanoseconds since the job's start",
    "bytes": "bytes",
    "bytes/s": "bytes a second",
    "count": "number",
    "share": "fraction of 1",
    "-": "",
}
MERGES = {
    "sum": "sum",
    "max": "greatest",
    "first": "least that is not 0",
    "last": "greatest",
    "bits": "bitwise or",
}


def main(arguments: list[str]) -> int:
    pages = {
        "functions.md": functions_page(),
        "mpi.md": mpi_page(),
        "hdf5.md": hdf5_page(),
        "pnetcdf.md": pnetcdf_page(),
        "asynchronous.md": asynchronous_page(),
        "forward.md": forward_page(),
        "counters.md": counters_page(),
        "figures.md": figures_page(),
    }
    stale = 0
    for name, lines in pages.items():
        page, text = REFERENCE / name, "\n".join(lines) + "\n"
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if "--check" in arguments:
            print(f"{page.relative_to(ROOT)} is out of date: run scripts/make_reference.py", file=sys.stderr)
            continue
        REFERENCE.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT)}")
    return 1 if stale and "--check" in arguments else 0


def functions_page() -> list[str]:
    rows = read_rows(INTERCEPT / "functions.def", FUNCTION_MACROS + ALIAS_MACROS)
    left_out = read_rows(INTERCEPT / "left_out.def", ("LEFT_OUT",))
    functions = [row for row in rows if row.macro in FUNCTION_MACROS]
    return [
        "# Intercepted functions",
        "",
        "<!-- Made by scripts/make_reference.py from functions.def and left_out.def: edit those. -->",
        "",
        f"The preload library intercepts {len(functions)} C library functions under {len(rows)} names.",
        "An alias is another name of the same call on 64-bit machines. A call inside the C library itself",
        "(the `open` inside `fopen`, the `fork` inside `system`) passes through no symbol and is seen only",
        "as the function that the program called.",
        "",
        *(line for module, title in MODULES.items() for line in module_section(module, title, rows)),
        "## Left out",
        "",
        "These touch files or descriptors and are not intercepted.",
        "",
        *left_out_section(left_out),
    ]


def mpi_page() -> list[str]:
    functions = mpi_functions(INTERCEPT)
    return [
        "# Intercepted functions of MPI",
        "",
        "<!-- Made by scripts/make_reference.py from mpi.def, mpi_counts.def, mpi_files.def and "
        "mpi_left_out.def: edit those. -->",
        "",
        f"{len(functions)} functions, as `MPI_…` and `PMPI_…`; each has a row in the table `profiles`",
        "with its calls, its time and its bytes. Functions that end in `_c` count as those without.",
        "[MPI files](../mpi-files.md) says how files are counted.",
        "",
        "| function | bytes that count | what it does |",
        "|---|---|---|",
        *(
            f"| `MPI_{name}` | {mpi_bytes(name, row)} | {cell(mpi_doc(name, row))} |"
            for name, row in functions.items()
            if not (name.endswith("_c") and name.removesuffix("_c") in functions)
        ),
        "",
        "## Left out",
        "",
        "These move no data between ranks and wait for none.",
        "",
        *left_out_section(rows_of(INTERCEPT / "mpi_left_out.def", ("LEFT_OUT",)), "MPI_"),
    ]


def mpi_bytes(name: str, row: Row) -> str:
    """What a function counts, by the expression that counts it."""
    if name in MPI_BYTES:
        return MPI_BYTES[name]
    if row.macro not in ("MPI", "COUNTED", "COLLECTIVE"):
        return "of the file" if name.startswith("File_") else ""
    if name.endswith("_init"):
        return "none; each start counts them" if row.arguments[0] != "Barrier_init" else ""
    expression = row.arguments[-3].strip("()")
    return next((text for word, text in MPI_EXPRESSIONS.items() if expression.startswith(word)), "")


def mpi_doc(name: str, row: Row) -> str:
    if row.macro == "COLLECTIVE" and name == row.arguments[1]:
        return f"starts {row.arguments[0]}"
    if row.macro == "COLLECTIVE" and name != row.arguments[0]:
        return f"makes a request that does a {row.arguments[0]} each time it is started"
    return row.arguments[-1]


def hdf5_page() -> list[str]:
    rows = read_rows(INTERCEPT / "hdf5.def", HDF5_MACROS)
    return [
        "# Intercepted functions of HDF5",
        "",
        "<!-- Made by scripts/make_reference.py from src/intercept/hdf5.def: edit that. -->",
        "",
        f"{len(rows)} functions; each has a row in the table `profiles` with the layer `hdf5`.",
        "[HDF5](../hdf5.md) says how they are counted.",
        "",
        *(line for group, title in HDF5_GROUPS.items() for line in hdf5_section(group, title, rows)),
    ][:-1]


def pnetcdf_page() -> list[str]:
    rows = read_rows(INTERCEPT / "pnetcdf.def", PNETCDF_MACROS)
    return [
        "# Intercepted functions of PnetCDF",
        "",
        "<!-- Made by scripts/make_reference.py from src/intercept/pnetcdf.def: edit that. -->",
        "",
        "Each has a row in the table `profiles` with the layer `pnetcdf`. Those for a type of memory",
        "(`ncmpi_put_vara_double_all`) count in the row of the one without (`ncmpi_put_vara_all`).",
        "[PnetCDF](../pnetcdf.md) says how they are counted.",
        "",
        "| function | also together | for each type | what it does |",
        "|---|---|---|---|",
        *(
            f"| `ncmpi_{row.arguments[0]}` | {'`_all`' if row.macro in ('BLOCKING', 'BY_TYPE') else ''} "
            f"| {'yes' if row.macro in ('BLOCKING', 'LATER') else ''} | {cell(row.arguments[-1])} |"
            for row in rows
        ),
    ]


def asynchronous_page() -> list[str]:
    rows = read_rows(INTERCEPT / "asynchronous.def", ASYNCHRONOUS_MACROS)

    def table(title: str, *macros: str) -> Iterator[str]:
        yield from (f"## {title}", "", "| function | what it does |", "|---|---|")
        yield from (f"| `{r.arguments[0]}` | {cell(r.arguments[-1])} |" for r in rows if r.macro in macros)
        yield ""

    return [
        "# Intercepted functions of libaio and liburing",
        "",
        "<!-- Made by scripts/make_reference.py from src/intercept/asynchronous.def: edit that. -->",
        "",
        "Each has a row in the table `profiles` with the layer `posix`, and so has each kind of operation",
        "that was submitted. The same calls made through `syscall()` count in the same rows.",
        "[What escapes](../what-escapes.md#asynchronous-io) says how they are counted.",
        "",
        *table("libaio", "KERNEL_AIO"),
        *table("liburing", "RING", "SPECIAL_RING"),
        *table("Operations", "OPERATION"),
    ][:-1]


def forward_page() -> list[str]:
    rows = read_rows(INTERCEPT / "forward.def", ("FORWARD",))
    return [
        "# What calls wait for at forwarding servers",
        "",
        "<!-- Made by scripts/make_reference.py from src/intercept/forward.def: edit that. -->",
        "",
        "Rows of the table `profiles` with the layer `forward`, and regions in traces: from the request to",
        "its answer; of that, before the server began it; and while the server did it.",
        "[Forwarding](../forward.md#where-the-time-goes) has an example.",
        "",
        "| in all | in the queue | at work | what for |",
        "|---|---|---|---|",
        *(
            f"| `server_{kind}` | `server_{kind}_queue` | `server_{kind}_work` | {cell(doc)} |"
            for kind, doc in (row.arguments for row in rows)
        ),
    ]


def hdf5_section(group: str, title: str, rows: list[Row]) -> Iterator[str]:
    yield from (f"## {title}", "", "| function | what it does |", "|---|---|")
    for row in rows:
        if row.arguments[2] == group:
            yield f"| `H5{row.arguments[0]}` | {cell(row.arguments[-1])} |"
    yield ""


def module_section(module: str, title: str, rows: list[Row]) -> Iterator[str]:
    yield from (f"## {title}", "", "| function | aliases | what it does |", "|---|---|---|")
    for row in rows:
        if row.macro in FUNCTION_MACROS and row.arguments[4] == module:
            name, doc = row.arguments[0], row.arguments[5]
            aliases = [
                f"`{alias.arguments[0]}`"
                for alias in rows
                if alias.macro in ALIAS_MACROS and alias.arguments[1] == name
            ]
            yield f"| `{name}` | {', '.join(aliases)} | {cell(doc)}{needs(row.since)} |"
    yield ""


def left_out_section(rows: list[Row], prefix: str = "") -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for row in rows:
        reasons.setdefault(row.arguments[1], []).append(f"`{prefix}{row.arguments[0]}`{needs(row.since)}")
    for reason, names in reasons.items():
        yield f"- {reason[0].upper()}{reason[1:]}:"
        yield from wrapped(names, "  ", 120)


def needs(since: Version) -> str:
    return f" (glibc {since[0]}.{since[1]})" if since > (0, 0) else ""


def wrapped(names: list[str], indent: str, width: int) -> Iterator[str]:
    line = indent
    for number, name in enumerate(names, 1):
        piece = name + ("," if number < len(names) else ".")
        if len(line) + len(piece) + 1 > width:
            yield line
            line = indent
        line += piece if line == indent else " " + piece
    yield line


def counters_page() -> list[str]:
    rows = read_rows(ROOT / "src" / "model" / "counters.def", ("COUNTER", "FLAG"))
    return [
        "# Counters of a file record",
        "",
        "<!-- Made by scripts/make_reference.py from src/model/counters.def: edit that. -->",
        "",
        "Each is an unsigned 64-bit integer and a column of the table `files` of a job log, in this order.",
        "*Merged* says how records of one file are made into one.",
        "",
        "| counter | unit | merged | what it says |",
        "|---|---|---|---|",
        *(counter_line(row) for row in rows if row.macro == "COUNTER"),
        "",
        "## Flags",
        "",
        "| flag | bit | what it says |",
        "|---|---|---|",
        *(
            f"| `{row.arguments[0]}` | {row.arguments[1]} | {cell(row.arguments[2])} |"
            for row in rows
            if row.macro == "FLAG"
        ),
    ]


def figures_page() -> list[str]:
    return [
        "# Figures",
        "",
        "<!-- Made by scripts/make_reference.py from python/headrace/analysis/definitions.py: edit that. -->",
        "",
        "What `headrace show` and reports say, by the key that a figure has in JSON or in a report's tables.",
        "Counters that keep their name are [a list of their own](counters.md).",
        "",
        "| figure | unit | what it says |",
        "|---|---|---|",
        *(f"| `{key}` | {FIGURE_UNITS[unit]} | {cell(sentence)} |" for key, unit, sentence in figures()),
    ]


def figures() -> Iterator[tuple[str, str, str]]:
    """The entries of FIGURES, read as text: the package need not be built."""
    source = (ROOT / "python/headrace/analysis/definitions.py").read_text(encoding="utf-8")
    text = source.split('FIGURES = """\n')[1].split('"""')[0].replace("\n    ", " ")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            key, unit, sentence = line.split(" | ", 2)
            yield key, unit, sentence


def counter_line(row: Row) -> str:
    name, unit, merge, doc = row.arguments
    merged = f"of the record with the greater `{merge[5:-1]}`" if merge.startswith("with(") else MERGES[merge]
    return f"| `{name}` | {UNITS[unit]} | {merged} | {cell(doc)} |"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
