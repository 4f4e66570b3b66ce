/** One figure: its words, its picture, what was counted, and its data. */
import { printable } from "../text/printable";
import { count } from "../text/units";
import { choice } from "../ui/choice";
import { append, h } from "../ui/dom";
import { dataTable } from "./data";
import { drawBars, overlaidBars } from "./draw_bars";
import { calendar, drawThroughput } from "./draw_throughput";
import { drawBoxes, drawXy } from "./draw_xy";
import type { FigureFacts } from "./facts";
import { type Side, leftOut, sideColour, sideMark } from "./side";

/** `sides`: of one study, or of two that are compared; empty when neither has data for it. */
export function fillFigure(body: HTMLElement, figure: FigureFacts, sides: readonly Side[]): void {
  const shown = sides.filter((side) => side.rows.table.rows > 0 && side.rows.figure.columns.length > 0);
  append(body, sides.flatMap((side) => wordsOf(side, sides.length > 1)));
  if (!shown.length) append(body, sides.some((side) => side.rows.figure.missing) ? [] : [h("p", { class: "note" }, "No row of the catalog belongs here.")]);
  else if (figure.kind === "table") append(body, shown.map((side) => tableOf(side)));
  else append(body, [pictures(figure, shown), ...shown.map((side) => besides(side))]);
  append(body, [counted(figure), ...(figure.kind === "table" ? [] : shown.map((side) => folded(side)))]);
}

/** The main numbers, or why there is nothing. */
function wordsOf(side: Side, isCompared: boolean): HTMLElement[] {
  const { rows, name } = side;
  const { words, missing } = rows.figure;
  const before = () => (isCompared && name ? [named(side), ": "] : []);
  return [
    ...words.map((text) => h("p", { class: "finding" }, ...before(), printable(text))),
    ...(missing ? [h("p", { class: "note missing" }, ...before(), printable(missing))] : []),
  ];
}

function named({ name, colour }: Side): HTMLElement {
  return sideMark(name, colour === sideColour(1) ? 1 : 0);
}

function pictures(figure: FigureFacts, sides: readonly Side[]): HTMLElement {
  if (sides.length < 2) return draw(sides[0], sides);
  const place = h("div", {});
  const show = (how: "beside" | "over") => {
    place.replaceChildren(how === "over" ? overlaid(sides) : h("div", { class: "beside" }, ...sides.map((side) => h("figure", {}, h("figcaption", {}, named(side)), draw(side, sides)))));
  };
  const few = sides.every(({ rows }) => rows.groups("colour").size <= 2); // parts, told apart by dashes where colours are the sides'
  const canLie = (figure.kind === "lines" && few) || figure.kind === "points" || (figure.kind === "bars" && !figure.encoding.colour && !figure.encoding.panel);
  show(canLie && figure.kind !== "points" ? "over" : "beside");
  if (!canLie) return place;
  const options = [["over", "Over each other"], ["beside", "Side by side"]] as const;
  return h("div", {}, h("div", { class: "tools" }, choice(`${printable(figure.title)}: sides`, options, figure.kind === "points" ? "beside" : "over", show)), place);
}

function draw(side: Side, all: readonly Side[]): HTMLElement {
  const label = labelOf(side);
  switch (side.rows.figure.kind) {
    case "bars":
    case "histograms":
      return drawBars(side, all, label);
    case "lines":
    case "points":
      return drawXy([side], all, label);
    case "box":
      return drawBoxes([side], all, label);
    case "throughput":
      return drawThroughput(side, all, label);
    default:
      return tableOf(side);
  }
}

function overlaid(sides: readonly Side[]): HTMLElement {
  const label = sides.map(labelOf).join("; ");
  return sides[0].rows.figure.kind === "bars" ? overlaidBars(sides, label) : drawXy(sides, sides, label);
}

/** What a screen reader is told: what is drawn, and that its words and its data are near. */
function labelOf({ rows, name }: Side): string {
  const { figure } = rows;
  const [x, y] = [rows.column("x"), rows.column(figure.kind === "box" ? "median" : "y")].map((column) => column?.title ?? "");
  return `${printable(figure.title)}${name ? ` at ${name}` : ""}: ${[y, x].filter(Boolean).join(" by ")}, ${count(rows.table.rows, "row")} of data below`;
}

/** What the picture could not show, and what the calendar says. */
function besides({ rows, name }: Side): HTMLElement | null {
  const { kind, options } = rows.figure;
  if (kind === "throughput") return calendar(rows.figure);
  if (kind !== "lines" && kind !== "points") return null;
  const left = leftOut(rows, { x: Boolean(options.log_x), y: Boolean(options.log_y) });
  return left ? h("p", { class: "note" }, `${name ? `${name}: ` : ""}${count(left, "row")} with 0 or less ${left === 1 ? "has" : "have"} no place on a logarithmic axis; the data has ${left === 1 ? "it" : "them"}.`) : null;
}

function counted(figure: FigureFacts): HTMLElement {
  return h(
    "details",
    { class: "more definition" },
    h("summary", {}, "Definition and filter"),
    h("p", {}, printable(figure.definition)),
    figure.filter ? h("p", {}, `Counted: ${printable(figure.filter)}`) : null,
  );
}

function tableOf(side: Side): HTMLElement {
  const { grid, tools } = dataTable(side.rows.figure, side.rows.table, labelled(side));
  return h("div", { class: "captioned" }, side.name ? h("h4", {}, named(side)) : null, tools, grid.element);
}

/** The data of a picture, made when it is opened. */
function folded(side: Side): HTMLElement {
  const place = h("details", { class: "more data" }, h("summary", {}, `Show the data${side.name ? ` of ${side.name}` : ""}`));
  place.addEventListener("toggle", () => {
    if (!place.open || place.children.length > 1) return;
    const { grid, tools } = dataTable(side.rows.figure, side.rows.table, labelled(side));
    place.append(tools, grid.element);
  });
  return place;
}

function labelled({ rows, name }: Side): string {
  return `Data: ${printable(rows.figure.title)}${name ? ` at ${name}` : ""}`;
}
