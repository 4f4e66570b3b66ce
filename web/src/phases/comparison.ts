/** The longest time by instance of several runs, as histograms over each other (figures 3 to 6 of the paper on pF3D). */
import { captioned } from "../grid/captioned";
import { type Column, figures, names } from "../grid/column";
import { Grid, textsOf } from "../grid/grid";
import { overlaid } from "../plots/overlaid";
import { printable } from "../text/printable";
import { count, duration, number } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import { type Comparison, seriesColour } from "./facts";

export function comparison(facts: Comparison, body: HTMLElement): void {
  const { runs } = facts;
  const name = printable(facts.phase);
  body.append(
    note(`A program goes on when its last rank is done: compared is the longest time of any rank in each instance of ${name}.`),
    h(
      "div",
      { class: "card" },
      overlaid({
        label: `Histograms of the longest time by instance of ${name} in ${count(runs.length, "run")}; the table below has the figures`,
        axis: "longest time of a rank",
        series: runs.map((run, place) => ({ name: printable(run.log), colour: seriesColour(place), values: run.longest_ns, median: run.median_ns })),
      }),
    ),
    h("ul", { class: "verdicts" }, ...facts.said.map((text) => h("li", { class: "finding" }, printable(text)))),
    note("The test is that of Mann and Whitney, which asks nothing of the shape of times. Instances that depend on each other, as under a file system that is slow for a while, make it too sure."),
    captioned("Runs", "runs", grid(facts)),
  );
}

function grid({ runs }: Comparison): Grid {
  const column = (key: string, title: string, values: number[], format: (value: number) => string, options: { unit?: string } = {}): Column =>
    figures(key, title, Float64Array.from(values), format, { term: "", ...options });
  return new Grid({
    label: "Runs",
    rows: runs.length,
    columns: [
      names("log", "Log", textsOf(runs, (run) => run.log), { term: "" }),
      column("instances", "Instances", runs.map((run) => run.longest_ns.length), number),
      column("least_ns", "Shortest", runs.map((run) => Math.min(...run.longest_ns)), duration, { unit: "ns" }),
      column("median_ns", "Median", runs.map((run) => run.median_ns), duration, { unit: "ns" }),
      column("most_ns", "Longest", runs.map((run) => Math.max(...run.longest_ns)), duration, { unit: "ns" }),
    ],
  });
}
