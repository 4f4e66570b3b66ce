/** What a table shows in a column. Rows are numbers: there is no object a row. */
import type { Child } from "../ui/dom";
import type { Numbers, Texts } from "../payload/table";
import { printable } from "../text/printable";
import { elided } from "./name";

/** Both in pixels. */
export interface Room {
  pixels: number;
  letter: number;
}

export interface Column {
  /** Heading in a CSV file. */
  key: string;
  title: string;
  /** The key of its definition. */
  term?: string | undefined;
  /** Pixels that a text or a picture has at least, where room is short. Figures have what they need. */
  least?: number;
  /** Takes the room that the others leave. */
  grows?: boolean;
  /** To the left, as texts are. */
  left?: boolean;
  /** `room` is what a name has; without it, the cell shows all. */
  cell(row: number, room?: Room): Child;
  /** What a tooltip says above the definition: the figure without rounding. */
  exact?: ((row: number) => string) | undefined;
  /** What rows are sorted by; without it they cannot be. */
  order?: Numbers | Texts | undefined;
  /** The cell in a CSV file: figures without rounding or unit. */
  csv(row: number): string;
  /** Only in the CSV file. */
  hidden?: boolean;
}

/** A column of figures, which a CSV file gets in full. */
export function figures(
  key: string,
  title: string,
  values: Numbers,
  format: (value: number) => string,
  options: { term?: string; least?: number; unit?: string; hidden?: boolean } = {},
): Column {
  return {
    key,
    title,
    term: options.term ?? key,
    order: values,
    cell: (row) => format(values[row]),
    exact: options.unit === undefined ? undefined : (row) => `${values[row].toLocaleString("en-US")} ${options.unit}`.trim(),
    csv: (row) => String(values[row]),
    ...(options.least ? { least: options.least } : {}),
    ...(options.hidden ? { hidden: true } : {}),
  };
}

/** A column of short words. */
export function words(
  key: string,
  title: string,
  values: Texts,
  options: { term?: string; hidden?: boolean; format?: (text: string) => string } = {},
): Column {
  const format = options.format ?? printable;
  return {
    key,
    title,
    term: options.term ?? key,
    left: true,
    order: values,
    cell: (row) => format(values.at(row)),
    csv: (row) => safeText(values.at(row)),
    ...(options.hidden ? { hidden: true } : {}),
  };
}

/** A column of names of any length, elided in the middle. */
export function names(key: string, title: string, values: Texts, options: { term?: string } = {}): Column {
  return {
    key,
    title,
    term: options.term ?? key,
    grows: true,
    left: true,
    order: values,
    cell: (row, room) => elided(printable(values.at(row)), undefined, room?.pixels, room?.letter),
    csv: (row) => safeText(values.at(row)),
  };
}

/** A text for a CSV file; one that a spreadsheet would take for a formula gets a quote before it, which that hides. */
export function safeText(text: string): string {
  const shown = printable(text);
  return /^[=+\-@]/.test(shown) ? `'${shown}` : shown;
}
