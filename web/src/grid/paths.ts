/** How many paths a table has, and what they are. */
import type { Codes } from "../payload/table";
import { count } from "../text/units";

/** `kinds`: file, directory or directory_rollup of each. Files alone need no words. */
export function pathsOf(kinds: Codes): string {
  const rows = kinds.codes.length;
  let [directories, sums] = [0, 0];
  for (const code of kinds.codes) {
    directories += Number(kinds.values[code] === "directory");
    sums += Number(kinds.values[code] === "directory_rollup");
  }
  const parts = [count(rows - directories - sums, "file")];
  if (directories) parts.push(count(directories, "directory", "directories"));
  if (sums) parts.push(`${count(sums, "sum")} of small files`);
  return count(rows, "path") + (parts.length > 1 ? `: ${parts.join(", ")}` : "");
}
