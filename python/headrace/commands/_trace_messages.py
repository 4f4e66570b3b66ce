"""`headrace trace messages`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from headrace.analysis.trace_waits import messages as sums
from headrace.commands._columns import columns
from headrace.commands._message_matrix import matrix_lines
from headrace.commands._terminal import Terminal, terminal, working
from headrace.commands._text import NONE, clip, duration, number, printable, to_ascii
from headrace.commands._trace import cut_lines, loss_lines
from headrace.commands._trace_options import part, rank_options
from headrace.text import count, size

Facts = dict[str, Any]

_ROWS = 20


@click.command("messages")
@click.argument("trace")
@rank_options
@click.option("--json", "as_json", is_flag=True, help="For programs; keys in docs/trace.md.")
def messages(
    trace: str, rank: str | None, begin: str | None, end: str | None, job: int | None, as_json: bool
) -> None:
    """Tell who sent how much to whom, and who waited for whom.

    A rank waits for a late sender from when it begins to receive until the message is sent, and in a
    collective operation until the last rank comes. --rank chooses pairs of which one is among these ranks.
    Reads the whole trace, also for a part of its time.

    \b
    Example:
      headrace trace messages job.trace.hr
      headrace trace messages --rank 0-7 --from 1.5s --until 1.6s job.trace.hr
      headrace trace messages --json job.trace.hr | jq '.pairs[0]'
    """
    with working(f"reading {printable(trace)}"):
        asked = part(trace, job, rank, None, begin, end)
        ranks = None if rank is None else asked.trace.choose_ranks(rank)
        facts = sums(asked.trace, asked.first_ns, asked.last_ns, ranks)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        output = terminal()
        lines = _lines(facts, output)
        click.echo("\n".join(lines if output.unicode else map(to_ascii, lines)))
    asked.tell_if_empty(len(facts["pairs"]) or len(facts["collectives"]["functions"]))


def _lines(facts: Facts, output: Terminal) -> list[str]:
    all_of, pairs = facts["sums"], facts["pairs"]
    head = f"{count(all_of['messages'], 'message')}, {size(all_of['bytes'])}"
    lines = [*cut_lines(facts, output)]
    lines += [output.bold(f"{head}, between {count(len(pairs), 'pair')} of {count(facts['ranks'], 'rank')}")]
    for key, says in (("not_received", "not received"), ("not_sent", "received, but not sent here")):
        if all_of[key]:
            lines.append(output.warn(f"  {all_of[key]:,} of them {says}: headrace trace verify"))
    lines += matrix_lines(pairs, output)
    lines += _pairs(pairs, output) + _late(facts, output) + _collectives(facts["collectives"], output)
    lines = [clip(line, output.columns) for line in lines]
    return lines + _doubts(facts, output) + loss_lines({**facts, "damage": []}, output)


def _pairs(pairs: list[Facts], output: Terminal) -> list[str]:
    """The pairs that waited longest, or moved most."""
    if not pairs:
        return []
    order = sorted(pairs, key=lambda pair: (-pair["waited_ns"], -pair["bytes"], pair["from"], pair["to"]))
    rows: list[Sequence[str]] = [("from", "to", "messages", "bytes", "late", "waited", "longest")]
    for pair in order[:_ROWS]:
        times = [duration(pair[key]) if pair[key] else NONE for key in ("waited_ns", "longest_ns")]
        late = number(pair["late"]) if pair["late"] else NONE
        moved = (number(pair["messages"]), size(pair["bytes"]))
        rows.append((str(pair["from"]), str(pair["to"]), *moved, late, *times))
    first, *table = columns(rows)
    rest = [f"  … and {len(pairs) - _ROWS:,} more: --json has all"] if len(pairs) > _ROWS else []
    return ["", output.dim(first), *table, *rest]


def _late(facts: Facts, output: Terminal) -> list[str]:
    if not facts["sums"]["late"]:
        return []
    late, waited = facts["sums"]["late"], duration(facts["sums"]["waited_ns"])
    title = f"Late senders: {count(late, 'message')} for which receivers waited {waited}"
    return ["", output.bold(title), *_rank_rows(facts["waits"], output)]


def _collectives(found: Facts, output: Terminal) -> list[str]:
    waited = [row for row in found["functions"] if row["waited_ns"]]
    if not waited:
        return []
    sum_ns = duration(sum(row["waited_ns"] for row in waited))
    rows = [("function", "operations", "waited", "longest")]
    for row in waited:
        times = (duration(row["waited_ns"]), duration(row["longest_ns"]))
        rows.append((printable(row["name"]), number(row["operations"]), *times))
    first, *table = columns(rows, left=frozenset({0}))
    title = f"Collective operations: ranks waited {sum_ns} for those that came later"
    return ["", output.bold(title), output.dim(first), *table, "", *_rank_rows(found["ranks"], output)]


def _rank_rows(ranks: list[Facts], output: Terminal) -> list[str]:
    """Those for which others waited longest."""
    order = sorted(ranks, key=lambda row: (-row["waited_for_ns"], -row["waited_ns"], row["rank"]))
    rows: list[Sequence[str]] = [("rank", "waited", "others for it")]
    for row in order[:_ROWS]:
        times = [duration(row[key]) if row[key] else NONE for key in ("waited_ns", "waited_for_ns")]
        rows.append((str(row["rank"]), *times))
    first, *table = columns(rows)
    rest = [f"  … and {len(ranks) - _ROWS:,} more ranks: --json has all"] if len(ranks) > _ROWS else []
    return [output.dim(first), *table, *rest]


def _doubts(facts: Facts, output: Terminal) -> list[str]:
    """What makes these waits uncertain."""
    found, texts = facts["collectives"], []
    if facts["clock_error_ns"] is not None:
        texts.append(f"Times of different nodes are exact to {duration(facts['clock_error_ns'])}.")
    elif facts["nodes"] > 1:
        texts.append(
            f"The clocks of the {facts['nodes']} nodes were not compared: waits between nodes may be off by "
            "milliseconds. headrace run --trace-clocks always compares them."
        )
    if facts["before_sent"]:
        arrive = f"{count(facts['before_sent'], 'message')} came before being sent"
        texts.append(f"{arrive}: clocks differ, and waits are off by as much.")
    if facts["without_call"]:
        texts.append(
            f"{count(facts['without_call'], 'message')} without the call that received them: "
            "whether it waited is not known. --trace=mpi records calls."
        )
    if found["incomplete"]:
        texts.append(
            f"{count(found['incomplete'], 'collective operation')} left out: not all ranks are here."
        )
    if found["out_of_step"]:
        texts.append(
            f"{count(found['out_of_step'], 'collective operation')} left out: a rank left before the last "
            "came (clocks differ, or its data was empty)."
        )
    return [output.warn(line) for text in texts for line in output.wrap(text, "  ", "    ")]
