/** The parts of a phase's time, in their order and colours. */
import { h } from "../ui/dom";

export const shares = [
  { key: "read", name: "reading", colour: "--read" },
  { key: "write", name: "writing", colour: "--write" },
  { key: "meta", name: "other calls", colour: "--metadata" },
  { key: "message", name: "MPI", colour: "--processes" },
  { key: "rest", name: "elsewhere", colour: "--rest" },
] as const;

export function legend(): HTMLElement {
  return h("span", { class: "legend of-columns" }, ...shares.map(({ name, colour }) => h("span", {}, h("i", { style: `background:var(${colour})` }), name)));
}
