/** Lines that a picture is read against, such as a limit or one file a process. */
import type uPlot from "uplot";
import { colour } from "../ui/theme";
import { type Scale, placer } from "./scales";

export interface Guide {
  label: string;
  /** y = slope * x, or y = value. */
  slope?: number;
  y?: number;
}

const PARTS = 64;

/** `isTurned`: values of y run along x, as in boxes that lie. */
export function drawGuides(plot: uPlot, guides: readonly Guide[], x: Scale, y: Scale, isTurned = false): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = colour("--ink-soft");
  ctx.fillStyle = colour("--ink-soft");
  ctx.lineWidth = 1.2 * devicePixelRatio;
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const guide of guides) {
    const points = isTurned ? upright(plot, guide, x) : across(plot, guide, x, y);
    ctx.beginPath();
    for (const [left, top] of points) ctx.lineTo(left, top);
    ctx.stroke();
    label(plot, guide.label, points, isTurned);
  }
  ctx.restore();
}

function upright(plot: uPlot, guide: Guide, x: Scale): [number, number][] {
  const left = placer(plot, "x", x.isLog)(guide.y ?? NaN);
  return Number.isFinite(left) ? [[left, plot.bbox.top], [left, plot.bbox.top + plot.bbox.height]] : [];
}

function across(plot: uPlot, guide: Guide, x: Scale, y: Scale): [number, number][] {
  const { min, max } = plot.scales.x;
  if (min == null || max == null) return [];
  const [atX, atY] = [placer(plot, "x", x.isLog), placer(plot, "y", y.isLog)];
  const points: [number, number][] = [];
  for (let part = 0; part <= PARTS; part++) {
    const value = x.isLog ? min * (max / min) ** (part / PARTS) : min + (max - min) * (part / PARTS);
    const top = atY(guide.slope === undefined ? (guide.y ?? NaN) : guide.slope * value);
    if (Number.isFinite(top)) points.push([atX(value), top]);
  }
  return points;
}

/** At the last place inside the picture. */
function label(plot: uPlot, text: string, points: readonly (readonly [number, number])[], isTurned: boolean): void {
  const { ctx, bbox } = plot;
  const inside = points.filter(([, top]) => top >= bbox.top && top <= bbox.top + bbox.height);
  const last = isTurned ? inside[0] : inside[inside.length - 1];
  if (!last) return;
  const gap = 4 * devicePixelRatio;
  const width = ctx.measureText(text).width;
  const left = isTurned ? (last[0] + gap + width > bbox.left + bbox.width ? last[0] - gap - width : last[0] + gap) : last[0] - width - gap;
  const top = Math.max(bbox.top + 11 * devicePixelRatio + gap, last[1] - gap);
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.fillText(text, Math.max(bbox.left + gap, left), isTurned ? bbox.top + 11 * devicePixelRatio : top);
}
