/** Colours of the parts of a figure: the same part has the same colour in each panel and at each site. */
import { seriesColour } from "../plots/legend";
import type { Side } from "./side";

const OWN: Record<string, string> = { read: "--read", reads: "--read", write: "--write", writes: "--write", written: "--write", metadata: "--metadata" };

const OTHERS = "all others"; // projects, by bytes

export type Palette = ReadonlyMap<string, string>;

/** By name, in the order in which names come. Reading and writing have the colours that they have everywhere. */
export function palette(sides: readonly Side[], channel: string): Palette {
  const names = new Set(sides.flatMap((side) => [...side.rows.groups(channel).keys()]));
  const own = [...names].every((name) => Object.hasOwn(OWN, name.toLowerCase()));
  return new Map([...names].map((name, place) => [name, own ? OWN[name.toLowerCase()] : name === OTHERS ? "--rest" : seriesColour(place)]));
}
