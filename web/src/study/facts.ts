/** The facts of a study, as docs/formats/report-payload.md lists them. */
import type { Guide } from "../plots/guides";
import type { Outlier } from "../plots/boxes";

export interface ColumnFacts {
  name: string;
  title: string;
  /** "bytes", "bytes/s", "ns", "share", "count" and others; empty: none. */
  unit: string;
  kind: "integer" | "number" | "time" | "flag" | "text";
  /** What a cell without a value says; none: a dash. */
  empty?: string;
}

export interface Options {
  log_x?: boolean;
  log_y?: boolean;
  step?: boolean;
  guides?: Guide[];
  outliers?: Outlier[];
  /** Moments as UTC text. */
  bands?: { start: string; end: string; kind: string; text: string }[];
}

export interface FigureFacts {
  id: string;
  title: string;
  kind: "table" | "bars" | "lines" | "points" | "box" | "throughput" | "histograms";
  paper: string;
  definition: string;
  filter: string;
  /** Columns by what they are drawn as. */
  encoding: Record<string, string>;
  options: Options;
  words: string[];
  missing: string;
  columns: ColumnFacts[];
  table: string;
}

export interface SectionFacts {
  id: string;
  title: string;
  text: string;
  figures: FigureFacts[];
}

export interface StudyFacts {
  site: string;
  period: { start: string; end: string };
  /** What a comparison calls it; empty: there is no other. */
  side: string;
  /** `difference` is from the first side of a comparison. */
  headlines: { label: string; text: string; below: string; figure: string; difference: string }[];
  /** `side`: whose it is; empty: of both. */
  findings: { text: string; figure: string; side: string }[];
  notes: string[];
  sections: SectionFacts[];
  compared?: StudyFacts;
}
