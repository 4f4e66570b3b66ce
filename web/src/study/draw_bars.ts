/** Bars and histograms: categories in order, of which each is made of parts, or stands in several colours. */
import { type Columns, columns } from "../plots/columns";
import { seriesColour } from "../plots/legend";
import { extent } from "../plots/scales";
import { clockUtc } from "../text/dates";
import { h } from "../ui/dom";
import { type Palette, palette } from "./palette";
import type { Side } from "./side";
import { formatOf, tickOf, titleOf, withoutMidnight } from "./units";

const LONG = 15; // characters of a name that does not fit below a bar
const MANY = 14;

/** `sides`: one to draw; `all`: those whose greatest value the axis holds. */
export function drawBars(side: Side, all: readonly Side[], label: string): HTMLElement {
  const { rows } = side;
  const panels = rows.groups("panel");
  const isStacked = rows.figure.kind === "bars" && rows.column("colour") !== undefined;
  const colours = rows.column("colour") || !side.colour ? palette(all, "colour") : new Map([["", side.colour]]);
  const most = greatest(all, isStacked);
  const found = [...new Set(all.flatMap((one) => [...one.rows.groups("x").keys()]))];
  const names = rows.column("x")?.kind === "time" ? everyDay(found) : found;
  const drawn = [...panels].map(([panel, members]) => {
    const plot = columns({ ...content(side, names, members, colours, label), stacked: isStacked, most: panels.size > 1 || all.length > 1 ? most : shareEnd(side, most), bare: true, ...(panels.size > 1 ? { height: lies(names) ? 60 + 26 * names.length : 230 } : {}) });
    return panels.size > 1 ? h("figure", {}, h("figcaption", {}, panel), plot) : plot;
  });
  return h("div", {}, marks(colours), h("div", { class: panels.size > 1 ? "panels" : undefined }, ...drawn));
}

function content({ rows }: Side, names: readonly string[], members: readonly number[], colours: Palette, label: string): Columns {
  const y = rows.column("y")!;
  const values = rows.numbers("y");
  const place = new Map(names.map((name, at) => [name, at]));
  const xs = rows.texts("x");
  const parts = rows.groups("colour", members);
  const figures = [...colours].filter(([name]) => parts.has(name)).map(([name, colour]) => {
    const found = new Array<number | null>(names.length).fill(null);
    for (const row of parts.get(name)!) found[place.get(xs.at(row))!] = Number.isNaN(values[row]) ? null : values[row];
    return { name: name || titleOf(y), colour, values: found };
  });
  const said = rows.column("x")?.kind === "time" ? names.map(withoutMidnight) : names;
  return { label, axis: titleOf(rows.column("x")), names: said, heading: (at) => said[at], figures, format: formatOf(y), tick: tickOf(y), isBinary: y.unit === "bytes" || y.unit === "bytes/s", lying: lies(said) };
}

function lies(names: readonly string[]): boolean {
  return names.length > MANY || names.some((name) => name.length > LONG);
}

const MOST_DAYS = 2000;
const DAY = 86_400_000;

/** Days with nothing are shown too, for the axis is one of time. Other moments stay as they are. */
export function everyDay(names: readonly string[]): string[] {
  const days = names.map((name) => Date.parse(name.replace(/^(.{10}) (00:00:00) UTC$/, "$1T$2Z"))).sort((one, other) => one - other);
  const count = (days[days.length - 1] - days[0]) / DAY + 1;
  if (!(count <= MOST_DAYS) || days.some((day) => !(day % DAY === 0))) return [...names];
  return Array.from({ length: count }, (_, at) => clockUtc((days[0] + at * DAY) / 1e3));
}

/** Shares that nearly fill the axis end at 100 %. */
function shareEnd(side: Side, most: number | undefined): number | undefined {
  return side.rows.column("y")?.unit === "share" && most !== undefined && most > 0.6 && most <= 1.0001 ? 1 : undefined;
}

/** Of the sums of parts, or of the values. */
function greatest(sides: readonly Side[], isStacked: boolean): number | undefined {
  const found = sides.flatMap(({ rows }) => {
    const values = rows.numbers("y");
    if (!isStacked) return extent(values, false)?.[1] ?? [];
    return [...rows.groups("panel").values()].flatMap((members) =>
      [...rows.groups("x", members).values()].map((each) => each.reduce((sum, row) => sum + (values[row] || 0), 0)),
    );
  });
  const most = Math.max(0, ...found);
  return most > 0 ? Number((most * 1.0000001).toPrecision(4)) : undefined;
}

function marks(colours: Palette): HTMLElement | null {
  if (colours.size < 2) return null;
  return h("div", { class: "legend of-columns" }, ...[...colours].map(([name, colour]) => h("span", {}, h("i", { style: `background:var(${colour})` }), name)));
}

/** Two sites as two bars beside each other, where nothing else has a colour. */
export function overlaidBars(sides: readonly Side[], label: string): HTMLElement {
  const names = [...new Set(sides.flatMap((side) => [...side.rows.groups("x").keys()]))];
  const figures = sides.map((side, place) => {
    const colour = side.colour ?? seriesColour(place);
    const one = content(side, names, side.rows.all(), new Map([["", colour]]), label).figures[0];
    return { name: side.name, colour, values: one?.values ?? names.map(() => null) };
  });
  return columns({ ...content(sides[0], names, sides[0].rows.all(), new Map([["", "--series-1"]]), label), figures });
}
