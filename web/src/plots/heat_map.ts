/** A picture of lines over time: a line a rank, darker where more was done. */
import { duration } from "../text/units";
import { h } from "../ui/dom";
import { colour, onTheme } from "../ui/theme";
import { tip } from "./chart";

export interface HeatMap {
  /** What a screen reader is told. */
  label: string;
  lines: number;
  spans: number;
  spanNs: number;
  /** Line by line; of the value 0 nothing is drawn. */
  values: ArrayLike<number>;
  /** A custom property of the style sheet. */
  colour: string;
  /** What a value is in words. */
  format(value: number): string;
  /** What a line is in words: its ranks. */
  line(line: number): string;
}

const LEAST_HEIGHT = 120;
const MOST_HEIGHT = 420;
const LINE = 16; // pixels, where there is room

export function heatMap(first: HeatMap): { element: HTMLElement; show(map: HeatMap): void } {
  let map = first;
  const canvas = h("canvas", { role: "img", "aria-label": map.label, tabindex: 0 });
  const told = h("div", { class: "heat-tip", hidden: true, role: "status" });
  const top = h("span");
  const bottom = h("span");
  const end = h("span");
  const least = h("span", {}, "0");
  const most = h("span");
  const scale = h("i");
  const legend = h("div", { class: "legend heat-scale" }, least, scale, most);
  const element = h(
    "div",
    { class: "heat" },
    h("div", { class: "heat-lines" }, top, bottom),
    h("div", { class: "heat-picture" }, canvas, told),
    h("div", { class: "heat-times" }, h("span", {}, "0"), end),
    legend,
  );
  let greatest = 0;

  const draw = () => {
    greatest = 0;
    for (let at = 0; at < map.values.length; at++) greatest = Math.max(greatest, map.values[at]);
    canvas.width = map.spans;
    canvas.height = map.lines;
    canvas.style.height = `${Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, map.lines * LINE))}px`;
    canvas.setAttribute("aria-label", map.label);
    const [red, green, blue] = rgb(colour(map.colour));
    const context = canvas.getContext("2d");
    if (!context) return;
    const picture = context.createImageData(map.spans, map.lines);
    for (let at = 0; at < map.values.length; at++) {
      const share = greatest > 0 ? map.values[at] / greatest : 0;
      // Small values stay visible beside large ones: the eye sees the square root about evenly.
      picture.data.set([red, green, blue, share > 0 ? 24 + 231 * Math.sqrt(share) : 0], at * 4);
    }
    context.putImageData(picture, 0, 0);
    top.textContent = map.line(0);
    bottom.textContent = map.lines > 1 ? map.line(map.lines - 1) : "";
    end.textContent = duration(map.spans * map.spanNs);
    most.textContent = map.format(greatest);
    scale.style.background = `linear-gradient(90deg, var(--sheet), color-mix(in srgb, var(${map.colour}) 70%, var(--sheet)) 49%, var(${map.colour}))`;
  };

  const say = (span: number, line: number, x: number, y: number) => {
    const value = map.values[line * map.spans + span];
    const when = `${duration(span * map.spanNs)} to ${duration((span + 1) * map.spanNs)}`;
    told.replaceChildren(tip(map.line(line), [[null, when, map.format(value)]]));
    told.hidden = false;
    const { width, height } = canvas.getBoundingClientRect();
    told.style.left = `${Math.max(0, Math.min(x + 14, width - told.offsetWidth - 2))}px`;
    told.style.top = `${y + 18 + told.offsetHeight > height ? Math.max(0, y - told.offsetHeight - 8) : y + 18}px`;
  };
  let [span, line] = [0, 0];
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    span = bounded(Math.floor((x / box.width) * map.spans), map.spans);
    line = bounded(Math.floor((y / box.height) * map.lines), map.lines);
    say(span, line, x, y);
  });
  canvas.addEventListener("pointerleave", () => (told.hidden = true));
  canvas.addEventListener("blur", () => (told.hidden = true));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    [span, line] = [bounded(span + step[0], map.spans), bounded(line + step[1], map.lines)];
    const box = canvas.getBoundingClientRect();
    say(span, line, ((span + 0.5) / map.spans) * box.width, ((line + 0.5) / map.lines) * box.height);
  });
  onTheme(draw);
  draw();
  return {
    element,
    show(next) {
      map = next;
      told.hidden = true;
      draw();
    },
  };
}

function bounded(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value));
}

/** Of "#rrggbb", as the style sheet has them. */
function rgb(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.replace("#", ""), 16);
  return Number.isNaN(value) ? [0, 0, 0] : [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
