/** The facts of a paper's measurements made again, as docs/bench/papers.md lists them. */
export interface Estimate {
  value: number;
  /** Of the 95 % interval; null of one run. */
  low: number | null;
  high: number | null;
  /** The interval is wider than the value. */
  noisy: boolean;
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

/** A figure that is no table: times of ranks in bins, by case. */
export interface HistogramFacts {
  name: string;
  title: string;
  kind: "histogram";
  /** Seconds; one more than bins. */
  edges: number[];
  series: { name: string; counts: number[] }[];
}

/** A line a rank, over dumps. */
export interface LinesFacts {
  name: string;
  title: string;
  kind: "lines";
  case: string | null;
  lines: { rank: number; seconds: (number | null)[] }[];
  dumps: { least: number; median: number; most: number }[];
}

export interface PaperTable {
  name: string;
  title: string;
  size: string;
  ranks: number;
  /** How it was run, by the results: size, ranks and runs. */
  here: string;
  verdict: string;
  /** What its profile was derived from, if that is of this paper; else null. */
  fitted: string | null;
  figures: (HistogramFacts | LinesFacts)[];
  cases: Case[];
}

export interface PaperFacts {
  title: string;
  source: string;
  notes: string[];
  verdict: string;
  /** What else is stored. */
  others: string[];
  machines: { directory: string; launcher: string }[];
  mpis: string[];
  tables: PaperTable[];
}
