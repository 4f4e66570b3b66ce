import { expect, test } from "vitest";
import { type Mark, scaleFor } from "./beside";

const mark = (value: number, low: number | null = null, high: number | null = null): Mark => ({ value, low, high });
const scale = (...marks: (Mark | null)[]) => scaleFor({ title: "", format: String, kinds: [{ name: "here", colour: "--read", marks }] });

test("values that span decades are on a logarithmic scale, with their intervals", () => {
  const wide = scale(mark(1, 0.5, 2), null, mark(300, 100, 900));
  expect(wide.isLog).toBe(true);
  expect(wide.limits[0]).toBeLessThan(0.5);
  expect(wide.limits[1]).toBeGreaterThan(900);
});

test("an interval to 0 does not widen a logarithm without end", () => {
  expect(scale(mark(1, 0, 2), mark(300)).limits[0]).toBeGreaterThan(0.005);
});

test("an interval over decades makes it logarithmic, for a plain scale would press the values together", () => {
  expect(scale(mark(1, 0.04, 3.4), mark(1)).isLog).toBe(true);
});

test("values of one size are on a plain scale from 0", () => {
  const plain = scale(mark(3, 2, 4), mark(5));
  expect(plain.isLog).toBe(false);
  expect(plain.limits[0]).toBe(0);
});

test("a scale without values is there as well", () => {
  expect(scale(null).limits).toEqual([0, 1]);
});
