/** What was read and written beside the program's files. */
import { note } from "../ui/section";
import type { JobFacts } from "./facts";

const NAMES: Record<string, string> = {
  stream: "standard input and output",
  pipe: "pipes",
  socket: "sockets",
  device: "devices",
  anonymous: "files without a name",
  excluded_rollup: "excluded paths",
  vfork_child: "children before their exec",
  mpi_files: "the MPI library’s own files",
};

export const besideName = (kind: string): string => NAMES[kind] ?? kind;

/** Series know no paths: a note that they hold what stands apart elsewhere, if there is any. */
export function ofAllDescriptors(facts: JobFacts): HTMLElement | null {
  const names = facts.summary.other.filter((row) => row.bytes_read + row.bytes_written > 0).map((row) => besideName(row.kind));
  return names.length ? note(`Of all descriptors, these included: ${names.join(", ")}.`) : null;
}
