/** Bars over time, one in a lane, such as when each of many jobs ran. */
import uPlot from "uplot";
import { clockUtc } from "../text/dates";
import { colour } from "../ui/theme";
import { tip } from "./chart";
import { axis, pointed } from "./pointed";
import { type Band, bandColour } from "./bands";
import { days } from "./timeline";
import type { Together } from "./together";

export interface Lane {
  /** Seconds since 1970. */
  start: number;
  end: number;
  name: string;
  /** A custom property of the style sheet. */
  colour: string;
  /** Only its outline: little is known of it. */
  isHollow: boolean;
  /** What a tooltip says. */
  lines: readonly (readonly [name: string, value: string])[];
}

export interface Lanes {
  label: string;
  lanes: readonly Lane[];
  limits: [number, number];
  /** Behind the bars. */
  bands: readonly Band[];
  together: Together;
}

const HEIGHT = 22; // pixels a lane
const AXIS = 42;

export function lanes(shown: Lanes): HTMLElement {
  const moments = [...new Set([...shown.limits, ...shown.lanes.flatMap((lane) => [lane.start, lane.end])])].sort((one, other) => one - other);
  const inside = moments.filter((moment) => moment >= shown.limits[0] && moment <= shown.limits[1]);
  return pointed({
    label: shown.label,
    height: shown.lanes.length * HEIGHT + AXIS,
    data: [inside, inside.map(() => null)] as uPlot.AlignedData,
    options: () => ({
      tzDate: (moment) => uPlot.tzDate(new Date(moment * 1e3), "Etc/UTC"),
      cursor: { drag: { x: true, y: false, setScale: true }, points: { show: false }, y: false },
      scales: {
        x: { time: true, range: (_, least, most) => [least ?? shown.limits[0], most ?? shown.limits[1]] },
        y: { range: [0, shown.lanes.length] },
      },
      axes: [
        { ...axis(), size: 40, space: 76, values: (_, splits, __, ___, step) => days(splits, step) },
        { ...axis(), size: 78, values: () => [], grid: { show: false }, ticks: { show: false } },
      ],
      series: [{}, {}],
      hooks: { draw: [(plot) => draw(plot, shown)], setScale: [(plot, key) => key === "x" && shown.together.follow(plot)] },
    }),
    ready: (plot) => shown.together.put(shown, plot),
    say(plot, _, top) {
      const lane = shown.lanes[Math.floor(top / (plot.over.clientHeight / shown.lanes.length))];
      const heading = (name: string) => tip(name, [[null, "from", clockUtc(lane.start)], [null, "to", clockUtc(lane.end)], ...lane.lines.map(([title, text]) => [null, title, text] as const)]);
      return lane ? heading(lane.name) : null;
    },
  });
}

function draw(plot: uPlot, shown: Lanes): void {
  const { ctx, bbox } = plot;
  const height = bbox.height / shown.lanes.length;
  const px = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const band of shown.bands) {
    const [left, right] = [plot.valToPos(band.start, "x", true), plot.valToPos(band.end, "x", true)];
    ctx.fillStyle = `color-mix(in srgb, ${colour(bandColour(band.kind))} 12%, transparent)`;
    ctx.fillRect(left, bbox.top, Math.max(right - left, 2 * px), bbox.height);
  }
  ctx.font = `${11.5 * px}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  shown.lanes.forEach((lane, place) => {
    const [from, to] = [plot.valToPos(lane.start, "x", true), plot.valToPos(lane.end, "x", true)];
    const left = Math.max(from, bbox.left - 4 * px);
    const width = Math.max(Math.min(to, bbox.left + bbox.width + 4 * px) - left, 2 * px);
    const top = bbox.top + place * height + 2 * px;
    const mark = colour(lane.colour);
    ctx.fillStyle = `color-mix(in srgb, ${mark} ${lane.isHollow ? 6 : 34}%, transparent)`;
    ctx.strokeStyle = mark;
    ctx.lineWidth = px;
    ctx.setLineDash(lane.isHollow ? [4 * px, 3 * px] : []);
    ctx.beginPath();
    ctx.roundRect(left, top, width, height - 4 * px, 3 * px);
    ctx.fill();
    ctx.stroke();
    name(ctx, lane.name, Math.max(left, bbox.left), top + height / 2 - 2 * px, bbox.left + bbox.width);
  });
  ctx.restore();
}

/** Where the bar begins; further left where there is no room. */
function name(ctx: CanvasRenderingContext2D, text: string, left: number, middle: number, right: number): void {
  const gap = 6 * devicePixelRatio;
  const at = Math.min(left + gap, right - gap - ctx.measureText(text).width);
  ctx.fillStyle = colour("--ink");
  ctx.fillText(text, at, middle);
}
