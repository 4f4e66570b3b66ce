/** Rates over time: plots on one time axis, which zoom together. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { duration } from "../text/units";
import { h } from "../ui/dom";
import { colour, onTheme } from "../ui/theme";

export interface Line {
  name: string;
  /** A custom property of the style sheet. */
  colour: string;
  /** What happened in each span. */
  values: readonly number[];
}

export interface Panel {
  title: string;
  lines: readonly Line[];
  /** A rate in words, for the axis and the legend. */
  format(perSecond: number): string;
  /** Distances between ticks that look round. */
  steps: number[];
}

const HEIGHT = 190;

export class OverTime {
  readonly element = h("div", { class: "over-time" });
  private plots: uPlot[] = [];
  private range: [number, number];
  private readonly end: number;
  private readonly times: number[];
  private moving = false;

  /** Spans of `span` seconds from `begin`. */
  constructor(
    private readonly panels: readonly Panel[],
    private readonly begin: number,
    private readonly span: number,
    private readonly told: (zoomed: boolean) => void,
  ) {
    const spans = panels[0].lines[0].values.length;
    this.end = begin + spans * span;
    this.range = [begin, this.end];
    // One more than spans: the last one ends there.
    this.times = Array.from({ length: spans + 1 }, (_, place) => begin + place * span);
    this.build();
    onTheme(() => this.build());
    let width = 0;
    new ResizeObserver(() => {
      if (this.element.clientWidth === width || !this.element.clientWidth) return;
      width = this.element.clientWidth;
      for (const plot of this.plots) plot.setSize({ width, height: HEIGHT });
    }).observe(this.element);
    this.element.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
  }

  get zoomed(): boolean {
    return this.range[1] - this.range[0] < (this.end - this.begin) * 0.999;
  }

  /** Shows a part of the time, in seconds, cut to what there is. */
  show(from: number, to: number): void {
    const least = Math.min(this.end - this.begin, this.span * 2);
    const width = Math.min(Math.max(to - from, least), this.end - this.begin);
    const start = Math.min(Math.max(from, this.begin), this.end - width);
    this.range = [start, start + width];
    this.moving = true;
    for (const plot of this.plots) plot.setScale("x", { min: this.range[0], max: this.range[1] });
    this.moving = false;
    this.told(this.zoomed);
  }

  /** Zooms by a factor around a place, 0 to 1, of what is shown. */
  zoom(factor: number, around = 0.5): void {
    const [from, to] = this.range;
    const centre = from + (to - from) * around;
    this.show(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }

  /** Moves by a part of what is shown. */
  move(part: number): void {
    const step = (this.range[1] - this.range[0]) * part;
    this.show(this.range[0] + step, this.range[1] + step);
  }

  reset(): void {
    this.show(this.begin, this.end);
  }

  /** With the control key, as pinching on a touch pad is told too; the plain wheel scrolls the page. */
  private wheeled(event: WheelEvent): void {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const over = this.plots[0].over.getBoundingClientRect();
    this.zoom(event.deltaY < 0 ? 0.8 : 1.25, Math.min(1, Math.max(0, (event.clientX - over.left) / over.width)));
  }

  private build(): void {
    for (const plot of this.plots) plot.destroy();
    this.element.replaceChildren();
    this.plots = this.panels.map((panel) => {
      const place = h("div", { class: "panel" }, h("h3", {}, panel.title));
      this.element.append(place);
      return this.plot(panel, place);
    });
  }

  private plot(panel: Panel, place: HTMLElement): uPlot {
    const data: uPlot.AlignedData = [this.times, ...panel.lines.map((line) => this.rates(line.values))];
    const ink = colour("--ink-soft");
    const grid = { stroke: colour("--line-soft"), width: 1 };
    const axis = { stroke: ink, grid, ticks: { stroke: colour("--line"), width: 1, size: 5 }, font: "12px system-ui, sans-serif" };
    const options: uPlot.Options = {
      width: this.element.clientWidth || 600,
      height: HEIGHT,
      cursor: { sync: { key: "headrace-time" }, drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
      scales: {
        x: { time: false, min: this.range[0], max: this.range[1] },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        { ...axis, values: (_, splits) => splits.map(clock(this.range[1] - this.range[0])), space: 70, size: 32, incrs: TIME_STEPS },
        { ...axis, values: (_, splits) => splits.map((value) => panel.format(value)), size: 84, incrs: panel.steps, space: 26 },
      ],
      series: [
        { label: "Time", value: (_, value: number | null) => (value === null ? "" : duration(value * 1e9)) },
        ...panel.lines.map((line) => ({
          label: line.name,
          stroke: colour(line.colour),
          fill: `color-mix(in srgb, ${colour(line.colour)} 14%, transparent)`,
          width: 1.5,
          points: { show: false },
          paths: uPlot.paths.stepped?.({ align: 1 }),
          value: (_: uPlot, value: number | null) => (value === null ? "–" : panel.format(value)),
        })),
      ] as uPlot.Series[],
      hooks: {
        setScale: [(plot, key) => key === "x" && !this.moving && this.dragged(plot)],
      },
    };
    return new uPlot(options, data, place);
  }

  /** A drag or a double click on one plot is of all of them. */
  private dragged(plot: uPlot): void {
    const { min, max } = plot.scales.x;
    if (min == null || max == null) return;
    if (Math.abs(min - this.range[0]) + Math.abs(max - this.range[1]) < 1e-12) return;
    // Not inside uPlot's own update.
    queueMicrotask(() => this.show(min, max));
  }

  private rates(values: readonly number[]): number[] {
    const rates = values.map((value) => value / this.span);
    return [...rates, rates.at(-1) ?? 0];
  }
}

/** Writes moments on the axis: in one unit for the whole axis, so that they can be compared. */
function clock(seconds: number): (moment: number) => string {
  if (seconds > 120) {
    return (moment) => {
      const whole = Math.round(moment);
      const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
      const two = (value: number) => String(value).padStart(2, "0");
      return seconds > 3600 * 3 || hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
    };
  }
  const [unit, factor] = seconds >= 1 ? ["s", 1] : seconds >= 1e-3 ? ["ms", 1e3] : seconds >= 1e-6 ? ["µs", 1e6] : ["ns", 1e9];
  return (moment) => `${Number((moment * factor).toPrecision(6))} ${unit}`;
}

const TIME_STEPS = [
  ...Array.from({ length: 34 }, (_, place) => [1, 2, 5][place % 3] * 10 ** (Math.floor(place / 3) - 9)).filter((step) => step < 60),
  ...[60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200],
  ...[1, 2, 5, 10, 20, 50, 100].map((days) => days * 86400),
];
/** The same for axes of nanoseconds. */
export const NS_STEPS = TIME_STEPS.map((step) => Math.round(step * 1e9));
/** Steps for axes of bytes: powers of two are round there. */
export const BYTE_STEPS = Array.from({ length: 80 }, (_, power) => 2 ** (power - 10));
/** And for numbers: 1, 2 and 5 times powers of ten. */
export const NUMBER_STEPS = Array.from({ length: 72 }, (_, place) => [1, 2, 5][place % 3] * 10 ** (Math.floor(place / 3) - 6));
