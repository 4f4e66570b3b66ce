/** Bandwidth and operations over time. */
import { BYTE_STEPS, NUMBER_STEPS, OverTime, type Panel } from "../plots/over_time";
import { shortNumber } from "../plots/histogram";
import { csv } from "../text/csv";
import { duration, rate as byteRate } from "../text/units";
import { copyButton } from "../grid/copy";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import { value } from "../ui/value";
import { ofAllDescriptors } from "./besides";
import type { JobFacts, Rate } from "./facts";

function nothingOver({ summary: { totals } }: JobFacts): string {
  return totals.read.bytes + totals.write.bytes > 0
    ? "When the bytes were moved is not recorded."
    : "No bytes were moved and no operation was recorded.";
}

export function overTime(facts: JobFacts, body: HTMLElement): void {
  const { rate } = facts;
  if (!rate || !(rate.span_ns > 0)) {
    body.append(note("Nothing is known over time: the job's start or end is missing, or lies before it began."));
    return;
  }
  const panels = panelsOf(rate);
  if (!panels.length) {
    body.append(note(nothingOver(facts)));
    return;
  }
  const reset = h("button", { type: "button", class: "tool", disabled: true, onclick: () => plots.reset() }, "Whole job");
  const plots = new OverTime(panels, rate.begin_at_ns / 1e9, rate.span_ns / 1e9, (zoomed) => {
    reset.disabled = !zoomed;
  });
  const hint = matchMedia("(pointer: coarse)").matches ? "" : "Drag to zoom, double click to see the whole.";
  const tool = (text: string, label: string, act: () => void) =>
    h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  body.append(
    ofAllDescriptors(facts) ?? "",
    h(
      "div",
      { class: "tools" },
      h(
        "div",
        { class: "choice", role: "group", "aria-label": "Zoom" },
        tool("◀", "Earlier", () => plots.move(-0.4)),
        tool("−", "Zoom out", () => plots.zoom(2)),
        tool("+", "Zoom in", () => plots.zoom(0.5)),
        tool("▶", "Later", () => plots.move(0.4)),
      ),
      reset,
      h("span", { class: "note" }, hint, " Each step is ", value(duration(rate.span_ns), "span_ns"), "."),
      h("span", { class: "push" }),
      copyButton("over-time", () => seriesCsv(rate)),
    ),
    h("div", { class: "card" }, plots.element),
  );
}

function panelsOf(rate: Rate): Panel[] {
  const all: Panel[] = [
    {
      title: "Bandwidth, bytes per second",
      lines: [
        { name: "read", colour: "--read", values: rate.bytes_read },
        { name: "written", colour: "--write", values: rate.bytes_written },
      ],
      format: byteRate,
      steps: BYTE_STEPS,
    },
    {
      title: "Operations per second",
      lines: [
        { name: "reads", colour: "--read", values: rate.reads ?? [] },
        { name: "writes", colour: "--write", values: rate.writes ?? [] },
        { name: "metadata", colour: "--metadata", values: rate.metadata ?? [] },
      ],
      format: (perSecond) => `${shortNumber(perSecond)}/s`,
      steps: NUMBER_STEPS,
    },
  ];
  // A line without a value, as logs of older versions have them, is left out; a plot without a line as well.
  return all
    .map((panel) => ({ ...panel, lines: panel.lines.filter((line) => line.values.length) }))
    .filter((panel) => panel.lines.some((line) => line.values.some((moved) => moved > 0)));
}

function seriesCsv(rate: Rate): string {
  const keys = (["bytes_read", "bytes_written", "reads", "writes", "metadata"] as const).filter((key) => rate[key]?.length);
  const rows = rate.bytes_read.map((_, span) => [
    String(rate.begin_at_ns + span * rate.span_ns),
    ...keys.map((key) => String(rate[key]?.[span] ?? 0)),
  ]);
  return csv([["begin_at_ns", ...keys], ...rows]);
}
