/** The facts of runs of growing jobs, as docs/scaling.md lists them. */
export const PARTS = ["compute", "mpi", "libraries", "io"] as const;

export type PartName = (typeof PARTS)[number];

export interface Run {
  log: string;
  command: string[] | null;
  has_ranks: boolean;
  ranks: number;
  nodes: number | null;
  run_ns: number;
  rank_ns: number;
  time_ns: Record<PartName, number | null>;
  shares: Record<PartName, number | null>;
  slowest_io_ns: number | null;
  bytes: number;
  speed_up: number | null;
  efficiency: number | null;
}

export interface ScalingFacts {
  weak: boolean;
  /** What the bytes say of the work: the same in each run, grown with the job, or neither. */
  work: "same" | "grew" | "differs" | null;
  runs: Run[];
  notes: string[];
  definitions: Record<string, string>;
}
