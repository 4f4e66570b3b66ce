/** What a table shows in a column. Rows are numbers: there is no object a row. */
import { type Child, h } from "../ui/dom";
import type { Numbers, Texts } from "../payload/table";
import { printable } from "../text/printable";

export interface Column {
  /** Heading in a CSV file. */
  key: string;
  title: string;
  /** The key of its definition. */
  term?: string | undefined;
  /** Pixels; the least of them when `grows`. */
  width: number;
  /** Takes the room that the others leave. */
  grows?: boolean;
  /** To the left, as texts are. */
  left?: boolean;
  cell(row: number): Child;
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
  options: { term?: string; width?: number; unit?: string; hidden?: boolean } = {},
): Column {
  return {
    key,
    title,
    term: options.term ?? key,
    width: options.width ?? 98,
    order: values,
    cell: (row) => format(values[row]),
    exact: options.unit === undefined ? undefined : (row) => `${values[row].toLocaleString("en-US")} ${options.unit}`.trim(),
    csv: (row) => String(values[row]),
    ...(options.hidden ? { hidden: true } : {}),
  };
}

/** A column of short words. */
export function words(
  key: string,
  title: string,
  values: Texts,
  options: { term?: string; width?: number; hidden?: boolean; format?: (text: string) => string } = {},
): Column {
  const format = options.format ?? printable;
  return {
    key,
    title,
    term: options.term ?? key,
    width: options.width ?? 110,
    left: true,
    order: values,
    cell: (row) => format(values.at(row)),
    csv: (row) => safeText(values.at(row)),
    ...(options.hidden ? { hidden: true } : {}),
  };
}

/** A column of names of any length, elided in the middle. */
export function names(key: string, title: string, values: Texts, options: { term?: string; width?: number } = {}): Column {
  return {
    key,
    title,
    term: options.term ?? key,
    width: options.width ?? 260,
    grows: true,
    left: true,
    order: values,
    cell: (row) => elided(printable(values.at(row))),
    csv: (row) => safeText(values.at(row)),
  };
}

const TAIL = 28;

/**
 * A name of which the middle is left out where there is no room: the end of a path tells most, its beginning where it is.
 * The whole name is in the tooltip.
 */
export function elided(name: string, whole = name): HTMLElement {
  const slash = name.lastIndexOf("/", name.length - 2);
  const cut = Math.max(slash > 0 ? slash : 0, name.length - TAIL);
  // Not through the middle of a pair of surrogates.
  const at = /[\udc00-\udfff]/.test(name.charAt(cut)) ? cut + 1 : cut;
  return h(
    "span",
    { class: "name path", "data-full": whole },
    h("span", { class: "start" }, name.slice(0, at).slice(0, 400)),
    h("span", { class: "end" }, name.slice(at)),
  );
}

/** A text for a CSV file; one that a spreadsheet would take for a formula gets a quote before it, which that hides. */
export function safeText(text: string): string {
  const shown = printable(text);
  return /^[=+\-@]/.test(shown) ? `'${shown}` : shown;
}
