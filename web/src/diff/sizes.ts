/** Sizes of reads and writes, the sides beside each other. */
import { histogram } from "../plots/histogram";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import { sideColour } from "./colours";
import type { Bucket, DiffFacts } from "./facts";

export function sizes(facts: DiffFacts, body: HTMLElement): void {
  for (const [title, buckets] of [["Sizes of reads", facts.sizes.read], ["Sizes of writes", facts.sizes.write]] as const) {
    if (!buckets.length) continue;
    const chart = histogram(title, () => series(facts, buckets));
    body.append(h("div", { class: "card" }, h("h3", {}, title), chart.element));
  }
  if (!body.childNodes.length) body.append(note("No file was read or written."));
}

function series(facts: DiffFacts, buckets: readonly Bucket[]) {
  return facts.sides.map((side, place) => ({
    name: side.name,
    colour: sideColour(place),
    buckets: buckets.map(({ over, to, operations }) => ({ over, to, operations: operations[place] })),
  }));
}
