/** A page is a row of sections, each with an anchor, an entry in the navigation, and content that is built when needed. */
import { type Child, append, h } from "./dom";

export interface Section {
  id: string;
  title: string;
  /** Fills the section. Called when it comes near the view, or when the browser has nothing else to do. */
  build(body: HTMLElement): void;
  /** Needed at once: nothing of it waits. */
  first?: boolean;
}

/** Adds the sections to the page and to its navigation. */
export function addSections(main: HTMLElement, navigation: HTMLElement, sections: readonly Section[]): void {
  const later: (() => void)[] = [];
  for (const section of sections) {
    const body = h("div", { class: "body" });
    const heading = h("h2", { id: `${section.id}-title` }, section.title);
    const element = h("section", { id: section.id, "aria-labelledby": `${section.id}-title` }, heading, body);
    main.append(element);
    navigation.append(h("a", { href: `#${section.id}` }, section.title));
    if (section.first) build(section, body);
    else later.push(whenNear(element, () => build(section, body)));
  }
  idle(later);
  followScroll(main, navigation);
}

function build(section: Section, body: HTMLElement): void {
  try {
    section.build(body);
  } catch (error) {
    console.error(error);
    append(body, [h("p", { class: "bad" }, `This part of the report cannot be shown: ${String(error)}`)]);
  }
  body.dataset.built = "";
}

const waiting: (() => void)[] = [];

/** Fills a part of a section when it comes near the view, on paper, or when the browser has nothing else to do. */
export function whenNeeded(element: Element, body: HTMLElement, fill: () => void): void {
  if (!waiting.length) setTimeout(() => idle(waiting));
  waiting.push(whenNear(element, () => build({ id: element.id, title: "", build: fill }, body)));
}

// Whoever prints does not wait until the browser is idle.
window.addEventListener("beforeprint", () => waiting.splice(0).forEach((call) => call()));

/** Calls once, when the element comes near the view or when the function that this gives is called. */
function whenNear(element: Element, call: () => void): () => void {
  let called = false;
  const once = () => {
    if (called) return;
    called = true;
    observer.disconnect();
    call();
  };
  const observer = new IntersectionObserver(
    (entries) => entries.some((entry) => entry.isIntersecting) && once(),
    { rootMargin: "600px" },
  );
  observer.observe(element);
  return once;
}

/** One after the other, so that a reader's own actions come between. */
function idle(calls: (() => void)[]): void {
  const next = calls.shift();
  if (!next) return;
  const run = () => {
    next();
    idle(calls);
  };
  if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: 2000 });
  else setTimeout(run, 50);
}

/** Marks the section in view in the navigation. */
function followScroll(main: HTMLElement, navigation: HTMLElement): void {
  const links = new Map([...navigation.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const link = links.get(entry.target.id);
        if (!link || !entry.isIntersecting) continue;
        for (const other of links.values()) other.removeAttribute("aria-current");
        link.setAttribute("aria-current", "true");
        // On a phone the navigation scrolls by itself; the page must not.
        navigation.scrollLeft = link.offsetLeft - navigation.clientWidth / 2 + link.offsetWidth / 2;
      }
    },
    { rootMargin: "-15% 0px -80% 0px" },
  );
  for (const section of main.querySelectorAll("section")) observer.observe(section);
}

/** A line of words in a section. */
export function note(...children: Child[]): HTMLElement {
  return h("p", { class: "note" }, ...children);
}
