/** What a report of one job says: the JSON of docs/formats/report-payload.md. Times are nanoseconds. */
import type { Folder } from "../plots/treemap";
import type { Meanwhile } from "./meanwhile_facts";

export interface Direction {
  calls: number;
  errors: number | null; // null: the source of the log did not record it
  bytes: number;
  time_ns: number;
  slowest_ns: number | null;
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

/** A thread in a call from which it had not come back when it was seen last. */
export interface Unfinished {
  pid: number | null;
  rank: number | null;
  thread: number;
  ended: string;
  for_ns: number | null;
  calls: { function: string; path: string | null }[];
}

/** The MPI library's own files, which count as none of the program's. */
export interface MpiFiles {
  counted: boolean;
  files: number;
  directories: number;
  io_ns: number;
  rows: { path: string; kind: string; processes: number; opens: number; calls: number; bytes_read: number; bytes_written: number; time_ns: number }[];
  rows_in_all: number;
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
    emulate?: string | null;
  };
  totals: {
    files: number;
    files_are: "counted" | "estimated" | "at most";
    directories: number;
    read: Direction;
    write: Direction;
    metadata: Metadata;
    io_ns: number;
    system_ns: number;
    through: { layer: string; time_ns: number }[];
    process_ns: number;
    processes_at_least?: number;
    io_share_of_process_time: number | null;
    io_share_of_run_time: number | null;
  };
  mpi_files?: MpiFiles | null;
  unfinished?: Unfinished[];
  asynchronous?: { what: string; amount: number; unit: "bytes" | "calls" | "rings"; note: string }[];
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
  not_captured: { what: string; amount: number; unit: string; reason: string; processes: number; loss: boolean; remedy: string | null }[];
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
  /** Of the system, posix or stdio; libraries pass their bytes on to these. Payloads without it have no libraries. */
  adds_up?: boolean;
  read: Direction;
  write: Direction;
  metadata: Metadata;
  together?: Record<string, number | null>;
  /** Of Darshan's HDF5: collective, independent, mixed or unknown. */
  transfer?: string;
  datasets?: number;
}

/** What one layer did to one file, or to one dataset in it. */
export interface FileLayer extends Layer {
  opens: number;
  processes: number;
  read: Direction & { usual_size: number | null };
  write: Direction & { usual_size: number | null };
  dataset_rows?: (FileLayer & { name: string })[];
}

export interface Libraries {
  files: { path: string; time_ns: number; layers: FileLayer[] }[];
  files_in_all: number;
  only: { files: number; bytes_read: number; bytes_written: number };
}

export interface Spread {
  least: number;
  most: number;
  mean: number;
  variance: number;
  imbalance?: number | null;
}

export interface RankRow {
  rank: number;
  host: string;
  io_ns: number;
  read_ns: number;
  write_ns: number;
  meta_ns: number;
  mpi_ns: number | null;
  mpiio_ns: number | null;
  bytes_read: number;
  bytes_written: number;
}

/** Of nodes, or of what serves nodes. */
export interface NodeRow {
  host?: string;
  io_node?: string;
  nearest_switch?: string;
  nodes?: number;
  ranks: number;
  io_ns: number;
  io_ns_per_rank: number;
  slowest_io_ns: number;
  mpi_ns: number | null;
  bytes: number;
}

export interface Served {
  number: number;
  slowest: NodeRow[];
  fastest: NodeRow[];
  ranks_without: number;
}

export interface Parallel {
  ranks: number;
  nodes: number | null;
  reduced: { files: number; bytes: number; io_ns: number } | null;
  instances: { executable: string; ranks: number; ranks_in_log: number; nodes: number | null; no_files: boolean | null }[];
  performance: {
    bytes: number;
    slowest_rank_ns: number | null;
    mib_per_second: number | null;
    mib_per_second_per_node: number | null;
    agg_perf_by_slowest: number | null;
    metadata_share: number | null;
    mib_per_rank: number;
    by_interface: Record<string, { agg_perf_by_slowest: number | null }> | null;
    darshan_log?: boolean;
  };
  access: {
    files_per_rank: number;
    creates_per_rank: number | null;
    created: number | null;
    written: number | null;
    held_data: number | null;
    truncated_at_open: number | null;
    held_data_unknown: number | null;
    sequential_share: number | null;
    aligned_share: number | null;
  };
  strategies: Record<string, { files: number; bytes_read: number; bytes_written: number }>;
  interfaces: Record<string, { files: number }>;
  io_ns: Spread | null;
  bytes: Spread | null;
  /** Null: the source of the log does not record communication. */
  mpi_ns: Spread | null;
  mpi: { calls: number | null; bytes: number | null; time_ns: number | null };
  slowest_ranks: RankRow[];
  fastest_ranks: RankRow[];
  io_nodes?: Served | null;
  switches?: Served | null;
  slowest_nodes: NodeRow[];
  fastest_nodes: NodeRow[];
}

/** Null where one record stands for all ranks. */
export interface SpreadOfFile {
  least: number | null;
  most: number | null;
  mean: number;
  variance: number | null;
}

export interface SharedFile {
  path: string;
  io_ns: number;
  strategy: string;
  ranks: number;
  world: number;
  bytes: SpreadOfFile;
  time_ns: SpreadOfFile;
  slowest: { rank: number; host: string } | null;
  fastest: { rank: number; host: string } | null;
  readers: string;
  writers: string;
}

export interface Heat {
  lines: number;
  spans: number;
  span_ns: number;
  ranks_per_line: number;
  ranks_in_last_line: number;
  first_ranks: number[];
  last_ranks: number[];
  steps: { read: number; written: number; calls: number };
}

export interface Property {
  file: number;
  dataset: string | null;
  key: string;
  value: string;
  records: number;
}

export interface Server {
  server: string;
  files: number;
  bytes: number;
  io_ns: number;
  slowest: { rank: number; host: string; time_ns: number }[];
  slow_share?: number | null;
  other_share?: number | null;
  slow_ranks?: number;
  other_ranks?: number;
}

/** Slow ranks compared with others, by the servers that their files lie on. */
export interface Against {
  slow: number;
  slow_ranks: string;
  slow_ns: number;
  standing_out: string[];
  sentence: string;
}

export interface FunctionRow {
  function: string;
  layer: string;
  calls: number;
  errors: number | null;
  bytes: number;
  time_ns: number;
  own_ns?: number;
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
  python?: boolean;
}

export interface Site {
  what: string;
  calls: number;
  time_ns: number;
  bytes: number;
  frames: Frame[];
  /** Index of the frame that is shown; -1 or none: the first. */
  show?: number;
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
  libraries?: Libraries | null;
  parallel?: Parallel | null;
  shared_files?: SharedFile[];
  heat?: Heat | null;
  properties?: Property[];
  properties_left_out?: number;
  servers?: Server[];
  servers_against_ranks?: Against | null;
  processes_left_out?: number;
  /** Of reports with a catalog. */
  meanwhile?: Meanwhile;
  files_left_out?: { files: number; bytes_read: number; bytes_written: number; time_ns: number; calls: number } | null;
}
