/** Lists of ranks, of which the beginning tells most. */
import { type Column, words } from "../grid/column";
import type { Texts } from "../payload/table";
import { h } from "../ui/dom";
import type { Run } from "./facts";

export function rankColumn(run: Run, values: Texts): Column {
  const column = words("who", run.ranks ? "Ranks" : "Processes", values, { term: "" });
  return { ...column, grows: true, cell: (row) => h("span", { class: "path", "data-full": values.at(row) }, values.at(row)) };
}
