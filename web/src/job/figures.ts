/** The big figures under the header. */
import { NONE, count, duration, number, percent, rate, size } from "../text/units";
import { h } from "../ui/dom";
import { value } from "../ui/value";
import type { Direction, JobFacts, Parallel } from "./facts";

function usesLibraries({ through }: JobFacts["summary"]["totals"]): boolean {
  return through.some((row) => row.layer !== "posix" && row.layer !== "stdio" && row.time_ns > 0);
}

export function figures({ summary, parallel }: JobFacts): HTMLElement {
  const { totals, job } = summary;
  const share = percent(totals.io_share_of_process_time);
  const calls = totals.read.calls + totals.write.calls + totals.metadata.calls;
  return h(
    "div",
    { id: "figures" },
    moved("Read", "read", totals.read),
    moved("Written", "write", totals.write),
    parallel ? bandwidth(parallel.performance) : null,
    figure("Time in I/O", [duration(totals.io_ns), "io_ns", `${number(totals.io_ns)} ns`], [
      value(share, "io_share_of_process_time"),
      " of the processes’ ",
      ...(totals.processes_at_least ? ["at least "] : []),
      value(duration(totals.process_ns), "process_ns", `${number(totals.process_ns)} ns`),
      ...(usesLibraries(totals) ? ["; ", value(duration(totals.system_ns), "system_ns", `${number(totals.system_ns)} ns`), " in the system’s calls"] : []),
    ]),
    figure("Calls", [number(calls), "calls"], [
      value(number(totals.metadata.calls), "metadata_calls"),
      " of them metadata",
    ]),
    figure("Files", [filesCounted(totals), "files"], [
      value(count(totals.directories, "directory", "directories"), "directories"),
    ]),
    figure("Processes", [number(job.process_ids), "process_ids"], [
      value(number(job.processes_captured), "processes_captured"),
      ` of ${count(job.processes, "program image")} captured`,
    ]),
  );
}

/** Of all ranks together; the rates inside calls are those of one. */
function bandwidth({ agg_perf_by_slowest: speed, bytes }: Parallel["performance"]): HTMLElement | null {
  if (!bytes) return null;
  if (speed === null) return figure("Bandwidth", ["not known", "agg_perf_by_slowest"], ["of all ranks together"]);
  return figure("Bandwidth", [rate(speed * 2 ** 20), "agg_perf_by_slowest"], ["of all ranks together, estimated"]);
}

/** As the terminal says it: an estimate has two digits. */
function filesCounted(totals: JobFacts["summary"]["totals"]): string {
  if (totals.files_are === "estimated") return `about ${number(Number(totals.files.toPrecision(2)))}`;
  return `${totals.files_are === "at most" ? "at most " : ""}${number(totals.files)}`;
}

function moved(title: string, key: "read" | "write", part: Direction): HTMLElement {
  const speed = part.bytes_per_second ?? null;
  return figure(
    title,
    [size(part.bytes), key === "read" ? "bytes_read" : "bytes_written", `${number(part.bytes)} bytes`],
    part.calls
      ? [value(count(part.calls, "call"), key === "read" ? "reads" : "writes"), ", ", value(speed === null ? NONE : rate(speed), "bytes_per_second"), " inside calls"]
      : ["no calls"],
    key,
  );
}

function figure(title: string, [text, term, exact]: [string, string, string?], below: (Node | string)[], kind = ""): HTMLElement {
  const big = value(text, term, exact);
  big.classList.add("big");
  return h("div", { class: `figure ${kind}` }, h("div", { class: "label" }, title), big, h("div", { class: "below" }, ...below));
}
