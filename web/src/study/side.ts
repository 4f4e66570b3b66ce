/** What is drawn of one study, or of two that are compared, with the same axes for both. */
import { extent } from "../plots/scales";
import type { Guide } from "../plots/guides";
import type { Scale } from "../plots/scales";
import { h } from "../ui/dom";
import type { Rows } from "./rows";
import { scaleFor } from "./units";

export interface Side {
  rows: Rows;
  /** What the site or period is called; empty when it is the only one. */
  name: string;
  /** A custom property of the style sheet, of a side that is compared with another. */
  colour?: string;
}

/** Its own wherever sides are told apart; parts of figures have others. */
export const sideColour = (place: number) => `--side-${place + 1}`;

/** The side's name with its colour, as in tiles, findings and above pictures. */
export function sideMark(name: string, place: number): HTMLElement {
  return h("span", { class: "side" }, h("i", { style: `background:var(${sideColour(place)})` }), name);
}

/** The scale of a channel that holds all sides, and lines that run along it. */
export function scaleOfSides(sides: readonly Side[], channel: "x" | "y", isLog: boolean, more: readonly number[] = []): Scale {
  const column = sides[0].rows.column(channel);
  const found = extent([...extents(sides, channel, isLog), ...more], isLog);
  return scaleFor(column ?? { name: channel, title: "", unit: "", kind: "number" }, isLog, found);
}

function extents(sides: readonly Side[], channel: string, isLog: boolean): number[] {
  return sides.flatMap((side) => extent(side.rows.numbers(channel), isLog) ?? []);
}

/** The values of lines that run along x. */
export function levels(guides: readonly Guide[]): number[] {
  return guides.flatMap((guide) => (guide.slope === undefined && typeof guide.y === "number" ? [guide.y] : []));
}

/** How many rows a logarithmic scale has no place for. */
export function leftOut(rows: Rows, isLog: { x: boolean; y: boolean }): number {
  const [xs, ys] = [rows.numbers("x"), rows.numbers("y")];
  let count = 0;
  for (let row = 0; row < rows.table.rows; row++) if ((isLog.x && xs[row] <= 0) || (isLog.y && ys[row] <= 0)) count++;
  return count;
}
