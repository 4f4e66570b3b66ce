/** A row of buttons of which one is pressed. */
import { h } from "./dom";

export function choice<T extends string>(
  label: string,
  options: readonly (readonly [value: T, title: string])[],
  chosen: T | null,
  change: (value: T) => void,
): HTMLElement & { choose(value: T | null): void } {
  const buttons = options.map(([value, title]) =>
    h("button", { type: "button", "data-value": value, onclick: () => (choose(value), change(value)) }, title),
  );
  const choose = (value: T | null) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === value));
  };
  choose(chosen);
  return Object.assign(h("div", { class: "choice", role: "group", "aria-label": label }, ...buttons), { choose });
}

/** A field that chooses one of some words, or all. */
export function picker(label: string, all: string, words: readonly string[], change: (word: string | null) => void): HTMLSelectElement {
  const field = h(
    "select",
    { "aria-label": label, onchange: () => change(field.value === "" ? null : words[Number(field.value)]) },
    h("option", { value: "" }, all),
    ...words.map((word, place) => h("option", { value: place }, word)),
  );
  return field;
}
