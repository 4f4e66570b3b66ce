/** The figures of whole runs, and tables of things that have the same name in all runs. */
import { type Column, figures, names } from "../grid/column";
import { captioned } from "../grid/captioned";
import { Grid } from "../grid/grid";
import { NONE } from "../text/units";
import { note } from "../ui/section";
import type { DiffFacts, Keyed } from "./facts";
import { type Unit, against, amount, change, share } from "./words";

const TITLES: Record<string, string> = {
  run_ns: "Run time",
  io_ns: "I/O time",
  "read.time_ns": "Read time",
  "read.bytes": "Bytes read",
  "read.calls": "Reads",
  "read.errors": "Failed reads",
  "write.time_ns": "Write time",
  "write.bytes": "Bytes written",
  "write.calls": "Writes",
  "write.errors": "Failed writes",
  "metadata.time_ns": "Metadata time",
  "metadata.calls": "Metadata calls",
  "metadata.errors": "Failed metadata calls",
  other_ns: "Time in pipes, streams, …",
  mpi_files_ns: "Time in the MPI library’s own files",
  files: "Files",
  directories: "Directories",
  processes: "Processes",
  process_ns: "Lifetimes of processes",
  slowest_process_io_ns: "Most I/O time of a process",
  ranks: "Ranks",
  rank_io_ns: "Mean I/O time of a rank",
  slowest_rank_io_ns: "Most I/O time of a rank",
  rank_mpi_ns: "Mean communication of a rank",
};

export function totals(facts: DiffFacts, body: HTMLElement): void {
  const single = facts.totals.every((row) => row.key !== "processes" || row.values.every((value) => value === 1));
  const leftOut = single ? ["process_ns", "slowest_process_io_ns"] : [];
  const rows = facts.totals.filter((row) => row.values.some((value) => value !== 0) && !leftOut.includes(row.key));
  const [base, ...others] = facts.sides.map((side) => side.name);
  const valueOf = (side: number) => (row: number) => {
    const { values, least, greatest, unit } = rows[row];
    const [from, to] = [least[side], greatest[side]];
    const range = from === null || to === null || from === to ? "" : ` (${amount(from, unit)}…${amount(to, unit)})`;
    return amount(values[side], unit) + range;
  };
  const columns: Column[] = [
    { key: "figure", title: "Figure", grows: true, left: true, cell: (row) => TITLES[rows[row].key] ?? rows[row].key, csv: (row) => rows[row].key },
    { key: base, title: base, cell: valueOf(0), csv: (row) => String(rows[row].values[0]) },
    ...others.flatMap((name, place): Column[] => {
      const side = place + 1;
      return [
        { key: name, title: name, cell: valueOf(side), csv: (row) => String(rows[row].values[side]) },
        { key: `${name}_change`, title: `${name} − ${base}`, cell: (row) => change(rows[row].changes[side]?.amount ?? 0, rows[row].unit), csv: (row) => String(rows[row].changes[side]?.amount ?? 0) },
        {
          key: `${name}_relative`,
          title: "",
          cell: (row) => against(rows[row].values[0], rows[row].values[side]) + (rows[row].changes[side]?.beyond_spread ? " *" : ""),
          csv: (row) => String(rows[row].changes[side]?.relative ?? ""),
        },
      ];
    }),
  ];
  body.append(captioned("Whole runs", "totals", new Grid({ label: "What changed in whole runs", rows: rows.length, columns })));
}

/** A table of facts by name: what explains most of the change of time is first. */
export function keyed(facts: DiffFacts, table: "functions" | "mounts" | "programs", key: string, figure: string, unit: Unit, body: HTMLElement): void {
  const rows = facts[table];
  if (!rows.length) {
    body.append(note("None is known."));
    return;
  }
  const time = table === "programs" ? "io_ns" : "time_ns";
  const [base, ...others] = facts.sides.map((side) => side.name);
  const texts = { at: (row: number) => String(rows[row][key]) };
  const columns: Column[] = [names(key, key.charAt(0).toUpperCase() + key.slice(1), texts)];
  for (const [place, name] of others.entries()) {
    columns.push(
      figures(`${name}_change`, `${name} − ${base}`, changesOf(rows, place + 1, time), (value) => change(value, "ns"), { term: time, unit: "ns" }),
      figures(`${name}_share`, "Share", changesOf(rows, place + 1, "share"), (value) => (Number.isNaN(value) ? NONE : share(value)), { term: ""}),
    );
  }
  for (const [what, as] of [[time, "ns"], [figure, unit]] as const) {
    for (const [side, { name }] of facts.sides.entries()) {
      const values = Float64Array.from(rows, (row) => row.sides[side]?.[what] ?? Number.NaN);
      columns.push(figures(`${what}_${name}`, `${what === time ? "Time" : what.charAt(0).toUpperCase() + what.slice(1)} ${name}`, values, (value) => (Number.isNaN(value) ? NONE : amount(value, as)), { term: what }));
    }
  }
  const label = table.charAt(0).toUpperCase() + table.slice(1);
  body.append(captioned("Greatest change of time first", table, new Grid({ label, rows: rows.length, columns })));
}

function changesOf(rows: readonly Keyed[], side: number, name: string): Float64Array {
  return Float64Array.from(rows, (row) => row.changes[side]?.[name] ?? Number.NaN);
}
