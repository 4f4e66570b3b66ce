/** Lines of one figure over another, such as cumulative distributions. */
import uPlot from "uplot";
import { h } from "../ui/dom";
import { colour } from "../ui/theme";
import { tip } from "./chart";
import { type Guide, drawGuides } from "./guides";
import { legend } from "./legend";
import { pointed } from "./pointed";
import { type Scale, axisOf, scaleOf } from "./scales";

export interface Curve {
  name: string;
  /** A custom property of the style sheet. */
  colour: string;
  /** Ascending. */
  xs: readonly number[];
  /** NaN where there is none. */
  ys: readonly number[];
  isDashed?: boolean;
}

export interface Curves {
  label: string;
  height: number;
  x: Scale;
  y: Scale;
  lines: readonly Curve[];
  guides: readonly Guide[];
  /** A figure holds until the next one. */
  isStep: boolean;
  /** More in the figures of a tooltip than the ticks of the axis say. */
  formatX?(value: number): string;
  formatY?(value: number): string;
}

const TOLD = 12; // lines in a tooltip
const FEW = 60; // places at which points are marked

export function curves(shown: Curves): HTMLElement {
  const { lines } = shown;
  const data = joined(lines, shown.x.isLog, shown.y.isLog);
  const xs = data[0] as number[];
  let current: uPlot | null = null;
  let hidden: ReadonlySet<number> = new Set();
  const sayX = shown.formatX ?? shown.x.format;
  const sayY = shown.formatY ?? shown.y.format;
  const picture = pointed({
    label: shown.label,
    height: shown.height,
    data,
    options: () => ({
      cursor: { drag: { x: true, y: false, setScale: true }, points: { size: 6 }, y: false },
      scales: { x: scaleOf(shown.x), y: scaleOf(shown.y, true) },
      axes: [axisOf(shown.x, "x"), axisOf(shown.y, "y")],
      series: [
        {},
        ...lines.map((line, number) => ({
          show: !hidden.has(number),
          stroke: colour(line.colour),
          width: 2,
          ...(line.isDashed ? { dash: [6, 4] } : {}),
          points: { show: !shown.isStep && line.xs.length <= FEW, size: 5, fill: colour(line.colour) },
          ...(shown.isStep ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
        })),
      ],
      hooks: { draw: [(plot) => drawGuides(plot, shown.guides, shown.x, shown.y)] },
    }),
    ready: (plot) => (current = plot),
    say(_, at) {
      const told = lines.flatMap((line, number) => {
        const value = hidden.has(number) ? null : known(data[number + 1] as (number | null | undefined)[], at, shown.isStep);
        return value === null ? [] : [[colour(line.colour), line.name, sayY(value)] as const];
      });
      return told.length ? tip(sayX(xs[at]), told.slice(0, TOLD)) : null;
    },
  });
  const change = (now: ReadonlySet<number>) => {
    hidden = now;
    lines.forEach((_, number) => current?.setSeries(number + 1, { show: !now.has(number) }));
  };
  return h("div", {}, lines.length > 1 ? legend(lines, change) : null, picture);
}

/** On one axis; what a logarithmic scale has no place for is left out. */
function joined(lines: readonly Curve[], isLogX: boolean, isLogY: boolean): uPlot.AlignedData {
  const tables = lines.map((line) => {
    const keep = line.xs.flatMap((x, at) => (Number.isFinite(x) && (!isLogX || x > 0) ? [at] : []));
    return [
      keep.map((at) => line.xs[at]),
      keep.map((at) => (Number.isFinite(line.ys[at]) && (!isLogY || line.ys[at] > 0) ? line.ys[at] : null)),
    ] as uPlot.AlignedData;
  });
  return tables.length ? uPlot.join(tables) : [[], []];
}

/** The value at a place; of steps the last one before it. */
function known(values: readonly (number | null | undefined)[], at: number, isStep: boolean): number | null {
  let place = at;
  while (isStep && place > 0 && values[place] === undefined) place--;
  return values[place] ?? null;
}
