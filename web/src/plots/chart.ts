/** ECharts with the parts that reports use, in the colours of the page. */
import { BarChart, TreemapChart } from "echarts/charts";
import { GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { type EChartsCoreOption, type EChartsType, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { type Child, h } from "../ui/dom";
import { colour, onTheme } from "../ui/theme";

use([BarChart, TreemapChart, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

export interface Chart {
  element: HTMLElement;
  instance: EChartsType;
  /** Draws again from the option's function. */
  draw(): void;
}

/**
 * A chart that follows the theme and the size of its place. `label` is what a screen reader says. An option that asks for
 * the width is drawn again when that changes.
 */
export function chart(label: string, height: number, option: (width: number) => EChartsCoreOption): Chart {
  const element = h("div", { class: "plot", role: "img", "aria-label": label, style: `height:${height}px` });
  // A width is known only in the document; until then any will do.
  const instance = init(element, null, { width: 600, height, renderer: "canvas" });
  const draw = () => instance.setOption({ ...common(), ...option(instance.getWidth()) }, true);
  draw();
  onTheme(draw);
  new ResizeObserver(() => {
    if (!element.clientWidth) return;
    instance.resize({ width: element.clientWidth, height: element.clientHeight });
    if (option.length) draw();
  }).observe(element);
  return { element, instance, draw };
}

function common(): EChartsCoreOption {
  return { animation: false, textStyle: { fontFamily: FONT, color: colour("--ink-soft") }, backgroundColor: "transparent" };
}

/** Parts of options that charts share. */
export const style = {
  legend: () => ({ top: 0, left: 0, itemWidth: 12, itemHeight: 12, itemGap: 16, icon: "roundRect", textStyle: { color: colour("--ink") } }),
  label: () => ({ color: colour("--ink-soft"), fontSize: 12 }),
  line: () => ({ lineStyle: { color: colour("--line") } }),
  split: () => ({ lineStyle: { color: colour("--line-soft") } }),
  tooltip: () => ({
    confine: true,
    backgroundColor: colour("--raised"),
    borderColor: colour("--line"),
    padding: [7, 10],
    textStyle: { color: colour("--ink"), fontSize: 12.5, fontFamily: FONT },
    extraCssText: "box-shadow:0 4px 16px rgb(0 0 0/18%);max-width:min(26rem,90vw);white-space:normal;",
  }),
};

/** The content of a chart's tooltip: a heading and a line a figure. Elements, so that no name can be markup. */
export function tip(heading: Child, lines: readonly (readonly [colour: string | null, name: string, value: string])[]): HTMLElement {
  return h(
    "div",
    { class: "tip" },
    h("strong", {}, heading),
    ...lines.map(([mark, name, text]) =>
      h("div", { class: "line" }, mark ? h("i", { style: `background:${mark}` }) : null, h("span", {}, name), h("b", {}, text)),
    ),
  );
}
