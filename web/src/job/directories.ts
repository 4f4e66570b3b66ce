/** Directories as a treemap, and the file systems they lie on. */
import { figures, names, words } from "../grid/column";
import { captioned } from "../grid/captioned";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { type Measure, measured, treemap } from "../plots/treemap";
import { printable } from "../text/printable";
import { count, duration, number, size } from "../text/units";
import { choice } from "../ui/choice";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { JobFacts } from "./facts";
import type { ShowBelow } from "./files";

const MEASURES = [["bytes", "Bytes"], ["time", "Time"], ["calls", "Operations"], ["files", "Files"]] as const;

export function directories(facts: JobFacts, showBelow: ShowBelow, body: HTMLElement): void {
  const root = facts.treemap;
  const measures = MEASURES.filter(([measure]) => root && measured(root, measure) > 0);
  if (!root || !measures.length) body.append(note("No file was touched."));
  else {
    let measure: Measure = measures[0][0];
    const told = h("p", { class: "note", role: "status" }, "Click a directory to open it and to see its files alone in the table of files.");
    const chart = treemap(root, () => measure, (path) => {
      const shown = showBelow(path);
      told.replaceChildren(path === null ? "The table of files shows all directories." : `The table of files shows ${count(shown, "path")} in ${printable(path)}  `, path === null ? "" : h("a", { href: "#files" }, "Go to them"));
    });
    const pick = choice<Measure>("Area", measures, measure, (chosen) => {
      measure = chosen;
      chart.draw();
    });
    body.append(
      h("div", { class: "tools" }, h("span", { class: "note" }, "Area by"), pick, h("span", { class: "push" }), h("span", { class: "scale" }, "only read", h("i"), "only written")),
      h("div", { class: "card" }, chart.element, told),
    );
  }
  if (facts.summary.mounts.length) body.append(captioned("File systems", "mounts", mountGrid(facts)));
}

function mountGrid(facts: JobFacts): Grid {
  const rows = facts.summary.mounts;
  return new Grid({
    label: "File systems",
    rows: rows.length,
    sort: { key: "time_ns", descending: true },
    columns: [
      names("mount", "Mount", textsOf(rows, (row) => row.point)),
      words("type", "Type", textsOf(rows, (row) => row.type), { term: "mount"}),
      { ...names("source", "Source", textsOf(rows, (row) => row.source), { term: "mount"}) },
      figures("time_ns", "Time", numbersOf(rows, (row) => row.time_ns), duration, { unit: "ns" }),
      figures("bytes_read", "Read", numbersOf(rows, (row) => row.bytes_read), size, { unit: "bytes" }),
      figures("bytes_written", "Written", numbersOf(rows, (row) => row.bytes_written), size, { unit: "bytes" }),
      figures("files", "Files", numbersOf(rows, (row) => row.files), number),
      figures("directories", "Directories", numbersOf(rows, (row) => row.directories), number),
      words("options", "Options", textsOf(rows, (row) => row.options), { term: "mount", hidden: true }),
    ],
  });
}
