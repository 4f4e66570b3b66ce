/** The facts of a paper's measurements made again, as docs/bench/papers.md lists them. */
export interface Estimate {
  value: number;
  /** Of the 95 % interval; null of one run. */
  low: number | null;
  high: number | null;
}

export interface Measure {
  name: string;
  unit: string;
  less_is_better: boolean;
  here: Estimate | null;
  times: Estimate | null;
  published: number | "x" | null;
  published_times: number | null;
}

export interface Case {
  name: string;
  words: string[];
  runs: number;
  outcome: "done" | "too large" | "too long" | "not run";
  remarks: string[];
  measures: Measure[];
}

export interface PaperTable {
  name: string;
  title: string;
  size: string;
  ranks: number;
  cases: Case[];
}

export interface PaperFacts {
  title: string;
  source: string;
  notes: string[];
  repeats: number;
  machines: { directory: string; launcher: string }[];
  mpis: string[];
  tables: PaperTable[];
}
