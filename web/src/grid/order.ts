/** Rows in order of a column. */
import type { Codes, Numbers, Texts } from "../payload/table";

/** Sorts row numbers in place; equal rows stay as they are, and what is no number comes last. */
export function sortRows(rows: Uint32Array, by: Numbers | Texts, descending: boolean): void {
  const sign = descending ? -1 : 1;
  if (isCodes(by)) {
    // Few texts: their places in the alphabet are compared, not they.
    const { codes, values } = by;
    const places = new Uint32Array(values.length);
    const alphabet = values.map((_, code) => code).sort((a, b) => compare(values[a], values[b]));
    alphabet.forEach((code, place) => (places[code] = place));
    rows.sort((a, b) => sign * (places[codes[a]] - places[codes[b]]));
  } else if (isNumbers(by)) {
    rows.sort((a, b) => sign * (by[a] - by[b]) || nanLast(by[a], by[b]));
  } else {
    rows.sort((a, b) => sign * compare(by.at(a), by.at(b)));
  }
}

function isCodes(values: Numbers | Texts): values is Codes {
  return "codes" in values;
}

function isNumbers(values: Numbers | Texts): values is Numbers {
  return ArrayBuffer.isView(values);
}

function nanLast(a: number, b: number): number {
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** By UTF-16, which is quick; names of files are no prose. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
