/** Histograms of times over each other, each with its median. */
import type uPlot from "uplot";
import uPlotModule from "uplot";
import { count, duration, percent, roundPercent } from "../text/units";
import { h } from "../ui/dom";
import { colour } from "../ui/theme";
import { bins } from "./bins";
import { tip } from "./chart";
import { NS_STEPS } from "./over_time";
import { axis, pointed } from "./pointed";

export interface Overlaid {
  label: string;
  axis: string;
  series: readonly { name: string; colour: string; values: readonly number[]; median: number }[];
}

export function overlaid(shown: Overlaid): HTMLElement {
  const { series } = shown;
  const { edges, counts, isLog } = bins(series.map((one) => one.values));
  const at = (time: number) => (isLog ? Math.log10(time) : time);
  const back = (place: number) => (isLog ? 10 ** place : place);
  // An empty bin on both sides, so that curves begin and end on the ground.
  const places = edges.map(at);
  const width = (places[1] - places[0]) / 2;
  const xs = [places[0] - width, ...places, places[places.length - 1] + width];
  const share = counts.map((each, one) => each.map((value) => value / Math.max(1, series[one].values.length)));
  const plot = pointed({
    label: shown.label,
    height: 300,
    data: [xs, ...share.map((each) => [0, ...each, 0, 0])] as uPlot.AlignedData,
    options: () => ({
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false, x: false },
      scales: { x: { time: false, range: [xs[0], xs[xs.length - 1]] }, y: { range: (_, __, most) => [0, most * 1.08 || 1] } },
      axes: [
        {
          ...axis(shown.axis),
          space: 64,
          ...(isLog ? { splits: (_: uPlot, __: number, least: number, most: number) => decades(least, most) } : { incrs: NS_STEPS }),
          values: (_, splits) => splits.map((place) => (place < 0 && !isLog ? "" : duration(back(place)))),
        },
        { ...axis(), size: 52, values: (_, splits) => splits.map(roundPercent) },
      ],
      series: [
        {},
        ...series.map((one) => ({
          stroke: colour(one.colour),
          fill: `color-mix(in srgb, ${colour(one.colour)} 16%, transparent)`,
          width: 2,
          points: { show: false },
          paths: uPlotModule.paths.stepped!({ align: 1 }),
        })),
      ],
      hooks: { draw: [(self) => series.forEach((one) => median(self, at(one.median), colour(one.colour)))] },
    }),
    say(self) {
      const place = self.posToVal(self.cursor.left ?? 0, "x");
      const bin = places.findIndex((edge, number) => number < counts[0].length && place >= edge && place < places[number + 1]);
      if (bin < 0) return null;
      return tip(`${duration(edges[bin])} to ${duration(edges[bin + 1])}`, series.map((one, number) => [colour(one.colour), one.name.slice(-26), `${counts[number][bin]} (${percent(share[number][bin])})`]));
    },
  });
  const marks = series.map((one) => h("span", {}, h("i", { style: `background:var(${one.colour})` }), h("span", { class: "log" }, one.name), `: median ${duration(one.median)} of ${count(one.values.length, "instance")}`));
  return h("div", {}, h("div", { class: "legend of-columns" }, ...marks, h("span", {}, "┆ medians; heights are shares of a run’s instances")), plot);
}

/** 1, 2 and 5 times powers of ten, or the powers alone where that would be many. */
function decades(least: number, most: number): number[] {
  const steps = most - least > 3 ? [1] : [1, 2, 5];
  const found = [];
  for (let power = Math.floor(least); power <= most; power++) found.push(...steps.map((step) => power + Math.log10(step)));
  return found.filter((place) => place >= least && place <= most);
}

function median(plot: uPlot, place: number, stroke: string): void {
  const { ctx, bbox } = plot;
  const x = Math.round(plot.valToPos(place, "x", true)) + 0.5;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
