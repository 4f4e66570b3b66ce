/** The groups of ranks, and what the time of each went to. */
import { captioned } from "../grid/captioned";
import { type Column, figures, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { stackedBars } from "../plots/stacked_bars";
import { printable } from "../text/printable";
import { duration, known, number, percent, size } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import { type Group, type Run, members } from "./facts";
import { rankColumn } from "./rank_column";
import { legend, shares } from "./shares";

const MOST_BARS = 24;

export function groups(run: Run, body: HTMLElement): void {
  const { explained } = run;
  const shown = explained.groups.slice(0, MOST_BARS);
  const isNarrow = matchMedia("(max-width: 600px)").matches;
  const bars = shown.map((group) => (isNarrow ? shorter(group.who, 12) : shorter(`${members(run, group.ranks)} (${group.who})`, 44)));
  const parts = shares.map(({ key, name, colour }) => ({ name, colour, values: shown.map((group) => part(group, key)) }));
  body.append(
    note(`Those that are alike by their time in each function. A bar is the time of a group’s ${run.ranks ? "rank" : "process"} in ${printable(explained.said.of)}, in the mean.`),
    h("div", { class: "card" }, legend(), stackedBars("Share of reading, writing, other calls, MPI and the rest in the time of each group; the table below has the figures", bars, parts, true).element),
    captioned("Each group", "groups", grid(run), explained.groups.length > MOST_BARS ? note(`The picture has the ${MOST_BARS} groups with most time in I/O.`) : null),
  );
}

function part(group: Group, key: (typeof shares)[number]["key"]): number {
  return key === "rest" ? Math.max(0, group.time_ns - group.read_ns - group.write_ns - group.meta_ns - group.message_ns) : group[`${key}_ns`];
}

function shorter(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function grid(run: Run): Grid {
  const rows = run.explained.groups;
  const column = (key: string, title: string, get: (group: Group) => number | null, format: (value: number) => string, options: { unit?: string } = {}): Column =>
    figures(key, title, numbersOf(rows, get), known(format), { term: "", ...options });
  const named = (found: [string, number] | null) => (found ? `${found[0].replace(/^[^:]*:/, "")} ${percent(found[1])}` : "");
  const spent = (group: Group, key: (typeof shares)[number]["key"]) => (group.time_ns > 0 ? part(group, key) / group.time_ns : null);
  return new Grid({
    label: "Groups",
    rows: rows.length,
    columns: [
      rankColumn(run, textsOf(rows, (group) => group.who)),
      column("ranks", "Number", (group) => group.ranks, number),
      column("nodes", "Nodes", (group) => group.hosts, number),
      words("like", "Like", textsOf(rows, (group) => group.medoid), { term: "" }),
      column("time_ns", "Time", (group) => group.time_ns, duration, { unit: "ns" }),
      ...shares.map(({ key, name }) => column(`${key}_share`, name.charAt(0).toUpperCase() + name.slice(1), (group) => spent(group, key), percent)),
      words("most_time_in", "Most I/O in", textsOf(rows, (group) => named(group.most_time_in)), { term: "" }),
      words("most_messages_in", "Most MPI in", textsOf(rows, (group) => named(group.most_messages_in)), { term: "" }),
      words("usual_size", "Usual size", textsOf(rows, (group) => (group.usual_size ? `${size(group.usual_size[0])} ${percent(group.usual_size[2])}` : "")), { term: ""}),
      column("bytes_read", "Read", (group) => group.bytes_read || null, size, { unit: "bytes" }),
      column("bytes_written", "Written", (group) => group.bytes_written || null, size, { unit: "bytes" }),
      column("message_bytes", "Messages", (group) => group.message_bytes || null, size, { unit: "bytes" }),
    ],
  });
}
