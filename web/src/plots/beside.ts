/** Figures of several kinds for each name: a mark with its interval, lying, so that long names can be read. */
import type uPlot from "uplot";
import { h } from "../ui/dom";
import { colour } from "../ui/theme";
import { tip } from "./chart";
import { axis, pointed } from "./pointed";
import { type Scale, axisOf, extent, padded, placer, scaleOf } from "./scales";

export interface Mark {
  value: number;
  /** Of its interval; null: there is none. */
  low: number | null;
  high: number | null;
}

export interface Kind {
  name: string;
  /** A custom property of the style sheet. */
  colour: string;
  /** One a name; null where it is not known. */
  marks: readonly (Mark | null)[];
}

export interface Beside {
  label: string;
  /** Of the values. */
  title: string;
  names: readonly string[];
  kinds: readonly Kind[];
  format(value: number): string;
}

const ROW = 22; // pixels a kind
const DECADE = 10;

export function beside(shown: Beside): HTMLElement {
  const legend = shown.kinds.map((each) => h("span", {}, h("i", { style: `background:var(${each.colour})` }), each.name));
  return h("div", {}, h("div", { class: "legend of-columns" }, ...legend), drawing(shown));
}

/** Logarithmic where values span decades, plain from 0 else. An interval that reaches to 0 widens no logarithm. */
export function scaleFor(shown: Pick<Beside, "kinds" | "title" | "format">): Scale {
  const marks = shown.kinds.flatMap((kind) => kind.marks.flatMap((mark) => mark ?? []));
  const values = extent(marks.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]), true);
  const isLog = values !== null && values[1] / values[0] >= DECADE && marks.every((mark) => mark.value > 0);
  const ends = marks.flatMap(({ value, low, high }) => (isLog ? [value, Math.max(low ?? value, value / 100), Math.min(high ?? value, value * 100)] : [value, low ?? value, high ?? value]));
  const steps = Array.from({ length: 40 }, (_, at) => [1, 2, 5].map((part) => part * 10 ** (at - 15))).flat();
  return { title: shown.title, isLog, isBinary: false, format: shown.format, steps, limits: padded(extent(ends, isLog), isLog) };
}

function drawing(shown: Beside): HTMLElement {
  const rows = shown.names.length;
  const scale = scaleFor(shown);
  const longest = Math.max(4, ...shown.names.map((name) => name.length));
  return pointed({
    label: `${shown.label}${scale.isLog ? ", on a logarithmic scale" : ""}`,
    height: 64 + (10 + ROW * shown.kinds.length) * rows,
    data: [[...scale.limits], [0, rows]],
    options: () => ({
      cursor: { drag: { x: false, y: false }, points: { show: false }, x: false, y: false },
      scales: { x: scaleOf(scale, true), y: { time: false, dir: -1, range: [0, rows] } },
      axes: [
        axisOf(scale, "x"),
        {
          ...axis(),
          size: 16 + 6.6 * longest,
          grid: { show: false },
          ticks: { show: false },
          splits: () => shown.names.map((_, place) => place + 0.5),
          filter: (_, splits) => splits,
          values: () => [...shown.names],
        },
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(plot) => draw(plot, shown, scale)] },
    }),
    say(plot, _, top) {
      const place = Math.floor(plot.posToVal(top, "y"));
      return place in shown.names ? tip(shown.names[place], shown.kinds.map((kind) => [colour(kind.colour), kind.name, said(kind.marks[place], shown.format)])) : null;
    },
  });
}

function draw(plot: uPlot, shown: Beside, scale: Scale): void {
  const { ctx, bbox } = plot;
  const pixel = devicePixelRatio;
  const x = placer(plot, "x", scale.isLog);
  const inside = (value: number) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, Number.isFinite(x(value)) ? x(value) : bbox.left));
  const row = bbox.height / shown.names.length;
  ctx.save();
  shown.kinds.forEach((kind, at) => {
    ctx.strokeStyle = ctx.fillStyle = colour(kind.colour);
    ctx.lineWidth = 1.6 * pixel;
    kind.marks.forEach((mark, place) => {
      if (!mark) return;
      const middle = bbox.top + (place + (at + 1) / (shown.kinds.length + 1)) * row;
      ctx.beginPath();
      if (mark.low !== null && mark.high !== null) {
        ctx.moveTo(inside(mark.low), middle);
        ctx.lineTo(inside(mark.high), middle);
        for (const end of [mark.low, mark.high]) {
          ctx.moveTo(inside(end), middle - 4 * pixel);
          ctx.lineTo(inside(end), middle + 4 * pixel);
        }
      }
      ctx.stroke();
      ctx.beginPath();
      ctx.arc(inside(mark.value), middle, 4.5 * pixel, 0, 2 * Math.PI);
      ctx.fill();
    });
  });
  ctx.restore();
}

function said(mark: Mark | null, format: (value: number) => string): string {
  if (!mark) return "not known";
  return mark.low === null || mark.high === null ? format(mark.value) : `${format(mark.value)} (${format(mark.low)} to ${format(mark.high)})`;
}
