/** Trees as rows in which parents come before their children. */
import type { Numbers } from "../payload/table";

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
