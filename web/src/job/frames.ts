/** A place in the code: the function that made a call, and who called it. */
import { printable } from "../text/printable";
import { type Child, h } from "../ui/dom";
import type { Frame, Site } from "./facts";

/** "write_checkpoint, checkpoint.cc:214", or what of it is known. */
export function place(frame: Frame | undefined): string {
  if (!frame) return "not known";
  const name = frame.function ? printable(frame.function) : moduleOffset(frame);
  return frame.file ? `${name}, ${printable(last(frame.file))}${frame.line ? `:${frame.line}` : ""}` : name;
}

/** The function and its line, and the whole stack to open. */
export function stack(site: Site): HTMLElement {
  const [top, ...callers] = site.frames;
  return h(
    "div",
    { class: "stack" },
    frameLine(top),
    callers.length ? h("details", {}, h("summary", {}, `called from ${place(callers[0])}`), h("ol", {}, ...callers.map((frame) => h("li", {}, frameLine(frame))))) : null,
  );
}

function frameLine(frame: Frame | undefined): Child {
  if (!frame) return "not known";
  const file = frame.file ? `${printable(frame.file)}${frame.line ? `:${frame.line}` : ""}` : frame.function ? moduleOffset(frame) : "";
  return h(
    "span",
    { class: "frame" },
    h("code", {}, frame.function ? printable(frame.function) : moduleOffset(frame)),
    frame.inlined ? h("span", { class: "tag" }, "inlined") : null,
    file ? h("span", { class: "where path" }, file) : null,
  );
}

function moduleOffset(frame: Frame): string {
  const module = frame.module ? printable(last(frame.module)) : "unknown module";
  return frame.offset === null ? module : `${module}+0x${frame.offset.toString(16)}`;
}

function last(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}
