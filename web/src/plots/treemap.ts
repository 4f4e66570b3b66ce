/** Directories as areas, which open by a click. The colour tells how much of the bytes was written. */
import { NONE, duration, number, percent, size } from "../text/units";
import { printable } from "../text/printable";
import { colour } from "../ui/theme";
import { type Chart, chart, style, tip } from "./chart";

export interface Folder {
  name: string;
  files: number;
  bytes_read: number;
  bytes_written: number;
  time_ns: number;
  calls: number;
  children?: Folder[];
}

export type Measure = "bytes" | "time" | "calls" | "files";

interface Area {
  name: string;
  value: number;
  path: string;
  /** Of the files themselves, beside the directories below. */
  rest: boolean;
  folder: Folder;
  itemStyle: { color: string };
  children?: Area[];
}

export function measured(folder: Folder, measure: Measure): number {
  if (measure === "bytes") return folder.bytes_read + folder.bytes_written;
  return measure === "time" ? folder.time_ns : folder[measure];
}

/**
 * `measure` is asked again at every draw; `chosen` is told the path that a click went to, which ends in "/", or null for
 * what is no one directory.
 */
export function treemap(root: Folder, measure: () => Measure, chosen: (path: string | null) => void): Chart {
  const made = chart("Directories by size", 420, () => {
    const shown = areas(root, measure());
    return {
    tooltip: { ...style.tooltip(), formatter: (point: { data?: Area }) => (point.data ? details(point.data) : "") },
    series: [
      {
        type: "treemap",
        name: printable(root.name),
        id: "directories",
        data: shown,
        left: 0, right: 0, top: 0, bottom: 34,
        leafDepth: depthFor(shown),
        drillDownIcon: "",
        roam: false,
        nodeClick: "zoomToNode",
        visibleMin: 30,
        childrenVisibleMin: 200,
        animation: false,
        breadcrumb: {
          left: 0, bottom: 2, height: 24, emptyItemWidth: 24,
          itemStyle: { color: colour("--hover"), borderColor: colour("--line"), textStyle: { color: colour("--ink") } },
          emphasis: { itemStyle: { color: colour("--line"), textStyle: { color: colour("--ink") } } },
        },
        label: { show: true, fontSize: 12, color: "#fff", overflow: "truncate", lineHeight: 16, formatter: (point: { data: Area }) => label(point.data, measure(), "\n") },
        upperLabel: { show: true, height: 22, padding: [0, 6], color: colour("--ink"), fontSize: 12, overflow: "truncate", formatter: (point: { data: Area }) => label(point.data, measure(), "  ") },
        itemStyle: { borderColor: colour("--sheet"), borderWidth: 1, gapWidth: 1 },
        levels: [
          { itemStyle: { borderWidth: 0, gapWidth: 3 }, upperLabel: { show: false } },
          { itemStyle: { borderColor: colour("--line"), borderWidth: 2, gapWidth: 2 } },
          { itemStyle: { borderColor: colour("--line"), borderWidth: 2, gapWidth: 1 } },
        ],
      },
    ],
    };
  });
  made.instance.on("click", (event) => {
    const area = event.data as Area | undefined;
    chosen(area?.path && !area.rest ? area.path : null);
  });
  return made;
}

/** As many levels at once as can be told apart. */
function depthFor(level: readonly Area[]): number {
  let [depth, inner] = [1, level.flatMap((one) => one.children ?? [])];
  while (inner.length && depth < 5 && (depth < 2 || inner.length <= 60)) {
    depth++;
    inner = inner.flatMap((one) => one.children ?? []);
  }
  return depth;
}

function areas(root: Folder, measure: Measure): Area[] {
  return (area(root, "", measure).children ?? []);
}

function area(folder: Folder, above: string, measure: Measure): Area {
  let name = folder.name.replace(/\/+$/, "");
  let path = `${above}${name}/`;
  // Directories that hold nothing but one other are one area with it: a click more would show nothing new.
  for (let only = onlyChild(folder, measure); above && only; only = onlyChild(folder, measure)) {
    folder = only;
    name += `/${only.name}`;
    path += `${only.name}/`;
  }
  const children = (folder.children ?? []).filter((child) => measured(child, measure) > 0);
  const made: Area = {
    name: printable(name || "/"),
    value: measured(folder, measure),
    path,
    rest: isOthers(folder),
    folder,
    itemStyle: { color: shade(folder) },
  };
  const rest = remainder(folder, folder.children ?? []);
  const inner = children.map((child) => area(child, path, measure));
  if (inner.length && measured(rest, measure) > 0) {
    inner.push({ name: "files here", value: measured(rest, measure), path, rest: true, folder: rest, itemStyle: { color: shade(rest) } });
  } else if (!inner.length && !above) {
    inner.push({ ...made, name: "/" });
  }
  return inner.length ? { ...made, children: inner } : made;
}

function onlyChild(folder: Folder, measure: Measure): Folder | null {
  const [child, another] = (folder.children ?? []).filter((one) => measured(one, measure) > 0);
  return child && !another && !isOthers(child) && measured(child, measure) === measured(folder, measure) ? child : null;
}

/** What the report sums up because it is too small for a place of its own. */
function isOthers(folder: Folder): boolean {
  return /^\(\d+ others?\)$/.test(folder.name);
}

/** What a directory holds beside the directories in it. */
function remainder(folder: Folder, children: readonly Folder[]): Folder {
  const rest = { ...folder, children: [] };
  for (const child of children) {
    for (const key of ["files", "bytes_read", "bytes_written", "time_ns", "calls"] as const) rest[key] -= child[key];
  }
  return rest;
}

/** Between the colours of reading and of writing; grey where nothing was moved. Dark enough for white letters. */
function shade(folder: Folder): string {
  const bytes = folder.bytes_read + folder.bytes_written;
  if (bytes <= 0) return "#5f6b78";
  return mix([11, 94, 160], [176, 74, 8], folder.bytes_written / bytes);
}

function mix(from: number[], to: number[], share: number): string {
  // By way of a neutral tone: blue and orange between them would make a muddy green.
  const middle = [104, 98, 112];
  const [a, b, part] = share < 0.5 ? [from, middle, share * 2] : [middle, to, share * 2 - 1];
  return `rgb(${a.map((value, place) => Math.round(value + (b[place] - value) * part)).join(",")})`;
}

function label(one: Area, measure: Measure, between: string): string {
  return `${one.name}${between}${inUnits(measured(one.folder, measure), measure)}`;
}

function inUnits(value: number, measure: Measure): string {
  return measure === "bytes" ? size(value) : measure === "time" ? duration(value) : number(value);
}

function details({ folder, path, rest }: Area): HTMLElement {
  const bytes = folder.bytes_read + folder.bytes_written;
  return tip(printable(rest ? `${path} (${folder.name})` : path), [
    [colour("--read"), "read", size(folder.bytes_read)],
    [colour("--write"), "written", size(folder.bytes_written)],
    [null, "of it written", bytes ? percent(folder.bytes_written / bytes) : NONE],
    [null, "time", duration(folder.time_ns)],
    [null, "operations", number(folder.calls)],
    [null, "files", number(folder.files)],
  ]);
}
