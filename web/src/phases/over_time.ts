/** What one of each group read and wrote, from the phase's begin to its end. */
import { BYTE_STEPS, type Line, OverTime, type Panel } from "../plots/over_time";
import { printable } from "../text/printable";
import { number, rate } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import { type Run, members, seriesColour } from "./facts";

const MOST = 8; // lines that can be told apart

export function overTime(run: Run, body: HTMLElement): void {
  const { explained } = run;
  const shown = explained.representatives.slice(0, MOST);
  const name = (member: string) => {
    const group = explained.groups.find((each) => each.medoid === member);
    return group && group.ranks > 1 ? `${printable(member)}, for ${members(run, group.ranks)}` : printable(member);
  };
  const lines = (way: "read" | "written"): Line[] =>
    shown.map((each, place) => ({ name: name(each.member), colour: seriesColour(place), values: each[way] })).filter((line) => line.values.some((value) => value > 0));
  const panels: Panel[] = (["written", "read"] as const)
    .map((way) => ({ title: way === "read" ? "Read" : "Written", lines: lines(way), format: rate, steps: BYTE_STEPS }))
    .filter((panel) => panel.lines.length);
  const silent = shown.filter((each) => ![...each.read, ...each.written].some((value) => value > 0)).map((each) => name(each.member));
  const left = explained.representatives.length - shown.length;
  body.append(note(`One of each group, in instance ${number(explained.bandwidth_of)}${explained.instance ? "" : ", which took longest"}.${left > 0 ? ` ${number(left)} more groups are not drawn.` : ""}`));
  if (panels.length) {
    const whole = h("button", { type: "button", class: "tool", hidden: true, onclick: () => plot.reset() }, "Whole phase");
    const plot = new OverTime(panels, 0, explained.span_ns / 1e9, (zoomed) => (whole.hidden = !zoomed));
    const card = h("div", { class: "card" }, plot.element, whole);
    card.setAttribute("role", "group");
    card.setAttribute("aria-label", "Bandwidth of one of each group over time");
    body.append(card);
  }
  if (silent.length) body.append(note(`${silent.join("; ")}: no bytes of files.`));
}
