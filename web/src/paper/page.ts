/** What a paper published, and the same measured here: a picture and a table for each of its tables. */
import { captioned } from "../grid/captioned";
import { figures, names, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import type { Payload } from "../payload/decode";
import { type Mark, beside } from "../plots/beside";
import { printable } from "../text/printable";
import { count, known } from "../text/units";
import { h } from "../ui/dom";
import { addSections, note } from "../ui/section";
import { drawn } from "./figures";
import type { Case, Measure, PaperFacts, PaperTable } from "./facts";

export function paperPage(payload: Payload, main: HTMLElement, navigation: HTMLElement): void {
  const facts = payload.facts as unknown as PaperFacts;
  main.append(header(facts));
  addSections(
    main,
    navigation,
    facts.tables.map((table, at) => ({
      id: `table-${at}`,
      title: printable(table.name),
      build: (body: HTMLElement) => body.append(...shown(table)),
      first: at === 0,
    })),
  );
}

function header(facts: PaperFacts): HTMLElement {
  const remarks = new Set(facts.tables.flatMap((table) => table.cases.flatMap((each) => each.remarks)));
  const started = facts.mpis.length ? `, ranks started by ${printable(facts.mpis.join(", "))}` : "";
  return h(
    "div",
    { id: "job" },
    h("h1", {}, printable(facts.title)),
    h("p", { class: "finding" }, printable(facts.verdict)),
    h("p", { class: "note" }, `Published: ${printable(facts.source)}. Here: means and their 95 % intervals.`),
    ...facts.machines.map(({ directory }) => h("p", { class: "note" }, `Measured in ${printable(directory)}${started}.`)),
    ...facts.notes.map((text) => h("p", { class: "note" }, printable(text))),
    ...[...remarks, ...facts.others].map((text) => h("p", { class: "note" }, `Note: ${printable(text)}.`)),
  );
}

function shown(table: PaperTable): HTMLElement[] {
  return [
    h("h3", {}, printable(table.title)),
    h("p", { class: "finding" }, printable(table.verdict)),
    note(`Here: ${printable(table.here)}.`),
    ...(table.fitted ? [note(printable(table.fitted))] : []),
    ...table.cases[0].measures.flatMap((_, at) => picture(table, at)),
    captioned("Figures", table.name, grid(table)),
    captioned("Runs", `${table.name}-runs`, runs(table)),
    ...table.figures.flatMap(drawn),
  ];
}

/** How many times better than the first case where that was published, for machines differ; else the figures. */
function picture(table: PaperTable, at: number): HTMLElement[] {
  const of = (each: Case): Measure => each.measures[at];
  const { name, unit } = of(table.cases[0]);
  const relative = table.cases.some((each) => of(each).published_times !== null);
  const published = relative || table.cases.some((each) => typeof of(each).published === "number");
  if (!published && at > 0) return []; // the table has it
  const here = (each: Case) => (relative ? times(each, table, of(each)) : of(each).here);
  const there = (each: Case) => bare(relative ? (each === table.cases[0] ? 1 : of(each).published_times) : plain(of(each).published));
  const what = relative ? `${name}: times as good as “${printable(table.cases[0].name)}”` : `${name}, ${unit}`;
  const plot = beside({
    label: `${what}, here and as published`,
    title: what,
    names: table.cases.map((each) => printable(each.name)),
    kinds: [
      { name: "here", colour: "--write", marks: table.cases.map(here) },
      ...(published ? [{ name: "published", colour: "--read", marks: table.cases.map(there) }] : []),
    ],
    format: threeDigits,
  });
  return [h("div", { class: "card" }, plot)];
}

/** The first case is once as good as itself. */
function times(each: Case, table: PaperTable, measure: Measure): Mark | null {
  if (each !== table.cases[0]) return measure.times;
  return measure.here ? bare(1) : null; // not run, it is nothing
}

const bare = (value: number | null): Mark | null => (value === null ? null : { value, low: null, high: null });

const plain = (value: number | string | null): number | null => (typeof value === "number" ? value : null);

function threeDigits(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
}

const OUTCOMES: Record<Case["outcome"], string> = {
  done: "",
  "too large": "does not fit",
  "too long": "takes too long",
  "not run": "not run",
};

/** Why there is no figure, or what an interval that is wider than its value is worth. */
function remark(each: Case, { here, times: ratio, published }: Measure): string {
  const others = each.runs && each.outcome !== "done" ? `${count(each.runs, "run")}, others: ` : "";
  const noise = here?.noisy || ratio?.noisy ? "too noisy to say" : "";
  return [others + OUTCOMES[each.outcome], noise, published === "x" ? "published: does not fit" : ""].filter(Boolean).join("; ");
}

/** All its columns are in view on a page of usual width. */
function grid(table: PaperTable): Grid {
  const rows = table.cases.flatMap((each) => each.measures.map((measure) => ({ each, measure })));
  type Row = (typeof rows)[number];
  const column = (key: string, title: string, get: (row: Row) => number | null | undefined) =>
    figures(key, title, numbersOf(rows, get), known(threeDigits));
  return new Grid({
    label: table.title,
    rows: rows.length,
    columns: [
      words("case", "Case", textsOf(rows, ({ each }) => each.name)),
      words("figure", "Figure", textsOf(rows, ({ measure }) => `${measure.name}, ${measure.unit}`)),
      column("here", "Here", ({ measure }) => measure.here?.value),
      column("low", "from", ({ measure }) => measure.here?.low),
      column("high", "to", ({ measure }) => measure.here?.high),
      column("times", "Times", ({ measure }) => measure.times?.value),
      column("times_low", "from", ({ measure }) => measure.times?.low),
      column("times_high", "to", ({ measure }) => measure.times?.high),
      column("published", "Published", ({ measure }) => plain(measure.published)),
      column("published_times", "Times", ({ measure }) => measure.published_times),
      words("remark", "Remark", textsOf(rows, ({ each, measure }) => remark(each, measure))),
    ],
  });
}

function runs(table: PaperTable): Grid {
  return new Grid({
    label: `Runs of ${table.title}`,
    rows: table.cases.length,
    columns: [
      words("case", "Case", textsOf(table.cases, ({ name }) => name)),
      names("words", "headrace bench", textsOf(table.cases, (each) => each.words.join(" "))),
    ],
  });
}
