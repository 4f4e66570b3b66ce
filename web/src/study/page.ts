/** The page of a site's study: its findings, and a section with figures for each part of it. */
import type { Payload } from "../payload/decode";
import { Table } from "../payload/table";
import { printable } from "../text/printable";
import { h } from "../ui/dom";
import { addSections, note, whenNeeded } from "../ui/section";
import type { FigureFacts, SectionFacts, StudyFacts } from "./facts";
import { fillFigure } from "./figure";
import { anchor, header, sideName } from "./header";
import { Rows } from "./rows";
import { type Side, sideColour } from "./side";

/** Before its picture is there, so that the page does not jump. */
const ROOM: Record<FigureFacts["kind"], number> = { table: 260, bars: 340, lines: 400, points: 420, box: 300, throughput: 400, histograms: 480 };

export function studyPage(payload: Payload, main: HTMLElement, navigation: HTMLElement): void {
  const facts = payload.facts as unknown as StudyFacts;
  const sections = allSections(facts);
  main.append(header({ ...facts, sections }, new Set(sections.flatMap((section) => section.figures.map((figure) => figure.id)))));
  if (document.querySelector("#findings")) navigation.append(h("a", { href: "#findings" }, "Findings"));
  addSections(
    main,
    navigation,
    sections.map((section) => ({
      id: section.id,
      title: printable(section.title),
      first: true, // its figures wait by themselves
      build: (body: HTMLElement) => body.append(...sectionParts(payload, facts, section)),
    })),
  );
  openOnPaper();
}

/** With those figures that only the other study has, in the section of theirs. */
function allSections(facts: StudyFacts): SectionFacts[] {
  const known = new Set(facts.sections.flatMap((section) => section.figures.map((figure) => figure.id)));
  const others = (facts.compared?.sections ?? []).map((section) => ({ ...section, figures: section.figures.filter((figure) => !known.has(figure.id)) }));
  const joined = facts.sections.map((section) => ({ ...section, figures: [...section.figures, ...(others.find((other) => other.id === section.id)?.figures ?? [])] }));
  const ids = new Set(joined.map((section) => section.id));
  return [...joined, ...others.filter((section) => !ids.has(section.id) && section.figures.length)];
}

function sectionParts(payload: Payload, facts: StudyFacts, section: SectionFacts): HTMLElement[] {
  const cards = section.figures.map((figure) => {
    const body = h("div", { class: "body", style: `min-height:${figure.missing ? 60 : ROOM[figure.kind]}px` });
    const element = h("article", { class: "card study-figure", id: anchor(figure.id), "aria-labelledby": `${anchor(figure.id)}-title` }, heading(figure), body);
    whenNeeded(element, body, () => {
      fillFigure(body, figure, sidesOf(payload, facts, figure.id));
      body.style.minHeight = "";
    });
    return element;
  });
  return [...(section.text ? [note(printable(section.text))] : []), ...cards];
}

function heading(figure: FigureFacts): HTMLElement {
  return h(
    "div",
    { class: "caption" },
    h("h3", { id: `${anchor(figure.id)}-title` }, h("a", { href: `#${anchor(figure.id)}`, class: "self" }, printable(figure.title))),
    figure.paper ? h("span", { class: "tag counterpart", tabindex: 0, "data-full": `${printable(figure.paper)} of the study of Intrepid (Carns et al., 2011) shows the same of that machine` }, printable(figure.paper)) : null,
  );
}

/** The figure at each of the sites that have it. */
function sidesOf(payload: Payload, facts: StudyFacts, id: string): Side[] {
  const studies = facts.compared ? [facts, facts.compared] : [facts];
  return studies.flatMap((study, place) => {
    const figure = study.sections.flatMap((section) => section.figures).find((one) => one.id === id);
    if (!figure) return [];
    const table = payload.tables[figure.table] ?? new Table(figure.table, 0, {}, new Uint8Array());
    const named = facts.compared && id !== "comparison"; // which is of both
    return [{ rows: new Rows(figure, table), ...(named ? { name: sideName(study), colour: sideColour(place) } : { name: "" }) }];
  });
}

/** What is folded on the screen, but the data, is printed. */
function openOnPaper(): void {
  let opened: HTMLDetailsElement[] = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details.definition:not([open])")];
    for (const one of opened) one.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
}
