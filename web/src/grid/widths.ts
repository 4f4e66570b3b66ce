/** The widths of a table's columns: measured in the browser, for what they hold, and kept up to date. */
import { h } from "../ui/dom";
import { type Need, allot, sum } from "./allot";
import type { Column } from "./column";

const SHORT = 9; // letters of a heading in one line
const LONGEST = 3; // cells measured of a column
const NARROW = 170; // pixels at least of names on a phone
const WIDE = 240; // where one asks for more there
const NAME = 200; // the same on a wide screen
const TEXT = 320; // of other texts, which have no middle to leave out
const PICTURES = "i, svg, canvas";
const PAD = 20; // of a cell, both sides
const OPENER = 22;

export class Widths {
  readonly columns: HTMLElement[];
  private readonly needs: Need[];
  private readonly lengths: number[];
  private widths: number[] = [];
  private readonly areNames: boolean[];
  private letter = 7.5;

  constructor(
    private readonly shown: readonly Column[],
    private readonly opens: boolean,
  ) {
    this.areNames = shown.map(() => false);
    this.columns = shown.map(() => h("col"));
    this.needs = shown.map((column) => ({ natural: 0, least: 0, grows: column.grows ?? false }));
    this.lengths = shown.map(() => -1);
  }

  /** Whether a cell is longer than those measured, once there are such. */
  isNews(place: number, cell: HTMLElement): boolean {
    return this.lengths[place] >= 0 && length(cell) > this.lengths[place];
  }

  /** Measures the longest of these cells and the headings. `table` is in the document. Cells must show all that they have. */
  measure(cells: readonly HTMLElement[][], table: HTMLElement): void {
    const chosen = cells.map((of) => [...of].sort((a, b) => length(b) - length(a)).slice(0, LONGEST));
    const letters = h("span", { class: "path" }, "0".repeat(100));
    const rows = Array.from({ length: LONGEST }, (_, row) => h("tr", {}, ...chosen.map((of) => of[row] ?? h("td"))));
    const head = h("tr", {}, ...this.shown.map((column) => h("th", {}, heading(column))));
    const made = h("div", { class: "grid measured", "aria-hidden": "true" }, letters, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
    table.append(made);
    this.letter = letters.getBoundingClientRect().width / 100 || this.letter;
    [...head.children].forEach((cell, place) => this.learn(place, Math.ceil(cell.getBoundingClientRect().width) + 1, chosen[place]));
    made.remove();
  }

  private learn(place: number, width: number, cells: readonly HTMLElement[]): void {
    const column = this.shown[place];
    const natural = Math.max(width, this.needs[place].natural);
    const isPicture = cells.some((cell) => cell.querySelector(PICTURES));
    this.areNames[place] ||= cells.some((cell) => cell.querySelector(".name"));
    const isNarrow = matchMedia("(max-width: 600px)").matches;
    const text = !this.areNames[place] ? TEXT : isNarrow ? Math.min(column.least ?? NARROW, WIDE) : (column.least ?? NAME);
    // Figures are never cut; texts may be, and pictures are of use from some width on.
    const least = isPicture ? Math.max(natural, column.least ?? 0) : column.left ? Math.min(natural, text) : natural;
    this.needs[place] = { natural, least, grows: column.grows ?? false };
    this.lengths[place] = cells.reduce((most, cell) => Math.max(most, length(cell)), this.lengths[place]);
  }

  /** Sets the columns of a table in so many pixels; its texts wrap where its rows may be high. Whether any width changed. */
  apply(table: HTMLElement, room: number, mayWrap: boolean): boolean {
    const widths = allot(this.needs, room);
    const cut = (place: number) => this.shown[place].left && !this.areNames[place] && widths[place] < this.needs[place].natural;
    table.classList.toggle("wraps", mayWrap && widths.some((_, place) => cut(place)));
    if (widths.every((width, place) => Math.abs(width - this.widths[place]) < 1)) return false;
    this.widths = widths;
    widths.forEach((width, place) => (this.columns[place].style.width = `${width}px`));
    const whole = sum(widths);
    table.style.minWidth = whole > room + 1 ? `${whole}px` : "";
    return true;
  }

  /** Pixels and the width of a letter for the name in a cell, beside what opens it. */
  room(place: number): { pixels: number; letter: number } {
    const width = this.widths[place] ?? Infinity;
    return { pixels: width - PAD - (place === 0 && this.opens ? OPENER : 0), letter: this.letter };
  }
}

/** A heading in at most two lines, at the break that needs least, with room for its arrow. */
function heading(column: Column): HTMLElement {
  const parts = column.title.length > SHORT ? column.title.split(" ") : [column.title];
  let best = [column.title];
  for (let at = 1; at < parts.length; at++) {
    const lines = [parts.slice(0, at).join(" "), parts.slice(at).join(" ")];
    if (longest(lines) < longest(best)) best = lines;
  }
  return h("span", {}, ...best.map((line) => h("span", { class: "line" }, `${line}${column.order ? " ↓" : ""}`)));
}

function longest(lines: readonly string[]): number {
  return Math.max(...lines.map((line) => line.length));
}

function length(cell: HTMLElement): number {
  return cell.textContent?.length ?? 0;
}
