/** A figure's data as a table of its own, to sort, copy and save. */
import { copyButton, saveButton } from "../grid/copy";
import { type Column, figures, names, words } from "../grid/column";
import { Grid } from "../grid/grid";
import type { Table } from "../payload/table";
import { csv } from "../text/csv";
import { count } from "../text/units";
import { h } from "../ui/dom";
import type { ColumnFacts, FigureFacts } from "./facts";
import { isNumeric } from "./rows";
import { formatOf } from "./units";

const NAME = 16; // characters, beyond which a column grows
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
    if (longest <= NAME || grows) return words(column.name, column.title, texts, options);
    grows = true;
    return names(column.name, column.title, texts, options);
  });
}

function numeric(column: ColumnFacts, table: Table): Column {
  const values = table.numbers(column.name);
  const { title } = column; // figures have their unit
  const isTime = column.kind === "time";
  const made = figures(column.name, title, values, formatOf(column), { term: "" });
  const moment = (row: number) => new Date(values[row] * 1e3).toISOString();
  return {
    ...made,
    exact: isTime ? undefined : (row) => (Number.isNaN(values[row]) ? "not known" : `${values[row].toLocaleString("en-US", { maximumFractionDigits: 9 })} ${column.unit === "count" ? "" : column.unit}`.trim()),
    csv: (row) => (Number.isNaN(values[row]) ? "" : isTime ? moment(row) : String(values[row])),
  };
}
