/** Those who are like no group: in what, and how far from what is usual. */
import { captioned } from "../grid/captioned";
import { type Column, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { NONE, count, duration, number, size } from "../text/units";
import { note } from "../ui/section";
import type { Outlier, Run } from "./facts";
import { KINDS } from "./kinds";

export function outliers(run: Run, body: HTMLElement): void {
  const { outliers: rows, outliers_left_out: left } = run.explained;
  if (!rows.length) {
    body.append(note(`No ${run.ranks ? "rank" : "process"} is like no other.`));
    return;
  }
  const column = (key: string, title: string, get: (row: Outlier) => number | null): Column => {
    const order = numbersOf(rows, get);
    return { key, title, order, cell: (row) => (Number.isNaN(order[row]) ? NONE : said(rows[row].by, order[row])), csv: (row) => String(order[row]) };
  };
  const grid = new Grid({
    label: "Outliers",
    rows: rows.length,
    columns: [
      words("who", run.ranks ? "Rank" : "Process", textsOf(rows, (row) => row.member), { term: "" }),
      words("by", "By", textsOf(rows, (row) => KINDS[row.by]), { term: "" }),
      { ...words("what", "In", textsOf(rows, what), { term: "" }), grows: true },
      column("value", "Value", (row) => row.value),
      column("usual", "Usual in group", (row) => row.usual),
      words("slow", "Of the slow", textsOf(rows, (row) => (row.slow ? "yes" : "")), { term: "" }),
    ],
  });
  const more = left ? note(`${count(left, "more outlier")} are not shown; --json has them.`) : null;
  body.append(captioned("Like no other", "outliers", grid, more));
}

/** The column of the clustered table in words: "posix:fsync", "write:31", "read:4096-8191". */
function what({ by, column }: Outlier): string {
  const [first, ...rest] = column.split(":");
  const name = rest.join(":");
  if (by === "bandwidth") return `${first === "read" ? "read" : "written"} in span ${Number(name) + 1}`;
  if (by !== "sizes") return `${name}()`;
  const [low, high] = name.split("-").map(Number);
  return `${first}s of ${size(low)}${high > low ? (high >= 2 ** 62 ? " and more" : ` to ${size(high)}`) : ""}`;
}

function said(by: Outlier["by"], value: number): string {
  if (by === "bandwidth") return size(value);
  return by === "sizes" ? `${number(value)} operations` : duration(value * 1e9);
}
