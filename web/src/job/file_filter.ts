/** Which files are shown: by a text in their name, by directory, and by the words of some columns. */
import type { Codes, Table, Texts } from "../payload/table";
import { printable } from "../text/printable";

export class FileFilter {
  /** All its words occur in the name, in whatever letters. */
  text = "";
  /** A directory, "/" at its end. */
  below: string | null = null;
  private readonly chosen = new Map<string, string>();
  private lower: string[] | null = null;
  private readonly paths: Texts;
  private readonly finalPaths: Texts;

  constructor(private readonly table: Table) {
    this.paths = table.texts("path");
    this.finalPaths = table.texts("final_path");
  }

  /** Only rows with this word in a column; null: any. */
  choose(column: string, word: string | null): void {
    if (word === null) this.chosen.delete(column);
    else this.chosen.set(column, word);
  }

  rows(): Uint32Array {
    const codes = [...this.chosen].map(([column, word]) => {
      const found: Codes = this.table.codes(column);
      return [found.codes, found.values.indexOf(word)] as const;
    });
    const parts = this.text.toLowerCase().split(/\s+/).filter((part) => part !== "");
    const names = parts.length ? this.names() : null;
    const { below } = this;
    const kept = new Uint32Array(this.table.rows);
    let count = 0;
    for (let row = 0; row < kept.length; row++) {
      if (codes.some(([column, code]) => column[row] !== code)) continue;
      if (below !== null && !this.isBelow(row, below)) continue;
      if (names && !parts.every((part) => names[row].includes(part))) continue;
      kept[count++] = row;
    }
    return kept.slice(0, count);
  }

  private isBelow(row: number, path: string): boolean {
    return this.paths.at(row).startsWith(path) || this.paths.at(row) === path.slice(0, -1);
  }

  /** Names as they are shown, in small letters, of a renamed file both; made once. */
  private names(): string[] {
    this.lower ??= Array.from({ length: this.table.rows }, (_, row) => {
      const [path, last] = [this.paths.at(row), this.finalPaths.at(row)];
      return printable(last && last !== path ? `${path} ${last}` : path).toLowerCase();
    });
    return this.lower;
  }
}
