/** A table with its heading, and its button for copying beside that. */
import { type Child, h } from "../ui/dom";
import { copyButton } from "./copy";
import type { Grid } from "./grid";

/** `file` names the CSV file; `words` stand between the heading and the table. */
export function captioned(title: string, file: string, grid: Grid, words: Child = null): HTMLElement {
  return h(
    "div",
    { class: "captioned" },
    h("div", { class: "caption" }, h("h3", {}, title), copyButton(file, () => grid.csv())),
    words,
    grid.element,
  );
}
