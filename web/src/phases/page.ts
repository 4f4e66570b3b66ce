/** Phases of one run or several: why ranks were slow, in words first, and then the pictures that show it. */
import type { Payload } from "../payload/decode";
import { utc } from "../text/dates";
import { printable } from "../text/printable";
import { duration } from "../text/units";
import { choice } from "../ui/choice";
import { h } from "../ui/dom";
import { type Section, addSections } from "../ui/section";
import { setDefinitions } from "../ui/value";
import { comparison } from "./comparison";
import { crossings } from "./crossings";
import { detectedSections } from "./detected";
import { type PhasesFacts, type Run, members, seriesColour } from "./facts";
import { groups } from "./groups";
import { outliers } from "./outliers";
import { overTime } from "./over_time";
import { phaseTable } from "./table";
import { times } from "./times";

export function phasesPage(payload: Payload, main: HTMLElement, navigation: HTMLElement): void {
  const facts = payload.facts as unknown as PhasesFacts;
  const { runs } = facts;
  setDefinitions(facts.definitions);
  const pick = choice("Run shown below", runs.map((run, place) => [String(place), printable(run.log).slice(-60)] as const), "0", (place) => show(Number(place)));
  const show = (place: number) => {
    for (const old of main.querySelectorAll("section")) old.remove();
    navigation.replaceChildren();
    addSections(main, navigation, sections(facts, runs[place], runs.length > 1 ? pick : null));
  };
  main.append(header(facts));
  show(0);
}

function sections(facts: PhasesFacts, run: Run, pick: HTMLElement | null): Section[] {
  if (run.detected) return detectedSections(run, run.detected, pick);
  const compared = facts.comparison;
  const { explained } = run;
  return [
    { id: "why", title: `Why ${run.ranks ? "ranks" : "processes"} were slow`, build: (body) => body.append(...facts.runs.flatMap((each, place) => (each.detected ? [] : [why(each, pick ? place : null)]))), first: true },
    ...(compared ? [{ id: "runs", title: "Runs compared", build: (body: HTMLElement) => comparison(compared, body) }] : []),
    { id: "phases", title: "Phases", build: (body) => body.append(...(pick ? [h("div", { class: "tools" }, h("span", { class: "note" }, "Run shown from here on"), pick)] : []), phaseTable(run)), first: true },
    { id: "times", title: `Time of each ${run.ranks ? "rank" : "process"}`, build: (body) => times(run, body) },
    { id: "groups", title: "Groups", build: (body) => groups(run, body) },
    ...(explained.representatives.length && explained.span_ns > 0 ? [{ id: "bandwidth", title: "Bandwidth", build: (body: HTMLElement) => overTime(run, body) }] : []),
    { id: "crossings", title: "What goes together", build: (body) => crossings(run, body) },
    { id: "outliers", title: "Outliers", build: (body) => outliers(run, body) },
  ];
}

function header({ runs }: PhasesFacts): HTMLElement {
  const command = commandOf(runs[0]);
  return h(
    "div",
    { id: "job" },
    h("h1", { class: command.length > 200 ? "long" : undefined }, `Phases of ${command}`),
    runs.length > 1
      ? h("ul", { class: "runs" }, ...runs.map((run, place) => h("li", {}, dot(place), [printable(run.log), ...(commandOf(run) === command ? [] : [commandOf(run)]), ...what(run)].join(" · "))))
      : h("p", { class: "note" }, [printable(runs[0].log), ...what(runs[0])].join(" · ")),
    ...runs.filter((run) => run.job.complete.startsWith("no")).map((run) => h("p", { class: "warn" }, `${printable(run.log)} is not complete: ${printable(run.job.complete.replace(/^no:? ?/, ""))}`)),
  );
}

function what(run: Run): string[] {
  const nodes = run.job.nodes > 1 ? ` on ${run.job.nodes.toLocaleString("en-US")} nodes` : "";
  const absent = !run.detected && run.members > run.in_phases ? `, of which ${run.in_phases.toLocaleString("en-US")} were in phases` : "";
  const start = utc(run.job.start_utc_ns);
  return [members(run, run.members) + nodes + absent, ...(start ? [start] : []), `ran ${duration(run.job.run_ns)}`];
}

function commandOf(run: Run): string {
  return run.job.command?.map((word) => printable(word)).join(" ") || "a command that is not known";
}

function dot(place: number): HTMLElement {
  return h("i", { class: "dot", style: `background:var(${seriesColour(place)})` });
}

/** The sentences of the terminal (python/headrace/commands/_phase_words.py). `place`: of several runs. */
function why(run: Run, place: number | null): HTMLElement {
  const { said } = run.explained;
  return h(
    "div",
    { class: "card why" },
    h("h3", {}, ...(place === null ? [] : [dot(place), `${printable(run.log)}: `]), printable(said.of)),
    h("p", { class: "finding" }, said.slow.map(printable).join(" ")),
    h("h4", {}, "What the groups did"),
    h("ul", {}, ...said.groups.map((text) => h("li", {}, printable(text)))),
    ...(said.outliers.length ? [h("h4", {}, "Like no other"), h("ul", {}, ...said.outliers.map((text) => h("li", {}, printable(text))))] : []),
  );
}
