/** How long each rank took, instance by instance (figure 2 of the paper on pF3D); the slow ones stand out. */
import { captioned } from "../grid/captioned";
import { type Column, figures, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { type RankLine, rankLines } from "../plots/rank_lines";
import { printable } from "../text/printable";
import { count, duration, known, number, size } from "../text/units";
import { picker } from "../ui/choice";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import { type Phase, type Run, members } from "./facts";

export function times(run: Run, body: HTMLElement): void {
  const drawn = run.phases.filter((phase) => phase.lines.length);
  const explained = drawn.find((phase) => phase.phase === run.explained.phase);
  if (!explained) {
    body.append(note("No instance of this phase was kept whole."));
    return;
  }
  const place = h("div");
  const show = (phase: Phase) => place.replaceChildren(...of(run, phase));
  const others = drawn.filter((phase) => phase !== explained);
  const pick = picker("Phase", printable(explained.phase).slice(0, 80), others.map((phase) => printable(phase.phase).slice(0, 80)), () => show(pick.value === "" ? explained : others[Number(pick.value)]));
  if (others.length) body.append(h("div", { class: "tools" }, pick));
  body.append(place);
  show(explained);
}

function of(run: Run, phase: Phase): HTMLElement[] {
  const slow = new Set(phase.phase === run.explained.phase ? run.explained.slow?.members : []);
  const lines: RankLine[] = phase.lines.map((line) => ({ name: printable(line.member), values: line.times_ns, strong: slow.has(line.member) }));
  const some = lines.length < phase.members;
  const shown = lines.filter((line) => line.strong).length;
  const name = printable(phase.phase);
  const mark = (colour: string, text: string) => h("span", {}, h("i", { style: `background:var(${colour})` }), text);
  const longest = phase.each.map((each) => each.time_ns.most);
  const plot = rankLines({
    label: `Time of ${members(run, lines.length)} in ${name} by instance; the table below has the figures`,
    axis: "Instance",
    xs: phase.each.map((each) => each.instance),
    lines,
    ...(some ? { envelope: longest } : {}),
    heading: (at) => `Instance ${number(phase.each[at].instance)}`,
    summary: (at) => [`longest, ${printable(phase.each[at].slowest)}`, duration(longest[at])],
  });
  const told = [
    `${some ? `${members(run, lines.length)} of ${number(phase.members)}` : `All ${members(run, phase.members)}`}; `,
    phase.each.length < phase.instances ? `of ${count(phase.instances, "instance")} those ${number(phase.each.length)} that were kept whole. ` : `${count(phase.instances, "instance")}. `,
    "Drag over a part to see it larger, double-click for all.",
  ];
  return [
    note(told.join("")),
    h(
      "div",
      { class: "card" },
      h(
        "div",
        { class: "legend of-columns" },
        ...(shown ? [mark("--write", `slow ${run.ranks ? "ranks" : "processes"} (${run.explained.slow?.who ?? "" })`), mark("--rest", "others")] : [mark("--read", `a ${run.ranks ? "rank" : "process"}`)]),
        ...(some ? [mark("--ink", `longest of all ${number(phase.members)}`)] : []),
      ),
      plot,
    ),
    captioned(`Instances of ${name.slice(0, 80)}`, "instances", grid(run, phase), null),
  ];
}

function grid(run: Run, phase: Phase): Grid {
  const { each } = phase;
  const column = (key: string, title: string, values: (number | null)[], format: (value: number) => string, options: { unit?: string; hidden?: boolean } = {}): Column =>
    figures(key, title, Float64Array.from(values, (value) => value ?? NaN), known(format), { term: "", ...options });
  const first = Math.min(...each.map((one) => one.start_at_ns));
  return new Grid({
    label: "Instances",
    rows: each.length,
    columns: [
      column("instance", "Instance", each.map((one) => one.instance), number),
      figures("start_ns", "Began after", numbersOf(each, (one) => one.start_at_ns - first), duration, { term: "", unit: "ns" }),
      column("members", run.ranks ? "Ranks" : "Processes", each.map((one) => one.members), number),
      column("least_ns", "Shortest", each.map((one) => one.time_ns.least), duration, { unit: "ns" }),
      column("mean_ns", "Mean", each.map((one) => one.time_ns.mean), duration, { unit: "ns" }),
      column("most_ns", "Longest", each.map((one) => one.time_ns.most), duration, { unit: "ns" }),
      words("slowest", "by", textsOf(each, (one) => one.slowest), { term: "" }),
      column("bytes", "Bytes of files", each.map((one) => one.bytes), size, { unit: "bytes"}),
      { ...words("ended", "Ended by", textsOf(each, (one) => one.ended.join(", ")), { term: "" }), grows: true },
      ...phase.lines.map((line) => column(`${line.member} ns`, line.member, line.times_ns, duration, { hidden: true })),
    ],
  });
}
