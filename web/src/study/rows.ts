/** The data of a figure by what it is drawn as, or none. */
import type { Numbers, Table, Texts } from "../payload/table";
import { printable } from "../text/printable";
import type { ColumnFacts, FigureFacts } from "./facts";
import { formatOf } from "./units";

export class Rows {
  constructor(
    readonly figure: FigureFacts,
    readonly table: Table,
  ) {}

  /** The column that is drawn as this. */
  column(channel: string): ColumnFacts | undefined {
    const name = this.figure.encoding[channel];
    return name === undefined ? undefined : this.figure.columns.find((column) => column.name === name);
  }

  /** Its figures; NaN where there is none. */
  numbers(channel: string): Numbers {
    const column = this.column(channel);
    if (!column || !isNumeric(column)) return new Float64Array(this.table.rows).fill(NaN);
    return this.table.numbers(column.name);
  }

  /** Its values as text, of any column. */
  texts(channel: string): Texts {
    const column = this.column(channel);
    return column ? textsOf(this.table, column) : { at: () => "" };
  }

  /** Rows by the value of a column, both in the order in which they come. One group when there is no such column. */
  groups(channel: string, rows: readonly number[] = this.all()): Map<string, number[]> {
    const texts = this.texts(channel);
    const groups = new Map<string, number[]>();
    for (const row of rows) {
      const name = texts.at(row);
      const group = groups.get(name);
      if (group) group.push(row);
      else groups.set(name, [row]);
    }
    return groups;
  }

  all(): number[] {
    return Array.from({ length: this.table.rows }, (_, row) => row);
  }
}

export function isNumeric(column: ColumnFacts): boolean {
  return column.kind === "integer" || column.kind === "number" || column.kind === "time";
}

export function textsOf(table: Table, column: ColumnFacts): Texts {
  if (isNumeric(column)) {
    const [values, format] = [table.numbers(column.name), formatOf(column)];
    return { at: (row) => format(values[row]) };
  }
  const texts = table.texts(column.name);
  return { at: (row) => printable(texts.at(row)) };
}
