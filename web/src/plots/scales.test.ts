import { describe, expect, it } from "vitest";
import { extent, logTicks, padded } from "./scales";

describe("extent", () => {
  it("leaves out what is no number, and on a logarithmic scale what is not positive", () => {
    expect(extent([NaN, 3, -1, 0], false)).toEqual([-1, 3]);
    expect(extent([NaN, 3, -1, 0, 9], true)).toEqual([3, 9]);
    expect(extent([NaN, 0], true)).toBeNull();
  });
});

describe("padded", () => {
  it("begins at 0 where nothing is below", () => {
    const [low, high] = padded([2, 10], false);
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(10);
    expect(padded([-2, -1], false)[1]).toBeGreaterThanOrEqual(0);
  });
  it("stands one value, nothing and zero", () => {
    const [low, high] = padded([5, 5], true);
    expect(low).toBeLessThan(5);
    expect(high).toBeGreaterThan(5);
    expect(padded(null, true)).toEqual([1, 10]);
    expect(padded([0, 0], false)).toEqual([0, 1]);
  });
});

describe("ticks of a logarithmic scale", () => {
  it("are powers of ten, never many more than there is room for", () => {
    expect(logTicks(0.5, 2000, false, 6)).toEqual([1, 10, 100, 1000]);
    expect(logTicks(1, 1e12, false, 4).length).toBeLessThanOrEqual(5);
  });
  it("have 2 and 5 between where powers are few", () => {
    expect(logTicks(1, 20, false, 8)).toEqual([1, 2, 5, 10, 20]);
  });
  it("are units of bytes where powers of two are round", () => {
    expect(logTicks(1, 2 ** 42, true, 5)).toEqual([1, 2 ** 10, 2 ** 20, 2 ** 30, 2 ** 40]);
  });
});
