/** Files from libraries down to the system: how requests, sizes and times change from layer to layer. */
import { captioned } from "../grid/captioned";
import { figures, names, words } from "../grid/column";
import { Grid, numbersOf, textsOf } from "../grid/grid";
import { printable } from "../text/printable";
import { NONE, count, duration, exactSize, known, number, size } from "../text/units";
import { h } from "../ui/dom";
import { note } from "../ui/section";
import type { FileLayer, JobFacts, Libraries } from "./facts";
import { bar } from "./time";

type File = Libraries["files"][number];

export const NAMES: Record<string, string> = { hdf5: "HDF5", pnetcdf: "PnetCDF", mpiio: "MPI-IO", posix: "posix", stdio: "stdio" };

export function libraries(facts: JobFacts, body: HTMLElement): void {
  const { files, files_in_all: all, only } = facts.libraries!;
  body.append(note("Each file as the layers saw it, the highest first. A call of a library contains those that it makes below, so times do not add up."));
  if (only.files) {
    body.append(
      h(
        "p",
        { class: "warn" },
        `${count(only.files, "file")} with ${size(only.bytes_read)} read and ${size(only.bytes_written)} written are known from libraries alone: the log has no calls of the system on them.`,
      ),
    );
  }
  if (!files.length) return;
  const place = h("div", { class: "library-file" });
  const show = (file: File) => {
    const title = h("div", { class: "whole path" }, printable(file.path));
    const datasets = file.layers.flatMap((layer) => layer.dataset_rows ?? []);
    place.replaceChildren(
      title,
      captioned("Layer by layer", "layers-of-file", layerGrid(file.layers)),
      ...(datasets.length ? [captioned("Datasets, most time first", "datasets", datasetGrid(datasets, file))] : []),
    );
  };
  if (files.length > 1) {
    const grid = fileGrid(files, (row) => show(files[row]));
    body.append(captioned("Files with most time in libraries", "library-files", grid, all > files.length ? note(`${number(files.length)} of ${number(all)}.`) : null));
  }
  show(files[0]);
  body.append(place);
}

function fileGrid(files: File[], choose: (row: number) => void): Grid {
  const top = (file: File) => NAMES[file.layers[0].layer] ?? file.layers[0].layer;
  const calls = (layer: FileLayer | undefined) => (layer ? layer.read.calls + layer.write.calls : null);
  const bottom = (file: File) => file.layers.filter((layer) => layer.adds_up).at(-1);
  const path = names("path", "File", textsOf(files, (file) => file.path));
  return new Grid({
    label: "Files with most time in libraries",
    rows: files.length,
    columns: [
      {
        ...path,
        cell: (row) => {
          const button = h("button", { type: "button", class: "link", onclick: () => choose(row) });
          button.append(path.cell(row) as Node);
          return button;
        },
      },
      words("top", "Through", textsOf(files, top), { term: "interfaces" }),
      figures("time_ns", "Time there", numbersOf(files, (file) => file.time_ns), duration, { unit: "ns" }),
      figures("requests", "Requests", numbersOf(files, (file) => calls(file.layers[0])), known(number), { term: "operations" }),
      figures("system_requests", "Of the system", numbersOf(files, (file) => calls(bottom(file))), known(number), { term: "operations" }),
    ],
  });
}

function layerGrid(rows: FileLayer[]): Grid {
  const time = (row: FileLayer) => row.read.time_ns + row.write.time_ns + row.metadata.time_ns;
  const greatest = Math.max(...rows.map(time), 1);
  const independent = (row: FileLayer) => {
    const together = collective(row);
    return together === null ? null : row.read.calls + row.write.calls - together;
  };
  const each = (key: "read" | "write", part: "calls" | "bytes" | "usual_size") =>
    numbersOf(rows, (row) => (row[key].calls ? row[key][part] : null));
  return new Grid({
    label: "Layer by layer",
    rows: rows.length,
    columns: [
      { ...words("layer", "Layer", textsOf(rows, (row) => NAMES[row.layer] ?? row.layer)), grows: true },
      { ...figures("time_ns", "Time", numbersOf(rows, time), duration, { least: 140, unit: "ns" }), cell: (row) => bar(duration(time(rows[row])), time(rows[row]) / greatest) },
      figures("reads", "Reads", each("read", "calls"), known(number)),
      figures("bytes_read", "Read", each("read", "bytes"), known(size), { unit: "bytes" }),
      figures("read_size", "Each", each("read", "usual_size"), known(exactSize)),
      figures("writes", "Writes", each("write", "calls"), known(number)),
      figures("bytes_written", "Written", each("write", "bytes"), known(size), { unit: "bytes" }),
      figures("write_size", "Each", each("write", "usual_size"), known(exactSize)),
      { ...figures("collective", "Collective", numbersOf(rows, collective), known(number), { term: "reads_collective" }), cell: (row) => collectiveWord(rows[row]) },
      figures("independent", "Independent", numbersOf(rows, independent), known(number), { term: "" }),
      figures("noncontiguous", "In pieces", numbersOf(rows, (row) => (row.together ? (row.together.reads_noncontiguous ?? 0) + (row.together.writes_noncontiguous ?? 0) : null)), known(number), { term: "writes_noncontiguous" }),
      figures("metadata", "Other calls", numbersOf(rows, (row) => row.metadata.calls), number, { term: "metadata" }),
      figures("opens", "Opens", numbersOf(rows, (row) => row.opens), number),
      figures("processes", "Processes", numbersOf(rows, (row) => row.processes), number, { hidden: true }),
    ],
  });
}

/** How many reads and writes ranks made together; null where the log does not say. */
function collective({ together }: FileLayer): number | null {
  const [reads, writes] = [together?.reads_collective ?? null, together?.writes_collective ?? null];
  return reads === null || writes === null ? null : reads + writes;
}

/** Of a Darshan log that has only a mark, as the terminal says it. */
function collectiveWord(row: FileLayer): string {
  const calls = collective(row);
  if (calls !== null) return number(calls);
  return { collective: "asked for", mixed: "in part" }[row.transfer ?? ""] ?? NONE;
}

function datasetGrid(rows: (FileLayer & { name: string })[], file: File): Grid {
  const all = file.layers.reduce((sum, layer) => sum + (layer.datasets ?? 0), 0);
  const part = (key: "read" | "write") => numbersOf(rows, (row) => (row[key].calls ? row[key].bytes : null));
  return new Grid({
    label: `Datasets${all > rows.length ? `, ${rows.length} of ${all}` : ""}`,
    rows: rows.length,
    columns: [
      names("name", "Dataset", textsOf(rows, (row) => row.name || NONE), { term: "datasets" }),
      figures("time_ns", "Time", numbersOf(rows, (row) => row.read.time_ns + row.write.time_ns + row.metadata.time_ns), duration, { unit: "ns" }),
      figures("reads", "Reads", numbersOf(rows, (row) => row.read.calls), number),
      figures("bytes_read", "Read", part("read"), known(size), { unit: "bytes" }),
      figures("writes", "Writes", numbersOf(rows, (row) => row.write.calls), number),
      figures("bytes_written", "Written", part("write"), known(size), { unit: "bytes" }),
      { ...figures("collective", "Collective", numbersOf(rows, collective), known(number), { term: "writes_collective" }), cell: (row) => collectiveWord(rows[row]) },
    ],
  });
}
