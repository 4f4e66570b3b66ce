"""What `headrace show` says of the ranks of a parallel job: speed, sharing of files, and evenness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.commands._columns import columns
from headrace.commands._terminal import Terminal
from headrace.commands._text import LIBRARY_NAMES, NONE, duration, number, percent, printable
from headrace.text import count, significant, size

Facts = dict[str, Any]

_MOST = 3
ESTIMATE = "estimated by files and slowest ranks (agg_perf_by_slowest)"
_NO_SPEED = {
    "slowest": "the log does not say which rank was slowest in files that all share",
    "asynchronous": "aio moved bytes behind its calls, which only begin transfers and fetch their results",
}
_WHY_NOT = {
    "slowest": "its slowest rank is not recorded",
    "time": "no time is recorded",
    "asynchronous": "bytes moved behind its calls",
}
_FAILED = "failed_open."  # then the name of a file; a property of its directory


def parallel_lines(facts: Facts, terminal: Terminal) -> list[str]:
    parallel = facts["parallel"]
    if not parallel:
        return []
    title = count(parallel["ranks"], "rank") + _on(parallel["nodes"])
    lines = [terminal.bold(title)]
    for text in (*_instances(parallel), *_sentences(parallel)):
        lines += terminal.wrap(text, "  ", "    ")
    lines += [*_spreads(parallel, terminal), *_ranks(parallel, terminal), *_nodes(parallel, terminal)]
    for key, one, name in (("io_nodes", "I/O node", "io_node"), ("switches", "switch", "nearest_switch")):
        lines += _served(parallel[key], one, name, terminal)
    return lines


def _instances(parallel: Facts) -> list[str]:
    """Only what the title does not say: several programs, ranks that are not in the log, no files."""
    texts = []
    for run in parallel["instances"][:_MOST]:
        name = printable(run["executable"].rpartition("/")[2] or run["executable"])
        words = []
        if len(parallel["instances"]) > 1:
            words.append(count(run["ranks"], "rank") + _on(run["nodes"]))
        if run["ranks"] != run["ranks_in_log"]:
            words.append(f"{number(run['ranks_in_log'])} of its {number(run['ranks'])} ranks are in the log")
        if run["no_files"]:
            words.append("it used no files, standard streams apart")
        if words:
            texts.append(f"{name}: {', '.join(words)}.")
    if texts and len(parallel["instances"]) > _MOST:
        texts.append(f"… and {number(len(parallel['instances']) - _MOST)} more programs: --json has all.")
    return texts


def _on(nodes: int | None) -> str:
    return f" on {count(nodes, 'node')}" if nodes else ""


def _sentences(parallel: Facts) -> list[str]:
    speed, access = parallel["performance"], parallel["access"]
    texts = _speeds(parallel, speed)
    if parallel["reduced"]:
        reduced = parallel["reduced"]
        texts.append(
            f"{count(reduced['files'], 'file')} with {size(reduced['bytes'])} and"
            f" {duration(reduced['io_ns'])} have one record for all ranks:"
            " what a single rank did in all its files is not known."
        )
    if parallel["stood_for"]:
        texts.append(stood_for_words(parallel["stood_for"]))
    parts = [f"{percent(speed['metadata_share'])} of I/O time in metadata"] if speed["bytes"] else []
    creates = access["creates_per_rank"]
    parts.append(
        f"{_few(access['files_per_rank'])} files"
        + (
            f" and {_few(creates)} creates a rank"
            if creates is not None
            else " a rank (creates are not recorded)"
        )
    )
    parts += [
        f"{percent(access[f'{key}_share'])} {key}"
        for key in ("sequential", "aligned")
        if access[f"{key}_share"] is not None
    ]
    if access["aligned_share"] is None and speed["bytes"]:
        parts.append("alignment not recorded")
    texts.append(", ".join(parts) + ".")
    shared = [
        f"{number(row['files'])} {name} ({size(row['bytes_read'] + row['bytes_written'])})"
        for name, row in parallel["strategies"].items()
        if row["files"]
    ]
    if shared:
        through = ", ".join(
            f"{layer} {number(row['files'])}" for layer, row in parallel["interfaces"].items()
        )
        texts.append(f"Files: {', '.join(shared)}; through {through}.")
    if access["written"] and access["held_data"] is None:
        texts.append(f"Whether {count(access['written'], 'written file')} held data before is not recorded.")
    elif access["written"]:
        text = (
            f"Of {count(access['written'], 'written file')}, {number(access['held_data'])} held data before"
        )
        if access["truncated_at_open"]:
            text += f", {number(access['truncated_at_open'])} were emptied at open, whatever they held"
        unknown = access["held_data_unknown"]
        texts.append(text + (f"; of {number(unknown)} that is not known." if unknown else "."))
    return texts


def _speeds(parallel: Facts, speed: Facts) -> list[str]:
    """The speed of the job, of each file's topmost layer, and the same estimate for each layer alone."""
    estimate, texts = speed["agg_perf_by_slowest"], []
    if speed["mib_per_second"] is not None:
        slowest, node = mib(speed["mib_per_second"]), mib(speed["mib_per_second_per_node"])
        text = f"{slowest} by the slowest rank, {node} a node"
        texts.append(text + (f"; {mib(estimate)} {ESTIMATE}." if estimate is not None else "."))
    elif estimate is not None:
        texts.append(f"{mib(estimate)} {ESTIMATE}.")
    elif speed["bytes"] and speed["why_not"] and not parallel["stood_for"]:
        texts.append(f"Speed not known: {_NO_SPEED[speed['why_not']]}.")
    layers = speed["by_interface"] or {}
    if len(layers) > 1 or (estimate is None and layers):
        parts = ", ".join(
            f"{LIBRARY_NAMES.get(layer, layer)} {_estimate(row)}" for layer, row in layers.items()
        )
        whose = "Darshan's estimate" if speed["darshan_log"] else "The same estimate"
        texts.append(f"{whose} for each interface alone: {parts}.")
    return texts


def _estimate(row: Facts) -> str:
    if row["agg_perf_by_slowest"] is not None:
        return mib(row["agg_perf_by_slowest"])
    return f"{NONE} ({_WHY_NOT[row['why_not']]})"


def stood_for_words(saved: Facts) -> str:
    are = "is" if saved["ranks"] == 1 else "are"
    text = f"{count(saved['ranks'], 'rank')} {are} stood for by representatives: what they did is in sums"
    if saved["bytes"]:
        text += (
            f", and {count(saved['records'], 'record')} of theirs would have made"
            f" the ranks' part of the log {size(saved['bytes'])} longer"
        )
    return text + (
        ". So it is not known how many files were created or held data, nor by how many ranks and through"
        " which layers each was used."
    )


def mib(value: float | None) -> str:
    return NONE if value is None else f"{_few(value)} MiB/s"


def _few(value: float) -> str:
    """Three digits, as all figures."""
    return significant(value)


def _spreads(parallel: Facts, terminal: Terminal) -> list[str]:
    rows: list[Sequence[str]] = [("of each rank", "least", "mean", "most", "deviation", "most/mean")]
    for key, name, show in (
        ("io_ns", "I/O time", duration),
        ("bytes", "bytes", size),
        ("mpi_ns", "communication", duration),
    ):
        figure = parallel[key]
        if figure and figure["most"] > 0:
            cells = (figure["least"], figure["mean"], figure["most"], figure["variance"] ** 0.5)
            even = f"{figure['imbalance']:.2f}" if figure["imbalance"] is not None else NONE
            rows.append((name, *map(show, cells), even))
    if len(rows) == 1:
        return []
    table = columns(rows, left=frozenset({0}))
    return [terminal.dim(table[0]), *table[1:]]


def _ranks(parallel: Facts, terminal: Terminal) -> list[str]:
    if parallel["ranks"] < 2 or not (parallel["io_ns"] or {}).get("most"):
        return []
    rows: list[Sequence[str]] = [("", "rank", "I/O", "read", "write", "metadata", "communication", "node")]
    known = parallel["mpi"]["calls"] > 0  # Darshan logs have no communication
    for key, word in (("slowest_ranks", "slowest"), ("fastest_ranks", "fastest")):
        for row in parallel[key][:_MOST]:
            times = [duration(row[name]) for name in ("io_ns", "read_ns", "write_ns", "meta_ns")]
            between = duration(row["mpi_ns"]) if known else NONE
            rows.append((word, str(row["rank"]), *times, between, printable(row["host"]) or NONE))
            word = ""
    table = columns(rows, left=frozenset({0, 7}), room=terminal.columns)
    return [terminal.dim(table[0]), *table[1:]]


def _nodes(parallel: Facts, terminal: Terminal) -> list[str]:
    if (parallel["nodes"] or 0) < 2 or not (parallel["io_ns"] or {}).get("most"):
        return []
    rows: list[Sequence[str]] = [("", "ranks", "I/O a rank", "slowest rank", "bytes", "node")]
    for key, word in (("slowest_nodes", "slowest"), ("fastest_nodes", "fastest")):
        for row in parallel[key][:_MOST]:
            times = (duration(row["io_ns_per_rank"]), duration(row["slowest_io_ns"]))
            rows.append((word, number(row["ranks"]), *times, size(row["bytes"]), printable(row["host"])))
            word = ""
    table = columns(rows, left=frozenset({0, 5}), room=terminal.columns)
    return [terminal.dim(table[0]), *table[1:]]


def _served(served: Facts | None, one: str, key: str, terminal: Terminal) -> list[str]:
    """What serves nodes: I/O nodes, or switches of the network."""
    if not served:
        return []
    rows: list[Sequence[str]] = [("", "nodes", "ranks", "I/O a rank", "slowest rank", "bytes", one)]
    for which in ("slowest", "fastest"):
        word = which if served["number"] > 1 else ""
        for row in served[which][:_MOST]:
            times = (duration(row["io_ns_per_rank"]), duration(row["slowest_io_ns"]))
            counts = (number(row["nodes"]), number(row["ranks"]))
            rows.append((word, *counts, *times, size(row["bytes"]), printable(row[key])))
            word = ""
    table = columns(rows, left=frozenset({0, 6}), room=terminal.columns)
    lines = [terminal.dim(table[0]), *table[1:]]
    if served["ranks_without"]:
        lines += terminal.wrap(
            f"Of {count(served['ranks_without'], 'rank')} the {one} is not known.", "  ", "    "
        )
    return lines


def server_lines(facts: Facts, terminal: Terminal) -> list[str]:
    """Object servers by what lies on them, and whether they explain the slow ranks."""
    servers, against = facts["servers"], facts["servers_against_ranks"]
    if not servers or not any(row["io_ns"] for row in servers):
        return []
    lines = [terminal.bold(count(len(servers), "object server"))]
    if against:
        lines += terminal.wrap(against["sentence"], "  ", "    ")
    known = against is not None and against["slow"]
    heading = ("", "files", "bytes", "I/O", *(("slow ranks", "others") if known else ()), "server")
    rows: list[Sequence[str]] = [heading]
    for row in servers[:_MOST]:
        shares = (percent(row["slow_share"]), percent(row["other_share"])) if known else ()
        figures = (number(row["files"]), size(row["bytes"]), duration(row["io_ns"]))
        rows.append(("slowest" if len(rows) == 1 else "", *figures, *shares, printable(row["server"])))
    table = columns(rows, left=frozenset({0, len(heading) - 1}), room=terminal.columns)
    return [*lines, terminal.dim(table[0]), *table[1:]]


def rank_words(row: Facts) -> list[str]:
    """How ranks shared a file, for the line of words under it."""
    ranks = row.get("ranks")
    if not ranks or ranks["strategy"] == "unique":
        return (
            [f"rank {ranks['slowest']['rank']} alone"]
            if ranks and ranks["slowest"] and ranks["world"] > 1
            else []
        )
    shared = f"{ranks['strategy']} by {number(ranks['ranks'])}"
    if ranks["strategy"] != "shared":
        shared += f" of {number(ranks['world'])}"
    time = ranks["time_ns"]
    words = [f"{shared} ranks"]
    if time["most"] is None:
        words.append(f"{duration(time['mean'])} each in the mean")
    elif time["most"] > 0 and time["least"] is not None and ranks["slowest"]:
        slowest = ranks["slowest"]
        words.append(
            f"ranks took {duration(time['least'])} to {duration(time['most'])}, slowest {slowest['rank']}"
            + (f" on {printable(slowest['host'])}" if slowest["host"] else "")
        )
    return words


def property_words(row: Facts) -> list[str]:
    """Stripes, failed opens, hints that are not what was asked for; --json and the report have the rest."""
    values: dict[str, list[str]] = {}
    for fact in row.get("properties", []):
        values.setdefault(fact["key"], []).append(fact["value"])
    words = []
    parts = {key.split(".")[1] for key in values if key.startswith("lustre.component")}
    if parts:
        words.append(f"stripes: in {count(len(parts), 'part')} of the file")
    if "lustre.stripe_count" in values:
        stripes = "/".join(map(printable, values["lustre.stripe_count"]))
        sizes = [
            size(int(text))
            for text in values.get("lustre.stripe_size", [])
            if text.isascii() and text.isdigit() and len(text) < 20
        ]
        words.append(f"stripes: {stripes}" + (f" of {'/'.join(sizes)}" if sizes else ""))
    failed = {key.removeprefix(_FAILED): texts for key, texts in values.items() if key.startswith(_FAILED)}
    for name, reasons in list(failed.items())[:_MOST]:
        words.append(f"open failed of {printable(name)}: {printable('/'.join(reasons))}")
    if len(failed) > _MOST:
        words.append(f"… and of {count(len(failed) - _MOST, 'more name')}: --json has them")
    for key, asked in values.items():
        name = key.removeprefix("hint_asked.")
        used = values.get(f"hint_used.{name}")
        if key != name and used is not None and used != asked:
            given, taken = ("/".join(map(printable, texts)) for texts in (asked, used))
            words.append(f"hint {printable(name)}: asked {given}, used {taken}")
    return words
