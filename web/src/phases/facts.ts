/** The facts of phases, as docs/phases.md lists them, made smaller for the page by python/headrace/reports/phases.py. */

export interface Spread {
  least: number;
  most: number;
  mean: number;
}

export interface Instance {
  instance: number;
  members: number;
  start_at_ns: number;
  end_at_ns: number;
  time_ns: Spread;
  slowest: string;
  bytes: number;
  ended: string[];
}

export interface Phase {
  phase: string;
  members: number;
  missing: number;
  instances: number;
  least_instances: number;
  cut: number;
  spent_ns: number;
  time_ns: Spread;
  longest: { time_ns: number; instance: number; member: string };
  bytes_read: number;
  bytes_written: number;
  message_bytes: number;
  read_ns: number;
  write_ns: number;
  meta_ns: number;
  message_ns: number;
  each: Instance[];
  /** Of some members, the time in each of `each`; null where one did not keep that instance. */
  lines: { member: string; times_ns: (number | null)[] }[];
}

export interface Group {
  medoid?: string;
  ranks: number;
  who: string;
  hosts: number;
  bytes_read: number;
  bytes_written: number;
  message_bytes: number;
  time_ns: number;
  read_ns: number;
  write_ns: number;
  meta_ns: number;
  message_ns: number;
  most_time_in: [name: string, part: number] | null;
  most_messages_in: [name: string, part: number] | null;
  usual_size: [low: number, high: number, part: number] | null;
}

export type Kind = "calls" | "messages" | "bandwidth" | "sizes";

export interface Clustering {
  by: Kind;
  k: number;
  medoids: string[];
  /** The ranks of each group. */
  who: string[];
}

export interface Crossing {
  by: [Kind, Kind];
  table: number[][];
  agreement: number | null;
}

export interface Outlier {
  by: Kind;
  member: string;
  slow: boolean;
  column: string;
  value: number;
  usual: number | null;
}

export interface Explained {
  phase: string;
  instance: number;
  bandwidth_of: number;
  span_ns: number;
  members: number;
  clusterings: Clustering[];
  crossings: Crossing[];
  groups: Group[];
  slow: (Group & { members: string[] }) | null;
  representatives: { member: string; read: number[]; written: number[] }[];
  outliers: Outlier[];
  outliers_left_out: number;
  said: { of: string; slow: string[]; groups: string[]; outliers: string[] };
}

export interface DetectedPhase {
  phase: string;
  each: {
    instance: number;
    begin_at_ns: number;
    end_at_ns: number;
    bytes_read: number;
    bytes_written: number;
    operations: number;
    bytes_per_second: number;
    members: number;
    who: string;
  }[];
}

export interface Detected {
  width_ns: number;
  begin_at_ns: number;
  bins: { read: number[]; written: number[]; operations: number[] };
  phases: DetectedPhase[];
  said: { of: string; how: string[]; phases: string[]; groups: string[] };
}

export interface Run {
  log: string;
  members: number;
  ranks: boolean;
  in_phases: number;
  phases: Phase[];
  explained: Explained;
  /** Of a run whose phases were told from bytes over time; such a run has no others. */
  detected: Detected | null;
  job: { command: string[] | null; complete: string; start_utc_ns: number | null; run_ns: number; nodes: number };
}

export interface Comparison {
  phase: string;
  runs: { log: string; longest_ns: number[]; median_ns: number }[];
  said: string[];
}

export interface PhasesFacts {
  runs: Run[];
  comparison: Comparison | null;
  definitions: Record<string, string>;
}

/** What a run's members are called. */
export function members(run: Run, count: number): string {
  return `${count.toLocaleString("en-US")} ${run.ranks ? (count === 1 ? "rank" : "ranks") : count === 1 ? "process" : "processes"}`;
}

/** A colour a run or group keeps on the whole page. */
export function seriesColour(place: number): string {
  return `--series-${(place % 8) + 1}`;
}
