/** Bars of durations, each made of parts. */
import { duration, percent, roundPercent } from "../text/units";
import { colour } from "../ui/theme";
import { type Chart, chart, style, tip } from "./chart";

export interface Part {
  name: string;
  /** A custom property of the style sheet. */
  colour: string;
  /** Nanoseconds, one a bar. */
  values: readonly number[];
}

/** `asShares`: each bar is its whole, and the legend is beside the chart. */
export function stackedBars(label: string, bars: readonly string[], parts: readonly Part[], asShares = false): Chart {
  const sums = bars.map((_, bar) => parts.reduce((sum, part) => sum + part.values[bar], 0));
  const height = (asShares ? 44 : 74) + 34 * bars.length;
  return chart(label, height, () => ({
    grid: { left: 8, right: 24, top: asShares ? 4 : 34, bottom: 8, containLabel: true },
    ...(asShares ? {} : { legend: style.legend() }),
    tooltip: {
      ...style.tooltip(),
      trigger: "axis",
      axisPointer: { type: "shadow", shadowStyle: { color: colour("--hover"), opacity: 0.7 } },
      formatter: (points: { dataIndex: number }[]) => {
        const bar = points[0].dataIndex;
        return tip(`${bars[bar]}: ${duration(sums[bar])}`, parts.map((part) => [
          colour(part.colour),
          part.name,
          `${duration(part.values[bar])} (${percent(sums[bar] ? part.values[bar] / sums[bar] : null)})`,
        ]));
      },
    },
    xAxis: {
      type: "value",
      // Ticks at round figures of the unit in which they are written.
      ...(asShares ? { max: 1 } : ticks(Math.max(...sums, 1))),
      axisLabel: { ...style.label(), formatter: asShares ? roundPercent : duration, hideOverlap: true },
      splitLine: style.split(),
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: bars,
      axisLabel: { ...style.label(), color: colour("--ink") },
      axisLine: { show: false },
      axisTick: { show: false },
    },
    series: parts.map((part) => ({
      type: "bar",
      stack: "all",
      name: part.name,
      barMaxWidth: 24,
      itemStyle: { color: colour(part.colour), borderColor: colour("--sheet"), borderWidth: 0.5 },
      data: asShares ? part.values.map((value, bar) => (sums[bar] ? value / sums[bar] : 0)) : part.values,
    })),
  }));
}

function ticks(greatest: number): { interval?: number; max?: number } {
  // Minutes and hours do not divide by ten.
  const steps = [60e9, 120e9, 300e9, 600e9, 1800e9, 3600e9, 7200e9, 18000e9, 36000e9, 86400e9];
  if (greatest < 120e9) return {};
  const interval = steps.find((step) => greatest / step <= 6) ?? Math.ceil(greatest / 6 / 86400e9) * 86400e9;
  return { interval, max: Math.ceil(greatest / interval) * interval };
}
