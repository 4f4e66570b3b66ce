/** What ran, where, when and how it ended, and whether the log is whole. */
import { local, utc } from "../text/dates";
import { printable } from "../text/printable";
import { count, duration, number, size } from "../text/units";
import { type Child, h } from "../ui/dom";
import { value } from "../ui/value";
import type { JobFacts } from "./facts";
import { unfinishedLine } from "./unfinished";

export function header(facts: JobFacts): HTMLElement {
  const { job, log } = facts.summary;
  const words = job.command?.length ? job.command.map(quoted).join(" ") : "command not known";
  const [state, text] = completeness(facts);
  return h(
    "div",
    { id: "job" },
    h("h1", { class: words.length > 200 ? "long" : undefined }, words),
    h("p", { id: "complete", class: state }, value(text, "complete")),
    unfinishedLine(facts),
    h(
      "dl",
      { class: "facts" },
      ...fact("Host", job.host && printable(job.host)),
      ...fact("User", job.user_id === null ? null : `id ${job.user_id}`),
      ...fact("Directory", job.working_directory && printable(job.working_directory)),
      ...fact("Start", start(job.start_utc_ns)),
      ...fact("Duration", value(duration(job.run_ns), "run_ns", `${number(job.run_ns)} ns`)),
      ...fact("Exit status", value(exitStatus(facts), "exit_status")),
      ...fact("Processes", processes(facts)),
      ...fact("File system", job.emulate && h("strong", {}, `emulated: ${printable(job.emulate)}`)),
      ...fact("Log", h("span", {}, `${printable(log.path)}, `, value(size(log.bytes), "", `${number(log.bytes)} bytes`))),
    ),
  );
}

function fact(name: string, content: Child): HTMLElement[] {
  return content ? [h("div", {}, h("dt", {}, name), h("dd", {}, content))] : [];
}

/** A word of a command as a shell would take it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${printable(word).replaceAll("'", "'\\''")}'`;
}

function start(utcNs: number | null): Child {
  const text = utc(utcNs);
  if (utcNs === null) return null;
  if (text === null) return "at an impossible time";
  const here = local(utcNs);
  return value(text, "", here ? `${here} (your time zone)` : undefined);
}

function exitStatus(facts: JobFacts): string {
  const status = facts.summary.job.exit_status;
  if (status === null) return "not known";
  return facts.summary.damage.length ? `${status} (last known)` : String(status);
}

function processes(facts: JobFacts): Child {
  const { job, damage } = facts.summary;
  if (!job.processes) return damage.length ? "not known" : "none";
  const least = damage.length ? "at least " : "";
  const images = job.processes === job.process_ids ? "" : `, ${count(job.processes, "program image")}`;
  const missing = job.processes - job.processes_captured;
  return h(
    "span",
    {},
    value(least + count(job.process_ids, "process", "processes"), "process_ids"),
    images && value(images, ""),
    missing ? h("a", { href: "#missing", class: "warn" }, `, ${number(missing)} not captured`) : ", all captured",
  );
}

/** What can be said of the log as a whole, as `headrace show` says it, and how bad that is. */
function completeness({ summary }: JobFacts): ["good" | "warn" | "bad", string] {
  const { job, log, damage } = summary;
  if (damage.length) {
    const end = log.closed ? "" : ", and its end may be missing";
    const places = count(log.damaged_places, "place");
    return ["bad", `Log damaged (${size(log.damaged_bytes)} at ${places}${end}): figures are incomplete`];
  }
  if (job.complete === "yes") {
    if (summary.not_captured.some((gap) => gap.loss)) return ["warn", "Log complete, but not all was captured: see below"];
    return ["good", "Log complete"];
  }
  if (!job.complete) return ["warn", "Log perhaps not complete: nobody says that it is"];
  return ["warn", `Log not complete: ${printable(job.complete.replace(/^no: /, ""))}`];
}
