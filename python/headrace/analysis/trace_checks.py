"""What `headrace trace verify` checks: whether a trace agrees with itself and with the job log."""

from __future__ import annotations

import re
from typing import Any

from headrace._errors import UsageError
from headrace.analysis.trace_accounts import LEFT_OUT, left_out, unexplained
from headrace.analysis.trace_check import Check
from headrace.analysis.trace_files import compare_files, difference_text, files_text
from headrace.analysis.trace_messages import finalized_ranks, messages_check
from headrace.analysis.trace_streams import captured_processes, missing_streams, streams_text
from headrace.analysis.traces import Trace
from headrace.logs import LIBRARY_LAYERS, SYSTEM_LAYERS, JobLog

Facts = dict[str, Any]

_LAYERS = {*SYSTEM_LAYERS, *LIBRARY_LAYERS, "mpi"}
_TOLD = 8  # differing functions, or files
# As reasons of calls without a file begin, of those that have no event either.
_WITHOUT_EVENT = (
    "made by signal handlers",
    "made without memory",
    "made while the process had no descriptor",
)
_SOURCE = " (source)"  # what a copy reads: no call of its own
_SINGLE_BYTES = re.compile(r"_?(_?IO_)?f?(get|put)(c|char)(_unlocked)?|__uflow|__overflow")


def check(trace: Trace, log: JobLog | None) -> list[Check]:
    """Decodes everything."""
    found = trace.native.check(sorted(finalized_ranks(log)))
    trace.native.verify()
    lost_calls = sum(row["lost"] for row in trace.locations)
    lost_events = _lost_events(trace, found)
    lost = lost_calls + lost_events
    checks = [
        _chunks(trace),
        _events(trace, lost_calls, lost_events),
        _balance(trace, found),
        _order(trace, found),
        _names(found),
    ]
    against = _against(trace, log, lost_calls, lost_events)
    checks += [messages_check(found, lost), _streams(trace, log), against, _files(trace, log, lost)]
    return checks


def _streams(trace: Trace, log: JobLog | None) -> Check:
    if log is None:
        return Check("streams", None, "no job log beside the trace tells whose they should be")
    _check_job(trace, log)
    missing = missing_streams(trace, log)
    processes = len(captured_processes(log))
    return Check(
        "streams", not missing, streams_text(missing, processes), {"processes": processes, "missing": missing}
    )


def _files(trace: Trace, log: JobLog | None, lost: int) -> Check:
    if log is None:
        return Check("files", None, "no job log beside the trace tells the bytes of each")
    found = compare_files(trace, log, _is_filtered(trace))
    says = f"the same bytes read and written of {files_text(found)} in both"
    amounts = {"files": found.files, "processes": found.processes, "differing": found.differing}
    if not found.differing:
        return Check("files", True, says, amounts)
    says = f"{files_text(found)}; {len(found.differing):,} have other bytes in the trace"
    says = "; ".join([says, *map(difference_text, found.differing[:_TOLD])])
    if lost:
        return Check("files", None, f"{says}; events are lost, so this tells nothing", amounts)
    if len(found.differing) <= _uncertain(log):
        return Check("files", None, f"{says}; processes were killed between the one and the other", amounts)
    return Check("files", False, says, amounts)


def _uncertain(log: JobLog) -> int:
    return sum(row["uncertain_operations"] for row in log.processes.to_pylist())


def _apart(log: JobLog) -> int:
    """Calls that have no event: no section of the records could be entered for them."""
    gaps = [row for row in log.gaps.to_pylist() if row["what"] == "operations without a file"]
    return sum(
        row["amount"] for row in gaps if row["unit"] == "calls" and row["reason"].startswith(_WITHOUT_EVENT)
    )


def _is_filtered(trace: Trace) -> bool:
    accounts = trace.native.accounts()
    return bool(trace.facts.get("filter") or any(accounts.get(what) for what in LEFT_OUT))


def _lost_events(trace: Trace, found: Facts) -> int:
    """That were recorded, but are in no chunk that can be read."""
    headers = sum(row["events"] for row in trace.locations)
    return int(sum(row["missing"] for row in trace.locations) + headers - found["events"])


def _chunks(trace: Trace) -> Check:
    missing = sum(row["lost_chunks"] for row in trace.locations)
    damaged = trace.native.damaged_chunks
    # What is missing as a whole is at no place.
    places = [place for place in trace.native.damage() if place[1]]
    files = [reason for _, length, reason in trace.native.damage() if not length]
    undescribed = sum(not row["described"] for row in trace.locations)
    amounts = {
        "chunks": sum(row["chunks"] for row in trace.locations),
        "missing": missing,
        "damaged": damaged,
        "damaged_places": len(places),
        "damaged_bytes": sum(length for _, length, _ in places),
        "missing_files": len(files),
        "copies": trace.native.copies,
        "undescribed_locations": undescribed,
        "closed": trace.native.closed,
    }
    troubles = []
    if missing:
        troubles.append(f"{missing:,} missing by their sequence numbers")
    if damaged:
        troubles.append(f"{damaged:,} damaged")
    if places:
        troubles.append(f"{len(places):,} damaged places of {amounts['damaged_bytes']:,} bytes")
    troubles += files[:3]
    if len(files) > 3:
        troubles.append(f"{len(files) - 3:,} more files are missing")
    if undescribed:
        troubles.append(f"{undescribed:,} locations without a row in the table of them")
    if not trace.native.closed:
        troubles.append("the writer did not close the file")
    says = f"chunks: {amounts['chunks']:,}, threads: {len(trace.locations):,}"
    if trace.native.copies:  # a writer that was killed is followed by one that stores some of it again
        says += f", {trace.native.copies:,} second copies left out"
    return Check("chunks", not troubles, "; ".join([says, *troubles]), amounts)


def _events(trace: Trace, lost_calls: int, lost_events: int) -> Check:
    events = sum(row["events"] for row in trace.locations)
    says = f"{events:,} events"
    if lost_calls:
        says += f"; {lost_calls:,} calls could not be recorded"
    if lost_events:
        says += f"; {lost_events:,} events are lost with their chunks"
    amounts = {"events": events, "lost_calls": lost_calls, "lost_events": lost_events}
    return Check("events", not lost_calls + lost_events, says, amounts)


def _balance(trace: Trace, found: Facts) -> Check:
    amounts = {key: found[key] for key in ("unbalanced", "unbalanced_where_lost", "unfinished")}
    says = f"{found['unbalanced']:,} ends of what was not the innermost open" + _where(
        trace, found["unbalanced_at"]
    )
    if found["unbalanced_where_lost"]:
        says += f"; {found['unbalanced_where_lost']:,} more where events are lost"
    if found["unfinished"]:
        says += f"; {found['unfinished']:,} still open at the end"
    return Check("balance", not found["unbalanced"], says, amounts)


def _order(trace: Trace, found: Facts) -> Check:
    says = f"{found['backward']:,} events before the one in front of them" + _where(
        trace, found["backward_at"]
    )
    return Check("order", not found["backward"], says, {"backward": found["backward"]})


def _where(trace: Trace, locations: list[int]) -> str:
    if not locations:
        return ""
    names = trace.names()
    return f" (first: {', '.join(names[each] for each in locations)})"


def _names(found: Facts) -> Check:
    amounts = {key: found[key] for key in ("nameless", "handleless")}
    says = f"{found['nameless']:,} events of unknown functions, {found['handleless']:,} on unknown files"
    return Check("names", not any(amounts.values()), says, amounts)


def _against(trace: Trace, log: JobLog | None, lost_calls: int, lost_events: int) -> Check:
    if log is None:
        return Check("job log", None, "no job log beside the trace: name it with --log JOB.hr")
    _check_job(trace, log)
    uncertain, apart = _uncertain(log), _apart(log)
    accounts = trace.native.accounts()
    by_wish = {what: accounts[what] for what in LEFT_OUT if accounts.get(what)}
    filtered = _is_filtered(trace)
    events, profiles = (
        _by_function(trace.functions()),
        _by_function([{**row, "name": row["function"]} for row in log.native.functions().rows()]),
    )
    differing = [
        {
            "layer": key[0],
            "function": key[1],
            "trace": events.get(key, (0, 0)),
            "log": profiles.get(key, (0, 0)),
        }
        for key in sorted(events.keys() | profiles.keys())
        if not _agree(key, events.get(key, (0, 0)), profiles.get(key, (0, 0)), filtered)
    ]
    calls = sum(each[0] for each in profiles.values())
    moved = sum(each[1] for each in profiles.values())
    amounts = {"functions": len(profiles), "calls": calls, "bytes": moved, "differing": differing}
    says = f"{len(profiles):,} functions, {calls:,} calls, {moved:,} bytes in {log.path}"
    if filtered:
        missing = {
            key: max(0, profiles[key][0] - events.get(key, (0, 0))[0]) for key in profiles if not _joined(key)
        }
        amounts |= {"missing": sum(missing.values()), "left_out": by_wish}
        reasons = "; ".join(left_out(accounts)) or "nothing"
        says += f", {amounts['missing']:,} of the calls not in the trace; left out: {reasons}"
        others = unexplained(missing, accounts, trace.facts.get("filter"))
        if others > lost_calls + (lost_events + 1) // 2 + uncertain + apart:
            says += f"; {others:,} calls are missing for no reason that concerns them"
            return Check("job log", False, says, amounts)
    if not differing:
        return Check("job log", True, says if filtered else f"{says}: the same in the trace", amounts)
    between = sum(
        max(1, abs(logged[0] - events.get(key, (0, 0))[0]))
        for key, logged in profiles.items()
        if not _agree(key, events.get(key, (0, 0)), logged)
    )
    only_logged = all(
        events.get(key, (0, 0))[at] <= logged[at] for key, logged in profiles.items() for at in (0, 1)
    )
    if not filtered and profiles.keys() >= events.keys() and only_logged and between <= apart:
        says += f": the same in the trace, but for {between:,} that are in no file"
        return Check("job log", True, says, amounts)
    if not filtered and profiles.keys() >= events.keys() and between <= uncertain + apart:
        says += f"; {between:,} calls are in one of both: processes were killed between the one and the other"
        return Check("job log", None, says, amounts)
    told = [_difference(row) for row in differing[:_TOLD]]
    more = [f"and {len(differing) - _TOLD:,} more"] if len(differing) > _TOLD else []
    says += f"; {len(differing):,} differ in the trace" + (_lost_of(lost_calls, lost_events))
    return Check("job log", False, "; ".join([says, *told, *more]), amounts)


def _lost_of(calls: int, events: int) -> str:
    texts = [f"{calls:,} calls could not be recorded"] if calls else []
    texts += [f"{events:,} events are lost"] if events else []
    return f" ({', '.join(texts)})" if texts else ""


def _joined(key: tuple[str, str]) -> bool:
    """Calls of single bytes that a stream's buffer answers are joined: one event has the bytes of many."""
    return key[0] == "stdio" and _SINGLE_BYTES.fullmatch(key[1]) is not None


def _agree(
    key: tuple[str, str], there: tuple[int, int], logged: tuple[int, int], filtered: bool = False
) -> bool:
    if filtered:
        return there[0] <= logged[0] and there[1] <= logged[1]
    if not _joined(key):
        return there == logged
    return there[1] == logged[1] and (there[0] > 0) == (logged[0] > 0) and there[0] <= logged[0]


def _difference(row: Facts) -> str:
    (calls, moved), (log_calls, log_moved) = row["trace"], row["log"]
    there = f"{log_calls:,} calls, {log_moved:,} bytes"
    return f"{row['function']}: {calls:,} calls, {moved:,} bytes; in the log {there}"


def _by_function(rows: list[Facts]) -> dict[tuple[str, str], tuple[int, int]]:
    """Calls and bytes, of functions that job logs count."""
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for row in rows:
        if row["layer"] not in _LAYERS or not row["calls"] or row["name"].endswith(_SOURCE):
            continue
        calls, moved = sums.get((row["layer"], row["name"]), (0, 0))
        sums[row["layer"], row["name"]] = (calls + row["calls"], moved + row["bytes"])
    return sums


def _check_job(trace: Trace, log: JobLog) -> None:
    ours, theirs = trace.facts.get("start_utc_ns"), log.job.get("start_utc_ns")
    if ours is not None and theirs is not None and ours != str(theirs):
        raise UsageError(
            f"{log.path}: is of another job than {trace.path}, which began at another time: "
            "name the job log of the trace with --log JOB.hr"
        )
