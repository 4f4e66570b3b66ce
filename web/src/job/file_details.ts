/** All that is known of one file, below its row. */
import { printable } from "../text/printable";
import { NONE, count, duration, exactSize, number, percent, recorded, size } from "../text/units";
import type { Table } from "../payload/table";
import { type Child, h } from "../ui/dom";
import { value } from "../ui/value";
import type { JobFacts } from "./facts";
import { stack } from "./frames";

export function fileDetails(facts: JobFacts, table: Table, row: number): HTMLElement {
  const get = (column: string) => table.numbers(column)[row];
  const text = (column: string) => table.texts(column).at(row);
  const [path, finalPath] = [text("path"), text("final_path")];
  const site = facts.sites[get("site")];
  return h(
    "div",
    { class: "file" },
    h("div", { class: "whole path" }, printable(path)),
    finalPath && finalPath !== path ? h("div", { class: "renamed" }, "renamed to ", h("span", { class: "path" }, printable(finalPath))) : null,
    h(
      "div",
      { class: "groups" },
      direction("Reads", "read", "reads"),
      direction("Writes", "write", "writes"),
      group(
        "Other calls",
        line("calls", value(number(get("metadata_calls")), "metadata_calls")),
        line("time", value(duration(get("meta_ns")), "meta_ns", `${number(get("meta_ns"))} ns`)),
        line("opens", value(number(get("opens")), "opens")),
        line("slowest call of all", value(recorded(duration)(get("slowest_ns")), "slowest_ns")),
      ),
      group(
        "Where and when",
        line("mount", mount(facts, text("mount"))),
        line(
          "layers",
          table.has("interfaces")
            ? value(printable(text("interfaces")).replaceAll("+", ", ") || NONE, "interfaces")
            : value(printable(text("layers")) || NONE, "layers"),
        ),
        line("processes", value(number(get("processes")), "processes")),
        line("first and last", value(moment(get("first_at_ns")), "first_at_ns"), " to ", value(moment(get("last_at_ns")), "last_at_ns")),
        line("flags", flags(facts, get("flags"))),
      ),
    ),
    h("div", { class: "groups" }, table.has("ranks") && get("ranks") > 0 ? ranksOf(get, text) : null, ...known(facts, row)),
    h("div", { class: "code" }, h("h4", {}, "Opened by"), site ? stack(site) : h("span", { class: "note" }, "The place in the code is not known.")),
  );

  function direction(title: string, kind: "read" | "write", calls: string): HTMLElement {
    const operations = get(calls);
    if (!operations) return group(title, line("calls", value("0", calls)));
    const bytes = get(kind === "read" ? "bytes_read" : "bytes_written");
    const unaligned = get(`unaligned_${kind}_share`);
    const usual = get(`${kind}_size`);
    return group(
      title,
      line("calls", value(number(operations), calls)),
      line("bytes", value(size(bytes), kind === "read" ? "bytes_read" : "bytes_written", `${number(bytes)} bytes`)),
      line("time", value(duration(get(`${kind}_ns`)), `${kind}_ns`, `${number(get(`${kind}_ns`))} ns`)),
      line("pattern", value(printable(text(`${kind}_pattern`)) || NONE, `${kind}_pattern`)),
      line("usual size", value(usual > 0 ? exactSize(usual) : NONE, `${kind}_size`)),
      line("unaligned", value(unaligned >= 0 ? percent(unaligned) : NONE, `unaligned_${kind}_share`)),
    );
  }
}

/** Who of the ranks used it, how evenly. */
function ranksOf(get: (column: string) => number, text: (column: string) => string): HTMLElement {
  const who = (which: string) => `rank ${get(`${which}_rank`)}${text(`${which}_host`) ? ` on ${printable(text(`${which}_host`))}` : ""}`;
  if (get("ranks") === 1) return group("Ranks", line("used by", value(who("slowest"), "strategy")));
  return group(
    "Ranks",
    line("used by", value(`${number(get("ranks"))} of ${number(get("world"))}`, "ranks"), ", ", value(text("strategy"), "strategy")),
    ...(get("rank_ns_most") < 0 ? [line("mean of a rank", value(duration(get("rank_ns_mean")), "rank_ns_mean"))] : spread()),
  );

  function spread(): HTMLElement[] {
    return [
      line("time of a rank", value(`${duration(get("rank_ns_least"))} to ${duration(get("rank_ns_most"))}`, "time_ns")),
      line("mean, deviation", value(`${duration(get("rank_ns_mean"))}, ${duration(Math.sqrt(get("rank_ns_variance")))}`, "variance")),
      line("bytes of a rank", value(`${size(get("rank_bytes_least"))} to ${size(get("rank_bytes_most"))}`, "bytes")),
      line("slowest", value(who("slowest"), "rank")),
      line("fastest", value(who("fastest"), "rank")),
    ];
  }
}

/** Hints, layouts and stripes; hints as asked for and as used stand side by side. */
function known(facts: JobFacts, row: number): (HTMLElement | null)[] {
  const found = (facts.properties ?? []).filter((one) => one.file === row);
  const hints = new Map<string, { asked: string[]; used: string[] }>();
  const others = new Map<string, string[]>();
  for (const { key, value: text, dataset } of found) {
    const hint = /^hint_(asked|used)\.(.*)$/s.exec(key);
    if (hint) {
      const entry = hints.get(hint[2]) ?? { asked: [], used: [] };
      hints.set(hint[2], entry);
      entry[hint[1] as "asked" | "used"].push(printable(text));
    } else {
      const name = dataset === null ? key : `${dataset}: ${key}`;
      others.set(name, [...(others.get(name) ?? []), printable(text)]);
    }
  }
  const said = (values: string[]) => (values.length > 3 ? `${values.slice(0, 3).join(" / ")} / …` : values.join(" / "));
  const hintLine = ([name, { asked, used }]: [string, { asked: string[]; used: string[] }]) => {
    const differs = asked.length > 0 && said(asked) !== said(used);
    const text = asked.length ? `asked ${said(asked)}, used ${said(used) || NONE}` : said(used);
    return line(printable(name), h("span", { class: differs ? "warn" : undefined }, text));
  };
  return [
    hints.size ? group("Hints of MPI-IO", ...[...hints].map(hintLine)) : null,
    others.size ? group("Layout", ...[...others].map(([name, values]) => line(printable(name), said(values)))) : null,
  ];
}

function group(title: string, ...lines: HTMLElement[]): HTMLElement {
  return h("div", {}, h("h4", {}, title), h("dl", {}, ...lines));
}

function line(name: string, ...content: Child[]): HTMLElement {
  return h("div", {}, h("dt", {}, name), h("dd", {}, ...content));
}

/** Since the job's start; a record without the moment has 0. */
function moment(nanoseconds: number): string {
  return nanoseconds === 0 ? NONE : duration(nanoseconds);
}

function mount(facts: JobFacts, point: string): HTMLElement {
  const found = facts.summary.mounts.find((one) => one.point === point);
  const shown = value(printable(point) || NONE, "mount", found?.options ? printable(found.options) : undefined);
  return h("span", {}, shown, found?.type ? ` (${printable(found.type)})` : null);
}

function flags(facts: JobFacts, bits: number): Child {
  const set = (facts.flags ?? []).filter((flag) => Math.floor(bits / 2 ** flag.bit) % 2 === 1);
  if (!set.length) return bits && !facts.flags ? count(bits, "bit") : NONE;
  return h("span", { class: "flags" }, ...set.map((flag) => value(flag.name.replaceAll("_", " "), flag.name, undefined)));
}
