/** The process tree, with a line of time a process. */
import { type Room, figures, safeText, words } from "../grid/column";
import { copyButton } from "../grid/copy";
import { Grid } from "../grid/grid";
import { elided } from "../grid/name";
import type { Codes, Numbers, Table } from "../payload/table";
import { printable } from "../text/printable";
import { NONE, count, duration, known, number, percent, size } from "../text/units";
import { choice } from "../ui/choice";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { JobFacts } from "./facts";
import { depths, hiddenRows } from "./tree";

const STEP = 18; // pixels of indentation
const TAG = 110; // pixels
const DEEPEST = 12; // indentation; deeper ones stand below each other

export function processes(facts: JobFacts, table: Table, body: HTMLElement): void {
  if (!table.rows) {
    body.append(note("No process is in the log."));
    return;
  }
  const view = new ProcessView(facts, table);
  body.append(...view.elements);
}

/** 1: a signal ended it and nobody saw when. */
function unseenEnds(table: Table): Numbers {
  return table.has("run_at_least") ? table.numbers("run_at_least") : new Uint8Array(table.rows);
}

class ProcessView {
  readonly elements: Node[];
  private readonly grid: Grid;
  private readonly closed = new Set<number>();
  private readonly parents: Numbers;
  private readonly hasChildren: Uint8Array;
  private isTree = true;

  constructor(facts: JobFacts, private readonly table: Table) {
    this.parents = table.numbers("parent");
    this.hasChildren = new Uint8Array(table.rows);
    for (const parent of this.parents) if (parent >= 0) this.hasChildren[parent] = 1;
    const pick = choice("Order", [["tree", "Tree"], ["list", "By time in I/O"]] as const, "tree", (order) => {
      this.isTree = order === "tree";
      if (this.isTree) this.grid.unsort();
      this.show();
      if (!this.isTree) this.grid.sortBy("io_ns", true);
    });
    this.grid = new Grid({
      label: "Processes",
      rows: table.rows,
      columns: this.columns(),
      onSort: () => {
        this.isTree = false;
        pick.choose("list");
        this.show();
      },
    });
    this.grid.element.addEventListener("click", (event) => this.clicked(event));
    const left = facts.processes_left_out ?? 0;
    this.elements = [
      h(
        "div",
        { class: "tools" },
        pick,
        h("span", { class: "note" }, `${count(table.rows, "program image")}${left ? `; ${number(left)} more are left out` : ""}`),
        h("span", { class: "push" }),
        h("span", { class: "legend" }, "Share of its life in I/O ", h("i"), " 0 to 100 %"),
        copyButton("processes", () => this.grid.csv()),
      ),
      this.grid.element,
    ];
  }

  private show(): void {
    const hidden = this.isTree ? hiddenRows(this.parents, this.closed) : null;
    this.grid.show(Uint32Array.from({ length: this.table.rows }, (_, row) => row).filter((row) => !hidden?.[row]));
  }

  private clicked(event: Event): void {
    const button = (event.target as Element).closest<HTMLElement>(".twig");
    if (!button) return;
    const row = Number(button.dataset.process);
    if (!this.closed.delete(row)) this.closed.add(row);
    const at = this.grid.scroll;
    this.show();
    this.grid.scroll = at;
    this.grid.element.querySelector<HTMLElement>(`.twig[data-process="${row}"]`)?.focus({ preventScroll: true });
  }

  private columns() {
    const { table } = this;
    const io = Float64Array.from({ length: table.rows }, (_, row) => this.sum(row));
    const lived = table.numbers("run_ns");
    const captured = table.numbers("captured");
    const unseen = unseenEnds(table);
    const share = Float64Array.from(io, (time, row) => (captured[row] && lived[row] > 0 && !unseen[row] ? time / lived[row] : NaN));
    const ifCaptured = (key: string) => Float64Array.from(table.numbers(key), (value, row) => (captured[row] ? value : NaN));
    const ranks = Float64Array.from(table.numbers("rank"), (rank) => (rank < 0 ? NaN : rank));
    return [
      this.nameColumn(),
      figures("pid", "Pid", table.numbers("pid"), known(String)),
      figures("rank", "Rank", ranks, known(number)),
      words("host", "Host", table.texts("host")),
      this.timeline(lived, share),
      { ...figures("run_ns", "Ran", lived, duration, { unit: "ns" }), cell: (row: number) => `${unseen[row] ? "≥ " : ""}${duration(lived[row])}` },
      figures("io_ns", "In I/O", Float64Array.from(io, (time, row) => (captured[row] ? time : NaN)), known(duration), { unit: "ns" }),
      figures("io_share", "Share", share, known(percent), { term: "io_share_of_process_time" }),
      figures("bytes_read", "Read", ifCaptured("bytes_read"), known(size), { unit: "bytes" }),
      figures("bytes_written", "Written", ifCaptured("bytes_written"), known(size), { unit: "bytes" }),
      { ...words("ended", "Ended", table.texts("ended")), cell: (row: number) => this.ended(row) },
      figures("exit_status", "Exit status", table.numbers("exit_status"), String, { hidden: true }),
      figures("start_at_ns", "Start", table.numbers("start_at_ns"), duration, { hidden: true }),
      figures("calls", "Calls", table.numbers("calls"), known(number), { hidden: true }),
      figures("read_ns", "Read time", table.numbers("read_ns"), known(duration), { hidden: true }),
      figures("write_ns", "Write time", table.numbers("write_ns"), known(duration), { hidden: true }),
      figures("meta_ns", "Metadata time", table.numbers("meta_ns"), known(duration), { hidden: true }),
      words("process", "Process", table.texts("process"), { hidden: true }),
      words("reason", "Reason", table.texts("reason"), { hidden: true }),
    ];
  }

  private sum(row: number): number {
    const { table } = this;
    return table.numbers("read_ns")[row] + table.numbers("write_ns")[row] + table.numbers("meta_ns")[row];
  }

  private nameColumn() {
    const depth = depths(this.table);
    const commands = this.table.texts("arguments");
    const executable = this.table.texts("executable");
    const reason = this.table.texts("reason");
    const captured = this.table.numbers("captured");
    const name = (row: number) => commands.at(row) || executable.at(row);
    return {
      key: "arguments",
      title: "Process",
      term: "arguments",
      least: 280,
      grows: true,
      left: true,
      order: { at: name },
      csv: (row: number) => safeText(name(row)),
      cell: (row: number, room?: Room) => {
        const indent = this.isTree ? Math.min(depth[row], DEEPEST) : 0;
        const beside = (indent + 1) * STEP + (captured[row] ? 0 : TAG);
        const words = printable(name(row));
        const shown = elided(words, words, room && room.pixels - beside, room?.letter);
        const missing = captured[row] ? null : h("span", { class: "tag warn", "data-full": printable(reason.at(row) || "reason not known") }, "not captured");
        const twig = this.hasChildren[row] && this.isTree
          ? h("button", { type: "button", class: "opener twig", "data-process": row, "aria-expanded": String(!this.closed.has(row)), "aria-label": "Children" })
          : h("span", { class: "leaf" });
        return h("span", { class: "node", style: `padding-left:${indent * STEP}px` }, twig, shown, missing);
      },
    };
  }

  /** Lifetimes on the axis of the job; the darker, the more of it was I/O. */
  private timeline(lived: Numbers, share: Float64Array) {
    const start = this.table.numbers("start_at_ns");
    let end = 1;
    for (let row = 0; row < start.length; row++) end = Math.max(end, start[row] + lived[row]);
    return {
      key: "timeline",
      title: `Lifetime (0 to ${duration(end)})`,
      term: "run_ns",
      least: 230,
      left: true,
      order: start,
      csv: (row: number) => String(start[row] + lived[row]),
      exact: (row: number) => `from ${duration(start[row])} to ${duration(start[row] + lived[row])}, ${Number.isNaN(share[row]) ? NONE : percent(share[row])} in I/O`,
      cell: (row: number) => {
        // A life that ended before it began, as after a step of the clock, is a mark at its start.
        const left = Math.min(99.5, Math.max(0, (start[row] / end) * 100));
        const width = Math.min(100 - left, Math.max(0.5, (lived[row] / end) * 100));
        const strength = Number.isNaN(share[row]) ? 0 : Math.min(1, share[row]);
        const kind = Number.isNaN(share[row]) ? "life unknown" : "life";
        return h("span", { class: "track" }, h("i", { class: kind, style: `left:${left}%;width:${width}%;--share:${Math.round(strength * 100)}%` }));
      },
    };
  }

  private ended(row: number): HTMLElement {
    const ended = (this.table.texts("ended") as Codes).at(row);
    const status = this.table.numbers("exit_status")[row];
    if (ended === "exit") return h("span", { class: status > 0 ? "warn" : undefined }, status >= 0 ? `exit ${status}` : "exit");
    if (ended === "killed") return h("span", { class: "bad" }, status > 128 ? `signal ${status - 128}` : "killed");
    return h("span", {}, printable(ended || "unknown"));
  }
}
