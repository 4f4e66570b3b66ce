/** A uPlot that follows the theme and its width, and tells what is under the pointer. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h } from "../ui/dom";
import { colour, onTheme } from "../ui/theme";

export interface Pointed {
  /** What a screen reader is told. */
  label: string;
  height: number;
  data: uPlot.AlignedData;
  /** Asked again at every change of the theme. */
  options(): Pick<uPlot.Options, "scales" | "axes" | "series" | "hooks" | "cursor" | "focus" | "tzDate">;
  /** What is at a place of the data; `top` in pixels. Null: nothing. */
  say(plot: uPlot, at: number, top: number): HTMLElement | null;
  /** Told of each plot that is made. */
  ready?(plot: uPlot): void;
}

export function pointed(shown: Pointed): HTMLElement {
  const place = h("div", { role: "img", "aria-label": shown.label });
  const told = h("div", { class: "heat-tip", hidden: true });
  const element = h("div", { class: "plot pointed", style: `min-height:${shown.height}px` }, place, told);
  let plot: uPlot | null = null;
  let width = 0;
  const point = (self: uPlot) => {
    const { idx, left = -1, top = -1 } = self.cursor;
    const said = idx != null && left >= 0 ? shown.say(self, idx, top) : null;
    told.hidden = !said;
    if (!said) return;
    told.replaceChildren(said);
    const x = left + self.over.offsetLeft;
    const beside = x + 16 + told.offsetWidth <= element.clientWidth ? x + 16 : x - told.offsetWidth - 12;
    told.style.left = `${Math.max(0, beside)}px`;
    told.style.top = `${Math.max(0, Math.min(top, shown.height - told.offsetHeight - 8))}px`;
  };
  const build = () => {
    plot?.destroy();
    const options = shown.options();
    plot = new uPlot(
      { width: element.clientWidth || 600, height: shown.height, legend: { show: false }, ...options, hooks: { ...options.hooks, setCursor: [point] } },
      shown.data,
      place,
    );
    shown.ready?.(plot);
  };
  build();
  onTheme(build);
  new ResizeObserver(() => {
    if (!element.clientWidth || element.clientWidth === width) return;
    width = element.clientWidth;
    plot?.setSize({ width, height: shown.height });
  }).observe(element);
  return element;
}

/** What axes share. */
export function axis(label?: string): uPlot.Axis {
  return {
    stroke: colour("--ink-soft"),
    grid: { stroke: colour("--line-soft"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1, size: 5 },
    font: "12px system-ui, sans-serif",
    ...(label ? { label, labelFont: "12px system-ui, sans-serif", size: 30, labelSize: 20, labelGap: 0 } : {}),
  };
}
