/** Threads that never came back from a call: who hung where. */
import { figures, names, words } from "../grid/column";
import { captioned } from "../grid/captioned";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { printable } from "../text/printable";
import { NOT_RECORDED, count, duration, number } from "../text/units";
import { h } from "../ui/dom";
import type { JobFacts, Unfinished } from "./facts";

const HANGS_NS = 1e9; // a running process is always in some call; in most not for so long
const HOW: Record<string, string> = { killed: "was killed", running: "still runs" };
const BY_ITSELF = ["exit", "exec"]; // such processes leave helpers waiting, which is no fault

export function unfinishedThreads({ summary }: JobFacts): Unfinished[] {
  const hung = ({ ended, for_ns }: Unfinished) => !BY_ITSELF.includes(ended) && (ended !== "running" || (for_ns ?? 0) >= HANGS_NS);
  return (summary.unfinished ?? []).filter(hung);
}

/** A line for the header, which leads to the table; null where every call came back. */
export function unfinishedLine(facts: JobFacts): HTMLElement | null {
  const threads = unfinishedThreads(facts);
  if (!threads.length) return null;
  const came = threads.length === 1 ? "thread never came back from its call" : "threads never came back from their calls";
  return h("p", { class: "warn" }, `${number(threads.length)} ${came}: `, h("a", { href: "#unfinished" }, "who hung where"));
}

export function unfinished(facts: JobFacts, body: HTMLElement): void {
  const rows = unfinishedThreads(facts);
  const ranked = rows.some((row) => row.rank !== null);
  const long = (row: number) => (rows[row].for_ns === null ? NOT_RECORDED : duration(rows[row].for_ns ?? 0));
  const grid = new Grid({
    label: "Calls that never came back",
    rows: rows.length,
    columns: [
      ...(ranked ? [{ ...figures("rank", "Rank", numbersOf(rows, (row) => row.rank ?? -1), number), cell: (row: number) => (rows[row].rank === null ? "–" : String(rows[row].rank)) }] : []),
      { ...figures("pid", "Process", numbersOf(rows, (row) => row.pid ?? -1), number), cell: (row: number) => String(rows[row].pid ?? "–") },
      figures("thread", "Thread", numbersOf(rows, (row) => row.thread), number),
      { ...names("call", "In", textsOf(rows, call)), grows: true },
      { ...figures("for_ns", "For at least", numbersOf(rows, (row) => row.for_ns ?? -1), duration, { unit: "ns" }), cell: long },
      words("ended", "When the process", textsOf(rows, (row) => HOW[row.ended] ?? "was last seen")),
    ],
  });
  body.append(captioned(`${count(rows.length, "thread")} in a call`, "unfinished-calls", grid));
}

/** What the program called, and in brackets what that had called. */
function call({ calls }: Unfinished): string {
  const [first, ...inside] = calls.map((one) => printable(one.function) + (one.path ? ` of ${printable(one.path)}` : ""));
  return first + (inside.length ? ` (inside it: ${inside.join(", ")})` : "");
}
