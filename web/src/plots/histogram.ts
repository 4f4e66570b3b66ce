/** Operations by size, in buckets of powers of two; any number of series beside each other. */
import { number, percent, size } from "../text/units";
import { colour } from "../ui/theme";
import { type Chart, chart, style, tip } from "./chart";

export interface Bucket {
  over: number;
  to: number;
  operations: number;
}

export interface Series {
  name: string;
  /** A custom property of the style sheet, such as "--read". */
  colour: string;
  buckets: readonly Bucket[];
}

/** Upper bounds from the least bucket to the greatest that any series has, those between included. */
export function bounds(series: readonly Series[]): number[] {
  const all = series.flatMap((one) => one.buckets.map((bucket) => bucket.to));
  if (!all.length) return [];
  const result = [];
  const greatest = Math.max(...all);
  for (let to = Math.min(...all); to < greatest; to *= 2) result.push(to);
  return [...result, greatest];
}

/** The sizes of a bucket in words. */
export function bucketName(to: number): string {
  return to <= 1 ? "≤ 1 B" : `${size(to / 2)} < … ≤ ${size(to)}`;
}

export function operationsOf(series: Series, to: number): number {
  return series.buckets.find((bucket) => bucket.to === to)?.operations ?? 0;
}

export function total(series: Series): number {
  return series.buckets.reduce((sum, bucket) => sum + bucket.operations, 0);
}

/** `series` is asked again at every draw. */
export function histogram(label: string, series: () => readonly Series[], height = 300): Chart {
  return chart(label, height, () => {
    const all = series();
    const places = bounds(all);
    return {
      grid: { left: 8, right: 12, top: 36, bottom: 22, containLabel: true },
      legend: style.legend(),
      tooltip: {
        ...style.tooltip(),
        trigger: "axis",
        axisPointer: { type: "shadow", shadowStyle: { color: colour("--hover"), opacity: 0.7 } },
        formatter: (points: { dataIndex: number }[]) => {
          const to = places[points[0].dataIndex];
          return tip(bucketName(to), all.map((one) => {
            const operations = operationsOf(one, to);
            const sum = total(one);
            return [colour(one.colour), one.name, `${number(operations)}${sum ? ` (${percent(operations / sum)})` : ""}`];
          }));
        },
      },
      xAxis: {
        type: "category",
        name: "size of the operation, at most",
        nameLocation: "middle",
        nameGap: 26,
        nameTextStyle: style.label(),
        data: places.map((to) => size(to)),
        axisLabel: { ...style.label(), hideOverlap: true },
        axisLine: style.line(),
        axisTick: { show: false },
      },
      yAxis: {
        type: "value",
        name: "operations",
        nameTextStyle: { ...style.label(), align: "left" },
        nameGap: 8,
        minInterval: 1,
        axisLabel: { ...style.label(), formatter: shortNumber },
        splitLine: style.split(),
      },
      series: all.map((one) => ({
        type: "bar",
        name: one.name,
        itemStyle: { color: colour(one.colour), borderRadius: [2, 2, 0, 0] },
        barMaxWidth: 34,
        barMinHeight: 0,
        barGap: "8%",
        data: places.map((to) => operationsOf(one, to)),
      })),
    };
  });
}

/** "12 k", "3.5 M": for axes, where every digit costs room. */
export function shortNumber(value: number): string {
  const steps: [number, string][] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const step = steps.find(([least]) => Math.abs(value) >= least);
  return step ? `${Number((value / step[0]).toPrecision(3))} ${step[1]}` : String(Number(value.toPrecision(3)));
}
