/** What was not captured, and what of the log is damaged. */
import { figures, words } from "../grid/column";
import { captioned } from "../grid/captioned";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { count, duration, number, size } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { JobFacts } from "./facts";

export function missing(facts: JobFacts, body: HTMLElement): void {
  const { not_captured: gaps, damage } = facts.summary;
  const left = facts.files_left_out;
  const losses = gaps.filter((gap) => gap.loss);
  const details = gaps.filter((gap) => !gap.loss);
  if (losses.length) body.append(captioned("What happened and is not in the figures", "not-captured", gapGrid("Not captured", losses)));
  else if (!damage.length) body.append(h("p", { class: "good" }, "Nothing is missing: everything that capture looks for was captured."));
  else body.append(note("Nothing else is known to be missing."));
  if (details.length) body.append(captioned("What is in the sums, but without detail", "without-detail", gapGrid("Without detail", details)));
  if (damage.length) {
    body.append(
      captioned(
        `Damage: ${count(damage.length, "place")} of the log cannot be used`,
        "damage",
        damageGrid(damage),
        h("p", { class: "bad" }, "Every figure of this report is at least what is shown."),
      ),
    );
  }
  if (left?.files) {
    body.append(
      note(
        `The table of files leaves out ${count(left.files, "path")} that matter least, with ${size(left.bytes_read)} read, ` +
          `${size(left.bytes_written)} written and ${duration(left.time_ns)} in ${count(left.calls, "call")}. Every sum includes them.`,
      ),
    );
  }
}

function gapGrid(label: string, gaps: JobFacts["summary"]["not_captured"]): Grid {
  const amount = (row: number) => (gaps[row].unit === "bytes" ? size(gaps[row].amount) : gaps[row].unit === "ns" ? duration(gaps[row].amount) : number(gaps[row].amount));
  return new Grid({
    label,
    rows: gaps.length,
    columns: [
      words("what", "What", textsOf(gaps, (row) => row.what), { term: "not_captured"}),
      { ...figures("amount", "Amount", numbersOf(gaps, (row) => row.amount), number, { term: "not_captured" }), cell: amount },
      words("unit", "Unit", textsOf(gaps, (row) => row.unit), { hidden: true }),
      figures("processes", "Processes", numbersOf(gaps, (row) => row.processes), number, { term: "processes" }),
      { ...words("reason", "Reason", textsOf(gaps, (row) => row.reason)), grows: true },
      ...(gaps.some((gap) => gap.remedy) ? [words("remedy", "To have it", textsOf(gaps, (row) => row.remedy ?? "–"), { term: "remedy"})] : []),
    ],
  });
}

function damageGrid(damage: JobFacts["summary"]["damage"]): Grid {
  return new Grid({
    label: "Damage",
    rows: damage.length,
    columns: [
      figures("offset", "At byte", numbersOf(damage, (row) => row.offset), number, { term: "damage"}),
      figures("bytes", "Bytes", numbersOf(damage, (row) => row.bytes), size, { term: "damage", unit: "bytes" }),
      { ...words("reason", "Reason", textsOf(damage, (row) => row.reason), { term: "damage"}), grows: true },
    ],
  });
}
