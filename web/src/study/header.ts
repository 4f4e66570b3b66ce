/** The head of a study: which site and time, its large numbers, what was found, and where everything stands. */
import { printable } from "../text/printable";
import { h } from "../ui/dom";
import type { StudyFacts } from "./facts";
import { sideMark } from "./side";

export const anchor = (figure: string) => `figure-${figure}`;

export function header(facts: StudyFacts, figures: ReadonlySet<string>): HTMLElement {
  const { compared } = facts;
  const sites = compared ? [...new Set([siteOf(facts), siteOf(compared)])] : [siteOf(facts)];
  const both = compared ? [facts, compared] : [facts];
  return h(
    "div",
    { id: "study" },
    h("h1", {}, `I/O of ${sites.join(" and ")}`),
    ...both.map((one, place) => h("p", { class: "note" }, ...(compared ? [sideMark(sideName(one), place), ": "] : []), period(one))),
    ...notes(both),
    compared ? tilesOfBoth([facts, compared], figures) : tiles(facts, figures),
    findings(facts, figures),
    contents(facts),
  );
}

/** What both sides say of themselves is said once. */
function notes(both: readonly StudyFacts[]): HTMLElement[] {
  return both.flatMap((one, place) => one.notes
    .filter((text) => place === 0 || !both[0].notes.includes(text))
    .map((text) => h("p", { class: "note" }, both.length > 1 && !both.every(({ notes: all }) => all.includes(text)) ? `${sideName(one)}: ` : "", printable(text))));
}

export const sideName = (facts: StudyFacts) => printable(facts.side) || siteOf(facts);

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

/** A tile a number, in which each side has its line and the difference stands below. */
function tilesOfBoth(sides: readonly StudyFacts[], figures: ReadonlySet<string>): HTMLElement | null {
  const labels = [...new Set(sides.flatMap((side) => side.headlines.map((each) => each.label)))];
  if (!labels.length) return null;
  return h("dl", { class: "tiles of-both", "aria-label": "Both sides in numbers" }, ...labels.map((label) => {
    const found = sides.map((side) => side.headlines.find((each) => each.label === label));
    const lines = found.map((each, place) => h("dd", {}, sideMark(sideName(sides[place]), place), each ? linked(printable(each.text), each.figure, figures, "big") : h("span", { class: "big none" }, "not recorded"), h("div", { class: "below" }, printable(each?.below ?? ""))));
    const difference = found[1]?.difference;
    return h("div", { class: "figure" }, h("dt", { class: "label" }, printable(label)), ...lines, difference ? h("dd", { class: "difference" }, printable(difference)) : null);
  }));
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
    h("ol", { class: "findings card" }, ...facts.findings.map(({ text, figure, side }) =>
      h("li", {}, ...(side ? [sideMark(printable(side), side === facts.side ? 0 : 1), ": "] : []), h("span", {}, printable(text)), figures.has(figure) ? h("a", { href: `#${anchor(figure)}` }, titles.get(figure) ?? "Figure") : null),
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
