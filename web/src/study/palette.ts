/** Colours of the parts of a figure: the same part has the same colour in each panel, figure and study. */
import { seriesColour } from "../plots/legend";
import type { Side } from "./side";

/** What a name means everywhere. */
const OWN: Record<string, string> = {
  read: "--read", reads: "--read", write: "--write", writes: "--write", written: "--write", metadata: "--metadata",
  posix: "--series-7", stdio: "--series-6", "mpi-io": "--series-4", mpiio: "--series-4", hdf5: "--series-5", pnetcdf: "--series-11",
  unique: "--series-8", "partially shared": "--series-10", shared: "--series-9",
};

const SERIES = 12;
const OTHERS = "all others"; // projects, by bytes

export type Palette = ReadonlyMap<string, string>;

/** By name, in the order in which names come; those without a meaning of their own have the colours that are left. */
export function palette(sides: readonly Side[], channel: string): Palette {
  const names = new Set(sides.flatMap((side) => [...side.rows.groups(channel).keys()]));
  const own = (name: string) => (Object.hasOwn(OWN, name.toLowerCase()) ? OWN[name.toLowerCase()] : name === OTHERS ? "--rest" : undefined);
  const taken = new Set([...names].map(own));
  const left = Array.from({ length: SERIES }, (_, place) => seriesColour(place)).filter((colour) => !taken.has(colour));
  let next = 0;
  return new Map([...names].map((name) => [name, own(name) ?? left[next++] ?? "--rest"]));
}
