/** Places in the program: where files were opened, and the slowest and largest operations. */
import { figures, words } from "../grid/column";
import { captioned } from "../grid/captioned";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { printable } from "../text/printable";
import { duration, number, size } from "../text/units";
import { choice } from "../ui/choice";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { JobFacts } from "./facts";
import { place, shown, stack } from "./frames";

/** Of opens neither time nor bytes are kept. */
const known = (format: (value: number) => string) => (value: number): string => (value ? format(value) : "–");

export function code(facts: JobFacts, body: HTMLElement): void {
  const rows = facts.sites;
  if (!rows.length) {
    body.append(note("No place in the code was recorded."));
    return;
  }
  const grid = new Grid({
    label: "Places in the code",
    rows: rows.length,
    sort: { key: "time_ns", descending: true },
    columns: [
      { ...words("site", "Place", textsOf(rows, (row) => place(shown(row)))), grows: true },
      words("what", "What", textsOf(rows, (row) => row.what), { term: "sites", format: (what) => printable(what).replaceAll("_", " ") }),
      figures("calls", "Records", numbersOf(rows, (row) => row.calls), number, { term: "site_records" }),
      figures("time_ns", "Time", numbersOf(rows, (row) => row.time_ns), known(duration), { unit: "ns" }),
      figures("bytes", "Bytes", numbersOf(rows, (row) => row.bytes), known(size), { unit: "bytes" }),
    ],
    details: (row) => h("div", { class: "code" }, stack(rows[row])),
  });
  const kinds = [...new Set(rows.map((row) => row.what))].sort();
  if (kinds.length > 1) {
    const options = [["", "All"], ...kinds.map((kind) => [kind, printable(kind).replaceAll("_", " ")])] as [string, string][];
    const pick = choice("What", options, "", (kind) => {
      grid.show(Uint32Array.from(rows.keys()).filter((row) => kind === "" || rows[row].what === kind));
    });
    body.append(h("div", { class: "tools" }, pick));
  }
  body.append(captioned("Opens, and the slowest and largest operations of each file, by place", "code", grid));
}
