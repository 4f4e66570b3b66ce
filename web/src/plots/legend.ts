/** A legend whose entries can be switched off. */
import { h } from "../ui/dom";

export interface Entry {
  name: string;
  /** A custom property of the style sheet. */
  colour: string;
}

const COLOURS = 12;

/** The colour of the series at a place; those beyond the first twelve share one. */
export function seriesColour(place: number): string {
  return place < COLOURS ? `--series-${place + 1}` : "--rest";
}

/** `change` is told which places are hidden. `more` stand at its end, and cannot be switched off. */
export function legend(entries: readonly Entry[], change: (hidden: ReadonlySet<number>) => void, more: readonly HTMLElement[] = []): HTMLElement {
  const hidden = new Set<number>();
  const buttons = entries.map((entry, place) => {
    const button = h(
      "button",
      {
        type: "button",
        "aria-pressed": "true",
        "data-full": entry.name.length > 40 ? entry.name : undefined,
        onclick: () => {
          if (!hidden.delete(place)) hidden.add(place);
          button.setAttribute("aria-pressed", String(!hidden.has(place)));
          change(hidden);
        },
      },
      h("i", { style: `background:var(${entry.colour})` }),
      h("span", {}, entry.name),
    );
    return button;
  });
  return h("div", { class: "legend of-columns switches", role: "group", "aria-label": "What is shown" }, ...buttons, ...more);
}
