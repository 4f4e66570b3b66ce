/** The ranks of a parallel job: how fast, how evenly, each over time, and in which shared files. */
import { captioned } from "../grid/captioned";
import { type Column, figures, names, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import type { Table } from "../payload/table";
import { type HeatMap, heatMap } from "../plots/heat_map";
import { printable } from "../text/printable";
import { NONE, count, duration, known, number, percent, rate, recorded, size } from "../text/units";
import { choice } from "../ui/choice";
import { type Child, h } from "../ui/dom";
import { note } from "../ui/section";
import { value } from "../ui/value";
import { ofAllDescriptors } from "./besides";
import type { Heat, JobFacts, NodeRow, Parallel, SharedFile, Spread } from "./facts";
import { NAMES } from "./libraries";
import { servers } from "./servers";
import { bar } from "./time";

export function ranks(facts: JobFacts, table: Table, heat: Table | undefined, body: HTMLElement): void {
  const parallel = facts.parallel!;
  body.append(summary(parallel));
  if (facts.heat && heat) body.append(picture(facts, facts.heat, heat));
  const spread = spreads(parallel);
  if (spread.count) body.append(captioned("Spread over ranks", "spread", spread));
  body.append(captioned("How files are used", "strategies", strategies(parallel)));
  // Where records have one row for all ranks, a rank has no figure of its own.
  const isKnown = ["io_ns", "calls", "bytes_read", "bytes_written"].some((key) => table.numbers(key).some((value) => value >= 0));
  if (isKnown) body.append(captioned("Each rank", "ranks", rankGrid(table), note("Most time in I/O first. Communication is without other captured calls inside it.")));
  if ((parallel.nodes ?? 0) > 1 && parallel.slowest_nodes.length) body.append(captioned("Nodes, slowest and fastest", "nodes", nodeGrid("Nodes", "Node", "host", extremes(parallel.slowest_nodes, parallel.fastest_nodes))));
  for (const [served, label, title, key] of [[parallel.io_nodes, "I/O nodes", "I/O node", "io_node"], [parallel.switches, "Switches", "Switch", "nearest_switch"]] as const) {
    if (!served) continue;
    const without = served.ranks_without ? note(`Of ${count(served.ranks_without, "rank")} it is not known.`) : null;
    body.append(captioned(served.number > 1 ? `${label}, slowest and fastest` : label, key, nodeGrid(label, title, key, extremes(served.slowest, served.fastest)), without));
  }
  if (facts.shared_files?.length) {
    body.append(captioned("Files that several ranks used", "shared-files", sharedGrid(facts.shared_files), note("Most time first; which ranks read and wrote them.")));
  }
  body.append(...servers(facts.servers ?? [], facts.servers_against_ranks));
}

/** The same estimate of each layer alone; of one layer it is the figure itself. */
function eachInterface({ by_interface }: Parallel["performance"]): string {
  const each = Object.entries(by_interface ?? {});
  const text = (rate: number | null) => (rate === null ? NONE : few(rate));
  return each.length < 2 ? "agg_perf_by_slowest" : each.map(([layer, row]) => `${NAMES[layer] ?? layer} ${text(row.agg_perf_by_slowest)}`).join(", ");
}

function communication({ mpi }: Parallel): string {
  if (mpi.calls === null) return "not recorded";
  return mpi.calls ? "a rank, in the mean" : "none captured";
}

function summary(parallel: Parallel): HTMLElement {
  const { performance, access } = parallel;
  const speed = (mib: number | null) => (mib === null ? NONE : `${few(mib)} MiB/s`);
  const overwritten = access.written && access.held_data !== null ? `${number(access.held_data)} of ${number(access.written)}` : NONE;
  const emptied = access.truncated_at_open === null ? "not recorded" : `${number(access.truncated_at_open)} emptied at open`;
  const boxes: [string, string, string, Child][] = [
    ["Ranks", number(parallel.ranks), "ranks", parallel.nodes ? `on ${count(parallel.nodes, "node")}` : "nodes not known"],
    ["By the slowest rank", speed(performance.mib_per_second), "mib_per_second", value(`${speed(performance.mib_per_second_per_node)} a node`, "mib_per_second_per_node")],
    ["Estimated", speed(performance.agg_perf_by_slowest), "agg_perf_by_slowest", value(eachInterface(performance), "by_interface")],
    ["Metadata", percent(performance.metadata_share), "metadata_share", "of the ranks’ time in I/O"],
    ["Files a rank", few(access.files_per_rank), "files_per_rank", access.creates_per_rank === null ? "creates not recorded" : value(`${few(access.creates_per_rank)} created`, "creates_per_rank")],
    ["Sequential", percent(access.sequential_share), "sequential_share", value(access.aligned_share === null ? "alignment not recorded" : `${percent(access.aligned_share)} aligned`, "aligned_share")],
    ["Held data before", overwritten, "held_data", value(emptied, "truncated_at_open")],
    ["Communication", parallel.mpi.calls && parallel.mpi_ns ? duration(parallel.mpi_ns.mean) : NONE, "mpi_ns", communication(parallel)],
  ];
  const silent = parallel.instances.filter((run) => run.no_files).length;
  const lacking = parallel.instances.filter((run) => run.ranks !== run.ranks_in_log);
  return h(
    "div",
    {},
    h(
      "div",
      { class: "small-figures" },
      ...boxes.map(([title, text, term, below]) =>
        h("div", { class: "figure" }, h("div", { class: "label" }, title), value(text, term), h("div", { class: "below" }, below)),
      ),
    ),
    parallel.reduced
      ? note(`${count(parallel.reduced.files, "file")} with ${size(parallel.reduced.bytes)} and ${duration(parallel.reduced.io_ns)} have one record for all ranks: what a single rank did in all its files is not known.`)
      : null,
    parallel.instances.length > 1 ? note(`${count(parallel.instances.length, "program")} with ranks ran in the job.`) : null,
    silent ? note(value(`${count(silent, "program")} used no files`, "no_files"), ", standard streams apart.") : null,
    ...lacking.slice(0, 3).map((run) => note(`${printable(run.executable)}: ${number(run.ranks_in_log)} of its ${number(run.ranks)} ranks are in the log.`)),
  );
}

function few(figure: number): string {
  return figure >= 100 ? number(figure) : String(Number(figure.toPrecision(3)));
}

const MEASURES = [
  ["written", "Written", "--write"],
  ["read", "Read", "--read"],
  ["calls", "Calls", "--metadata"],
] as const;

function picture(facts: JobFacts, heat: Heat, table: Table): HTMLElement {
  const present = MEASURES.filter(([key]) => heat.steps[key] > 0);
  const perLine = heat.ranks_per_line;
  const map = (key: (typeof MEASURES)[number][0]): HeatMap => {
    const [, title, colour] = MEASURES.find(([one]) => one === key)!;
    const factor = (ranks: number) => (heat.steps[key] / ranks / heat.span_ns) * 1e9;
    const [usual, last] = [factor(perLine), factor(heat.ranks_in_last_line)];
    const lastLine = (heat.lines - 1) * heat.spans;
    return {
      label: `${title} by rank and time`,
      lines: heat.lines,
      spans: heat.spans,
      spanNs: heat.span_ns,
      values: Float32Array.from(table.numbers(key), (step, at) => step * (at < lastLine ? usual : last)),
      colour,
      format: key === "calls" ? (each) => `${few(each)} calls/s` : rate,
      line: (line) =>
        heat.first_ranks[line] === heat.last_ranks[line] ? `rank ${heat.first_ranks[line]}` : `ranks ${heat.first_ranks[line]}–${heat.last_ranks[line]}`,
    };
  };
  const shown = heatMap(map(present[0][0]));
  const pick = choice("What", present.map(([key, title]) => [key, title] as const), present[0][0], (key) => shown.show(map(key)));
  return h(
    "div",
    { class: "captioned" },
    h("div", { class: "caption" }, h("h3", {}, "Each rank over time"), pick),
    perLine > 1 ? note(`A line is the mean of ${number(perLine)} ranks.`) : null,
    ofAllDescriptors(facts),
    h("div", { class: "card" }, shown.element),
  );
}

function spreads(parallel: Parallel): Grid {
  const measured: { name: string; term: string; figure: Spread | null; show: (each: number) => string }[] = [
    { name: "time in I/O", term: "io_ns", figure: parallel.io_ns, show: duration },
    { name: "bytes", term: "bytes", figure: parallel.bytes, show: size },
    { name: "communication", term: "mpi_ns", figure: parallel.mpi_ns, show: duration },
  ];
  const rows = measured.flatMap(({ figure, ...row }) => (figure && figure.most !== 0 ? [{ ...row, figure }] : []));
  const column = (key: string, title: string, get: (figure: Spread) => number, term = key): Column => ({
    key,
    title,
    term,
    least: 116,
    cell: (row) => rows[row].show(get(rows[row].figure)),
    csv: (row) => String(get(rows[row].figure)),
  });
  return new Grid({
    label: "Spread over ranks",
    rows: rows.length,
    columns: [
      { ...words("figure", "Of each rank", textsOf(rows, (row) => row.name), { term: "" }), grows: true },
      column("least", "Least", (figure) => figure.least, ""),
      column("mean", "Mean", (figure) => figure.mean, ""),
      column("most", "Most", (figure) => figure.most, ""),
      column("deviation", "Deviation", (figure) => Math.sqrt(figure.variance), "variance"),
      figures("imbalance", "Most/mean", numbersOf(rows, (row) => row.figure.imbalance ?? null), known((each) => each.toFixed(2))),
    ],
  });
}

function strategies(parallel: Parallel): Grid {
  const rows = [
    ...Object.entries(parallel.strategies).map(([name, row]) => ({ name, term: "strategy", files: row.files, bytes: row.bytes_read + row.bytes_written })),
    ...Object.entries(parallel.interfaces).map(([name, row]) => ({ name: `through ${name}`, term: "interfaces", files: row.files, bytes: null })),
  ].filter((row) => row.files > 0);
  return new Grid({
    label: "How files are used",
    rows: rows.length,
    columns: [
      {
        ...words("use", "Use", textsOf(rows, (row) => row.name), { term: "strategy"}),
        grows: true,
        cell: (row: number) => value(printable(rows[row].name), rows[row].term),
      },
      figures("files", "Files", numbersOf(rows, (row) => row.files), number),
      figures("bytes", "Bytes", numbersOf(rows, (row) => row.bytes), known(size), { unit: "bytes" }),
    ],
  });
}

function rankGrid(table: Table): Grid {
  const io = table.numbers("io_ns");
  let greatest = 1;
  for (const time of io) if (time > greatest) greatest = time;
  const column = (key: string, title: string, show: (each: number) => string, unit: string) =>
    figures(key, title, table.numbers(key), key.startsWith("mpi") ? recorded(show) : known(show), { unit });
  const several = new Set(table.codes("instance").values).size > 1;
  return new Grid({
    label: "Ranks",
    rows: table.rows,
    sort: { key: "io_ns", descending: true },
    columns: [
      figures("rank", "Rank", table.numbers("rank"), number),
      { ...words("host", "Node", table.texts("host"), { term: "host" }), grows: true },
      ...(["io_node", "nearest_switch"] as const).filter((key) => told(table, key)).map((key) => words(key, key === "io_node" ? "I/O node" : "Switch", table.texts(key), { hidden: key !== "io_node" })),
      ...(several ? [words("executable", "Program", table.texts("executable"))] : []),
      { ...figures("io_ns", "In I/O", io, known(duration), { least: 140, unit: "ns" }), cell: (row) => (Number.isNaN(io[row]) ? NONE : bar(duration(io[row]), io[row] / greatest)) },
      column("read_ns", "Reading", duration, "ns"),
      column("write_ns", "Writing", duration, "ns"),
      column("meta_ns", "Metadata", duration, "ns"),
      column("mpi_ns", "Communication", duration, "ns"),
      column("mpiio_ns", "MPI-IO’s own", duration, "ns"),
      column("bytes_read", "Read", size, "bytes"),
      column("bytes_written", "Written", size, "bytes"),
      figures("calls", "Calls", table.numbers("calls"), known(number)),
      figures("files", "Files", table.numbers("files"), known(number)),
      figures("run_ns", "Ran", table.numbers("run_ns"), duration, { hidden: true }),
      figures("mpi_calls", "MPI calls", table.numbers("mpi_calls"), recorded(number), { hidden: true }),
      figures("mpi_bytes", "MPI bytes", table.numbers("mpi_bytes"), recorded(size), { hidden: true }),
    ],
  });
}

/** Whether a report of this version says it of any rank. */
function told(table: Table, key: string): boolean {
  return table.has(key) && table.codes(key).values.some((text) => text !== "");
}

function extremes(slowest: readonly NodeRow[], fastest: readonly NodeRow[]): NodeRow[] {
  return [...slowest, ...[...fastest].reverse()];
}

/** Nodes, or what serves them: `key` names which. */
function nodeGrid(label: string, title: string, key: "host" | "io_node" | "nearest_switch", rows: NodeRow[]): Grid {
  const greatest = Math.max(...rows.map((row) => row.io_ns_per_rank), 1);
  const served = key === "host" ? ([["io_node", "I/O node"], ["nearest_switch", "Switch"]] as const).filter(([name]) => rows.some((row) => row[name])) : [];
  return new Grid({
    label,
    rows: rows.length,
    columns: [
      { ...words(key, title, textsOf(rows, (row) => row[key] ?? "")), grows: true },
      ...served.map(([name, heading]) => words(name, heading, textsOf(rows, (row) => row[name] || NONE))),
      ...(key === "host" ? [] : [figures("nodes", "Nodes", numbersOf(rows, (row) => row.nodes ?? null), known(number))]),
      figures("ranks", "Ranks", numbersOf(rows, (row) => row.ranks), number),
      {
        ...figures("io_ns_per_rank", "I/O a rank", numbersOf(rows, (row) => row.io_ns_per_rank), duration, { term: "io_ns", unit: "ns" }),
        cell: (row) => bar(duration(rows[row].io_ns_per_rank), rows[row].io_ns_per_rank / greatest),
      },
      figures("slowest_io_ns", "Slowest rank", numbersOf(rows, (row) => row.slowest_io_ns), duration, { term: "io_ns", unit: "ns" }),
      figures("mpi_ns", "Communication", numbersOf(rows, (row) => row.mpi_ns), recorded(duration), { unit: "ns" }),
      figures("bytes", "Bytes", numbersOf(rows, (row) => row.bytes), size, { unit: "bytes" }),
    ],
  });
}

function sharedGrid(rows: SharedFile[]): Grid {
  const who = (one: { rank: number; host: string } | null) => (one === null ? NONE : named(one));
  const named = ({ rank, host }: { rank: number; host: string }) => `${rank}${host ? ` on ${printable(host)}` : ""}`;
  return new Grid({
    label: "Shared files",
    rows: rows.length,
    columns: [
      names("path", "File", textsOf(rows, (row) => row.path)),
      words("strategy", "Use", textsOf(rows, (row) => row.strategy)),
      { ...figures("ranks", "Ranks", numbersOf(rows, (row) => row.ranks), number), cell: (row) => `${number(rows[row].ranks)} of ${number(rows[row].world)}` },
      words("readers", "Readers", textsOf(rows, (row) => row.readers || NONE), { term: "ranks" }),
      words("writers", "Writers", textsOf(rows, (row) => row.writers || NONE), { term: "ranks" }),
      figures("least_ns", "Least time", numbersOf(rows, (row) => row.time_ns.least), known(duration), { term: "time_ns", unit: "ns" }),
      figures("mean_ns", "Mean", numbersOf(rows, (row) => row.time_ns.mean), duration, { term: "time_ns", unit: "ns" }),
      figures("most_ns", "Most", numbersOf(rows, (row) => row.time_ns.most), known(duration), { term: "time_ns", unit: "ns" }),
      words("slowest", "Slowest", textsOf(rows, (row) => who(row.slowest)), { term: "rank" }),
      words("fastest", "Fastest", textsOf(rows, (row) => who(row.fastest)), { term: "rank" }),
    ],
  });
}
