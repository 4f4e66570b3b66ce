/** Groups from one side against groups from another: who is where in both, and how much one tells of the other. */
import { captioned } from "../grid/captioned";
import { figures, words } from "../grid/column";
import { copyButton } from "../grid/copy";
import { Grid, textsOf } from "../grid/grid";
import { csv } from "../text/csv";
import { printable } from "../text/printable";
import { number } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { Clustering, Crossing, Kind, Run } from "./facts";
import { KINDS } from "./kinds";
import { rankColumn } from "./rank_column";

export function crossings(run: Run, body: HTMLElement): void {
  const { clusterings } = run.explained;
  const of = (kind: Kind) => clusterings.find((each) => each.by === kind);
  const alone = clusterings.filter((each) => each.k === 1).map((each) => KINDS[each.by]);
  const tables = run.explained.crossings.flatMap((each) => {
    const [one, other] = each.by.map(of);
    return one && other && one.k > 1 && other.k > 1 ? [crossing(run, each, one, other)] : [];
  });
  body.append(
    note(`How many ${run.ranks ? "ranks" : "processes"} are in a group of one side (lines) and of the other (columns). Agreement 1: each tells the other; 0: they have nothing to do with each other.`),
  );
  if (alone.length) body.append(note(`All are one group by ${alone.join(" and by ")}.`));
  if (tables.length) body.append(h("div", { class: "crossings" }, ...tables));
  else body.append(note("No two sides tell groups apart, so there is nothing to cross."));
  body.append(captioned("Groups from each side", "groups-by-side", grid(run)));
}

function crossing(run: Run, { by, table, agreement }: Crossing, one: Clustering, other: Clustering): HTMLElement {
  const title = `${KINDS[by[0]]} × ${KINDS[by[1]]}`;
  const heading = (group: Clustering, place: number, scope: string) =>
    h("th", { scope, tabindex: 0, "data-full": `${run.ranks ? "ranks" : "processes"} ${group.who[place]}` }, h("b", {}, `${place + 1}`), " ", h("span", {}, shorter(group.who[place])));
  const cell = (count: number, all: number) =>
    h("td", { style: count ? `background:color-mix(in srgb, var(--accent) ${Math.round(6 + (34 * count) / Math.max(1, all))}%, transparent)` : undefined, class: count ? undefined : "none" }, number(count));
  const text = () => csv([[title, ...other.who], ...table.map((line, row) => [one.who[row], ...line.map(String)])]);
  return h(
    "div",
    { class: "card crossing" },
    h("div", { class: "caption" }, h("h3", {}, title), copyButton(`${by[0]}-${by[1]}`, text)),
    h("p", { class: "note" }, "Agreement ", h("b", {}, agreement === null ? "–" : agreement.toFixed(2)), ` · ${said(agreement)}`),
    h(
      "div",
      { class: "scroller", tabindex: 0, role: "region", "aria-label": title },
      h(
        "table",
        { "aria-label": title },
        h("thead", {}, h("tr", {}, h("td"), ...other.who.map((_, place) => heading(other, place, "col")))),
        h("tbody", {}, ...table.map((line, row) => h("tr", {}, heading(one, row, "row"), ...line.map((count) => cell(count, line.reduce((sum, each) => sum + each, 0)))))),
      ),
    ),
  );
}

function said(agreement: number | null): string {
  if (agreement === null) return "nothing to compare";
  if (agreement >= 0.95) return "the same groups";
  return agreement >= 0.6 ? "they mostly go together" : agreement >= 0.25 ? "they go together in part" : "hardly anything in common";
}

function shorter(text: string): string {
  return text.length > 18 ? `${text.slice(0, 17)}…` : text;
}

function grid(run: Run): Grid {
  const rows = run.explained.clusterings.flatMap((each) => each.who.map((who, place) => ({ by: KINDS[each.by], place, who, medoid: each.medoids[place] })));
  return new Grid({
    label: "Groups from each side",
    rows: rows.length,
    columns: [
      words("by", "By", textsOf(rows, (row) => row.by), { term: "" }),
      figures("group", "Group", Float64Array.from(rows, (row) => row.place + 1), number, { term: "" }),
      words("like", "Like", textsOf(rows, (row) => (row.medoid === undefined ? "" : printable(row.medoid))), { term: "" }),
      rankColumn(run, textsOf(rows, (row) => row.who)),
    ],
  });
}
