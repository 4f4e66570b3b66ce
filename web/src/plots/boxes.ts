/** Boxes from quartile to quartile with whiskers, one a name, lying so that long names can be read. */
import type uPlot from "uplot";
import { number } from "../text/units";
import { colour } from "../ui/theme";
import { tip } from "./chart";
import { type Guide, drawGuides } from "./guides";
import { axis, pointed } from "./pointed";
import { type Scale, axisOf, placer, scaleOf } from "./scales";

export interface Box {
  name: string;
  low: number;
  q1: number;
  median: number;
  q3: number;
  high: number;
  /** NaN: not known. */
  count: number;
  /** A custom property of the style sheet. */
  colour: string;
}

export interface Outlier {
  x: string;
  y: number;
  label?: string;
}

export interface Boxes {
  label: string;
  boxes: readonly Box[];
  /** Of the values, which run along x. */
  scale: Scale;
  guides: readonly Guide[];
  outliers: readonly Outlier[];
  format(value: number): string;
}

const ROW = 34; // pixels
const NAME = 24; // characters
const NEAR = 7; // pixels

export function boxes(shown: Boxes): HTMLElement {
  const rows = shown.boxes.length;
  const height = 64 + ROW * rows;
  const longest = Math.max(4, ...shown.boxes.map((box) => cut(box.name).length));
  return pointed({
    label: shown.label,
    height,
    data: [[...shown.scale.limits], [0, rows]],
    options: () => ({
      cursor: { drag: { x: false, y: false }, points: { show: false }, x: false, y: false },
      scales: { x: scaleOf(shown.scale, true), y: { time: false, dir: -1, range: [0, rows] } },
      axes: [
        axisOf(shown.scale, "x"),
        {
          ...axis(),
          size: 16 + 6.6 * longest,
          grid: { show: false },
          ticks: { show: false },
          splits: () => shown.boxes.map((_, place) => place + 0.5),
          filter: (_, splits) => splits,
          values: () => shown.boxes.map((box) => cut(box.name)),
        },
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(plot) => draw(plot, shown)] },
    }),
    say(plot, _, top) {
      const place = Math.floor(plot.posToVal(top, "y"));
      const box = shown.boxes[place];
      return box ? (atOutlier(plot, shown, box) ?? told(box, shown.format)) : null;
    },
  });
}

function told(box: Box, format: (value: number) => string): HTMLElement {
  const figures = [["greatest", box.high], ["upper quartile", box.q3], ["median", box.median], ["lower quartile", box.q1], ["least", box.low]] as const;
  const rows = figures.flatMap(([name, value]) => (Number.isNaN(value) ? [] : [[null, name, format(value)] as const]));
  return tip(Number.isNaN(box.count) ? box.name : `${box.name}: ${number(box.count)}`, rows);
}

function atOutlier(plot: uPlot, shown: Boxes, box: Box): HTMLElement | null {
  const x = placer(plot, "x", shown.scale.isLog);
  const left = (plot.cursor.left ?? 0) * devicePixelRatio + plot.bbox.left;
  const found = shown.outliers.find((one) => one.x === box.name && Math.abs(x(one.y) - left) < NEAR * devicePixelRatio);
  return found ? tip(found.label ?? "beyond the others", [[null, box.name, shown.format(found.y)]]) : null;
}

function draw(plot: uPlot, shown: Boxes): void {
  const { ctx, bbox } = plot;
  const pixel = devicePixelRatio;
  const row = bbox.height / shown.boxes.length;
  const thick = Math.min(row * 0.55, 20 * pixel);
  const x = placer(plot, "x", shown.scale.isLog);
  const edge = (value: number) => Math.max(bbox.left, x(value) || bbox.left); // 0 has no place on a logarithm's scale
  drawGuides(plot, shown.guides, shown.scale, shown.scale, true);
  ctx.save();
  shown.boxes.forEach((box, place) => {
    if (!Number.isFinite(box.median)) return;
    const middle = bbox.top + (place + 0.5) * row;
    const [low, q1, median, q3, high] = [box.low, box.q1, box.median, box.q3, box.high].map((value) => edge(value));
    ctx.strokeStyle = colour(box.colour);
    ctx.lineWidth = 1.4 * pixel;
    line(ctx, low, middle, high, middle);
    for (const end of [low, high]) line(ctx, end, middle - thick / 3, end, middle + thick / 3);
    ctx.fillStyle = colour("--sheet");
    ctx.fillRect(q1, middle - thick / 2, Math.max(1, q3 - q1), thick);
    ctx.fillStyle = `color-mix(in srgb, ${colour(box.colour)} 30%, transparent)`;
    ctx.fillRect(q1, middle - thick / 2, Math.max(1, q3 - q1), thick);
    ctx.strokeRect(q1, middle - thick / 2, Math.max(1, q3 - q1), thick);
    ctx.lineWidth = 3 * pixel;
    line(ctx, median, middle - thick / 2, median, middle + thick / 2);
  });
  ctx.strokeStyle = colour("--bad");
  ctx.lineWidth = 1.6 * pixel;
  for (const { x: name, y } of shown.outliers) {
    const place = shown.boxes.findIndex((box) => box.name === name);
    if (place < 0 || !Number.isFinite(x(y))) continue;
    ctx.beginPath();
    ctx.arc(x(y), bbox.top + (place + 0.5) * row, 3.6 * pixel, 0, 2 * Math.PI);
    ctx.stroke();
  }
  ctx.restore();
}

function line(ctx: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(toX, toY);
  ctx.stroke();
}

function cut(name: string): string {
  return name.length > NAME ? `${name.slice(0, NAME - 1)}…` : name;
}
