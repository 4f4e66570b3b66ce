/** Object servers by the files on them, and whether they explain the slow ranks. */
import { captioned } from "../grid/captioned";
import { figures, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { columns } from "../plots/columns";
import { printable } from "../text/printable";
import { NONE, duration, known, number, percent, rate, roundPercent, size } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { Against, Server } from "./facts";

const MOST_BARS = 48;

export function servers(rows: readonly Server[], against: Against | null | undefined): HTMLElement[] {
  if (!rows.length) return [];
  const parts = [captioned("Object servers", "servers", grid(rows, against), note("A file on several servers counts at each of them by an equal part."))];
  if (!against) return parts;
  const compared = against.slow > 0 && against.slow_ns > 0;
  const picture = compared ? shares(rows) : times(rows);
  return [
    h(
      "div",
      { class: "captioned", id: "servers-against-ranks" },
      h("div", { class: "caption" }, h("h3", {}, "Object servers against slow ranks")),
      h("div", { class: "card" }, picture, h("p", { class: against.standing_out.length ? "warn finding" : "finding" }, printable(against.sentence))),
      against.slow ? note(`Slow: rank ${printable(against.slow_ranks)}. `, compared && rows.length > MOST_BARS ? `Of ${number(rows.length)} servers, the ${MOST_BARS} with most time are drawn.` : null) : null,
    ),
    ...parts,
  ];
}

/** Rows come with most time first; the figure shows them by number. */
function drawn(rows: readonly Server[]): Server[] {
  return rows.slice(0, MOST_BARS).sort((one, other) => one.server.localeCompare(other.server, "en", { numeric: true }));
}

function shares(rows: readonly Server[]) {
  const shown = drawn(rows);
  return columns({
    label: "Share of the time in I/O on each object server, of slow ranks and of the others",
    axis: "Server",
    names: shown.map((row) => printable(row.server)),
    figures: [
      { name: "of the slow ranks’ time", colour: "--write", values: shown.map((row) => row.slow_share ?? null) },
      { name: "of the others’ time", colour: "--read", values: shown.map((row) => row.other_share ?? null) },
    ],
    format: percent,
    tick: roundPercent,
  });
}

function times(rows: readonly Server[]) {
  const shown = drawn(rows);
  return columns({
    label: "Time in I/O on each object server",
    axis: "Server",
    names: shown.map((row) => printable(row.server)),
    figures: [{ name: "time in files on it", colour: "--read", values: shown.map((row) => row.io_ns) }],
    format: duration,
  });
}

function grid(rows: readonly Server[], against: Against | null | undefined): Grid {
  const slow = (row: Server) => row.slowest.map((one) => `${one.rank} (${duration(one.time_ns)})`).join(", ") || NONE;
  const speed = (row: Server) => (row.io_ns > 0 ? (row.bytes * 1e9) / row.io_ns : null);
  const compared = against && against.slow > 0;
  const share = (key: "slow_share" | "other_share", title: string) =>
    figures(key, title, numbersOf(rows, (row) => row[key] ?? null), known(percent));
  return new Grid({
    label: "Object servers",
    rows: rows.length,
    columns: [
      words("server", "Server", textsOf(rows, (row) => row.server)),
      figures("files", "Files", numbersOf(rows, (row) => row.files), number),
      figures("bytes", "Bytes", numbersOf(rows, (row) => row.bytes), size, { unit: "bytes" }),
      figures("io_ns", "Time", numbersOf(rows, (row) => row.io_ns), duration, { unit: "ns" }),
      figures("bytes_per_second", "Rate in calls", numbersOf(rows, speed), known(rate), { unit: "bytes/s" }),
      ...(compared
        ? [
            share("slow_share", "Slow ranks"),
            share("other_share", "Others"),
            figures("slow_ranks", "Slow ranks there", numbersOf(rows, (row) => row.slow_ranks ?? 0), number),
            figures("other_ranks", "Others there", numbersOf(rows, (row) => row.other_ranks ?? 0), number),
          ]
        : []),
      { ...words("slowest", "Ranks that took longest in one of these files", textsOf(rows, slow), { term: "rank" }), grows: true },
    ],
  });
}
