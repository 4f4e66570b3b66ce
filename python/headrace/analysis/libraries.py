"""The same files as each layer saw them: HDF5 or PnetCDF, MPI-IO, and the system's calls below."""

from __future__ import annotations

from typing import Any

from headrace import _native
from headrace.analysis.calls import layer_facts, layer_time, with_datasets
from headrace.analysis.kinds import FILE_KINDS, LAYER_KINDS, LIBRARY_LAYERS, SYSTEM_LAYERS
from headrace.analysis.recorded import added, most
from headrace.analysis.transfers import apply, transfers
from headrace.logs import JobLog

Facts = dict[str, Any]

_MOST_DATASETS = 20  # of one file
_SUMS = ("read", "write", "metadata")


def libraries(log: JobLog, chosen: list[int], most: int) -> Facts | None:
    """The `most` files that libraries spent most time in; None when the log has no records of libraries.

    `only` counts files that the layers of the system have no record of, as where those were not captured.
    Of a file that several libraries used, the layer that moved most is meant.
    """
    present = [row["layer"] for row in log.native.merge("layer", chosen, LAYER_KINDS).rows(None, ["layer"])]
    above = [name for name in LIBRARY_LAYERS if name in present]
    if not above:
        return None
    found: dict[str, Facts] = {}
    for layer in above:
        _add_library(log, chosen, layer, found)
    below = [name for name in SYSTEM_LAYERS if name in present]
    for layer in below:
        _add_system(log, chosen, layer, found)
    files = [_file(path, layers) for path, layers in found.items()]
    files.sort(key=lambda file: (-file["time_ns"], file["path"]))
    only = [file for file in files if not any(layer["adds_up"] for layer in file["layers"])]
    return {
        "files": files[:most],
        "files_in_all": len(files),
        "only": {
            "files": len(only),
            "bytes_read": sum(_most(file, "read") for file in only),
            "bytes_written": sum(_most(file, "write") for file in only),
        },
    }


def interfaces(log: JobLog, chosen: list[int]) -> dict[tuple[str, str], list[str]]:
    """By path and kind the layers that used a file, the highest first; only files that a library used.

    A dataset says that its library used the file it lies in, but a library that has datasets opened the file.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for layer in LIBRARY_LAYERS:
        for row in log.native.merge("path", chosen, FILE_KINDS, [layer]).rows(None, ["path", "kind"]):
            found.setdefault((row["path"], row["kind"]), []).append(layer)
    return found


def layers_of_file(row: Facts, above: dict[tuple[str, str], list[str]]) -> list[str]:
    """All layers that used the file of a merged row, the highest first; `above`: those of `interfaces`."""
    names = [*above.get((row["path"], row["kind"]), []), *row["layers"].split("+")]
    return list(dict.fromkeys(names))


def _add_library(log: JobLog, chosen: list[int], layer: str, found: dict[str, Facts]) -> None:
    files = log.native.merge("path", chosen, FILE_KINDS, [layer])
    sets_of = log.native.merge("path", chosen, ["dataset"], [layer])
    for row, facts in _described(log, files, list(range(len(files)))):
        found.setdefault(row["path"], {})[layer] = facts
    paths = _paths(log, chosen) if len(sets_of) else set()
    known = transfers(log, chosen) if len(sets_of) else None
    sets: dict[str, list[tuple[str, Facts]]] = {}
    moved: dict[str, set[str]] = {}
    for row, facts in _described(log, sets_of, list(range(len(sets_of)))):
        path, name = split(row["path"], paths)
        if known and row["path"] in known:
            apply(facts, [known[row["path"]]])
            moved.setdefault(path, set()).add(known[row["path"]])
        sets.setdefault(path, []).append((name, facts))
    for path, datasets in sets.items():
        inside = datasets[0][1]
        for _, facts in datasets[1:]:
            inside = _added(inside, facts)
        whole = with_datasets(found.setdefault(path, {}).get(layer), inside)
        apply(whole, moved.get(path))
        datasets.sort(key=lambda each: (-layer_time(each[1]), each[0]))
        kept = [{"name": name, **facts} for name, facts in datasets[:_MOST_DATASETS]]
        found[path][layer] = {**whole, "datasets": len(datasets), "dataset_rows": kept}


def _paths(log: JobLog, chosen: list[int]) -> set[str]:
    return {row["path"] for row in log.native.merge("path", chosen, FILE_KINDS).rows(None, ["path"])}


def _add_system(log: JobLog, chosen: list[int], layer: str, found: dict[str, Facts]) -> None:
    merged = log.native.merge("path", chosen, FILE_KINDS, [layer])
    paths = merged.rows(None, ["path"])
    numbers = [number for number, row in enumerate(paths) if row["path"] in found]
    for row, facts in _described(log, merged, numbers):
        found[row["path"]][layer] = facts


def split(path: str, files: set[str]) -> tuple[str, str]:
    """FILE and NAME of a dataset's path FILE:NAME. Of files with colons in their names, a known one."""
    at = path.find(":")
    first = at
    while at >= 0:
        if path[:at] in files:
            return path[:at], path[at + 1 :]
        at = path.find(":", at + 1)
    return (path[:first], path[first + 1 :]) if first >= 0 else (path, "")


def _described(log: JobLog, merged: _native.Frame, numbers: list[int]) -> list[tuple[Facts, Facts]]:
    """Each row with what its layer did, and the most common size of its reads and writes."""
    rows = merged.rows(numbers)
    sizes: dict[tuple[int, str], int] = {}
    for group, way, what, value, _, _ in log.native.common([merged.records(number) for number in numbers]):
        if what == "size" and value > 0:
            sizes.setdefault((group, way), value)
    result = []
    for place, row in enumerate(rows):
        layer = row["layers"]
        facts = layer_facts({**row, "layer": layer}) | {"opens": row["opens"], "processes": row["processes"]}
        for way in ("read", "write"):
            facts[way]["usual_size"] = sizes.get((place, way))
        result.append((row, facts))
    return result


def _added(one: Facts, other: Facts) -> Facts:
    """Both together; the usual size is that of the part that moved more."""
    result = {**one, "opens": one["opens"] + other["opens"]}
    result["processes"] = max(one["processes"], other["processes"])
    for part in _SUMS:
        a, b = one[part], other[part]
        result[part] = {key: added((a[key], b[key])) for key in a if key not in ("slowest_ns", "usual_size")}
        result[part]["slowest_ns"] = most((a["slowest_ns"], b["slowest_ns"]))
        if "usual_size" in a:
            result[part]["usual_size"] = (b if b["bytes"] > a["bytes"] else a)["usual_size"]
    # Numbers that nobody knows are null.
    result["together"] = {
        key: (count or 0) + (other["together"][key] or 0) for key, count in one["together"].items()
    }
    return result


def _file(path: str, layers: dict[str, Facts]) -> Facts:
    ordered = [layers[name] for name in (*LIBRARY_LAYERS, *SYSTEM_LAYERS) if name in layers]
    above = [layer_time(layer) for layer in ordered if not layer["adds_up"]]
    return {"path": path, "time_ns": max(above), "layers": ordered}


def _most(file: Facts, way: str) -> int:
    return max(int(layer[way]["bytes"]) for layer in file["layers"])
