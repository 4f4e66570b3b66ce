/** Figures of a paper that are no tables, as measured here. */
import { columns } from "../plots/columns";
import { rankLines } from "../plots/rank_lines";
import { printable } from "../text/printable";
import { count, duration, number } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { HistogramFacts, LinesFacts } from "./facts";

const COLOURS = ["--write", "--read", "--metadata", "--rest", "--ink-soft"];
const seconds = (value: number): string => duration(value * 1e9);

export function drawn(figure: HistogramFacts | LinesFacts): HTMLElement[] {
  const title = h("h4", {}, `${printable(figure.name)}: ${printable(figure.title)}`);
  const isMissing = figure.kind === "lines" ? !figure.lines.length : !figure.series.length;
  if (isMissing) return [title, note("Not run.")];
  return [title, h("div", { class: "card" }, figure.kind === "lines" ? lines(figure) : histogram(figure))];
}

function histogram(figure: HistogramFacts): HTMLElement {
  const bins = figure.edges.slice(1).map((to, at) => `${seconds(figure.edges[at])} to ${seconds(to)}`);
  return columns({
    label: `${printable(figure.name)}: ranks by time, for each case`,
    axis: "up to",
    names: figure.edges.slice(1).map(seconds),
    heading: (at) => bins[at],
    figures: figure.series.map((each, at) => ({ name: printable(each.name), colour: COLOURS[at % COLOURS.length], values: each.counts })),
    format: (value) => count(value, "rank"),
    tick: number,
  });
}

function lines(figure: LinesFacts): HTMLElement {
  const ns = (value: number | null) => (value === null ? null : value * 1e9);
  return rankLines({
    label: `${printable(figure.name)}: ${count(figure.lines.length, "rank")} over ${count(figure.dumps.length, "dump")}`,
    axis: `Dump, ${printable(figure.case ?? "")}`,
    xs: figure.dumps.map((_, at) => at + 1),
    lines: figure.lines.map(({ rank, seconds: all }) => ({ name: `rank ${number(rank)}`, values: all.map(ns), strong: false })),
    heading: (at) => `Dump ${number(at + 1)}`,
    summary: (at) => ["median", seconds(figure.dumps[at].median)],
  });
}
