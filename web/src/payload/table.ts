/** A table of columns, each a view of the unpacked data. Rows are numbers from 0. */

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

export interface ColumnEntry {
  type: string;
  at: number;
  bytes: number;
  values?: string[];
}

/** Texts, decoded when they are asked for. */
export interface Texts {
  at(row: number): string;
}

/** Texts of which there are few: a number a row into `values`. */
export interface Codes extends Texts {
  codes: Numbers;
  values: string[];
}

const ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f64: Float64Array,
  code: Uint32Array,
  code8: Uint8Array,
  code16: Uint16Array,
} as const;

export class Table {
  private readonly kept = new Map<string, Texts>();

  constructor(
    readonly name: string,
    readonly rows: number,
    private readonly entries: Record<string, ColumnEntry>,
    private readonly data: Uint8Array<ArrayBuffer>,
  ) {}

  has(column: string): boolean {
    return column in this.entries;
  }

  numbers(column: string): Numbers {
    const entry = this.entry(column);
    return this.array(column, entry, entry.type, this.rows);
  }

  codes(column: string): Codes {
    const entry = this.entry(column);
    const values = entry.values ?? [];
    const codes = this.array(column, entry, entry.type, this.rows);
    return { codes, values, at: (row) => values[codes[row]] ?? "" };
  }

  texts(column: string): Texts {
    const entry = this.entry(column);
    if (entry.type.startsWith("code")) return this.codes(column);
    let texts = this.kept.get(column);
    if (!texts) {
      const starts = this.array(column, entry, "u32", this.rows + 1);
      const from = entry.at + starts.byteLength;
      texts = lazyTexts(starts, this.data.subarray(from, entry.at + entry.bytes), this.rows);
      this.kept.set(column, texts);
    }
    return texts;
  }

  private entry(column: string): ColumnEntry {
    const entry = this.entries[column];
    if (!entry) throw new Error(`the table ${this.name} has no column ${column}`);
    return entry;
  }

  private array(column: string, entry: ColumnEntry, type: string, length: number): Numbers {
    const Kind = ARRAYS[type as keyof typeof ARRAYS];
    if (!Kind) throw new Error(`the column ${this.name}.${column} is of an unknown type, ${type}`);
    if (entry.at + length * Kind.BYTES_PER_ELEMENT > this.data.length) {
      throw new Error(`the column ${this.name}.${column} lies outside the data`);
    }
    return new Kind(this.data.buffer, this.data.byteOffset + entry.at, length);
  }
}

function lazyTexts(starts: Numbers, bytes: Uint8Array, rows: number): Texts {
  const decoder = new TextDecoder();
  const known = new Array<string | undefined>(rows);
  return {
    at(row) {
      return (known[row] ??= decoder.decode(bytes.subarray(starts[row], starts[row + 1])));
    },
  };
}
