"""Clusters in the terminal."""

from __future__ import annotations

from headrace import _native
from headrace.analysis.clusters import Clustering
from headrace.analysis.point_tables import PointTable
from headrace.commands._terminal import Terminal
from headrace.commands._text import duration, number, printable
from headrace.text import significant, size

_MOST_CLUSTERS = 20
_MOST_COLUMNS = 3  # that tell a cluster from the others
_MOST_OUTLIERS = 10


def render(file: str, found: Clustering, out: Terminal) -> list[str]:
    table = found.table
    what = "ranks" if table.names else "rows"
    if _too_few(found):
        return _each_row(file, found, what, out)
    lines = [
        f"{printable(file)}{_span(table)}: {number(table.rows)} {what}, "
        f"{number(len(table.columns))} columns; "
        f"{_count(found.k, 'cluster')}, {_count(len(found.outliers), 'outlier')} ({found.seconds:.2f} s)"
    ]
    if table.left_out:
        lines += out.wrap(f"Left out, as they are no numbers: {', '.join(map(printable, table.left_out))}")
    if found.unusable:
        lines += out.wrap(
            f"{number(found.unusable)} {what} have a value that is no number or infinite: in no cluster."
        )
    if table.missing:
        lines += out.wrap(
            f"{number(len(table.missing))} {what} have no figures of it: they were not in it, or it is only "
            "in the sums of all instances there. They count as idle: "
            + _some_names(table.names, table.missing)
        )
    for at, each in enumerate(found.clusters[:_MOST_CLUSTERS]):
        share = each.size / max(1, table.rows)
        title = out.bold(f"cluster {at}")
        lines.append(f"{title}  {number(each.size)} ({share:.1%}), like {_name(found, each.medoid)}")
        for text in _differences(found, at):
            lines += out.wrap(text, "    ", "      ")
    if found.k > _MOST_CLUSTERS:
        lines.append(f"and {found.k - _MOST_CLUSTERS} smaller clusters (--json has them)")
    for outlier in found.worst[:_MOST_OUTLIERS]:
        value = _difference_of_row(found, outlier.row, outlier.cluster, outlier.column)
        lines.append(
            f"{out.warn('outlier')}  {_name(found, outlier.row)}: {printable(outlier.column)} {value}"
        )
    more = len(found.outliers) - min(len(found.worst), _MOST_OUTLIERS)
    if more > 0:
        lines.append(f"and {number(more)} more outliers (--json has them)")
    return lines


def _too_few(found: Clustering) -> bool:
    """Whether most rows are outliers, and there are fewer than would make a group."""
    return found.table.rows < _native.least_group and len(found.outliers) >= max(1, sum(found.sizes))


def _each_row(file: str, found: Clustering, what: str, out: Terminal) -> list[str]:
    """In the columns in which they differ most."""
    table, width = found.table, len(found.table.columns)
    values = memoryview(table.memory).cast("B").cast("d" if table.doubles else "f")
    rows = [values[row * width : (row + 1) * width].tolist() for row in range(table.rows)]
    usable = [row for row, near in zip(rows, found.assigned, strict=True) if near >= 0]
    spread = [max(row[at] for row in usable) - min(row[at] for row in usable) for at in range(width)]
    shown = sorted(range(width), key=lambda at: -spread[at])[:_MOST_COLUMNS]
    lines = out.wrap(
        f"{printable(file)}{_span(table)}: {number(table.rows)} {what}, {number(width)} columns; "
        f"{number(table.rows)} {what} are too few to group. They differ most in:"
    )
    for row, figures in enumerate(rows):
        text = ", ".join(f"{printable(table.columns[at])} {_figure(table, figures[at])}" for at in shown)
        lines += out.wrap(f"{_name(found, row)}: {text}", "  ", "    ")
    return lines


def _span(table: PointTable) -> str:
    if table.phase is None:
        return ""
    return f", {printable(table.phase)}" + (f" {table.instance}" if table.instance else "")


def _some_names(names: list[str] | None, rows: list[int]) -> str:
    shown = [names[row] if names else f"row {row}" for row in rows[:_MOST_OUTLIERS]]
    return ", ".join(shown) + (", …" if len(rows) > len(shown) else "")


def _count(amount: int, what: str) -> str:
    return f"{number(amount)} {what}{'' if amount == 1 else 's'}"


def _name(found: Clustering, row: int) -> str:
    return found.table.names[row] if found.table.names else f"row {row}"


def _differences(found: Clustering, at: int) -> list[str]:
    """Of the largest cluster the greatest means; of others the columns that differ most from that one's.

    Those that differ most by size matter most, those that differ most by significance tell the two apart.
    """
    names, mine, others = found.table.columns, found.clusters[at], found.clusters[0]
    sizes, sure = [], []
    for column in range(len(names)):
        mean, base = mine.mean[column], others.mean[column]
        if mean is None or base is None:
            continue
        spread = (mine.variance[column] or 0.0) + (others.variance[column] or 0.0)
        sizes.append((-_by_size(found.table, mean, base if at else 0.0), column))
        sure.append((-abs(mean - base) / (spread**0.5 or 1e-300), column))
    if not sizes:
        return ["all of it are outliers"]
    by_size = [column for _, column in sorted(sizes)[:_MOST_COLUMNS]]
    if at == 0:
        return [
            "mean " + ", ".join(f"{printable(names[column])} {_mean(found, 0, column)}" for column in by_size)
        ]
    by_significance = [column for _, column in sorted(sure)[:_MOST_COLUMNS]]
    lines = ["by size: " + "; ".join(_beside_first(found, at, column) for column in by_size)]
    if set(by_significance) != set(by_size):
        texts = (_beside_first(found, at, column) for column in by_significance)
        lines.append("by significance: " + "; ".join(texts))
    return lines


def _by_size(table: PointTable, mean: float, base: float) -> float:
    """Columns of one unit are compared by it, others by the share of their greater value."""
    apart = abs(mean - base)
    return apart if table.unit or base == 0.0 else apart / max(abs(mean), abs(base))


def _beside_first(found: Clustering, at: int, column: int) -> str:
    mean, base = found.clusters[at].mean[column] or 0.0, found.clusters[0].mean[column] or 0.0
    name, value = printable(found.table.columns[column]), _mean(found, at, column)
    if mean == base:
        return f"{name} {value}, as cluster 0"
    apart = _figure(found.table, abs(mean - base))
    return f"{name} {value}, {apart} {'more' if mean > base else 'less'} than cluster 0"


def _mean(found: Clustering, at: int, column: int) -> str:
    return _figure(found.table, found.clusters[at].mean[column] or 0.0)


def _figure(table: PointTable, value: float) -> str:
    if table.unit == "s":
        return duration(value * 1e9)
    return size(value) if table.unit == "B" else significant(value, 4)


def _difference_of_row(found: Clustering, row: int, near: int, column: str) -> str:
    table, dim = found.table, found.table.columns.index(column)
    values = memoryview(table.memory).cast("B").cast("d" if table.doubles else "f")
    usual = found.clusters[near].mean[dim]
    mean = f"; in cluster {near} the mean is {_figure(table, usual)}" if usual is not None else ""
    return _figure(table, values[row * len(table.columns) + dim]) + mean
