/**
 * Names come from programs that may be hostile: `printable` is the one way by which they reach the page, as text, never
 * as markup. The rule is the terminal's (python/headrace/commands/_text.py).
 */

const PLAIN = /^[\x20-\x7e]*$/;
/** Control, format and unassigned characters; separators but the space; letters and digits of right-to-left scripts. */
const STEERING =
  /\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|(?=[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}])\P{M}/gu;

/** The text without all that could break a line or change its direction: such a character becomes `\n`, `\x1b`, `\u202e`. */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(STEERING, escape);
}

function escape(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  if (number === 9) return "\\t";
  if (number === 10) return "\\n";
  if (number === 13) return "\\r";
  const digits = number.toString(16);
  if (number < 256) return `\\x${digits.padStart(2, "0")}`;
  return number < 65536 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
