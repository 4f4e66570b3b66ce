/** Points of two figures, of any number: 100,000 are drawn in one go. */
import type uPlot from "uplot";
import { h } from "../ui/dom";
import { colour } from "../ui/theme";
import { type Guide, drawGuides } from "./guides";
import { legend } from "./legend";
import { pointed } from "./pointed";
import { type Scale, axisOf, placer, scaleOf } from "./scales";

export interface Points {
  name: string;
  /** A custom property of the style sheet. */
  colour: string;
  xs: ArrayLike<number>;
  ys: ArrayLike<number>;
  /** What `say` is asked by, one a point. */
  rows: ArrayLike<number>;
}

export interface Scatter {
  label: string;
  height: number;
  x: Scale;
  y: Scale;
  groups: readonly Points[];
  guides: readonly Guide[];
  say(row: number, group: Points): HTMLElement;
}

const NEAR = 14; // pixels
const MANY = 4000;

export function scatter(shown: Scatter): HTMLElement {
  const places = shown.groups.map((group) => ({ left: new Float32Array(group.xs.length), top: new Float32Array(group.xs.length) }));
  const many = shown.groups.reduce((sum, group) => sum + group.xs.length, 0) > MANY;
  let hidden: ReadonlySet<number> = new Set();
  let current: uPlot | null = null;
  const draw = (plot: uPlot) => {
    const [atX, atY] = [placer(plot, "x", shown.x.isLog), placer(plot, "y", shown.y.isLog)];
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.globalAlpha = many ? 0.45 : 0.7;
    shown.groups.forEach((group, number) => {
      const { left, top } = places[number];
      for (let at = 0; at < left.length; at++) [left[at], top[at]] = [atX(group.xs[at]), atY(group.ys[at])];
      if (!hidden.has(number)) marks(ctx, left, top, colour(group.colour), (many ? 1.4 : 3.2) * devicePixelRatio, many);
    });
    ctx.restore();
    drawGuides(plot, shown.guides, shown.x, shown.y);
  };
  const picture = pointed({
    label: shown.label,
    height: shown.height,
    // Of the frame alone: points are drawn by the hook.
    data: [[...shown.x.limits], [...shown.y.limits]],
    options: () => ({
      cursor: { drag: { x: true, y: true, setScale: true }, points: { show: false } },
      scales: { x: scaleOf(shown.x), y: scaleOf(shown.y) },
      axes: [axisOf(shown.x, "x"), axisOf(shown.y, "y")],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [draw] },
    }),
    ready: (plot) => (current = plot),
    say(plot, _, top) {
      const [x, y] = [(plot.cursor.left ?? 0) * devicePixelRatio + plot.bbox.left, top * devicePixelRatio + plot.bbox.top];
      const found = nearest(places, hidden, x, y, NEAR * devicePixelRatio);
      return found && shown.say(shown.groups[found[0]].rows[found[1]], shown.groups[found[0]]);
    },
  });
  const redraw = (now: ReadonlySet<number>) => {
    hidden = now;
    current?.redraw(false);
  };
  return h("div", {}, shown.groups.length > 1 ? legend(shown.groups, redraw) : null, picture);
}

function marks(ctx: CanvasRenderingContext2D, left: Float32Array, top: Float32Array, fill: string, size: number, many: boolean): void {
  ctx.fillStyle = fill;
  for (let at = 0; at < left.length; at++) {
    if (many) {
      ctx.fillRect(left[at] - size, top[at] - size, 2 * size, 2 * size);
      continue;
    }
    ctx.beginPath();
    ctx.arc(left[at], top[at], size, 0, 2 * Math.PI);
    ctx.fill();
  }
}

function nearest(places: readonly { left: Float32Array; top: Float32Array }[], hidden: ReadonlySet<number>, x: number, y: number, most: number): [number, number] | null {
  let [found, distance]: [[number, number] | null, number] = [null, most * most];
  places.forEach(({ left, top }, group) => {
    if (hidden.has(group)) return;
    for (let at = 0; at < left.length; at++) {
      const away = (left[at] - x) ** 2 + (top[at] - y) ** 2;
      if (away <= distance) [found, distance] = [[group, at], away];
    }
  });
  return found;
}
