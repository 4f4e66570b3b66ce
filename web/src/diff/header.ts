/** Which runs are compared, in what they are unequal, and what the figures prove. */
import { utc } from "../text/dates";
import { printable } from "../text/printable";
import { duration } from "../text/units";
import { h } from "../ui/dom";
import { sideColour } from "./colours";
import type { DiffFacts, Run, Total } from "./facts";
import { against } from "./words";

export function header(facts: DiffFacts): HTMLElement {
  const command = commandOf(facts.sides[0].runs[0]);
  return h(
    "div",
    { id: "job" },
    h("h1", { class: command.length > 200 ? "long" : undefined }, `Changes of ${command}`),
    h("ul", { class: "runs" }, ...facts.sides.flatMap((side, place) => side.runs.map((run, number) => line(facts, place, number, run)))),
    ...facts.unequal.map((row) => h("p", { class: "warn" }, printable(row.text))),
    ...(facts.same ? [] : facts.sides.slice(1).map((_, place) => h("p", { class: "verdict" }, verdict(facts, place + 1)))),
    facts.same ? h("p", { class: "good" }, "No difference: times, calls, bytes, sizes and files are the same.") : h("p", { class: "note" }, proof(facts)),
  );
}

function commandOf(run: Run): string {
  return run.job.command?.map((word) => printable(word)).join(" ") || "a command that is not known";
}

function line(facts: DiffFacts, place: number, number: number, run: Run): HTMLElement {
  const { name, runs } = facts.sides[place];
  const parts = [printable(run.log.path), commandOf(run)];
  if (run.job.host) parts.push(`on ${printable(run.job.host)}`);
  const start = utc(run.job.start_utc_ns);
  if (start) parts.push(start);
  parts.push(`ran ${duration(run.job.run_ns)}`);
  return h("li", {}, h("b", { style: `color:var(${sideColour(place)})` }, name + (runs.length > 1 ? String(number + 1) : "")), " ", parts.join(" · "));
}

/** What a side took more or less than the first one, and what explains most of it; as headrace diff says it. */
function verdict(facts: DiffFacts, side: number): string {
  const [first, name] = [facts.sides[0].name, facts.sides[side].name];
  const row = (key: string) => facts.totals.find((total) => total.key === key);
  const [run, io] = [row("run_ns"), row("io_ns")];
  if (!run || !io) return "";
  const its = more(io, side, "");
  const text =
    run.changes[side]?.beyond_spread === false
      ? `${name} ran ${more(run, side, first)}, but ranges overlap: that may be chance. Its I/O took ${its}`
      : `${name} ran ${more(run, side, first)}; its I/O took ${its}`;
  const moved = io.changes[side]?.amount ?? 0;
  const parts = (["read", "write", "metadata"] as const)
    .map((part) => [part, row(`${part}.time_ns`)?.changes[side]?.amount ?? 0] as const)
    .filter(([, amount]) => amount * moved > 0)
    .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  const most = parts.length ? `, most of it in ${{ read: "reading", write: "writing", metadata: "metadata calls" }[parts[0][0]]}` : "";
  return `${text}${most}.`;
}

function more(row: Total, side: number, than: string): string {
  const moved = row.changes[side]?.amount ?? 0;
  if (moved === 0) return `as long${than && ` as ${than}`}`;
  const word = than ? (moved > 0 ? "longer" : "shorter") : moved > 0 ? "more" : "less";
  const share = against(row.values[0], row.values[side]);
  return `${duration(Math.abs(moved))} ${word}${than && ` than ${than}`}${share && ` (${share})`}`;
}

function proof(facts: DiffFacts): string {
  const places = facts.chance_apart.flatMap((chance, place) => (chance === null ? [] : [[place, chance] as const]));
  if (!places.length) {
    return "A single run a side proves nothing about times: they vary from run to run. Repeat each, and compare with 'headrace diff A1.hr A2.hr A3.hr vs B1.hr B2.hr B3.hr'. Calls and bytes vary less.";
  }
  const texts = places.map(([place, chance]) => `If ${facts.sides[place].name} were no different from ${facts.sides[0].name}, chance alone would do that to a given figure in ${Number((chance * 100).toPrecision(2))} % of cases.`);
  return `* no run of one side lies within the range of the other. ${texts.join(" ")}`;
}
