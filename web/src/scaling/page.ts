/** How a job scales: what a rank's time goes to, and how much faster the job is, as it grows. */
import { captioned } from "../grid/captioned";
import { type Column, figures, names } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import type { Payload } from "../payload/decode";
import { columns } from "../plots/columns";
import { printable } from "../text/printable";
import { count, duration, known, number, percent, roundPercent, size } from "../text/units";
import { h } from "../ui/dom";
import { addSections, note } from "../ui/section";
import { setDefinitions } from "../ui/value";
import { PARTS, type PartName, type Run, type ScalingFacts } from "./facts";

const NAMES: Record<PartName, [name: string, colour: string]> = {
  compute: ["compute", "--processes"],
  mpi: ["communication", "--metadata"],
  libraries: ["I/O libraries themselves", "--read"],
  io: ["I/O (posix, stdio)", "--write"],
};

export function scalingPage(payload: Payload, main: HTMLElement, navigation: HTMLElement): void {
  const facts = payload.facts as unknown as ScalingFacts;
  setDefinitions(facts.definitions);
  main.append(header(facts));
  addSections(main, navigation, [
    { id: "shares", title: "Where the time goes", build: (body) => body.append(...shares(facts)), first: true },
    { id: "speed-up", title: facts.weak ? "Efficiency" : "Speed-up", build: (body) => body.append(...speedUp(facts)) },
    { id: "runs", title: "Runs", build: (body) => body.append(captioned("Each run", "runs", grid(facts.runs))) },
  ]);
}

function header(facts: ScalingFacts): HTMLElement {
  const command = facts.runs[0].command?.map((word) => printable(word)).join(" ") || "a command that is not known";
  const ideal = facts.weak ? "an ideal run takes as long as the first" : "an ideal run is faster by as much as the job is larger";
  const known = facts.work !== null && facts.work === (facts.weak ? "grew" : "same");
  const when = facts.weak ? "the work grows with the job" : "each run does the same work";
  const moved = facts.weak ? "The bytes grew with the job" : "Each run moved as many bytes";
  const grown = known ? `${moved}: ${ideal}.` : `${ideal.charAt(0).toUpperCase()}${ideal.slice(1)}, if ${when}.`;
  return h(
    "div",
    { id: "job" },
    h("h1", { class: command.length > 200 ? "long" : undefined }, `Scaling of ${command}`),
    h("p", { class: "note" }, `${count(facts.runs.length, "run")}, of ${number(facts.runs[0].ranks)} to ${ranksOf(facts.runs[facts.runs.length - 1])}. ${grown}`),
    // Notes name runs by their place, or speak of all.
    ...facts.notes.map((text) => h("p", { class: "warn" }, (/^\d/.test(text) ? "Run " : "") + printable(text))),
  );
}

const ranksOf = (run: Run) => count(run.ranks, "rank");

/** Runs with as many ranks are told apart by their place. */
function labels(runs: readonly Run[]): string[] {
  return runs.map((run, at) => (runs.filter((other) => other.ranks === run.ranks).length > 1 ? `${number(run.ranks)} (${at + 1})` : number(run.ranks)));
}

function shares(facts: ScalingFacts): HTMLElement[] {
  const { runs } = facts;
  const used = PARTS.filter((part) => runs.some((run) => run.shares[part]));
  const plot = columns({
    label: "Share of compute, communication and I/O in the time of a rank, as the job grows",
    axis: "Ranks",
    names: labels(runs),
    heading: (at) => `${ranksOf(runs[at])}, ${duration(runs[at].rank_ns)} each in the mean`,
    figures: used.map((part) => ({ name: NAMES[part][0], colour: NAMES[part][1], values: runs.map((run) => run.shares[part]) })),
    format: percent,
    tick: roundPercent,
    stacked: true,
    most: 1,
  });
  return [
    note("Mean over the ranks of a run. Waiting for a slow rank is communication: it is spent in the calls of those who wait."),
    h("div", { class: "card" }, plot, h("p", { class: "finding" }, change(runs))),
  ];
}

/** Which part grew most from the first run to the last. */
function change(runs: readonly Run[]): string {
  const [first, last] = [runs[0], runs[runs.length - 1]];
  const grown = PARTS.flatMap((part) => {
    const [before, after] = [first.shares[part], last.shares[part]];
    return before === null || after === null || part === "compute" ? [] : [{ part, before, after }];
  }).sort((one, other) => other.after - other.before - (one.after - one.before))[0];
  if (!grown || grown.after - grown.before < 0.05) {
    if (first.shares.mpi !== null && last.shares.mpi !== null) return "Neither communication nor I/O takes a much greater share of the largest run than of the smallest.";
    return "I/O does not take a much greater share of the largest run than of the smallest; how much communication takes is not known.";
  }
  const name = { mpi: "Communication", libraries: "Time in I/O libraries themselves", io: "I/O", compute: "" }[grown.part];
  return `${name} grows most: from ${percent(grown.before)} of a rank’s time with ${ranksOf(first)} to ${percent(grown.after)} with ${ranksOf(last)}.`;
}

function speedUp(facts: ScalingFacts): HTMLElement[] {
  const { runs, weak } = facts;
  const ideal = runs.map((run) => run.ranks / runs[0].ranks);
  const plot = columns({
    label: weak ? "Efficiency as the job grows" : "Speed-up as the job grows, and an ideal one",
    axis: "Ranks",
    names: labels(runs),
    heading: (at) => `${ranksOf(runs[at])}: ran ${duration(runs[at].run_ns)}`,
    figures: weak
      ? [{ name: "efficiency", colour: "--read", values: runs.map((run) => run.efficiency) }]
      : [
          { name: "speed-up", colour: "--read", values: runs.map((run) => run.speed_up) },
          { name: "ideal", colour: "--ink-soft", values: ideal },
        ],
    format: weak ? percent : (value) => String(Number(value.toPrecision(3))),
    ...(weak ? { tick: roundPercent } : {}),
  });
  return [note("Against the smallest run."), h("div", { class: "card" }, plot)];
}

function grid(runs: Run[]): Grid {
  const column = (key: string, title: string, get: (run: Run) => number | null, format: (value: number) => string, options: { unit?: string } = {}): Column =>
    figures(key, title, numbersOf(runs, get), known(format), options);
  return new Grid({
    label: "Runs",
    rows: runs.length,
    columns: [
      column("ranks", "Ranks", (run) => run.ranks, number),
      column("nodes", "Nodes", (run) => run.nodes, number),
      column("run_ns", "Ran", (run) => run.run_ns, duration, { unit: "ns" }),
      column("speed_up", "Speed-up", (run) => run.speed_up, (value) => value.toFixed(2)),
      column("efficiency", "Efficiency", (run) => run.efficiency, percent),
      column("compute_share", "Compute", (run) => run.shares.compute, percent),
      column("mpi_share", "MPI", (run) => run.shares.mpi, percent),
      column("libraries_share", "I/O libraries", (run) => run.shares.libraries, percent),
      column("io_share", "I/O", (run) => run.shares.io, percent),
      column("slowest_io_ns", "Most I/O", (run) => run.slowest_io_ns, duration, { unit: "ns" }),
      column("bytes", "Bytes", (run) => run.bytes, size, { unit: "bytes" }),
      { ...names("log", "Log", textsOf(runs, (run) => run.log)), grows: true },
    ],
  });
}
