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
  least?: number | undefined;
  most?: number | undefined;
  height?: number;
  /** Names stand at the left and bars lie: for long names. */
  lying?: boolean;
  /** Without the marks above, which several pictures share. */
  bare?: boolean;
  /** Ticks at powers of two. */
  isBinary?: boolean;
}

const LYING_ROW = 30; // pixels

export function columns(shown: Columns): HTMLElement {
  const marks = shown.figures.map((each) => h("span", {}, h("i", { style: `background:var(${each.colour})` }), each.name));
  // Beside the chart, so that it wraps on a phone.
  return h("div", {}, shown.bare ? null : h("div", { class: "legend of-columns" }, ...marks), drawing(shown));
}

function drawing(shown: Columns): HTMLElement {
  const beside = shown.stacked ? 1 : shown.figures.length;
  const height = shown.height ?? (shown.lying ? 50 + shown.names.length * Math.max(LYING_ROW, 14 * beside) : 280);
  const picture = chart(shown.label, height, (width) => {
    const [names, values] = [namesAxis(shown, width), valuesAxis(shown)];
    return {
      grid: { left: 8, right: shown.lying ? 28 : endRoom(shown.names), top: 12, bottom: shown.axis && !shown.lying ? 26 : 8, containLabel: true },
      tooltip: {
        ...style.tooltip(),
        trigger: "axis",
        axisPointer: { type: "shadow", shadowStyle: { color: colour("--hover"), opacity: 0.7 } },
        formatter: (points: { dataIndex: number }[]) => {
          const at = points[0].dataIndex;
          const heading = shown.heading?.(at) ?? `${shown.axis} ${shown.names[at]}`;
          return tip(heading, shown.figures.map(({ name, colour: mark, values: all }) => [colour(mark), name, said(all[at], shown.format)]));
        },
      },
      ...(shown.lying ? { xAxis: values, yAxis: { ...names, inverse: true } } : { xAxis: names, yAxis: values }),
      series: shown.figures.map((each) => ({
        type: "bar",
        ...(shown.stacked ? { stack: "all" } : {}),
        name: each.name,
        barMaxWidth: shown.stacked ? 64 : 22,
        barGap: "10%",
        itemStyle: { color: colour(each.colour), borderColor: colour("--sheet"), borderWidth: 0.5 },
        data: each.values,
      })),
    };
  });
  return picture.element;
}

const LETTER = 6.8; // pixels
const SLANTED = 16; // pixels of a name that stands aslant

/** Each bar has its name: level where there is room, aslant where there is less. Of very many, some have none. */
function namesAxis(shown: Columns, width: number): object {
  const label = { ...style.label(), color: colour("--ink"), hideOverlap: true };
  const longest = LETTER * Math.max(...shown.names.map((name) => name.length));
  const room = (width - 80) / shown.names.length;
  const isSlanted = !shown.lying && longest + 8 > room && room >= SLANTED;
  const nameGap = isSlanted ? 22 + longest * 0.71 : 30;
  const whole = { ...label, hideOverlap: false, interval: 0 };
  return {
    type: "category",
    data: shown.names,
    ...(shown.lying ? {} : { name: shown.axis, nameLocation: "middle", nameGap, nameTextStyle: style.label() }),
    axisLabel: shown.lying ? { ...whole, width: 150, overflow: "truncate" } : isSlanted ? { ...whole, rotate: 45 } : longest + 8 <= room ? whole : label,
    axisLine: style.line(),
    axisTick: { show: false },
  };
}

function valuesAxis(shown: Columns): object {
  const step = evenStep(greatest(shown), shown.isBinary ?? false);
  return {
    type: "value",
    ...(shown.least === undefined ? {} : { min: shown.least }),
    ...(shown.most === undefined && !shown.isBinary ? {} : { max: Math.ceil(greatest(shown) / step - 1e-6) * step, interval: step }),
    axisLabel: { ...style.label(), formatter: shown.tick ?? shown.format, hideOverlap: true },
    splitLine: style.split(),
  };
}

function said(value: number | null, format: (value: number) => string): string {
  return value === null ? "not known" : format(value);
}

/** The last name is centred below its bar, and may be wider. */
function endRoom(names: readonly string[]): number {
  return Math.max(12, Math.min(60, 3.4 * (names.at(-1)?.length ?? 0)));
}

/** What the axis must hold. */
function greatest({ figures, most, stacked }: Pick<Columns, "figures" | "most" | "stacked">): number {
  const places = figures[0]?.values.map((_, at) => figures.map((each) => each.values[at] ?? 0)) ?? [];
  return most ?? Math.max(0, ...places.map((all) => (stacked ? all.reduce((sum, one) => sum + one, 0) : Math.max(...all))));
}

/** Between ticks: a power of two of bytes, else 1, 2 or 5 times a power of ten; five or so make the greatest value. */
export function evenStep(most: number, isBinary: boolean): number {
  if (!(most > 0)) return 1;
  if (isBinary) return 2 ** Math.ceil(Math.log2(most / 6));
  const power = 10 ** Math.floor(Math.log10(most / 6));
  return power * (most / power <= 6 ? 1 : most / power <= 12 ? 2 : most / power <= 30 ? 5 : 10);
}
