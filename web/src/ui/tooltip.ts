/**
 * One tooltip for the page. It belongs to elements with `data-term` (a key of the definitions), `data-exact` (a figure
 * without rounding) or `data-full` (a whole name), wherever they are, and shows on hover, on focus and on a tap. It can
 * be hovered itself, and Escape takes it away (WCAG 1.4.13).
 */
import { sentence } from "../text/words";
import { append, h } from "./dom";
import { definition } from "./value";

const ID = "tooltip";
const SELECTOR = "[data-term],[data-exact],[data-full]";
const GAP = 8;

export function startTooltips(): void {
  const box = h("div", { id: ID, role: "tooltip", hidden: true });
  document.body.append(box);
  let owner: Element | null = null;
  let timer = 0;

  const hide = () => {
    clearTimeout(timer);
    owner?.removeAttribute("aria-describedby");
    owner = null;
    box.hidden = true;
  };
  const show = (target: Element) => {
    clearTimeout(timer);
    if (target === owner) return;
    hide();
    const content = contentOf(target);
    if (!content.length) return;
    owner = target;
    box.replaceChildren();
    append(box, content);
    box.hidden = false;
    place(box, target.getBoundingClientRect());
    target.setAttribute("aria-describedby", ID);
  };
  const hideSoon = () => {
    clearTimeout(timer);
    timer = window.setTimeout(hide, 120);
  };

  document.addEventListener("pointerover", (event) => {
    const target = targetOf(event);
    if (box.contains(event.target as Node)) return clearTimeout(timer);
    if (!target) return hideSoon();
    if (event.pointerType === "touch") return; // the click shows it
    clearTimeout(timer);
    timer = window.setTimeout(() => show(target), owner ? 60 : 250);
  });
  document.addEventListener("pointerleave", hideSoon);
  document.addEventListener("focusin", (event) => {
    const target = targetOf(event);
    // A click focuses as well; what the pointer does decides then.
    if (target && (event.target as Element).matches(":focus-visible")) show(target);
    else hideSoon();
  });
  document.addEventListener("click", (event) => {
    const target = targetOf(event);
    if (target && !target.closest("button,a,summary")) show(target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  // What has the focus may have been scrolled into view by just that; a tooltip that waits shows when all is at rest.
  const moved = () => {
    if (owner && owner === document.activeElement) place(box, owner.getBoundingClientRect());
    else if (owner) hide();
  };
  document.addEventListener("scroll", moved, { capture: true, passive: true });
  window.addEventListener("resize", hide);
}

function targetOf(event: Event): Element | null {
  return event.target instanceof Element ? event.target.closest(SELECTOR) : null;
}

function contentOf(target: Element): Element[] {
  const full = target.getAttribute("data-full");
  const exact = target.getAttribute("data-exact");
  const said = definition(target.getAttribute("data-term") ?? "");
  return [
    ...(full ? [h("div", { class: "full" }, full)] : []),
    ...(exact ? [h("strong", {}, exact)] : []),
    ...(said ? [h("div", {}, sentence(said))] : []),
  ];
}

/** Below the element, or above it where there is no room; always inside the window. */
function place(box: HTMLElement, target: DOMRect): void {
  box.style.left = box.style.top = "0";
  const { width, height } = box.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  const left = Math.max(GAP, Math.min(target.left + target.width / 2 - width / 2, room - width - GAP));
  const below = target.bottom + GAP;
  const top = below + height <= window.innerHeight ? below : Math.max(GAP, target.top - GAP - height);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}
