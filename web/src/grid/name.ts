/** Names of any length, shortened so that those of one table still differ. */
import { h } from "../ui/dom";

const HEAD = 4; // fewer characters of a beginning tell nothing

/** What is shown of a name, and what is left out, in turn; the first is shown. `room` is in characters. */
export function partsOf(name: string, room: number): string[] {
  const length = name.length;
  if (length <= room) return [name];
  const base = length - 1 - name.lastIndexOf("/", length - 2); // the last part of a path
  if (base < room) {
    // The file's name, and what is left for the beginning and for the directory above the file.
    const head = Math.floor((room - 1 - base) / 2);
    return split(name, head < HEAD ? 0 : head, length - (room - 1 - (head < HEAD ? 0 : head)));
  }
  // Files of a series differ in their number, wherever it stands.
  const last = [...name.slice(length - base).matchAll(/\d+/g)].at(-1);
  const tail = length - Math.max(1, room - 1);
  if (!last || length - base + last.index >= tail) return split(name, 0, tail);
  const from = length - base + last.index;
  const left = room - 2 - last[0].length;
  if (left < HEAD) return split(name, 0, tail);
  return [...split(name.slice(0, from + last[0].length), 0, from), ...split(name.slice(from + last[0].length), 0, length - from - last[0].length - left).slice(1)];
}

/** Not through the middle of a pair of surrogates. */
function split(name: string, head: number, tail: number): string[] {
  const begin = isLow(name, head) ? head - 1 : head;
  const end = isLow(name, tail) ? tail + 1 : tail;
  return [name.slice(0, begin), name.slice(begin, end), name.slice(end)];
}

function isLow(name: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(name.charAt(at));
}

/** Letters of East Asia take the place of two. */
function columns(name: string): number {
  return name.length + (name.match(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g)?.length ?? 0);
}

/**
 * A name with "…" for what has no room. All of it stays in the document, for whoever searches or copies; the tooltip shows
 * `whole`. `room` is in pixels, none where there is enough; `letter` is the width of one.
 */
export function elided(name: string, whole = name, room = Infinity, letter = 7.5): HTMLElement {
  const characters = name === "" ? 0 : Math.max(8, Math.floor(((room / letter) * name.length) / columns(name)));
  const parts = partsOf(name, characters).map((part, place) => (place % 2 ? h("span", { class: "gap" }, part) : part));
  return h("span", { class: "name path", "data-full": whole }, ...parts);
}
