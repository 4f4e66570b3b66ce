"""JSON of sysstat: `iostat -o JSON -t`, and `sadf -j` of what sadc recorded.

Both are {"sysstat": {"hosts": [{"nodename": …, "statistics": [{"timestamp": …, "disk": [{…}]}]}]}}; the keys
of disks are those of write_json_ext_stat (iostat.c) and json_print_disk_stats (json_stats.c), 11.0 to 12.7.
"""

from __future__ import annotations

import json
from typing import Any

from headrace._errors import LogCorruptError, LogForeignError
from headrace.foreign_samples import iostat, sadf
from headrace.foreign_samples.disks import is_name
from headrace.foreign_samples.rows import Rows

__all__ = ["is_sysstat", "take"]

_STATISTICS = '"statistics": ['
_ENDS = "]}]}}"  # of the list, its host, the hosts, and the two objects around


def is_sysstat(begin: bytes | bytearray) -> bool:
    text = begin[:256].lstrip()
    return text.startswith(b"{") and text[1:].lstrip().startswith(b'"sysstat"')


def take(text: str, rows: Rows) -> str:
    """Adds the samples of all hosts; "iostat" or "sadf". LogForeignError and LogCorruptError: it cannot."""
    hosts = _hosts(text, rows)
    kinds = set()
    for host in hosts:
        name = host.get("nodename")
        records = host.get("statistics")
        if not is_name(name) or not isinstance(records, list):
            raise LogCorruptError(f"{rows.path}: a host of sysstat needs its 'nodename' and 'statistics'")
        kinds.add(_take_host(host, name, records, rows))
    return sadf.KIND if sadf.KIND in kinds else iostat.KIND


def _take_host(host: dict[str, Any], name: str, records: list[Any], rows: Rows) -> str:
    found = []
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict):
            rows.problem(f"record {number} of '{name}' is no object: it is left out")
        elif record:
            found.append((number, record))
    if records and not any(isinstance(record, dict) for record in records):
        raise LogCorruptError(f"{rows.path}: record 1 of '{name}' is no object")
    if any(isinstance(record.get("timestamp"), dict) for _, record in found):
        restarts = host.get("restarts")
        sadf.take(name, found, restarts if isinstance(restarts, list) else [], rows)
        return sadf.KIND
    iostat.take(name, found, rows)
    return iostat.KIND


def _hosts(text: str, rows: Rows) -> list[dict[str, Any]]:
    try:
        content = json.loads(text)
    except RecursionError:
        raise LogCorruptError(f"{rows.path}: is nested deeper than sysstat writes") from None
    except json.JSONDecodeError as error:
        content = _whole_records(text, error, rows)
    except ValueError as error:  # a number of more digits than Python takes
        raise LogCorruptError(f"{rows.path}: no JSON that can be read: {error}") from error
    hosts = content.get("sysstat", {}) if isinstance(content, dict) else {}
    hosts = hosts.get("hosts") if isinstance(hosts, dict) else None
    if not isinstance(hosts, list) or not all(isinstance(host, dict) for host in hosts):
        raise LogForeignError(f"{rows.path}: has no list of 'hosts', as sysstat's JSON has")
    return hosts


def _whole_records(text: str, error: json.JSONDecodeError, rows: Rows) -> Any:
    """The records before the place at which a file is cut, or up to which iostat has written it."""
    where = f"line {error.lineno}, column {error.colno}"
    begin = text.find(_STATISTICS)
    records: list[Any] = []
    decoder = json.JSONDecoder()
    at = begin + len(_STATISTICS)
    try:
        content = json.loads(text[:at] + _ENDS) if begin >= 0 else None
        while content:
            at = _behind(text, at)
            record, at = decoder.raw_decode(text, at)
            records.append(record)
    except (ValueError, RecursionError):
        pass
    if not records or content is None:
        hint = "; with a decimal comma, run sysstat again with LC_ALL=C" if "," in text else ""
        raise LogCorruptError(
            f"{rows.path}: ends, or is no JSON, at {where}: no record before that is whole{hint}"
        )
    lost = len(text[at:].encode())
    rows.unfinished = True
    rows.problem(
        f"ends, or is no JSON, at {where}: {len(records)} records before it are used, {lost} bytes not"
    )
    content["sysstat"]["hosts"][-1]["statistics"] = records
    return content


def _behind(text: str, at: int) -> int:
    """Behind blanks and the comma between records."""
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at
