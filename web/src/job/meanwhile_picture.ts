/** The throughput of a file system around the job's time, the job's own below it, and other jobs as bars. */
import { type Lane, lanes } from "../plots/lanes";
import { extent, padded } from "../plots/scales";
import type { Band } from "../plots/bands";
import { timeline } from "../plots/timeline";
import { Together } from "../plots/together";
import { BYTE_STEPS } from "../plots/over_time";
import { printable } from "../text/printable";
import { count, duration, number, percent, rate, size } from "../text/units";
import { choice } from "../ui/choice";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { Meanwhile, OtherJob, Picture } from "./meanwhile_facts";

const HEIGHT = 260;
const MOST_LANES = 30;
const WHAT = [["both", "Both"], ["read", "Read"], ["written", "Written"]] as const;
type What = (typeof WHAT)[number][0];

/** Null: there is nothing to draw. */
export function meanwhilePicture(found: Meanwhile): HTMLElement | null {
  if (found.begin_utc_ns === null || found.end_utc_ns === null) return null;
  const begin = found.begin_utc_ns / 1e9;
  const length = (found.end_utc_ns - found.begin_utc_ns) / 1e9;
  const { picture } = found;
  if (!picture && !found.jobs.length) return null;
  const around = length / 7;
  const limits: [number, number] = picture
    ? [begin + picture.begin_at_ns / 1e9, begin + (picture.begin_at_ns + picture.span_ns * picture.lines[0].read.length) / 1e9]
    : [begin - around, begin + length + around];
  const bands = bandsOf(found, begin, length);
  const together = new Together();
  const bars = found.jobs.slice(0, MOST_LANES).map((row) => lane(row, begin, limits));
  return h(
    "div",
    { class: "card", id: "meanwhile-picture" },
    picture ? throughput(found, picture, begin, limits, bands, together) : null,
    bars.length ? h("h3", {}, "Other jobs") : null,
    bars.length ? lanes({ label: `When ${count(found.jobs_in_all, "other job")} ran`, lanes: bars, limits, bands, together }) : null,
    bars.length ? note("Filled: with a log; deeper where on a file system that this job used. Dashed: what it moved is not recorded.", found.jobs_in_all > bars.length ? ` The ${bars.length} of ${number(found.jobs_in_all)} that moved most are drawn.` : "") : null,
  );
}

function throughput(found: Meanwhile, picture: Picture, begin: number, limits: [number, number], bands: Band[], together: Together): HTMLElement {
  let system = 0;
  let what: What = "both";
  const place = h("div");
  const draw = () => place.replaceChildren(plot(found, picture, system, what, begin, limits, bands, together));
  const names = picture.lines.map((line, at) => [String(at), printable(line.file_system ?? "all sampled devices")] as const);
  draw();
  return h(
    "div",
    {},
    h(
      "div",
      { class: "tools" },
      h("h3", {}, "Throughput of the devices"),
      h("span", { class: "push" }),
      names.length > 1 ? choice("File system", names, "0", (chosen) => ((system = Number(chosen)), draw())) : null,
      choice<What>("Direction", WHAT, what, (chosen) => ((what = chosen), draw())),
    ),
    place,
    note(`Each step is ${duration(picture.span_ns)}. `, picture.own.is_mean ? "The log does not say when this job moved its bytes: its mean is drawn. " : null, "What a job’s calls move and what devices move differs by what caches hold."),
  );
}

function plot(found: Meanwhile, picture: Picture, system: number, what: What, begin: number, limits: [number, number], bands: Band[], together: Together): HTMLElement {
  const seconds = picture.span_ns / 1e9;
  const xs = Array.from(picture.lines[0].read, (_, at) => begin + (picture.begin_at_ns + at * picture.span_ns) / 1e9);
  const moved = (line: { read: readonly (number | null)[]; written: readonly (number | null)[] }) =>
    xs.map((_, at) => {
      const [read, written] = [line.read[at], line.written[at]];
      if (what !== "both") return ((what === "read" ? read : written) ?? NaN) / seconds;
      return (read === null && written === null ? NaN : (read ?? 0) + (written ?? 0)) / seconds;
    });
  const about = found.file_systems[system];
  const name = printable(about?.name ?? "all sampled devices");
  const lines = [
    { name, colour: "--read", xs, ys: moved(picture.lines[system]) },
    { name: picture.own.is_mean ? "this job, on average" : "this job", colour: "--write", xs, ys: moved(picture.own) },
  ];
  const guides = what === "both" && about?.usual ? [{ label: `usual ${rate(about.usual)}`, y: about.usual }] : [];
  const y = extent([...lines.flatMap((line) => line.ys), ...guides.map((guide) => guide.y)], false);
  return timeline({
    label: `Throughput of ${name} and of this job over time`,
    height: HEIGHT,
    lines,
    y: { title: "", isLog: false, isBinary: true, format: rate, steps: BYTE_STEPS, limits: padded(y, false) },
    bands,
    limits,
    format: rate,
    every: seconds,
    guides,
    together,
  });
}

function bandsOf(found: Meanwhile, begin: number, length: number): Band[] {
  const own: Band = { start: begin, end: begin + length, kind: "job", text: "this job" };
  const calendar = found.calendar.map((row) => ({
    start: begin + row.begin_at_ns / 1e9,
    end: begin + row.end_at_ns / 1e9,
    kind: printable(row.kind ?? "note"),
    text: printable(row.text ?? ""),
  }));
  return [own, ...calendar];
}

function lane(row: OtherJob, begin: number, limits: [number, number]): Lane {
  const start = begin + row.begin_at_ns / 1e9;
  const end = row.end_at_ns === null ? limits[1] : begin + row.end_at_ns / 1e9;
  const names = [row.job, row.project ?? row.user, row.program].filter(Boolean).map((name) => printable(String(name)));
  const moved = row.bytes_meanwhile === null ? "not recorded" : size(row.bytes_meanwhile);
  return {
    start,
    end,
    name: `${names.join(" · ") || "job without a name"}${row.bytes_meanwhile === null ? "" : `, ${moved}`}`,
    colour: row.same.length ? "--write" : row.logs ? "--metadata" : "--rest",
    isHollow: !row.logs,
    lines: [
      ["in this job’s time", moved],
      ["of this job’s time", percent(row.share)],
      ...(row.nodes === null ? [] : [["nodes", number(row.nodes)] as const]),
      ...(row.same.length ? [["also on", printable(row.same.join(", "))] as const] : []),
    ],
  };
}
