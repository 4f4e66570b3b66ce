/** The MPI library's own files, apart from the program's, which they would hide. */
import { captioned } from "../grid/captioned";
import { figures, names } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { count, duration, number, size } from "../text/units";
import { note } from "../ui/section";
import type { JobFacts, MpiFiles } from "./facts";

export function mpiFiles(facts: JobFacts, body: HTMLElement): void {
  const own = facts.summary.mpi_files;
  if (!own) return;
  const what = `${count(own.files, "file")}, ${count(own.directories, "directory", "directories")}, ${duration(own.io_ns)}`;
  if (own.counted) {
    body.append(note(`The MPI library’s own files (${what}) are counted among the program’s, as --mpi-files asked.`));
    return;
  }
  const shown = own.rows_in_all > own.rows.length ? ` The ${number(own.rows.length)} with most time are listed.` : "";
  body.append(
    captioned("The MPI library’s own files", "mpi-files", grid(own.rows), note(`${what}. They are in no other figure of files of this report; made with --mpi-files it counts them.${shown}`)),
  );
}

function grid(rows: MpiFiles["rows"]): Grid {
  return new Grid({
    label: "The MPI library’s own files",
    rows: rows.length,
    sort: { key: "time_ns", descending: true },
    columns: [
      names("path", "Path", textsOf(rows, (row) => row.path + (row.kind === "directory" ? "/" : ""))),
      figures("time_ns", "Time", numbersOf(rows, (row) => row.time_ns), duration, { unit: "ns" }),
      figures("bytes_read", "Read", numbersOf(rows, (row) => row.bytes_read), size, { unit: "bytes" }),
      figures("bytes_written", "Written", numbersOf(rows, (row) => row.bytes_written), size, { unit: "bytes" }),
      figures("calls", "Calls", numbersOf(rows, (row) => row.calls), number),
      figures("opens", "Opens", numbersOf(rows, (row) => row.opens), number),
      figures("processes", "Processes", numbersOf(rows, (row) => row.processes), number),
    ],
  });
}
