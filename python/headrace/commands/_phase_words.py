"""Why ranks were slow in a phase, and whether runs differ: the sentences of the terminal and of the page."""

from __future__ import annotations

from typing import Any

from headrace.commands._text import duration, number, percent, printable
from headrace.text import chance, count, size

Facts = dict[str, Any]

_MOST_OUTLIERS = 6


def heading(explained: Facts) -> str:
    """Which phase, and which of its instances."""
    name = printable(explained["phase"])
    return f"{name}, instance {explained['instance']}" if explained["instance"] else f"{name}, all instances"


def why(explained: Facts, who: str) -> dict[str, list[str]]:
    """What goes with slowness, what the groups did, and who is like no other. `who`: "rank" or "process"."""
    return {
        "slow": _slow_words(explained, who),
        "groups": _group_words(explained, who),
        "outliers": _outlier_words(explained),
    }


def verdicts(compared: Facts) -> list[str]:
    """Of each two runs, whether one took longer than the other."""
    return [
        "{} against {}: {}".format(
            *(printable(compared["runs"][each]["log"]) for each in test["runs"]), _verdict(test)
        )
        for test in compared["tests"]
    ]


def plural(who: str) -> str:
    return "ranks" if who == "rank" else "processes"


def _verdict(test: Facts) -> str:
    if test["p"] is None:
        return "too few instances, or all alike: nothing can be said"
    if test["p"] >= 0.05:
        return f"no difference can be told from chance ({chance(test['p'])})"
    ratio = test["ratio_of_medians"]
    way = f"{max(ratio, 1 / ratio):.2f} times as {'long' if ratio > 1 else 'fast'}" if ratio else "different"
    return f"{way} ({chance(test['p'])}; longer in {percent(test['longer'])} of all pairs)"


def _ranks(facts: Facts, who: str) -> str:
    return f"{count(facts['ranks'], who, plural(who))} ({facts['who']})"


def _slow_words(explained: Facts, who: str) -> list[str]:
    slow = explained["slow"]
    if slow is None:
        return [f"No {who} stands out by its time in I/O, nor by its own work."]
    if slow["by"] == "compute":
        return [_computes(explained, who), *_where(slow)]
    times = slow["io_ns"] / slow["others_io_ns"] if slow["others_io_ns"] > 0 else None
    ratio = f", {times:,.1f} times that of the others" if times is not None and times < 1e6 else ""
    are = "is" if slow["ranks"] == 1 else "are"
    text = f"{_ranks(slow, who)} {are} slow: {duration(slow['io_ns'])} in I/O each{ratio}"
    details = []
    if slow["most_time_in"]:
        function, part = slow["most_time_in"]
        details.append(f"{percent(part)} of it in {printable(function.split(':', 1)[1])}()")
    if slow["usual_size"]:
        low, high, part = slow["usual_size"]
        details.append(f"{percent(part)} of their requests are of {_span(low, high)}")
    words = [text + (": " if details else "") + ", ".join(details) + "."]
    words[0] = words[0].replace("each:", "each;") if ratio == "" else words[0]
    if slow["also_groups_by"]:
        kinds = {
            "bandwidth": "their bandwidth over time",
            "sizes": "the sizes of their requests",
            "messages": "their messages",
        }
        also = " and ".join(kinds[kind] for kind in slow["also_groups_by"])
        words.append(f"They are apart from the others by {also} as well.")
    words += _where(slow)
    if slow["also"]:
        also = ", ".join(map(printable, slow["also"][:8])) + (", …" if len(slow["also"]) > 8 else "")
        words.append(f"Slow by other calls: {also}.")
    return words


def _computes(explained: Facts, who: str) -> str:
    """`slow` takes longer for what is neither I/O nor MPI."""
    slow = explained["slow"]
    verb = "computes" if slow["ranks"] == 1 else "compute"
    others = next((group for group in explained["groups"] if group["who"] != slow["who"]), None)
    wait = others["most_messages_in"][0].split(":", 1)[1] if others and others["most_messages_in"] else None
    waits = f"; the others wait in {printable(wait)}" if wait else ""
    return f"{_ranks(slow, who)} {verb} {duration(slow['longer_ns'])} longer in each instance{waits}."


def _where(slow: Facts) -> list[str]:
    words = []
    if slow["alone_on"]:
        words.append(f"They are all that ran on {', '.join(map(printable, slow['alone_on'][:8]))}.")
    if slow["io_nodes_without"]:
        nodes = ", ".join(map(printable, slow["io_nodes_without"][:8]))
        words.append(f"None of them is served by I/O node {nodes}.")
    return words


def _span(low: int, high: int) -> str:
    if high <= low * 9 // 8:  # as fine as they are recorded
        return size(low) if low == high else f"about {size(low)}"
    return f"{size(low)} and more" if high >= 1 << 62 else f"{size(low)} to {size(high + 1)}"


def _group_words(explained: Facts, who: str) -> list[str]:
    words = []
    for group in explained["groups"]:
        io = group["read_ns"] + group["write_ns"] + group["meta_ns"]
        rest = max(0.0, group["time_ns"] - io - group["message_ns"])
        parts = [
            f"{percent(value / group['time_ns'])} {word}"
            for value, word in (
                (group["read_ns"], "reading"),
                (group["write_ns"], "writing"),
                (group["meta_ns"], "in other calls on files"),
                (group["message_ns"], "in MPI"),
                (rest, "elsewhere"),
            )
            if group["time_ns"] > 0 and value / group["time_ns"] >= 0.005
        ]
        like = f", like {printable(group['medoid'])}" if group.get("medoid") and group["ranks"] > 1 else ""
        text = f"{_ranks(group, who)}{like}: {', '.join(parts) or 'no time'}"
        if group["most_messages_in"] and group["message_ns"] > io:
            text += f"; waiting in {printable(group['most_messages_in'][0].split(':', 1)[1])}"
        moved = group["bytes_read"] + group["bytes_written"]
        words.append(text + (f"; {size(moved / max(1, group['ranks']))} of files each." if moved else "."))
    return words


def _outlier_words(explained: Facts) -> list[str]:
    words = []
    outliers = [each for each in explained["outliers"] if not each["slow"] and each["by"] != "bandwidth"]
    for outlier in outliers[:_MOST_OUTLIERS]:
        usual = f", usually {_value(outlier, outlier['usual'])}" if outlier["usual"] is not None else ""
        what = f"{_what(outlier)} {_value(outlier, outlier['value'])}"
        words.append(f"{printable(outlier['member'])} is like no other: {what}{usual}.")
    more = len(outliers) - _MOST_OUTLIERS
    return [*words, f"And {more} more like no other (--json has them)."] if more > 0 else words


def _what(outlier: Facts) -> str:
    kind, name = outlier["column"].split(":", 1)
    if outlier["by"] != "sizes":
        return printable(name)
    low, high = map(int, name.split("-"))
    return f"{kind}s of {_span(low, high)}:"


def _value(outlier: Facts, value: float) -> str:
    if outlier["by"] in ("calls", "messages"):
        return duration(value * 1e9)
    return size(value) if outlier["by"] == "bandwidth" else f"{number(round(value))} operations"
