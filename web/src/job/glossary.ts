/** Every definition, to read and to print. */
import { h } from "../ui/dom";
import { sentence } from "../text/words";
import type { JobFacts } from "./facts";

export function glossary(facts: JobFacts, body: HTMLElement): void {
  const keys = Object.keys(facts.definitions).sort();
  body.append(
    h(
      "dl",
      { class: "glossary" },
      ...keys.map((key) => {
        const unit = facts.units?.[key];
        return h(
          "div",
          { id: `term-${key}` },
          h("dt", {}, h("code", {}, key), unit ? h("span", { class: "unit" }, ` ${unit}`) : null),
          h("dd", {}, sentence(facts.definitions[key])),
        );
      }),
    ),
  );
}
