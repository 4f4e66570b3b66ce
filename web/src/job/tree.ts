/** Trees as rows in which parents come before their children. */
import type { Numbers, Table } from "../payload/table";

/** 1 for each row below a closed one. */
export function hiddenRows(parents: Numbers, closed: ReadonlySet<number>): Uint8Array {
  const hidden = new Uint8Array(parents.length);
  for (let row = 0; row < parents.length; row++) {
    const parent = parents[row];
    // A parent that comes later, as damage may have it, hides nothing.
    if (parent >= 0 && parent < row && (hidden[parent] || closed.has(parent))) hidden[row] = 1;
  }
  return hidden;
}

/** How far each process is indented. What a process made of itself by exec stands where it stood: it is the same one. */
export function depths(processes: Table): Uint16Array {
  const [parents, pids, ended] = [processes.numbers("parent"), processes.numbers("pid"), processes.codes("ended")];
  const result = new Uint16Array(processes.rows);
  for (let row = 0; row < processes.rows; row++) {
    const parent = parents[row];
    if (parent < 0 || parent >= row) continue;
    const isExec = pids[parent] === pids[row] && ended.at(parent) === "exec";
    result[row] = result[parent] + (isExec ? 0 : 1);
  }
  return result;
}
