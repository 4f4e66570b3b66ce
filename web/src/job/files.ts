/** The table of files: ranked, sorted, filtered, and each opens to its details. */
import { type Column, figures, names, words } from "../grid/column";
import { elided } from "../grid/name";
import { copyButton } from "../grid/copy";
import { Grid } from "../grid/grid";
import { pathsOf } from "../grid/paths";
import type { Codes, Table } from "../payload/table";
import { printable } from "../text/printable";
import { NONE, count, duration, exactSize, number, size } from "../text/units";
import { choice, picker } from "../ui/choice";
import { h } from "../ui/dom";
import { search } from "../ui/search";
import { note } from "../ui/section";
import type { JobFacts } from "./facts";
import { fileDetails } from "./file_details";
import { FileFilter } from "./file_filter";

const RANKS = [["time_ns", "Time"], ["bytes", "Bytes"], ["calls", "Operations"]] as const;

/** Shows the files below a directory, "/" at its end; null shows all. */
export type ShowBelow = (path: string | null) => number;

export function files(facts: JobFacts, table: Table, body: HTMLElement): ShowBelow {
  if (!table.rows) {
    body.append(note("No file was touched."));
    return () => 0;
  }
  const base = facts.summary.job.working_directory ?? "";
  const filter = new FileFilter(table);
  const rank = choice<string>("Rank by", RANKS, "time_ns", (key) => grid.sortBy(key, true));
  const grid = new Grid({
    label: "Files",
    rows: table.rows,
    columns: columns(table, base),
    sort: { key: "time_ns", descending: true },
    details: (row) => fileDetails(facts, table, row),
    onSort: () => rank.choose(null),
  });
  const told = h("span", { class: "note", role: "status" });
  const all = pathsOf(table.codes("kind"));
  const below = h("button", { type: "button", class: "tool chip", hidden: true, title: "Show all directories again", onclick: () => showBelow(null) });
  const apply = () => {
    grid.show(filter.rows());
    told.textContent = grid.count === table.rows ? all : `${number(grid.count)} of ${count(table.rows, "path")}`;
  };
  const showBelow: ShowBelow = (path) => {
    filter.below = path;
    below.hidden = path === null;
    below.textContent = path === null ? "" : `in ${printable(path)} ✕`;
    apply();
    return grid.count;
  };
  const field = search("Filter files by name", (text) => {
    filter.text = text;
    apply();
  });
  body.append(
    h("div", { class: "tools" }, h("span", { class: "note" }, "Rank by"), rank, field, ...pickers(table, filter, apply), below),
    h("div", { class: "tools" }, told, base.length > 1 ? h("span", { class: "note" }, `names from ${printable(base)}`) : null, leftOut(facts), h("span", { class: "push" }), h("span", { class: "legend split-legend" }, mark("read"), mark("write"), mark("metadata")), copyButton("files", () => grid.csv())),
    grid.element,
  );
  apply();
  return showBelow;
}

function mark(kind: string): HTMLElement {
  return h("span", {}, h("i", { style: `background:var(--${kind})` }), kind);
}

function leftOut(facts: JobFacts): HTMLElement | null {
  const left = facts.files_left_out;
  if (!left?.files) return null;
  return h(
    "span",
    { class: "note warn" },
    `${count(left.files, "path")} that matter least are not in this table (${size(left.bytes_read + left.bytes_written)}, ${duration(left.time_ns)}); every sum includes them.`,
  );
}

function pickers(table: Table, filter: FileFilter, apply: () => void): HTMLElement[] {
  const columns = [["kind", "All kinds"], ["layers", "All layers"], ["mount", "All mounts"], ["read_pattern", "Any read pattern"], ["write_pattern", "Any write pattern"]] as const;
  return columns.flatMap(([column, all]) => {
    const { codes, values } = table.codes(column);
    const used = new Set(codes);
    const present = values.filter((word, code) => used.has(code) && word !== "");
    if (present.length < 2) return [];
    const field = picker(all, all, present.map((word) => printable(word)), () => {
      filter.choose(column, field.selectedIndex > 0 ? present[field.selectedIndex - 1] : null);
      apply();
    });
    return [field];
  });
}

/** What follows the names of those that are no files. */
const AFTER: Record<string, string> = { directory: "/", directory_rollup: "/ (small files together)" };

/** Names below the working directory are shown from there, as the terminal shows them. */
function path(table: Table, base: string): Column {
  const texts = table.texts("path");
  const kinds = table.codes("kind");
  const start = base.length > 1 ? `${base}/` : "/";
  return {
    ...names("path", "File", texts),
    cell: (row, room) => {
      const name = texts.at(row);
      const whole = name + (name === "/" ? "" : (AFTER[kinds.at(row)] ?? ""));
      const below = start !== "/" && whole.startsWith(start);
      return elided(printable(below ? whole.slice(start.length) || "./" : whole), printable(whole), room?.pixels, room?.letter);
    },
  };
}

function columns(table: Table, base: string): Column[] {
  const [read, written] = [table.numbers("bytes_read"), table.numbers("bytes_written")];
  const bytes = Float64Array.from(read, (value, row) => value + written[row]);
  const time = (key: string) => figures(key, key, table.numbers(key), duration, { hidden: true });
  const more = (key: string) => figures(key, key, table.numbers(key), number, { hidden: true });
  return [
    path(table, base),
    figures("time_ns", "Time", table.numbers("time_ns"), duration, { unit: "ns" }),
    split(table),
    figures("bytes_read", "Read", read, moved, { unit: "bytes" }),
    figures("bytes_written", "Written", written, moved, { unit: "bytes" }),
    figures("bytes", "Bytes", bytes, size, { hidden: true }),
    figures("calls", "Calls", table.numbers("calls"), number),
    figures("reads", "Reads", table.numbers("reads"), number),
    figures("writes", "Writes", table.numbers("writes"), number),
    figures("opens", "Opens", table.numbers("opens"), number),
    pattern(table),
    words("layers", "Layer", table.texts("layers"), { hidden: new Set(table.codes("layers").codes).size < 2 }),
    words("final_path", "final_path", table.texts("final_path"), { hidden: true }),
    words("kind", "Kind", table.texts("kind"), { hidden: true }),
    words("mount", "Mount", table.texts("mount"), { hidden: true }),
    words("read_pattern", "read_pattern", table.texts("read_pattern"), { hidden: true }),
    words("write_pattern", "write_pattern", table.texts("write_pattern"), { hidden: true }),
    ...["read_ns", "write_ns", "meta_ns", "slowest_ns", "first_at_ns", "last_at_ns"].map(time),
    ...["processes", "metadata_calls", "read_size", "write_size", "system_reads", "system_writes", "unaligned_read_share", "unaligned_write_share", "flags"].map(more),
  ];
}

function moved(bytes: number): string {
  return bytes ? size(bytes) : NONE;
}

/** The time as a bar on the scale of the file with the most, in its three parts. */
function split(table: Table): Column {
  const parts = [["read_ns", "--read"], ["write_ns", "--write"], ["meta_ns", "--metadata"]].map(
    ([key, colour]) => [table.numbers(key), colour] as const,
  );
  const times = table.numbers("time_ns");
  let greatest = 1;
  for (const time of times) greatest = Math.max(greatest, time);
  const text = (row: number) => parts.map(([values], place) => `${["read", "write", "metadata"][place]} ${duration(values[row])}`).join(", ");
  return {
    key: "time_parts",
    title: "",
    term: "time_ns",
    least: 96,
    left: true,
    csv: text,
    exact: text,
    cell: (row) =>
      h(
        "span",
        { class: "split" },
        ...parts.map(([values, colour]) => {
          const width = Math.max(0, (values[row] / greatest) * 100);
          return width ? h("i", { style: `width:max(1px,${width}%);background:var(${colour})` }) : null;
        }),
      ),
  };
}

/** How it was read and written, in a word each and its usual size. */
function pattern(table: Table): Column {
  const way = (kind: "read" | "write", calls: string) => {
    const initial = kind === "read" ? "R" : "W";
    const [patterns, sizes, operations] = [table.codes(`${kind}_pattern`), table.numbers(`${kind}_size`), table.numbers(calls)];
    const requests = table.numbers(`system_${calls}`);
    return (row: number) => {
      if (!operations[row]) return "";
      const usual = sizes[row] > 0 ? ` ${exactSize(sizes[row])}` : "";
      // A library's calls become others of the system, which are described here.
      const of = requests[row] !== operations[row] ? `, ${count(requests[row], "request")}` : "";
      return `${initial}${usual} ${patterns.at(row)}`.trimEnd() + of;
    };
  };
  const [reads, writes] = [way("read", "reads"), way("write", "writes")];
  const parts = (row: number) => [reads(row), writes(row)].filter((part) => part !== "");
  const text = (row: number) => parts(row).join(" · ") || NONE;
  const codes: Codes = table.codes("write_pattern");
  return {
    key: "access",
    title: "Access",
    term: "write_pattern",
    left: true,
    order: codes,
    cell: (row) => (parts(row).length < 2 ? text(row) : h("span", { class: "both" }, ...parts(row).map((part) => h("span", {}, part)))),
    csv: text,
  };
}
