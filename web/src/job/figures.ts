/** The big figures under the header. */
import { NONE, count, duration, number, percent, rate, size } from "../text/units";
import { h } from "../ui/dom";
import { value } from "../ui/value";
import type { Direction, JobFacts } from "./facts";

export function figures({ summary }: JobFacts): HTMLElement {
  const { totals, job } = summary;
  const share = percent(totals.io_share_of_process_time);
  const calls = totals.read.calls + totals.write.calls + totals.metadata.calls;
  return h(
    "div",
    { id: "figures" },
    moved("Read", "read", totals.read),
    moved("Written", "write", totals.write),
    figure("Time in I/O", [duration(totals.io_ns), "totals.io_ns", `${number(totals.io_ns)} ns`], [
      value(share, "totals.io_share_of_process_time"),
      " of the processes’ ",
      value(duration(totals.process_ns), "totals.process_ns", `${number(totals.process_ns)} ns`),
    ]),
    figure("Calls", [number(calls), "totals.calls"], [
      value(number(totals.metadata.calls), "totals.metadata.calls"),
      " of them metadata",
    ]),
    figure("Files", [number(totals.files), "totals.files"], [
      value(count(totals.directories, "directory", "directories"), "totals.directories"),
    ]),
    figure("Processes", [number(job.process_ids), "job.process_ids"], [
      value(number(job.processes_captured), "job.processes_captured"),
      ` of ${count(job.processes, "program image")} captured`,
    ]),
  );
}

function moved(title: string, key: "read" | "write", part: Direction): HTMLElement {
  const speed = part.bytes_per_second ?? null;
  return figure(
    title,
    [size(part.bytes), `totals.${key}.bytes`, `${number(part.bytes)} bytes`],
    part.calls
      ? [value(count(part.calls, "call"), `totals.${key}.calls`), ", ", value(speed === null ? NONE : rate(speed), `totals.${key}.bytes_per_second`)]
      : ["no calls"],
    key,
  );
}

function figure(title: string, [text, term, exact]: [string, string, string?], below: (Node | string)[], kind = ""): HTMLElement {
  const big = value(text, term, exact);
  big.classList.add("big");
  return h("div", { class: `figure ${kind}` }, h("div", { class: "label" }, title), big, h("div", { class: "below" }, ...below));
}
