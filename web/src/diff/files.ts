/** The table of files that changed, matched over all runs. */
import { type Column, figures, names, words } from "../grid/column";
import { copyButton } from "../grid/copy";
import { Grid } from "../grid/grid";
import { pathsOf } from "../grid/paths";
import type { Numbers, Table } from "../payload/table";
import { printable } from "../text/printable";
import { NONE, count, duration, number } from "../text/units";
import { choice } from "../ui/choice";
import { h } from "../ui/dom";
import { search } from "../ui/search";
import { note } from "../ui/section";
import type { DiffFacts } from "./facts";
import { type Unit, amount, change } from "./words";

const TERMS: readonly (readonly [string, string, Unit])[] = [["time_ns", "Time", "ns"], ["bytes", "Bytes", "bytes"], ["calls", "Calls", "count"]];

export function files(facts: DiffFacts, table: Table, body: HTMLElement): void {
  const sides = facts.sides.map((side) => side.name);
  body.append(...sides.slice(1).map((_, place) => note(matching(facts, place + 1))));
  if (!table.rows) {
    body.append(note("No file changed."));
    return;
  }
  const paths = table.texts("path");
  const rank = choice<string>("Rank by change of", TERMS.map(([key, title]) => [`size_of_change_${key}`, title] as const), "size_of_change_time_ns", (key) => grid.sortBy(key, true));
  const grid = new Grid({ label: "Files", rows: table.rows, columns: columns(facts, table), sort: { key: "size_of_change_time_ns", descending: true }, onSort: () => rank.choose(null) });
  const told = h("span", { class: "note", role: "status" });
  const all = facts.by === "path" ? pathsOf(table.codes("kind")) : count(table.rows, "directory", "directories");
  const show = (text: string) => {
    const wanted = text.toLowerCase();
    const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => !wanted || paths.at(row).toLowerCase().includes(wanted));
    grid.show(Uint32Array.from(rows));
    told.textContent = rows.length === table.rows ? all : `${number(rows.length)} of ${count(table.rows, "path")}`;
  };
  const field = search("Filter files by name", show);
  const left = facts.files_left_out ? h("span", { class: "note warn" }, `${count(facts.files_left_out, "path")} that changed least are not in this table.`) : null;
  body.append(
    h("div", { class: "tools" }, h("span", { class: "note" }, "Rank by change of"), rank, field, told, left, h("span", { class: "push" }), copyButton("files", () => grid.csv())),
    grid.element,
  );
  show("");
}

function columns(facts: DiffFacts, table: Table): Column[] {
  const [base, ...others] = facts.sides.map((side) => side.name);
  const all: Column[] = [names("path", "File", table.texts("path"))];
  const present = facts.sides.map((_, side) => table.numbers(`present_${side}`));
  for (const [key, title, unit] of TERMS) {
    const values = facts.sides.map((_, side) => table.numbers(`${key}_${side}`));
    for (const [place, name] of others.entries()) {
      const moved = Float64Array.from(values[0], (before, row) => values[place + 1][row] - before);
      all.push(figures(`${name}_change_${key}`, `${title} ${name} − ${base}`, moved, (value) => change(value, unit), { term: key, unit: unit === "count" ? "" : unit }));
    }
    all.push(...facts.sides.map((side, place) => ofSide(`${key}_${side.name}`, `${title} ${side.name}`, key, values[place], present[place], unit)));
    all.push(figures(`size_of_change_${key}`, "", greatest(values), String, { hidden: true }));
  }
  all.push(words("matched", "Matched by", table.texts("matched"), { format: (word) => word || "one side" }));
  all.push(words("kind", "Kind", table.texts("kind"), { hidden: true }));
  return all;
}

/** A side that lacks the file has no figure, which is something else than 0. */
function ofSide(key: string, title: string, term: string, values: Numbers, present: Numbers, unit: Unit): Column {
  return { ...figures(key, title, values, String, { term}), cell: (row) => (present[row] ? amount(values[row], unit) : NONE) };
}

function greatest(values: readonly Numbers[]): Float64Array {
  return Float64Array.from(values[0], (before, row) => Math.max(...values.slice(1).map((after) => Math.abs(after[row] - before))));
}

function matching(facts: DiffFacts, side: number): string {
  const counts = facts.files.matched[side]!;
  const [first, name] = [facts.sides[0].name, facts.sides[side].name];
  const directories = [0, side].map((place) => printable(facts.sides[place].runs[0].job.working_directory ?? "")).join(" and ");
  const parts = [`${count(counts.by_path, "path")} of both matched`];
  if (counts.by_directory) parts.push(`${number(counts.by_directory)} by their names from ${directories}`);
  if (counts.only_in_base) parts.push(`${number(counts.only_in_base)} only in ${first} (${duration(counts.time_ns_only_in_base)})`);
  if (counts.only_in_side) parts.push(`${number(counts.only_in_side)} only in ${name} (${duration(counts.time_ns_only_in_side)})`);
  return `${first} and ${name}: ${parts.join(", ")}.`;
}
