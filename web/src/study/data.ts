/** A figure's data as a table of its own, to sort, copy and save. */
import { copyButton, saveButton } from "../grid/copy";
import { type Column, figures, names, words } from "../grid/column";
import { Grid } from "../grid/grid";
import type { Numbers, Table } from "../payload/table";
import { csv } from "../text/csv";
import { count } from "../text/units";
import { h } from "../ui/dom";
import type { ColumnFacts, FigureFacts } from "./facts";
import { isNumeric } from "./rows";
import { formatOf } from "./units";

const DIGIT = 8.6; // pixels, of a letter of a heading too
const NAME = 16; // characters, beyond which a column grows
const MOST = 40; // characters that it has room for, also where the table is wider than the page
const LOOKED_AT = 400; // rows

export function dataTable(figure: FigureFacts, table: Table, title: string): { grid: Grid; tools: HTMLElement } {
  const made = columnsOf(figure, table);
  const grid = new Grid({ label: title, rows: table.rows, columns: made });
  const tools = h("div", { class: "tools" }, h("span", { class: "note" }, count(table.rows, "row")), h("span", { class: "push" }), copyButton(figure.table, () => grid.csv()), saveButton(figure.table, () => whole(made, table.rows)));
  return { grid, tools };
}

/** As the study has it, not as it is sorted. */
function whole(columns: readonly Column[], rows: number): string {
  return csv([columns.map((column) => column.key), ...Array.from({ length: rows }, (_, row) => columns.map((column) => column.csv(row)))]);
}

function columnsOf(figure: FigureFacts, table: Table): Column[] {
  let grows = false;
  return figure.columns.map((column) => {
    if (isNumeric(column)) return numeric(column, table);
    const texts = table.texts(column.name);
    const options = { term: "" };
    let longest = 0;
    for (let row = 0; row < Math.min(LOOKED_AT, table.rows); row++) longest = Math.max(longest, texts.at(row).length);
    if (longest <= NAME || grows) return words(column.name, column.title, texts, { ...options, width: Math.max(90, 24 + 8 * Math.min(28, Math.max(longest, column.title.length))) });
    grows = true;
    return names(column.name, column.title, texts, { ...options, width: 24 + 8 * Math.min(MOST, longest) });
  });
}

function numeric(column: ColumnFacts, table: Table): Column {
  const values = table.numbers(column.name);
  const { title } = column; // figures have their unit
  const isTime = column.kind === "time";
  const made = figures(column.name, title, values, formatOf(column), { term: "", width: widthOf(title, values, formatOf(column)) });
  const moment = (row: number) => new Date(values[row] * 1e3).toISOString();
  return {
    ...made,
    exact: isTime ? undefined : (row) => (Number.isNaN(values[row]) ? "not known" : `${values[row].toLocaleString("en-US", { maximumFractionDigits: 9 })} ${column.unit === "count" ? "" : column.unit}`.trim()),
    csv: (row) => (Number.isNaN(values[row]) ? "" : isTime ? moment(row) : String(values[row])),
  };
}

/** Pixels that hold every figure whole, and each word of the heading, which wraps. */
export function widthOf(title: string, values: Numbers, format: (value: number) => string): number {
  let longest = 0;
  for (let row = 0; row < Math.min(LOOKED_AT, values.length); row++) longest = Math.max(longest, format(values[row]).length);
  const words = title.split(/\s+/).map((word) => word.length + 2); // and the arrow of the order
  return Math.ceil(Math.max(90, 24 + DIGIT * Math.max(longest, ...words)));
}
