import { expect, test, vi } from "vitest";

vi.mock("./chart", () => ({ chart: () => null, style: {}, tip: () => null }));
vi.mock("../ui/theme", () => ({ colour: () => "" }));
const { bounds, bucketName, operationsOf, shortNumber } = await import("./histogram");

const series = (...to: number[]) => ({ name: "", colour: "", buckets: to.map((end) => ({ over: end / 2, to: end, operations: end })) });

test("all buckets between the least and the greatest of any series have a place", () => {
  expect(bounds([series(8), series(2, 64)])).toEqual([2, 4, 8, 16, 32, 64]);
  expect(bounds([series()])).toEqual([]);
  expect(operationsOf(series(8), 4)).toBe(0);
});

test("buckets and axes are named", () => {
  expect([1, 2, 4096].map(bucketName)).toEqual(["≤ 1 B", "1 B < … ≤ 2 B", "2 KiB < … ≤ 4 KiB"]);
  expect([0, 12, 12_345, 3.5e6, -2e9].map(shortNumber)).toEqual(["0", "12", "12.3 k", "3.5 M", "-2 G"]);
});
