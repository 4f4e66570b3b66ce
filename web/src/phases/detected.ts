/** Phases told from bytes over time, of a program that marks none: what was found, and where in the run. */
import { captioned } from "../grid/captioned";
import { type Column, figures, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { BYTE_STEPS, NUMBER_STEPS, OverTime, type Panel } from "../plots/over_time";
import { printable } from "../text/printable";
import { duration, known, number, rate, size } from "../text/units";
import { h } from "../ui/dom";
import { type Section, note } from "../ui/section";
import type { Detected, Run } from "./facts";
import { rankColumn } from "./rank_column";

export function detectedSections(run: Run, detected: Detected, pick: HTMLElement | null): Section[] {
  const tools = pick ? [h("div", { class: "tools" }, pick)] : [];
  return [
    { id: "detected", title: "Detected phases", build: (body) => body.append(...tools, said(run, detected)), first: true },
    ...(detected.width_ns ? [{ id: "over-time", title: "Over the run", build: (body: HTMLElement) => overRun(detected, body), first: true }] : []),
    ...(detected.phases.length ? [{ id: "bursts", title: "Bursts", build: (body: HTMLElement) => body.append(captioned("Each burst", "bursts", grid(run, detected))) }] : []),
  ];
}

/** The sentences of the terminal (python/headrace/commands/_detected_words.py). */
function said(run: Run, detected: Detected): HTMLElement {
  const { how, phases, groups, of } = detected.said;
  return h(
    "div",
    { class: "card why" },
    h("h3", {}, printable(run.log)),
    h("p", { class: "finding" }, how.map(printable).join(" ")),
    ...(phases.length ? [h("ul", {}, ...phases.map((text, place) => h("li", {}, h("b", {}, detected.phases[place].phase), `: ${printable(text)}`)))] : []),
    ...(groups.length && run.members > 1 ? [h("h4", {}, `Who did what in ${printable(of)}`), h("ul", {}, ...groups.map((text) => h("li", {}, printable(text))))] : []),
  );
}

function overRun(detected: Detected, body: HTMLElement): void {
  const { bins } = detected;
  const panels: Panel[] = (["written", "read"] as const)
    .filter((way) => bins[way].some((value) => value > 0))
    .map((way) => ({ title: way === "read" ? "Read" : "Written", lines: [{ name: way === "read" ? "read" : "written", colour: way === "read" ? "--read" : "--write", values: bins[way] }], format: rate, steps: BYTE_STEPS }));
  if (!panels.length) panels.push({ title: "Operations", lines: [{ name: "operations", colour: "--rest", values: bins.operations }], format: (value) => `${number(Math.round(value))}/s`, steps: NUMBER_STEPS });
  const whole = h("button", { type: "button", class: "tool", hidden: true, onclick: () => plot.reset() }, "Whole run");
  const plot = new OverTime(panels, detected.begin_at_ns / 1e9, detected.width_ns / 1e9, (zoomed) => (whole.hidden = !zoomed));
  const card = h("div", { class: "card" }, plot.element, whole);
  card.setAttribute("role", "group");
  card.setAttribute("aria-label", "What all together read and wrote over the run");
  body.append(note(`In bins of ${duration(detected.width_ns)}, as the log has them. Drag over a part to see it larger, double-click for all.`), card);
}

function grid(run: Run, detected: Detected): Grid {
  const rows = detected.phases
    .flatMap((phase) => phase.each.map((one) => ({ ...one, phase: phase.phase })))
    .sort((one, other) => one.begin_at_ns - other.begin_at_ns);
  type Row = (typeof rows)[number];
  const column = (key: string, title: string, get: (row: Row) => number | null, format: (value: number) => string, options: { unit?: string } = {}): Column =>
    figures(key, title, numbersOf(rows, get), known(format), { term: "", ...options });
  return new Grid({
    label: "Bursts",
    rows: rows.length,
    columns: [
      words("phase", "Phase", textsOf(rows, (row) => row.phase), { term: "" }),
      column("instance", "Instance", (row) => row.instance, number),
      column("begin_ns", "Began after", (row) => row.begin_at_ns, duration, { unit: "ns" }),
      column("time_ns", "Took", (row) => row.end_at_ns - row.begin_at_ns, duration, { unit: "ns" }),
      column("bytes_read", "Read", (row) => row.bytes_read || null, size, { unit: "bytes" }),
      column("bytes_written", "Written", (row) => row.bytes_written || null, size, { unit: "bytes" }),
      column("bytes_per_second", "Rate", (row) => row.bytes_per_second || null, rate, { unit: "bytes per second" }),
      column("operations", "Operations", (row) => row.operations, number),
      column("members", "Number", (row) => row.members, number),
      { ...rankColumn(run, textsOf(rows, (row) => row.who)), grows: true },
    ],
  });
}
