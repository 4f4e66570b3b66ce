/** Sizes of reads and writes. */
import { figures } from "../grid/column";
import { captioned } from "../grid/captioned";
import { Grid } from "../grid/grid";
import { type Series, bounds, bucketName, histogram, operationsOf, total } from "../plots/histogram";
import { printable } from "../text/printable";
import { NONE, number, percent } from "../text/units";
import { choice } from "../ui/choice";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { JobFacts, Sizes } from "./facts";


export function sizes(facts: JobFacts, body: HTMLElement): void {
  const layers = Object.entries(facts.sizes.by_layer ?? {}).filter(([, one]) => one.read.length + one.write.length > 0);
  if (!facts.sizes.read.length && !facts.sizes.write.length) {
    body.append(note("No file was read or written."));
    return;
  }
  let shown: Sizes = facts.sizes;
  const series = () => seriesOf(shown);
  const chart = histogram("Operations by size", series);
  const place = h("div");
  const fill = () => place.replaceChildren(captioned("Operations by size", "sizes", grid(series())));
  fill();
  if (layers.length > 1) {
    const options = [["", "All layers"], ...layers.map(([layer]) => [layer, printable(layer)])] as [string, string][];
    const pick = choice("Layer", options, "", (layer) => {
      shown = facts.sizes.by_layer?.[layer] ?? facts.sizes;
      chart.draw();
      fill();
    });
    body.append(h("div", { class: "tools" }, pick));
  }
  body.append(h("div", { class: "beside" }, h("div", { class: "card" }, chart.element), place));
}

function seriesOf(sizes: Sizes): Series[] {
  return [
    { name: "reads", colour: "--read", buckets: sizes.read },
    { name: "writes", colour: "--write", buckets: sizes.write },
  ].filter((one) => one.buckets.length > 0);
}

function grid(series: readonly Series[]): Grid {
  const places = bounds(series).filter((to) => series.some((one) => operationsOf(one, to) > 0));
  return new Grid({
    label: "Operations by size",
    rows: places.length,
    columns: [
      {
        key: "at_most_bytes",
        title: "Size",
        term: "sizes",
        least: 190,
        grows: true,
        left: true,
        order: Float64Array.from(places),
        cell: (row) => bucketName(places[row]),
        csv: (row) => String(places[row]),
      },
      ...series.flatMap((one) => {
        const values = Float64Array.from(places, (to) => operationsOf(one, to));
        const sum = total(one);
        const title = one.name.charAt(0).toUpperCase() + one.name.slice(1);
        const share = Float64Array.from(values, (value) => (sum ? value / sum : 0));
        return [
          figures(one.name, title, values, number, { term: "operations"}),
          figures(`${one.name}_share`, "Share", share, (value) => (value ? percent(value) : NONE), { term: "operations"}),
        ];
      }),
    ],
  });
}
