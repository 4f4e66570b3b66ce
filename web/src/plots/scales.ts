/** Axes of uPlot on plain and logarithmic scales, with ticks where figures are round in their unit. */
import type uPlot from "uplot";
import { axis } from "./pointed";

export interface Scale {
  title: string;
  isLog: boolean;
  /** Powers of two are round, as of bytes; else those of ten. */
  isBinary: boolean;
  format(value: number): string;
  /** Distances between ticks on a plain scale. */
  steps: number[];
  /** What is shown at first. */
  limits: [number, number];
}

const ROOM = { x: 66, y: 34 }; // pixels a tick

/** The least and greatest of values that can be on a scale; null: there are none. */
export function extent(values: Iterable<number>, isLog: boolean): [number, number] | null {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value) || (isLog && value <= 0)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return least <= most ? [least, most] : null;
}

/** With some room beyond; a plain scale begins at 0 where nothing is below it. */
export function padded(found: readonly [number, number] | null, isLog: boolean): [number, number] {
  if (!found) return isLog ? [1, 10] : [0, 1];
  const [least, most] = found;
  if (isLog) {
    const room = Math.max(1.2, (most / least) ** 0.04);
    return [least / room, most * room];
  }
  const low = Math.min(0, least);
  const high = Math.max(0, most);
  if (low === high) return [0, 1];
  return [low - (low < 0 ? (high - low) * 0.05 : 0), high + (high - low) * 0.05];
}

/** `isFixed`: what is shown stays; else a reader's zoom is followed. */
export function scaleOf(scale: Scale, isFixed = false): uPlot.Scale {
  let first: [number, number] | null = null;
  const range = (_: uPlot, least: number, most: number): [number, number] => {
    first ??= [least, most];
    const isFirst = least == null || (least === first[0] && most === first[1]);
    return isFixed || isFirst ? scale.limits : [least, most];
  };
  return { time: false, auto: true, range, ...(scale.isLog ? { distr: 3 as const, log: 10 as const } : {}) };
}

export function axisOf(scale: Scale, which: "x" | "y"): uPlot.Axis {
  const parts = axis(scale.title || undefined);
  const size = which === "x" ? 30 : 64;
  const splits = (plot: uPlot, _: number, least: number, most: number) => {
    const pixels = (which === "x" ? plot.bbox.width : plot.bbox.height) / devicePixelRatio || 400;
    const number = Math.max(2, Math.floor(pixels / ROOM[which]));
    return logTicks(least, most, scale.isBinary, number);
  };
  return {
    ...parts,
    size,
    space: ROOM[which],
    ...(scale.isLog ? { splits, filter: (_: uPlot, ticks: number[]) => ticks } : { incrs: scale.steps }),
    values: (_, ticks) => ticks.map((tick) => scale.format(tick)),
  };
}

const BINARY_STRIDES = [1, 2, 5, 10, 20, 40];

/** At most about `number` ticks at powers of ten or two; where those are few, at 2 and 5 times them too. */
export function logTicks(least: number, most: number, isBinary: boolean, number: number): number[] {
  const base = isBinary ? 2 : 10;
  const [from, to] = [Math.log(least) / Math.log(base), Math.log(most) / Math.log(base)];
  const wanted = (to - from) / number;
  const stride = isBinary ? (BINARY_STRIDES.find((one) => one >= wanted) ?? 40) : Math.max(1, Math.ceil(wanted));
  const parts = !isBinary && to - from <= number / 3 ? [1, 2, 5] : [1];
  const found: number[] = [];
  for (let power = Math.floor(from / stride) * stride; power <= to; power += stride) found.push(...parts.map((part) => part * base ** power));
  return found.filter((tick) => tick >= least && tick <= most);
}

/** Pixels of the canvas for values of a scale. */
export function placer(plot: uPlot, key: "x" | "y", isLog: boolean): (value: number) => number {
  const { min = 0, max = 1 } = plot.scales[key];
  const { left, top, width, height } = plot.bbox;
  const of = isLog ? Math.log : (value: number) => value;
  const [begin, length] = [of(min ?? 0), of(max ?? 1) - of(min ?? 0)];
  if (key === "x") return (value) => left + ((of(value) - begin) / length) * width;
  return (value) => top + height - ((of(value) - begin) / length) * height;
}
