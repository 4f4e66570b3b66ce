/** Throughput over time, with the calendar. */
import type { Band } from "../plots/bands";
import { timeline } from "../plots/timeline";
import { Together } from "../plots/together";
import { extent } from "../plots/scales";
import { printable } from "../text/printable";
import { h } from "../ui/dom";
import type { FigureFacts } from "./facts";
import { palette } from "./palette";
import { type Side, levels, scaleOfSides } from "./side";
import { formatOf } from "./units";

const HEIGHT = 300;
const SMALL = 200;

export function drawThroughput(side: Side, all: readonly Side[], label: string): HTMLElement {
  const { rows } = side;
  const [xs, ys] = [rows.numbers("x"), rows.numbers("y")];
  const y = rows.column("y")!;
  const panels = rows.groups("panel");
  const colours = palette(all, "colour");
  const found = extent(xs, false) ?? [0, 1];
  const bands = bandsOf(rows.figure);
  const limits: [number, number] = found[0] < found[1] ? [found[0], found[1]] : [found[0] - 60, found[0] + 60];
  const drawn = [...panels].map(([panel, members]) => {
    const lines = [...rows.groups("colour", members)].map(([name, own]) => {
      const sorted = own.filter((row) => !Number.isNaN(xs[row])).sort((one, other) => xs[one] - xs[other]);
      return { name: name || y.title, colour: colours.get(name)!, xs: sorted.map((row) => xs[row]), ys: sorted.map((row) => ys[row]) };
    });
    const together = new Together();
    // Below each other: one would hide the other.
    const plots = (lines.length ? lines : [null]).map((line, at) => {
      const plot = timeline({ label, height: lines.length > 1 || panels.size > 1 ? SMALL : HEIGHT, lines: line ? [line] : [], y: scaleOfSides(all, "y", Boolean(rows.figure.options.log_y), levels(rows.figure.options.guides ?? [])), bands, limits, format: formatOf(y), ...(lines.length > 1 ? { together, bare: at > 0 } : {}) });
      return lines.length > 1 ? h("div", {}, h("p", { class: "note of-line" }, line!.name), plot) : plot;
    });
    return panels.size > 1 ? h("figure", {}, h("figcaption", {}, panel), ...plots) : h("div", {}, ...plots);
  });
  return h("div", {}, ...drawn);
}

function bandsOf(figure: FigureFacts): Band[] {
  return (figure.options.bands ?? []).flatMap((band) => {
    const [start, end] = [Date.parse(band.start) / 1e3, Date.parse(band.end) / 1e3];
    return Number.isNaN(start) || Number.isNaN(end) ? [] : [{ start, end, kind: printable(band.kind), text: printable(band.text ?? "") }];
  });
}

/** The calendar's entries as a list, for who cannot see the bands. */
export function calendar(figure: FigureFacts): HTMLElement | null {
  const bands = figure.options.bands ?? [];
  if (!bands.length) return null;
  const items = bands.slice(0, 500).map((band) => h("li", {}, `${minute(band.start)} to ${minute(band.end)}: ${printable(band.kind)}${band.text ? `, ${printable(band.text)}` : ""}`));
  return h("details", { class: "more" }, h("summary", {}, `Calendar and gaps (${bands.length})`), h("ul", {}, ...items));
}

function minute(text: string): string {
  return printable(text).slice(0, 16).replace("T", " ");
}
