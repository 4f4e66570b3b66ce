/** The page of a comparison: which runs, what changed in all, and then where. */
import type { Payload } from "../payload/decode";
import { addSections } from "../ui/section";
import { setDefinitions } from "../ui/value";
import type { DiffFacts } from "./facts";
import { files } from "./files";
import { header } from "./header";
import { overTime } from "./over_time";
import { sizes } from "./sizes";
import { keyed, totals } from "./tables";

export function diffPage(payload: Payload, main: HTMLElement, navigation: HTMLElement): void {
  const facts = payload.facts as unknown as DiffFacts;
  setDefinitions(facts.definitions);
  main.append(header(facts));
  if (facts.same) return;
  const several = (rows: readonly unknown[]) => rows.length > 1;
  addSections(main, navigation, [
    { id: "totals", title: "What changed", build: (body) => totals(facts, body), first: true },
    { id: "functions", title: "Functions", build: (body) => keyed(facts, "functions", "function", "calls", "count", body) },
    { id: "files", title: facts.by === "path" ? "Files" : "Directories", build: (body) => files(facts, payload.tables.files, body) },
    { id: "sizes", title: "Sizes", build: (body) => sizes(facts, body) },
    { id: "over-time", title: "Over time", build: (body) => overTime(facts, body) },
    ...(several(facts.mounts) ? [{ id: "mounts", title: "Mounts", build: (body: HTMLElement) => keyed(facts, "mounts", "point", "files", "count", body) }] : []),
    ...(several(facts.programs) ? [{ id: "programs", title: "Programs", build: (body: HTMLElement) => keyed(facts, "programs", "executable", "images", "count", body) }] : []),
  ]);
}
