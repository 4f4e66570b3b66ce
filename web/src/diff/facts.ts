/** The facts of a comparison, as docs/diff.md lists them. */
export interface Figures { [name: string]: number; }

export interface Change extends Figures { share: number; }

export interface Total {
  key: string;
  unit: "ns" | "bytes" | "count";
  values: number[];
  least: (number | null)[];
  greatest: (number | null)[];
  changes: ({ amount: number; relative: number | null; beyond_spread: boolean | null } | null)[];
}

export interface Keyed {
  sides: (Figures | null)[];
  changes: (Change | null)[];
  [name: string]: unknown;
}

export interface Bucket { over: number; to: number; operations: number[]; }

export interface Run {
  log: { path: string };
  job: { command: string[] | null; host: string | null; working_directory: string | null; start_utc_ns: number | null; run_ns: number };
}

export interface DiffFacts {
  same: boolean;
  sides: { name: string; runs: Run[] }[];
  unequal: { what: string; text: string }[];
  totals: Total[];
  functions: Keyed[];
  mounts: Keyed[];
  programs: Keyed[];
  by: string;
  files: { rows_in_all: number; matched: (Figures | null)[] };
  files_left_out: number;
  sizes: { read: Bucket[]; write: Bucket[] };
  bandwidth: { begin_at_ns: number; span_ns: number; sides: { bytes_read: number[]; bytes_written: number[] }[] };
  chance_apart: (number | null)[];
  definitions: Record<string, string>;
}
