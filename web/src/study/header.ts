/** The head of a study: which site and time, its large numbers, what was found, and where everything stands. */
import { printable } from "../text/printable";
import { h } from "../ui/dom";
import type { StudyFacts } from "./facts";

export const anchor = (figure: string) => `figure-${figure}`;

export function header(facts: StudyFacts, figures: ReadonlySet<string>): HTMLElement {
  const { compared } = facts;
  const title = compared ? `I/O of ${siteOf(facts)} and ${siteOf(compared)}` : `I/O of ${siteOf(facts)}`;
  return h(
    "div",
    { id: "study" },
    h("h1", {}, title),
    ...[facts, compared].map((one) => (one ? h("p", { class: "note" }, `${compared ? `${siteOf(one)}: ` : ""}${period(one)}`) : null)),
    ...facts.notes.map((text) => h("p", { class: "note" }, printable(text))),
    tiles(facts, figures),
    compared ? tiles(compared, new Set()) : null,
    findings(facts, figures),
    contents(facts),
  );
}

export function siteOf(facts: StudyFacts): string {
  return printable(facts.site) || "a site without a name";
}

function period({ period: { start, end } }: StudyFacts): string {
  if (!start || !end) return "Nothing in the catalog says when anything happened.";
  const days = Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000);
  return `${printable(start).slice(0, 10)} to ${printable(end).slice(0, 10)} UTC${days > 0 ? `, ${days.toLocaleString("en-US")} ${days === 1 ? "day" : "days"}` : ""}.`;
}

function tiles(facts: StudyFacts, figures: ReadonlySet<string>): HTMLElement | null {
  if (!facts.headlines.length) return null;
  return h(
    "dl",
    { class: "tiles", "aria-label": `${siteOf(facts)} in numbers` },
    ...facts.headlines.map(({ label, text, below, figure }) =>
      h("div", { class: "figure" }, h("dt", { class: "label" }, printable(label)), h("dd", {}, linked(printable(text), figure, figures, "big"), h("div", { class: "below" }, printable(below)))),
    ),
  );
}

function linked(text: string, figure: string, figures: ReadonlySet<string>, style: string): HTMLElement {
  return figures.has(figure) ? h("a", { class: style, href: `#${anchor(figure)}` }, text) : h("span", { class: style }, text);
}

function findings(facts: StudyFacts, figures: ReadonlySet<string>): HTMLElement | null {
  if (!facts.findings.length) return null;
  const titles = new Map(facts.sections.flatMap((section) => section.figures.map((figure) => [figure.id, printable(figure.title)] as const)));
  return h(
    "section",
    { id: "findings", "aria-labelledby": "findings-title" },
    h("h2", { id: "findings-title" }, "What was found"),
    h("ol", { class: "findings card" }, ...facts.findings.map(({ text, figure }) =>
      h("li", {}, h("span", {}, printable(text)), figures.has(figure) ? h("a", { href: `#${anchor(figure)}` }, titles.get(figure) ?? "Figure") : null),
    )),
  );
}

/** All figures by section; folded, for the findings come first. */
function contents(facts: StudyFacts): HTMLElement {
  return h(
    "details",
    { class: "more contents" },
    h("summary", {}, "All figures"),
    h("div", { class: "listing" }, ...facts.sections.map((section) =>
      h("div", {}, h("a", { href: `#${section.id}` }, h("strong", {}, printable(section.title))), h("ul", {}, ...section.figures.map((figure) =>
        h("li", {}, h("a", { href: `#${anchor(figure.id)}`, class: figure.missing ? "none" : undefined }, printable(figure.title)), figure.missing ? " (no data)" : null),
      ))),
    )),
  );
}
