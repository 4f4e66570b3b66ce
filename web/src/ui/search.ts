/** A field whose text filters a table, once typing pauses. */
import { h } from "./dom";

const PAUSE_MS = 120;

export function search(label: string, use: (text: string) => void): HTMLInputElement {
  let typing = 0;
  const field: HTMLInputElement = h("input", {
    type: "search",
    placeholder: "Filter names …",
    "aria-label": label,
    spellcheck: "false",
    autocomplete: "off",
    oninput: () => {
      clearTimeout(typing);
      typing = window.setTimeout(() => use(field.value), PAUSE_MS);
    },
  });
  return field;
}
