/** From what side ranks are grouped. */
import type { Kind } from "./facts";

export const KINDS: Record<Kind, string> = {
  calls: "time in functions",
  messages: "messages",
  bandwidth: "bandwidth over time",
  sizes: "request sizes",
};
