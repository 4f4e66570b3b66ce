/** A rate over days and months, with what the calendar says; where nothing is known, nothing is drawn. */
import uPlot from "uplot";
import { clockUtc } from "../text/dates";
import { h } from "../ui/dom";
import { colour } from "../ui/theme";
import { type Band, bandColour, bandMarks, drawBands } from "./bands";
import { tip } from "./chart";
import type { Curve } from "./curves";
import { type Guide, drawGuides } from "./guides";
import { legend } from "./legend";
import { axis, pointed } from "./pointed";
import { type Scale, axisOf, scaleOf } from "./scales";
import type { Together } from "./together";

export interface Timeline {
  label: string;
  height: number;
  lines: readonly Curve[];
  y: Scale;
  bands: readonly Band[];
  limits: [number, number];
  format(value: number): string;
  /** Spans with nothing in them stay empty: the usual distance between moments, in seconds; 0: find it. */
  every?: number;
  /** Levels that it is read against. */
  guides?: readonly Guide[];
  /** Other plots that are zoomed with it. */
  together?: Together;
  /** Without legend and buttons, which the plot above has. */
  bare?: boolean;
}

const PLAIN = { isLog: false } as Scale; // time
const MANY = 4000; // moments, beyond which steps could not be seen
const END = 1 / 1024; // of a step

export function timeline(shown: Timeline): HTMLElement {
  const lines = shown.lines.map((line) => ({ ...line, ...withGaps(line, shown.every ?? 0) }));
  const data = lines.length ? uPlot.join(lines.map((line) => [line.xs, line.ys] as uPlot.AlignedData)) : ([[], []] as uPlot.AlignedData);
  const isLong = data[0].length > MANY;
  let current: uPlot | null = null;
  const hidden = new Set<number>();
  const picture = pointed({
    label: shown.label,
    height: shown.height,
    data,
    options: () => ({
      tzDate: (moment) => uPlot.tzDate(new Date(moment * 1e3), "Etc/UTC"),
      cursor: { drag: { x: true, y: false, setScale: true }, points: { show: false }, y: false },
      scales: {
        x: { time: true, range: (_, least, most) => (data[0].length && least === data[0][0] && most === data[0][data[0].length - 1] ? shown.limits : [least ?? 0, most ?? 1]) },
        y: scaleOf(shown.y, true),
      },
      axes: [{ ...axis(), size: 40, space: 76, values: (_, splits, __, ___, step) => days(splits, step) }, { ...axisOf(shown.y, "y"), size: 78 }],
      series: [
        {},
        ...lines.map((line, number) => ({
          show: !hidden.has(number),
          stroke: colour(line.colour),
          fill: isLong ? undefined : `color-mix(in srgb, ${colour(line.colour)} 13%, transparent)`,
          width: 1.3,
          points: { show: false },
          ...(isLong ? {} : { paths: uPlot.paths.stepped!({ align: 1 }) }),
        })),
      ] as uPlot.Series[],
      hooks: {
        drawClear: [(plot) => drawBands(plot, shown.bands)],
        draw: [(plot) => drawGuides(plot, shown.guides ?? [], PLAIN, shown.y)],
        setScale: [(plot, key) => key === "x" && shown.together?.follow(plot)],
      },
    }),
    ready(plot) {
      current = plot;
      shown.together?.put(shown, plot);
    },
    say(plot, at) {
      const moment = plot.posToVal(plot.cursor.left ?? 0, "x");
      const bands = shown.bands.filter((band) => moment >= band.start && moment <= band.end);
      const figures = lines.flatMap((line, number) => {
        const value = data[number + 1][at];
        return hidden.has(number) ? [] : [[colour(line.colour), line.name, value == null ? "not known" : shown.format(value)] as const];
      });
      return tip(clockUtc(data[0][at]), [...figures, ...bands.slice(0, 4).map((band) => [colour(bandColour(band.kind)), band.kind, band.text] as const)]);
    },
  });
  const change = (now: ReadonlySet<number>) => {
    lines.forEach((_, number) => {
      if (now.has(number)) hidden.add(number);
      else hidden.delete(number);
      current?.setSeries(number + 1, { show: !now.has(number) });
    });
  };
  if (shown.bare) return picture;
  return h("div", {}, legend(lines.length > 1 || !shown.together ? lines : [], change, bandMarks(shown.bands)), controls(() => current, shown.limits), picture);
}

/** Buttons that do what dragging and a double click do. */
function controls(plot: () => uPlot | null, whole: [number, number]): HTMLElement {
  const show = (min: number, max: number) => {
    const width = Math.min(max - min, whole[1] - whole[0]);
    const from = Math.min(Math.max(min, whole[0]), whole[1] - width);
    plot()?.setScale("x", { min: from, max: from + width });
  };
  const change = (factor: number, part: number) => {
    const { min, max } = plot()?.scales.x ?? {};
    if (min == null || max == null) return;
    const [middle, half] = [(min + max) / 2 + (max - min) * part, ((max - min) / 2) * factor];
    show(middle - half, middle + half);
  };
  const button = (text: string, label: string, act: () => void) => h("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick: act }, text);
  return h(
    "div",
    { class: "tools zoom" },
    button("◂", "Earlier", () => change(1, -0.5)),
    button("+", "Zoom in", () => change(0.5, 0)),
    button("−", "Zoom out", () => change(2, 0)),
    button("▸", "Later", () => change(1, 0.5)),
    button("All", "The whole time", () => show(...whole)),
  );
}

/** Nulls where moments are further apart than usual. */
export function withGaps(line: { xs: readonly number[]; ys: readonly number[] }, every: number): { xs: number[]; ys: (number | null)[] } {
  const usual = every || median(line.xs.slice(1).map((x, at) => x - line.xs[at]));
  const xs: number[] = [];
  const ys: (number | null)[] = [];
  const put = (x: number, y: number | null) => {
    // A step is drawn up to the next value, so the last one before nothing needs an end of its own.
    if (y === null && usual > 0 && ys.length && ys[ys.length - 1] !== null) {
      xs.push(x - usual * END);
      ys.push(ys[ys.length - 1]);
    }
    xs.push(x);
    ys.push(y);
  };
  line.xs.forEach((x, at) => {
    const before = line.xs[at - 1];
    if (at && x - before > 1.5 * usual) put(before + usual, null);
    put(x, Number.isFinite(line.ys[at]) ? line.ys[at] : null);
  });
  // The last one lasts as long as the others.
  if (xs.length && usual > 0) {
    xs.push(xs[xs.length - 1] + usual);
    ys.push(ys[ys.length - 1]);
  }
  return { xs, ys };
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[values.length >> 1] ?? 0;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Ticks of time in UTC: hours with their day where it begins, days with their year where that does. */
export function days(ticks: readonly number[], step: number): string[] {
  let last = "";
  return ticks.map((tick) => {
    const date = new Date(tick * 1e3);
    const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
    const year = String(date.getUTCFullYear());
    const below = step < 86400 ? `${day} ${year}` : year;
    const above = step < 86400 ? date.toISOString().slice(11, step < 60 ? 19 : 16) : day;
    const isNew = below !== last;
    last = below;
    return isNew ? `${above}\n${below}` : above;
  });
}
