/** Changes in words: with their sign, and against what was before. As python/headrace/commands/_signed.py says them. */
import { NONE, duration, number, size } from "../text/units";

const MINUS = "−";

export type Unit = "ns" | "bytes" | "count";

function plain(value: number, unit: Unit): string {
  if (unit === "ns") return duration(value);
  if (unit === "bytes") return size(value);
  return Number.isInteger(value) || value >= 100 ? number(value) : value.toFixed(1);
}

export function amount(value: number, unit: Unit): string {
  return value < 0 ? MINUS + plain(-value, unit) : plain(value, unit);
}

export function change(value: number, unit: Unit): string {
  if (value === 0) return "=";
  return value > 0 ? `+${plain(value, unit)}` : MINUS + plain(-value, unit);
}

export function against(before: number, after: number): string {
  if (before === after) return "";
  if (before <= 0 || after < 0) return NONE;
  if (after >= 10 * before) return `×${factor(after / before)}`;
  if (after > 0 && before >= 10 * after) return `÷${factor(before / after)}`;
  const share = (after - before) / before;
  return (share > 0 ? "+" : MINUS) + percent(Math.abs(share));
}

export function share(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  return (value < 0 ? MINUS : "") + percent(Math.abs(value));
}

function factor(value: number): string {
  return value >= 99.5 ? number(value) : String(Number(value.toPrecision(2)));
}

function percent(value: number): string {
  return `${(value * 100).toFixed(value < 0.0995 ? 1 : 0)} %`;
}
