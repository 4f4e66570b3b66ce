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

/** The frame that is the program's own, as far as that is known. */
export function shown(site: Site): Frame | undefined {
  return site.frames[Math.max(0, site.show ?? 0)];
}

/** The function and its line, and the whole stack to open: who called it, and through what it made the call. */
export function stack(site: Site): HTMLElement {
  const at = Math.max(0, site.show ?? 0);
  const python = site.frames[at]?.python === true;
  const callers = site.frames.filter((frame, number) => number > at && !!frame.python === python);
  const machine = python ? site.frames.filter((frame) => !frame.python) : [];
  return h(
    "div",
    { class: "stack" },
    frameLine(site.frames[at]),
    frames(callers, (first) => `called from ${place(first)}`),
    frames(site.frames.slice(0, at), (first) => `by way of ${place(first)}`),
    frames(machine, (first) => `machine code: ${place(first)}`),
  );
}

function frames(list: Frame[], title: (first: Frame) => string): Child {
  if (!list.length) return null;
  return h("details", {}, h("summary", {}, title(list[0])), h("ol", {}, ...list.map((frame) => h("li", {}, frameLine(frame)))));
}

function frameLine(frame: Frame | undefined): Child {
  if (!frame) return "not known";
  const file = frame.file ? `${printable(frame.file)}${frame.line ? `:${frame.line}` : ""}` : frame.function && !frame.python ? moduleOffset(frame) : "";
  return h(
    "span",
    { class: "frame" },
    h("code", {}, frame.function ? printable(frame.function) : moduleOffset(frame)),
    frame.inlined ? h("span", { class: "tag" }, "inlined") : null,
    frame.python ? h("span", { class: "tag" }, "Python") : null,
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
