/** What a report of one job says: the JSON of docs/formats/report-payload.md. Times are nanoseconds. */
import type { Folder } from "../plots/treemap";

export interface Direction {
  calls: number;
  errors: number;
  bytes: number;
  time_ns: number;
  slowest_ns: number;
  bytes_per_second?: number | null;
}

export type Metadata = Omit<Direction, "bytes" | "bytes_per_second">;

export interface Bucket {
  over: number;
  to: number;
  operations: number;
}

export interface Sizes {
  read: Bucket[];
  write: Bucket[];
}

export interface Summary {
  log: { path: string; bytes: number; closed: boolean; damaged_places: number; damaged_bytes: number };
  job: {
    command: string[] | null;
    host: string | null;
    user_id: number | null;
    working_directory: string | null;
    start_utc_ns: number | null;
    end_utc_ns: number | null;
    exit_status: number | null;
    complete: string | null;
    run_ns: number;
    processes: number;
    process_ids: number;
    processes_captured: number;
    headrace_version: string | null;
  };
  totals: {
    files: number;
    directories: number;
    read: Direction;
    write: Direction;
    metadata: Metadata;
    io_ns: number;
    process_ns: number;
    io_share_of_process_time: number | null;
    io_share_of_run_time: number | null;
  };
  other: {
    kind: string;
    files: number;
    reads: number;
    writes: number;
    bytes_read: number;
    bytes_written: number;
    metadata_calls: number;
    time_ns: number;
  }[];
  mounts: Mount[];
  not_captured: { what: string; amount: number; unit: string; reason: string; processes: number }[];
  damage: { offset: number; bytes: number; reason: string }[];
}

export interface Mount {
  point: string;
  type: string;
  source: string;
  options: string;
  files: number;
  directories: number;
  bytes_read: number;
  bytes_written: number;
  time_ns: number;
}

export interface Layer {
  layer: string;
  read: Direction;
  write: Direction;
  metadata: Metadata;
}

export interface FunctionRow {
  function: string;
  layer: string;
  calls: number;
  errors: number;
  bytes: number;
  time_ns: number;
  max_ns: number;
}

export interface Rate {
  begin_at_ns: number;
  span_ns: number;
  bytes_read: number[];
  bytes_written: number[];
  reads?: number[];
  writes?: number[];
  metadata?: number[];
}

export interface Frame {
  function: string | null;
  file: string | null;
  line: number | null;
  module: string | null;
  offset: number | null;
  inlined?: boolean;
}

export interface Site {
  what: string;
  calls: number;
  time_ns: number;
  bytes: number;
  frames: Frame[];
}

export interface JobFacts {
  summary: Summary;
  layers: Layer[];
  functions: FunctionRow[];
  rate: Rate | null;
  sizes: Sizes & { by_layer?: Record<string, Sizes> };
  treemap: Folder | null;
  sites: Site[];
  definitions: Record<string, string>;
  units?: Record<string, string>;
  flags?: { name: string; bit: number; doc: string }[];
  processes_left_out?: number;
  files_left_out?: { files: number; bytes_read: number; bytes_written: number; time_ns: number; calls: number } | null;
}
