/** All phases: how often, how long, how many bytes, and what their time went to. */
import { captioned } from "../grid/captioned";
import { type Column, figures, names, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { duration, known, number, percent, size } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { Phase, Run } from "./facts";
import { legend, shares } from "./shares";

export function phaseTable(run: Run): HTMLElement {
  const { phases } = run;
  const cut = phases.filter((phase) => phase.cut);
  const many = run.ranks ? "Ranks" : "Processes";
  const column = (key: string, title: string, get: (phase: Phase) => number | null, format: (value: number) => string, options: { unit?: string; hidden?: boolean } = {}): Column =>
    figures(key, title, numbersOf(phases, get), known(format), { term: "", ...options });
  const grid = new Grid({
    label: "Phases",
    rows: phases.length,
    columns: [
      names("phase", "Phase", textsOf(phases, (phase) => phase.phase), { term: "" }),
      column("instances", "Instances", (phase) => phase.instances, number),
      column("members", many, (phase) => phase.members, number),
      column("mean_ns", "Mean time", (phase) => phase.time_ns.mean, duration, { unit: "ns" }),
      column("longest_ns", "Longest", (phase) => phase.longest.time_ns, duration, { unit: "ns" }),
      words("slowest", "by", textsOf(phases, (phase) => phase.longest.member), { term: "" }),
      column("slowest_instance", "in instance", (phase) => phase.longest.instance, number),
      column("bytes_read", "Read", (phase) => phase.bytes_read || null, size, { unit: "bytes" }),
      column("bytes_written", "Written", (phase) => phase.bytes_written || null, size, { unit: "bytes" }),
      column("message_bytes", "Messages", (phase) => phase.message_bytes || null, size, { unit: "bytes" }),
      split(phases),
      ...shares.map(({ key, name }) => column(`${key}_share`, name, (phase) => part(phase, key), percent, { hidden: true })),
      column("least_instances", "least", (phase) => phase.least_instances, number, { hidden: true }),
      column("cut", "left open", (phase) => phase.cut, number, { hidden: true }),
    ],
  });
  return captioned(
    "Each phase",
    "phases",
    grid,
    h(
      "div",
      {},
      note(`Mean over ${many.toLowerCase()} and instances; a phase inside of another counts in both. `, legend()),
      ...(cut.length ? [h("p", { class: "warn" }, `${number(cut.reduce((sum, phase) => sum + phase.cut, 0))} instances did not end by their own end: they were left open.`)] : []),
    ),
  );
}

function part(phase: Phase, key: (typeof shares)[number]["key"]): number | null {
  const { spent_ns } = phase;
  if (spent_ns <= 0) return null;
  if (key !== "rest") return Math.min(1, phase[`${key}_ns`] / spent_ns);
  return Math.max(0, 1 - (phase.read_ns + phase.write_ns + phase.meta_ns + phase.message_ns) / spent_ns);
}

/** The time of all as a bar of its parts. */
function split(phases: readonly Phase[]): Column {
  const text = (row: number) => shares.map(({ key, name }) => `${name} ${percent(part(phases[row], key))}`).join(", ");
  const sum = (row: number) => Math.max(1, shares.reduce((all, { key }) => all + (part(phases[row], key) ?? 0), 0));
  return {
    key: "shares",
    title: "Shares of time",
    least: 150,
    left: true,
    hidden: false,
    csv: text,
    exact: text,
    cell: (row) =>
      h(
        "span",
        { class: "split", role: "img", "aria-label": text(row) },
        ...shares.map(({ key, colour }) => {
          const width = ((part(phases[row], key) ?? 0) / sum(row)) * 100;
          return width ? h("i", { style: `width:max(1px,${width}%);background:var(${colour})` }) : null;
        }),
      ),
  };
}
