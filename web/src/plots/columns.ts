/** Upright bars of shares or times: several figures beside each other, or over each other, for each name below. */
import { h } from "../ui/dom";
import { colour } from "../ui/theme";
import { chart, style, tip } from "./chart";

export interface Figures {
  name: string;
  /** A custom property of the style sheet. */
  colour: string;
  /** One a name; null where it is not known. */
  values: readonly (number | null)[];
}

export interface Columns {
  label: string;
  /** Of the axis below. */
  axis: string;
  names: readonly string[];
  /** What the tooltip says above the figures; else `axis` and the name. */
  heading?: (at: number) => string;
  figures: readonly Figures[];
  format: (value: number) => string;
  /** Of the ticks, when it is another. */
  tick?: (value: number) => string;
  stacked?: boolean;
  most?: number;
}

export function columns(shown: Columns): HTMLElement {
  const marks = shown.figures.map((each) => h("span", {}, h("i", { style: `background:var(${each.colour})` }), each.name));
  // Beside the chart, so that it wraps on a phone.
  return h("div", {}, h("div", { class: "legend of-columns" }, ...marks), drawing(shown));
}

function drawing(shown: Columns): HTMLElement {
  const picture = chart(shown.label, 280, () => ({
    grid: { left: 8, right: 12, top: 12, bottom: 26, containLabel: true },
    tooltip: {
      ...style.tooltip(),
      trigger: "axis",
      axisPointer: { type: "shadow", shadowStyle: { color: colour("--hover"), opacity: 0.7 } },
      formatter: (points: { dataIndex: number }[]) => {
        const at = points[0].dataIndex;
        const heading = shown.heading?.(at) ?? `${shown.axis} ${shown.names[at]}`;
        return tip(heading, shown.figures.map(({ name, colour: mark, values }) => [colour(mark), name, said(values[at], shown.format)]));
      },
    },
    xAxis: {
      type: "category",
      data: shown.names,
      name: shown.axis,
      nameLocation: "middle",
      nameGap: 30,
      nameTextStyle: style.label(),
      axisLabel: { ...style.label(), color: colour("--ink"), hideOverlap: true },
      axisLine: style.line(),
      axisTick: { show: false },
    },
    yAxis: {
      type: "value",
      ...(shown.most === undefined ? {} : { max: shown.most }),
      axisLabel: { ...style.label(), formatter: shown.tick ?? shown.format },
      splitLine: style.split(),
    },
    series: shown.figures.map((each) => ({
      type: "bar",
      ...(shown.stacked ? { stack: "all" } : {}),
      name: each.name,
      barMaxWidth: shown.stacked ? 64 : 22,
      barGap: "10%",
      itemStyle: { color: colour(each.colour), borderColor: colour("--sheet"), borderWidth: 0.5 },
      data: each.values,
    })),
  }));
  return picture.element;
}

function said(value: number | null, format: (value: number) => string): string {
  return value === null ? "not known" : format(value);
}
