/** Lines, points and boxes. */
import { boxes } from "../plots/boxes";
import { tip } from "../plots/chart";
import { type Curve, curves } from "../plots/curves";
import type { Guide } from "../plots/guides";
import { seriesColour } from "../plots/legend";
import { type Points, scatter } from "../plots/scatter";
import { extent } from "../plots/scales";
import { printable } from "../text/printable";
import { h } from "../ui/dom";
import type { ColumnFacts, FigureFacts } from "./facts";
import { type Palette, palette } from "./palette";
import { type Rows, textsOf } from "./rows";
import { type Side, levels, scaleOfSides } from "./side";
import { formatOf, scaleFor } from "./units";

const HEIGHT = 340;
const SMALL = 230;

export const guidesOf = (figure: FigureFacts): Guide[] => (figure.options.guides ?? []).map((guide) => ({ ...guide, label: printable(guide.label) }));

/** A picture a panel; of sides that are overlaid, or one alone. */
export function drawXy(sides: readonly Side[], all: readonly Side[], label: string): HTMLElement {
  const { figure } = sides[0].rows;
  const panels = [...new Set(sides.flatMap((side) => [...side.rows.groups("panel").keys()]))];
  const draw = figure.kind === "lines" ? lines : points;
  const drawn = panels.map((panel) => {
    const plot = draw(sides, all, panel, label, panels.length > 1 ? SMALL : HEIGHT);
    return panels.length > 1 ? h("figure", {}, h("figcaption", {}, panel), plot) : plot;
  });
  return h("div", { class: panels.length > 1 ? "panels wide" : undefined }, ...drawn);
}

function scales(all: readonly Side[]) {
  const { options } = all[0].rows.figure;
  const ends = levels(options.guides ?? []);
  return { x: scaleOfSides(all, "x", Boolean(options.log_x)), y: scaleOfSides(all, "y", Boolean(options.log_y), ends) };
}

/** Rows of a panel by colour, of all sides. */
function parts(sides: readonly Side[], panel: string, colours: Palette): { rows: Rows; name: string; colour: string; members: number[]; isDashed: boolean }[] {
  return sides.flatMap(({ rows, name: site }, place) =>
    [...rows.groups("colour", rows.groups("panel").get(panel) ?? [])].map(([name, members], part) => ({
      rows,
      name: [name, sides.length > 1 ? site : ""].filter(Boolean).join(" · "),
      colour: (sides.length > 1 || colours.size < 2 ? sides[place].colour : undefined) ?? colours.get(name)!,
      members,
      isDashed: sides.length > 1 && part > 0,
    })),
  );
}

function lines(sides: readonly Side[], all: readonly Side[], panel: string, label: string, height: number): HTMLElement {
  const { rows } = sides[0];
  const drawn: Curve[] = parts(sides, panel, palette(all, "colour")).map((part) => {
    const [xs, ys] = [part.rows.numbers("x"), part.rows.numbers("y")];
    const members = part.members.filter((row) => !Number.isNaN(xs[row])).sort((one, other) => xs[one] - xs[other]);
    return { name: part.name || rows.column("y")!.title, colour: part.colour, xs: members.map((row) => xs[row]), ys: members.map((row) => ys[row]), isDashed: part.isDashed };
  });
  const formats = { formatX: formatOf(rows.column("x")!), formatY: formatOf(rows.column("y")!) };
  return curves({ label, height, ...scales(all), lines: drawn, guides: guidesOf(rows.figure), isStep: Boolean(rows.figure.options.step), ...formats });
}

function points(sides: readonly Side[], all: readonly Side[], panel: string, label: string, height: number): HTMLElement {
  const { rows } = sides[0];
  const owners = new Map<Points, Rows>();
  const groups = parts(sides, panel, palette(all, "colour")).map((part) => {
    const [xs, ys] = [part.rows.numbers("x"), part.rows.numbers("y")];
    const group: Points = { name: part.name || rows.column("y")!.title, colour: part.colour, xs: part.members.map((row) => xs[row]), ys: part.members.map((row) => ys[row]), rows: part.members };
    owners.set(group, part.rows);
    return group;
  });
  const say = (row: number, group: Points) => told(owners.get(group)!, row, group.name);
  return scatter({ label, height, ...scales(all), groups, guides: guidesOf(rows.figure), say });
}

/** All columns of a row. */
function told(rows: Rows, row: number, name: string): HTMLElement {
  const others = rows.figure.columns.filter((column) => column.name !== rows.figure.encoding.colour);
  return tip(name, others.slice(0, 10).map((column: ColumnFacts) => [null, column.title, textsOf(rows.table, column).at(row)] as const));
}

/** A box a row. */
export function drawBoxes(sides: readonly Side[], all: readonly Side[], label: string): HTMLElement {
  const { figure } = sides[0].rows;
  const isLog = Boolean(figure.options.log_y);
  const outliers = sides.flatMap((side) => (side.rows.figure.options.outliers ?? []).map((one) => ({ ...one, x: printable(String(one.x)), ...(one.label ? { label: printable(one.label) } : {}) })));
  const ends = [...levels(figure.options.guides ?? []), ...outliers.map((one) => one.y)];
  const found = extent([...all.flatMap(({ rows }) => [...rows.numbers("low"), ...rows.numbers("high"), ...rows.numbers("median")]), ...ends], isLog);
  const column = sides[0].rows.column("median")!;
  const scale = scaleFor(column, isLog, found);
  const made = sides.flatMap(({ rows, colour }) => {
    const names = rows.texts("x");
    const [low, q1, median, q3, high, count] = ["low", "q1", "median", "q3", "high", "count"].map((channel) => rows.numbers(channel));
    return rows.all().map((row) => ({
      name: names.at(row), low: low[row], q1: q1[row], median: median[row], q3: q3[row], high: high[row], count: count[row], colour: colour ?? seriesColour(0),
    }));
  });
  return boxes({ label, boxes: made, scale, guides: guidesOf(figure), outliers, format: formatOf(column) });
}
