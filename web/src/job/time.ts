/** Where the time went: by kind of call and layer, by function, and beside files. */
import { figures, words } from "../grid/column";
import { captioned } from "../grid/captioned";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { stackedBars } from "../plots/stacked_bars";
import { printable } from "../text/printable";
import { count, duration, known, number, rate, recorded, size } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import { besideName } from "./besides";
import type { Direction, JobFacts, Metadata } from "./facts";

const KINDS = [
  ["read", "--read"],
  ["write", "--write"],
  ["metadata", "--metadata"],
] as const;

export function time(facts: JobFacts, body: HTMLElement): void {
  const layers = facts.layers.filter((layer) => KINDS.some(([kind]) => layer[kind].calls + (layer[kind].errors ?? 0) > 0));
  if (!layers.length) body.append(note("No call on a file was recorded."));
  else {
    const names = layers.map((layer) => printable(layer.layer));
    const parts = KINDS.map(([name, colour]) => ({ name, colour, values: layers.map((layer) => layer[name].time_ns) }));
    body.append(
      note(
        "Time inside calls on files, summed over all processes and threads.",
        layers.some((layer) => layer.adds_up === false)
          ? " posix and stdio add up; what libraries took contains what the layers below took for them."
          : null,
      ),
      h("div", { class: "card" }, stackedBars("Time by read, write and metadata, by layer", names, parts).element),
      captioned("Calls by layer and kind", "layers", layerGrid(facts, layers.map((layer) => layer.layer))),
    );
  }
  for (const { what, amount, unit, note: words } of facts.summary.asynchronous ?? []) {
    const much = unit === "bytes" ? size(amount) : count(amount, unit.replace(/s$/, ""));
    body.append(h("p", { class: "warn" }, `${what}, ${much}: ${words}`));
  }
  if (facts.functions.length) {
    body.append(captioned("Functions by time", "functions", functionGrid(facts), note("On whatever they were called: files, pipes, standard streams.")));
  }
  if (facts.summary.other.length) {
    body.append(
      captioned("Besides files", "other", otherGrid(facts), note("Not in the figures above: time there is mostly waiting for somebody else, or the MPI library’s.")),
    );
  }
}


function layerGrid(facts: JobFacts, layers: readonly string[]): Grid {
  type Row = Metadata & Partial<Pick<Direction, "bytes" | "bytes_per_second">> & { layer: string; kind: string };
  const rows = facts.layers
    .filter((layer) => layers.includes(layer.layer))
    .flatMap((layer): Row[] => KINDS.map(([kind]) => ({ layer: layer.layer, kind, ...layer[kind] })));
  const speed = (row: Row) => row.bytes_per_second ?? (row.bytes && row.time_ns ? (row.bytes * 1e9) / row.time_ns : null);
  return new Grid({
    label: "Calls by layer and kind",
    rows: rows.length,
    columns: [
      { ...words("layer", "Layer", textsOf(rows, (row) => row.layer)), grows: true },
      words("kind", "Kind", textsOf(rows, (row) => row.kind), { term: "" }),
      figures("calls", "Calls", numbersOf(rows, (row) => row.calls), number),
      figures("bytes", "Bytes", numbersOf(rows, (row) => row.bytes), known(size), { unit: "bytes" }),
      figures("time_ns", "Time", numbersOf(rows, (row) => row.time_ns), duration, { unit: "ns" }),
      figures("bytes_per_second", "Rate in calls", numbersOf(rows, speed), known(rate), { unit: "bytes/s" }),
      figures("slowest_ns", "Slowest", numbersOf(rows, (row) => row.slowest_ns), recorded(duration), { unit: "ns" }),
      figures("errors", "Errors", numbersOf(rows, (row) => row.errors), recorded(number)),
    ],
  });
}

function functionGrid(facts: JobFacts): Grid {
  const rows = facts.functions;
  const greatest = Math.max(...rows.map((row) => row.time_ns), 1);
  // Where calls of libraries contain calls of the system.
  const nested = rows.some((row) => row.own_ns !== undefined && row.own_ns !== row.time_ns);
  const times = figures("time_ns", "Time", numbersOf(rows, (row) => row.time_ns), duration, { least: 140, unit: "ns" });
  return new Grid({
    label: "Functions",
    rows: rows.length,
    sort: { key: "time_ns", descending: true },
    columns: [
      { ...words("function", "Function", textsOf(rows, (row) => row.function)), grows: true },
      words("layer", "Layer", textsOf(rows, (row) => row.layer)),
      { ...times, cell: (row) => bar(duration(rows[row].time_ns), rows[row].time_ns / greatest) },
      ...(nested ? [figures("own_ns", "Own time", numbersOf(rows, (row) => row.own_ns ?? null), known(duration), { unit: "ns" })] : []),
      figures("calls", "Calls", numbersOf(rows, (row) => row.calls), number),
      figures("time_per_call_ns", "Per call", numbersOf(rows, (row) => (row.calls ? row.time_ns / row.calls : null)), known(duration), { term: "time_ns", unit: "ns" }),
      figures("max_ns", "Slowest", numbersOf(rows, (row) => row.max_ns), duration, { unit: "ns" }),
      figures("bytes", "Bytes", numbersOf(rows, (row) => row.bytes), size, { unit: "bytes" }),
      figures("errors", "Errors", numbersOf(rows, (row) => row.errors), recorded(number)),
    ],
  });
}

function otherGrid(facts: JobFacts): Grid {
  const rows = facts.summary.other;
  const calls = (row: (typeof rows)[number]) => row.reads + row.writes + row.metadata_calls;
  return new Grid({
    label: "Besides files",
    rows: rows.length,
    columns: [
      { ...words("kind", "What", textsOf(rows, (row) => besideName(row.kind)), { term: "other"}), grows: true },
      figures("calls", "Calls", numbersOf(rows, calls), number),
      figures("bytes_read", "Read", numbersOf(rows, (row) => row.bytes_read), size, { unit: "bytes" }),
      figures("bytes_written", "Written", numbersOf(rows, (row) => row.bytes_written), size, { unit: "bytes" }),
      figures("time_ns", "Time", numbersOf(rows, timeOf), known(duration), { unit: "ns" }),
    ],
  });

  /** Excluded paths are counted, not timed. */
  function timeOf(row: (typeof rows)[number]): number | null {
    return row.kind === "excluded_rollup" && !row.time_ns ? null : row.time_ns;
  }
}

/** A figure over a bar of its share of the greatest one. */
export function bar(text: string, share: number): HTMLElement {
  const width = share > 0 ? Math.max(1, Math.min(100, share * 100)) : 0;
  return h("span", { class: "barred" }, h("i", { style: `width:${width}%` }), h("span", {}, text));
}
