/**
 * A table of any number of rows, of which only those in view are in the document. Columns sort by a click on their heading;
 * a row may open to details below it.
 */
import type { Texts } from "../payload/table";
import { csv } from "../text/csv";
import { number } from "../text/units";
import { append, h } from "../ui/dom";
import type { Column, Room } from "./column";
import { Layout } from "./layout";
import { sortRows } from "./order";
import { Widths } from "./widths";

export interface GridOptions {
  /** What a screen reader calls it. */
  label: string;
  columns: Column[];
  rows: number;
  sort?: { key: string; descending: boolean };
  /** What opens below a row. */
  details?: (row: number) => HTMLElement;
  /** Told before rows are sorted by the reader. */
  onSort?: () => void;
}

const BEYOND = 12; // rows made above and below the view
const LOOKED_AT = 60; // rows at the beginning, and as many between all, that tell how wide columns are
const ALL = 60; // rows that are all in the document, so that each may be as high as its texts
const PRINTED = 200; // rows on paper
const PAPER = 1080; // pixels across it

export class Grid {
  readonly element: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly body = h("tbody");
  private readonly headings = new Map<string, HTMLElement>();
  private readonly table: HTMLElement;
  private readonly shown: Column[];
  private readonly widths: Widths;
  private readonly unmeasured = new Set<number>(); // rows that may need wider columns
  private readonly layout: Layout;
  private readonly made = new Map<number, HTMLElement[]>();
  private readonly open = new Map<number, number>(); // row number: height of its details
  private rows: Uint32Array; // in the order shown
  private sorted: { key: string; descending: boolean } | null;
  private waiting = 0;
  private isPrinting = false;
  private readonly resized: ResizeObserver;

  constructor(private readonly options: GridOptions) {
    this.shown = options.columns.filter((column) => !column.hidden);
    this.sorted = options.sort ?? null;
    const rowHeight = matchMedia("(pointer: coarse)").matches ? 40 : 30;
    this.layout = new Layout(rowHeight, 0);
    this.widths = new Widths(this.shown, options.details !== undefined);
    this.table = h(
      "table",
      { "aria-label": options.label, style: `--row:${rowHeight}px` },
      h("colgroup", {}, ...this.widths.columns),
      h("thead", {}, h("tr", { "aria-rowindex": 1 }, ...this.shown.map((column) => this.heading(column)))),
      this.body,
    );
    this.scroller = h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": options.label }, this.table);
    this.element = h("div", { class: "grid" }, this.scroller);
    this.scroller.addEventListener("scroll", () => this.later(), { passive: true });
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.body.addEventListener("keydown", (event) => this.pressed(event));
    this.resized = new ResizeObserver((entries) => this.measured(entries));
    new ResizeObserver(() => this.later()).observe(this.scroller); // also when it is first seen
    window.addEventListener("beforeprint", () => {
      this.isPrinting = true;
      this.update();
    });
    window.addEventListener("afterprint", () => {
      this.isPrinting = false;
      this.update();
    });
    this.rows = Uint32Array.from({ length: options.rows }, (_, row) => row);
    this.show(this.rows);
  }

  /** Shows these rows, in the order that the reader has chosen, else in the order given. */
  show(rows: Uint32Array): void {
    this.rows = rows.slice();
    const by = this.options.columns.find((column) => column.key === this.sorted?.key)?.order;
    if (by && this.sorted) sortRows(this.rows, by, this.sorted.descending);
    this.scroller.scrollTop = 0;
    this.refill();
  }

  get count(): number {
    return this.rows.length;
  }

  get scroll(): number {
    return this.scroller.scrollTop;
  }

  set scroll(top: number) {
    this.scroller.scrollTop = top;
    this.update();
  }

  sortBy(key: string, descending: boolean): void {
    this.sorted = { key, descending };
    this.markHeadings();
    this.show(this.rows);
  }

  /** The order given to `show` is the one shown. */
  unsort(): void {
    this.sorted = null;
    this.markHeadings();
  }

  /** All rows shown, with every column. */
  csv(): string {
    const { columns } = this.options;
    const rows = this.rows;
    function* lines() {
      yield columns.map((column) => column.key);
      for (const row of rows) yield columns.map((column) => column.csv(row));
    }
    return csv(lines());
  }

  private heading(column: Column): HTMLElement {
    const cell = h("th", { scope: "col", class: column.left ? "left" : undefined });
    if (column.order) {
      append(cell, [
        h("button", { type: "button", "data-term": column.term, onclick: () => this.headingClicked(column) }, column.title),
      ]);
    } else {
      append(cell, [h("span", { "data-term": column.term, tabindex: column.term ? 0 : undefined }, column.title)]);
    }
    this.headings.set(column.key, cell);
    return cell;
  }

  private headingClicked(column: Column): void {
    const again = this.sorted?.key === column.key;
    // Figures: the greatest first; texts: from the beginning of the alphabet.
    const descending = again ? !this.sorted?.descending : !column.left;
    this.options.onSort?.();
    this.sortBy(column.key, descending);
  }

  private markHeadings(): void {
    for (const [key, cell] of this.headings) {
      if (key === this.sorted?.key) cell.setAttribute("aria-sort", this.sorted.descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
  }

  /** Makes everything anew. */
  private refill(): void {
    this.markHeadings();
    this.resized.disconnect();
    this.made.clear();
    this.body.replaceChildren();
    this.open.clear();
    this.layout.rows = this.rows.length;
    // Said on paper alone.
    if (this.rows.length > PRINTED) this.element.dataset.printed = `The first ${PRINTED} of ${number(this.rows.length)} rows.`;
    else delete this.element.dataset.printed;
    this.layout.setOpen(new Map());
    for (const row of this.sample()) this.unmeasured.add(row);
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.update();
  }

  private later(): void {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.update();
    });
  }

  /** Brings the rows in view into the document. */
  private update(): void {
    this.fit();
    if (this.isPrinting) return this.render(0, Math.min(PRINTED, this.rows.length));
    if (this.rows.length <= ALL) return this.render(0, this.rows.length);
    const top = this.scroller.scrollTop;
    const height = this.scroller.clientHeight || 600;
    const first = Math.max(0, this.layout.at(top) - BEYOND);
    const last = Math.min(this.rows.length, this.layout.at(top + height) + BEYOND + 1);
    this.render(first, last);
  }

  private render(first: number, last: number): void {
    const wanted = this.rows.subarray(first, last);
    const keep = new Set(wanted);
    for (const [row, elements] of this.made) {
      if (keep.has(row)) continue;
      for (const element of elements) {
        this.resized.unobserve(element);
        element.remove();
      }
      this.made.delete(row);
    }
    const children: HTMLElement[] = [this.spacer(this.layout.top(first))];
    wanted.forEach((row, index) => {
      let elements = this.made.get(row);
      if (!elements) this.made.set(row, (elements = this.make(row)));
      elements[0].setAttribute("aria-rowindex", String(first + index + 2));
      children.push(...elements);
    });
    children.push(this.spacer(this.layout.height - this.layout.top(last)));
    this.replace(children);
    if (this.unmeasured.size) this.fit();
  }

  /** Leaves elements that are in place where they are: moving one would take the focus from it. */
  private replace(children: HTMLElement[]): void {
    let at: ChildNode | null = this.body.firstChild;
    for (const child of children) {
      if (at === child) {
        at = at.nextSibling;
        continue;
      }
      while (at instanceof HTMLElement && at.className === "space") {
        const next: ChildNode | null = at.nextSibling;
        at.remove();
        at = next;
      }
      if (at === child) at = at.nextSibling;
      else this.body.insertBefore(child, at);
    }
    while (at) {
      const next: ChildNode | null = at.nextSibling;
      at.remove();
      at = next;
    }
  }

  private spacer(height: number): HTMLElement {
    return h("tr", { class: "space", "aria-hidden": "true", style: `height:${height}px` });
  }

  /** Columns are as wide as what they hold asks for, once the table is in the document. */
  private fit(): void {
    const room = this.isPrinting ? PAPER : this.scroller.clientWidth;
    if (!room) return;
    if (this.unmeasured.size) {
      const rows = [...this.unmeasured];
      this.unmeasured.clear();
      this.widths.measure(this.shown.map((_, place) => rows.map((row) => this.cell(row, place))), this.element);
    }
    if (!this.widths.apply(this.table, room, this.rows.length <= ALL)) return;
    // Names are cut to the room that they have.
    for (const [row, [line]] of this.made) {
      this.shown.forEach((column, place) => {
        if (column.grows || column.left) line.children[place].replaceWith(this.cell(row, place, this.widths.room(place)));
      });
    }
  }

  /** The first rows, and some of all. */
  private sample(): Uint32Array {
    const step = Math.max(1, Math.floor(this.rows.length / LOOKED_AT));
    return this.rows.filter((_, place) => place < LOOKED_AT || place % step === 0);
  }

  private cell(row: number, place: number, room?: Room): HTMLElement {
    const column = this.shown[place];
    const cell = h("td", {
      class: column.left ? "left" : undefined,
      "data-term": column.term,
      "data-exact": column.exact?.(row),
    });
    if (this.options.details && place === 0) {
      append(cell, [h("button", { type: "button", class: "opener", "aria-expanded": String(this.open.has(row)), "aria-label": "Details" })]);
    }
    append(cell, [column.cell(row, room)]);
    return cell;
  }

  private make(row: number): HTMLElement[] {
    const line = h("tr", { "data-row": row, class: this.options.details ? "opens" : undefined });
    this.shown.forEach((_, place) => {
      const cell = this.cell(row, place, this.widths.room(place));
      if (this.widths.isNews(place, cell)) this.unmeasured.add(row);
      line.append(cell);
    });
    if (!this.open.has(row)) return [line];
    const details = this.makeDetails(row);
    return [line, details];
  }

  private makeDetails(row: number): HTMLElement {
    const content = h("div", { class: "details" }, this.options.details?.(row));
    const line = h("tr", { class: "detail", "data-row": row }, h("td", { colspan: this.shown.length }, content));
    this.resized.observe(line);
    return line;
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as Element;
    const line = target.closest<HTMLElement>("tr.opens");
    if (!line || target.closest("a,button:not(.opener)")) return;
    // Whoever marks text does not want the row to open.
    if (!target.closest("button") && getSelection()?.type === "Range") return;
    this.toggle(Number(line.dataset.row));
  }

  /** Opens or closes the details of a row. */
  toggle(row: number): void {
    if (!this.options.details) return;
    const elements = this.made.get(row);
    if (this.open.delete(row)) elements?.splice(1).forEach((element) => element.remove());
    else {
      this.open.set(row, 240); // until it is measured
      if (elements) {
        const details = this.makeDetails(row);
        elements[0].after(details);
        elements.push(details);
      }
    }
    elements?.[0].querySelector(".opener")?.setAttribute("aria-expanded", String(this.open.has(row)));
    this.placed();
  }

  private measured(entries: ResizeObserverEntry[]): void {
    let changed = false;
    for (const { target } of entries) {
      const row = Number((target as HTMLElement).dataset.row);
      const height = (target as HTMLElement).offsetHeight;
      if (height && this.open.has(row) && this.open.get(row) !== height) {
        this.open.set(row, height);
        changed = true;
      }
    }
    if (changed) this.placed();
  }

  private placed(): void {
    const places = new Map<number, number>();
    if (this.open.size) {
      this.rows.forEach((row, place) => {
        const height = this.open.get(row);
        if (height !== undefined) places.set(place, height);
      });
    }
    this.layout.setOpen(places);
    this.later();
  }

  /** Arrows move between rows, as in a list. */
  private pressed(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const line = (event.target as Element).closest<HTMLElement>("tr.opens");
    if (!step || !line || !(event.target as Element).matches(".opener")) return;
    event.preventDefault();
    const place = Number(line.getAttribute("aria-rowindex")) - 2 + step;
    if (place < 0 || place >= this.rows.length) return;
    const top = this.layout.top(place);
    const { scrollTop, clientHeight } = this.scroller;
    const head = this.layout.rowHeight;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + 2 * head > scrollTop + clientHeight - head) this.scroller.scrollTop = top + 3 * head - clientHeight;
    this.update();
    this.made.get(this.rows[place])?.[0].querySelector<HTMLElement>(".opener")?.focus({ preventScroll: true });
  }
}

/** A column of values that are in objects, as small tables have them. */
export function numbersOf<T>(rows: readonly T[], get: (row: T) => number | null | undefined): Float64Array {
  return Float64Array.from(rows, (row) => get(row) ?? NaN);
}

export function textsOf<T>(rows: readonly T[], get: (row: T) => string | null | undefined): Texts {
  return { at: (row) => get(rows[row]) ?? "" };
}
