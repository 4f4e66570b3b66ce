/** A line a rank over the number of the instance; some stand out. */
import type uPlot from "uplot";
import { duration } from "../text/units";
import { colour } from "../ui/theme";
import { tip } from "./chart";
import { NS_STEPS, NUMBER_STEPS } from "./over_time";
import { axis, pointed } from "./pointed";

export interface RankLine {
  name: string;
  /** Nanoseconds; null where there is none. */
  values: readonly (number | null)[];
  /** Stands out. */
  strong: boolean;
}

export interface RankLines {
  label: string;
  axis: string;
  xs: readonly number[];
  lines: readonly RankLine[];
  /** One more line, above all. */
  envelope?: readonly number[];
  heading(at: number): string;
  /** A line more in what is told at a place: name and value. */
  summary(at: number): [string, string];
}

const NEAR = 30; // pixels

export function rankLines(shown: RankLines): HTMLElement {
  // What stands out is drawn last, over the others.
  const lines = [...shown.lines].sort((one, other) => Number(one.strong) - Number(other.strong));
  const someStrong = lines.some((line) => line.strong);
  const values = [...lines.map((line) => line.values), ...(shown.envelope ? [shown.envelope] : [])];
  const first = shown.xs[0] ?? 0;
  const last = shown.xs[shown.xs.length - 1] ?? 1;
  const stroke = (line: RankLine) => (line.strong ? colour("--write") : someStrong ? mixed("--rest", 75) : mixed("--read", lines.length > 12 ? 55 : 85));
  return pointed({
    label: shown.label,
    height: 300,
    data: [shown.xs, ...values] as unknown as uPlot.AlignedData,
    options: () => ({
      cursor: { drag: { x: true, y: false, setScale: true }, focus: { prox: NEAR }, points: { show: false }, y: false },
      focus: { alpha: 0.25 },
      scales: {
        x: { time: false, range: (_, least, most) => (least === first && most === last ? [least - 0.5, most + 0.5] : [least, most]) },
        y: { range: (_, __, most) => [0, most > 0 ? most * 1.06 : 1] },
      },
      axes: [
        { ...axis(shown.axis), incrs: NUMBER_STEPS.filter((step) => step >= 1), values: (_, splits) => splits.map((value) => value.toLocaleString("en-US")) },
        { ...axis(), size: 72, incrs: NS_STEPS, values: (_, splits) => splits.map(duration) },
      ],
      series: [
        {},
        ...lines.map((line) => ({ stroke: stroke(line), width: line.strong ? 1.8 : 1, spanGaps: true, points: { show: shown.xs.length <= 60 && (lines.length <= 16 || shown.xs.length === 1), size: line.strong ? 5 : 4, fill: stroke(line) } })),
        ...(shown.envelope ? [{ stroke: colour("--ink"), width: 1, dash: [4, 3], points: { show: false } }] : []),
      ],
    }),
    say(plot, at, top) {
      const near = nearest(plot, lines, at, top);
      const own = near?.values[at];
      const [name, text] = shown.summary(at);
      return tip(shown.heading(at), [...(near && own != null ? [[stroke(near), near.name, duration(own)] as const] : []), [null, name, text]]);
    },
  });
}

function nearest(plot: uPlot, lines: readonly RankLine[], at: number, top: number): RankLine | null {
  let [best, distance]: [RankLine | null, number] = [null, NEAR];
  for (const line of lines) {
    const value = line.values[at];
    if (value == null) continue;
    const away = Math.abs(plot.valToPos(value, "y") - top);
    if (away <= distance) [best, distance] = [line, away];
  }
  return best;
}

function mixed(name: string, percent: number): string {
  return `color-mix(in srgb, ${colour(name)} ${percent}%, transparent)`;
}
