import { expect, test } from "vitest";
import { duration, exactSize, percent, size } from "./units";

test("sizes are rounded as the terminal rounds them", () => {
  expect([0, 1, 1023, 1024, 1152, 1e7, 1024 * 999.7, 2 ** 64, -5].map(size)).toEqual([
    "0 B", "1 B", "1023 B", "1 KiB", "1.12 KiB", "9.54 MiB", "1000 KiB", "16384 PiB", "-5 B",
  ]);
});

test("sizes that many operations share are exact", () => {
  expect([4096, 4097, 1 << 20].map(exactSize)).toEqual(["4 KiB", "4,097 B", "1 MiB"]);
});

test("durations keep their sign and are never without a number", () => {
  expect([0, 999, 1500, 12_345_678, 119e9, 125e9, 7322e9, -5.25e9, -900].map(duration)).toEqual([
    "0 ns", "999 ns", "1.5 µs", "12.3 ms", "119 s", "2 min 05 s", "2 h 02 min", "-5.25 s", "-900 ns",
  ]);
});

test("nearly nothing is not nothing, and nearly all is not all", () => {
  expect([0, 0.0001, 0.5, 0.999, 1, null].map(percent)).toEqual(["0.0 %", "< 0.1 %", "50 %", "> 99 %", "100 %", "–"]);
});
