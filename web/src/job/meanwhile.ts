/** What else the file systems did while the job ran: sentences, a picture over time, and tables. */
import { captioned } from "../grid/captioned";
import { figures, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { printable } from "../text/printable";
import { NONE, count, duration, known, number, percent, rate, size } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { JobFacts } from "./facts";
import type { FileSystem, Meanwhile, OtherJob, ServerRow } from "./meanwhile_facts";
import { meanwhilePicture } from "./meanwhile_picture";

const MOST_GAPS = 200;

export function meanwhile(facts: JobFacts, body: HTMLElement): void {
  const found = facts.meanwhile;
  if (!found) return;
  const told = (wanted: (kind: string) => boolean) => found.said.filter((each) => wanted(each.kind)).map((each) => h("li", {}, printable(each.text)));
  const findings = told((kind) => kind !== "missing");
  const missing = told((kind) => kind === "missing");
  if (findings.length) body.append(h("ul", { class: "card findings meanwhile" }, ...findings));
  if (missing.length) body.append(h("ul", { class: "missing findings meanwhile" }, ...missing));
  const picture = meanwhilePicture(found);
  if (picture) body.append(picture);
  if (found.jobs.length) body.append(jobs(found));
  if (found.file_systems.length) body.append(systems(found.file_systems));
  if (found.servers.length) body.append(servers(found.servers));
  const gaps = gapList(found);
  if (gaps) body.append(gaps);
}

function jobs(found: Meanwhile): HTMLElement {
  const rows = found.jobs;
  const has = (key: keyof OtherJob) => rows.some((row) => row[key] !== null);
  const column = (key: keyof OtherJob, title: string, format: (value: number) => string, unit?: string) =>
    figures(key, title, numbersOf(rows, (row) => row[key] as number | null), known(format), { term: "", ...(unit ? { unit } : {}) });
  const text = (key: keyof OtherJob, title: string) => words(key, title, textsOf(rows, (row) => String(row[key] ?? "")), { term: "" });
  const grid = new Grid({
    label: "Other jobs",
    rows: rows.length,
    sort: { key: "bytes_meanwhile", descending: true },
    columns: [
      { ...text("job", "Job"), grows: true },
      text("user", "User"),
      text("project", "Project"),
      text("program", "Program"),
      column("nodes", "Nodes", number),
      column("share", "Of this time", percent),
      column("bytes_meanwhile", "Meanwhile", size, "bytes"),
      column("bytes_read", "Read", size, "bytes"),
      column("bytes_written", "Written", size, "bytes"),
      column("files", "Files", number),
      ...(has("server_read_bytes") ? [column("server_read_bytes", "Servers read", size, "bytes"), column("server_written_bytes", "Servers wrote", size, "bytes")] : []),
      ...(has("server_metadata") ? [column("server_metadata", "Servers’ metadata", number)] : []),
      words("same", "Also on", textsOf(rows, (row) => row.same.join(", ")), { term: "" }),
    ],
  });
  const left = found.jobs_in_all - rows.length;
  return captioned(
    "Other jobs at the same time",
    "other-jobs",
    grid,
    note(
      "Meanwhile: what their files moved in this job’s time, if each moved its bytes evenly from first open to last I/O. A dash: not recorded. ",
      left ? `${count(left, "job")} that moved less ${left === 1 ? "has" : "have"} no row.` : null,
    ),
  );
}

function activity<Row extends FileSystem | ServerRow>(rows: readonly Row[]) {
  const column = (key: keyof Row & string, title: string, format: (value: number) => string, unit?: string) =>
    figures(key, title, numbersOf(rows, (row) => row[key] as number | null), known(format), { term: "", ...(unit ? { unit } : {}) });
  const has = (key: keyof Row) => rows.some((row) => row[key] !== null);
  return {
    column,
    shared: [
      column("devices", "Devices", number),
      column("read_bytes", "Read", size, "bytes"),
      column("written_bytes", "Written", size, "bytes"),
      column("rate", "Mean rate", rate, "bytes/s"),
      column("usual", "Usual", rate, "bytes/s"),
    ],
    rest: [
      ...(has("busy") ? [column("busy", "Busy", percent), column("queue", "Queue", (value) => String(Number(value.toPrecision(2))))] : []),
      ...(has("metadata") ? [column("metadata", "Metadata", number)] : []),
      column("covered", "Sampled", percent),
    ],
  };
}

function systems(rows: readonly FileSystem[]): HTMLElement {
  const { column, shared, rest } = activity(rows);
  const used = (row: FileSystem) => (row.used === null ? "not known" : row.used ? "yes" : "no");
  const grid = new Grid({
    label: "File systems meanwhile",
    rows: rows.length,
    columns: [
      { ...words("name", "File system", textsOf(rows, (row) => row.name ?? "not in a device map"), { term: "" }), grows: true },
      words("used", "Used by this job", textsOf(rows, used), { term: "" }),
      ...shared,
      column("peak", "Peak", rate, "bytes/s"),
      ...rest,
    ],
  });
  return captioned(
    "Their devices in this job’s time",
    "file-systems-meanwhile",
    grid,
    note("Usual and peak: median and greatest of all steps of the catalog’s samples, as long as those of the picture."),
  );
}

function servers(rows: readonly ServerRow[]): HTMLElement {
  const { shared, rest } = activity(rows);
  const grid = new Grid({
    label: "Servers meanwhile",
    rows: rows.length,
    sort: { key: "rate", descending: true },
    columns: [
      { ...words("server", "Server", textsOf(rows, (row) => row.server), { term: "" }), grows: true },
      words("file_system", "File system", textsOf(rows, (row) => row.file_system ?? ""), { term: "" }),
      ...shared,
      ...rest,
    ],
  });
  return captioned("Servers in this job’s time", "servers-meanwhile", grid);
}

function gapList(found: Meanwhile): HTMLElement | null {
  const rows = found.uncovered.slice(0, MOST_GAPS).map((row) => h("li", {}, printable(`${row.host}, ${row.devices.length > 3 ? count(row.devices.length, "device") : row.devices.join(", ")}: not sampled for ${duration(row.missing_ns)}`)));
  const at = (ns: number) => (ns < 0 ? `${duration(-ns)} before its start` : `${duration(ns)} after its start`);
  const gaps = found.gaps.slice(0, MOST_GAPS).map((row) => h("li", {}, printable(`${row.host}${row.device ? `, ${row.device}` : ""}: ${row.reason || NONE}, from ${at(row.begin_at_ns)} to ${at(row.end_at_ns)}`)));
  if (!rows.length && !gaps.length) return null;
  const more = found.gaps_in_all - gaps.length;
  return h("details", { class: "more" }, h("summary", {}, `Gaps of the samples (${number(rows.length + found.gaps_in_all)})`), h("ul", {}, ...rows, ...gaps), more > 0 ? note(`${count(more, "more gap")}.`) : null);
}
