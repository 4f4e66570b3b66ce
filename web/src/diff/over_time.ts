/** Bandwidth over time, the sides over each other on one scale. */
import { BYTE_STEPS, OverTime, type Panel } from "../plots/over_time";
import { duration, rate } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import { sideColour } from "./colours";
import type { DiffFacts } from "./facts";

export function overTime(facts: DiffFacts, body: HTMLElement): void {
  const { begin_at_ns, span_ns, sides } = facts.bandwidth;
  const panels = ([["Read, bytes per second", "bytes_read"], ["Written, bytes per second", "bytes_written"]] as const)
    .map(([title, key]): Panel => ({
      title,
      lines: sides.map((side, place) => ({ name: facts.sides[place].name, colour: sideColour(place), values: side[key] })),
      format: rate,
      steps: BYTE_STEPS,
    }))
    .filter((panel) => panel.lines.some((line) => line.values.some((moved) => moved > 0)));
  if (!panels.length || !(span_ns > 0)) {
    body.append(note("Nothing was moved, or nothing is known over time."));
    return;
  }
  const reset = h("button", { type: "button", class: "tool", disabled: true, onclick: () => plots.reset() }, "Whole runs");
  const plots = new OverTime(panels, begin_at_ns / 1e9, span_ns / 1e9, (zoomed) => {
    reset.disabled = !zoomed;
  });
  body.append(
    h("div", { class: "tools" }, reset, h("span", { class: "note" }, `Each run begins at 0. Each step is ${duration(span_ns)}. Drag to zoom, double click to see the whole.`)),
    h("div", { class: "card" }, plots.element),
  );
}
