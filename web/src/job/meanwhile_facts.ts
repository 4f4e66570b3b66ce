/** What else went on while the job ran: `meanwhile` of docs/formats/report-payload.md. Times are nanoseconds. */

export interface FileSystem {
  name: string | null;
  /** Whether the job's files lie on it; null: not known. */
  used: boolean | null;
  devices: number;
  servers: number;
  read_bytes: number | null;
  written_bytes: number | null;
  own_read_bytes: number | null;
  own_written_bytes: number | null;
  metadata: number | null;
  busy: number | null;
  queue: number | null;
  covered: number;
  rate: number | null;
  quiet: number | null;
  usual: number | null;
  peak: number | null;
  below: number | null;
  steps: number;
  peak_us: number | null;
}

export interface ServerRow {
  server: string;
  file_system: string | null;
  devices: number;
  read_bytes: number | null;
  written_bytes: number | null;
  metadata: number | null;
  busy: number | null;
  queue: number | null;
  covered: number;
  rate: number | null;
  usual: number | null;
}

export interface OtherJob {
  job: string | null;
  scheduler: string | null;
  user: string | null;
  project: string | null;
  program: string | null;
  state: string | null;
  nodes: number | null;
  processes: number | null;
  begin_at_ns: number;
  end_at_ns: number | null;
  share: number;
  logs: number;
  files: number | null;
  bytes_read: number | null;
  bytes_written: number | null;
  bytes_meanwhile: number | null;
  server_read_bytes: number | null;
  server_written_bytes: number | null;
  server_metadata: number | null;
  same: string[];
}

export interface Picture {
  begin_at_ns: number;
  span_ns: number;
  lines: { file_system: string | null; read: (number | null)[]; written: (number | null)[]; covered: (number | null)[] }[];
  own: { is_mean: boolean; read: (number | null)[]; written: (number | null)[] };
}

export interface Meanwhile {
  begin_utc_ns: number | null;
  end_utc_ns: number | null;
  interval_ns: number | null;
  file_systems: FileSystem[];
  servers: ServerRow[];
  picture: Picture | null;
  jobs: OtherJob[];
  jobs_in_all: number;
  jobs_with_logs: number;
  jobs_on_same: number;
  bytes_on_same: number;
  calendar: { begin_at_ns: number; end_at_ns: number; kind: string | null; text: string | null }[];
  uncovered: { server: string; host: string; devices: string[]; missing_ns: number }[];
  gaps: { host: string; device: string | null; begin_at_ns: number; end_at_ns: number; reason: string }[];
  gaps_in_all: number;
  said: { kind: string; text: string }[];
}
