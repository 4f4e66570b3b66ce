/** Figures that explain themselves: hovered, focused or tapped they show their exact value and their definition. */
import { h } from "./dom";

let definitions: Record<string, string> = {};

export function setDefinitions(all: Record<string, string>): void {
  definitions = all;
}

export function definition(term: string): string | undefined {
  return Object.hasOwn(definitions, term) ? definitions[term] : undefined;
}

/** `term` is a key of facts.definitions; `exact` is said above the definition when it tells more than `text`. */
export function value(text: string, term: string, exact?: string): HTMLElement {
  return h("span", { class: "value", tabindex: 0, "data-term": term, "data-exact": exact === text ? undefined : exact }, text);
}
