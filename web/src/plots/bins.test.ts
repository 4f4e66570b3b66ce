import { describe, expect, it } from "vitest";
import { bins } from "./bins";

const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);

describe("bins", () => {
  it("count every value once, the greatest in the last bin", () => {
    const { edges, counts } = bins([[1e8, 1.2e8, 1.9e8], [1.5e8, 2e8, 2e8, 2e8]]);
    expect(counts.map(sum)).toEqual([3, 4]);
    expect(counts[1][edges.length - 2]).toBeGreaterThanOrEqual(3);
    expect(edges[0]).toBeLessThanOrEqual(1e8);
    expect(edges[edges.length - 1]).toBeGreaterThanOrEqual(2e8);
  });
  it("have round limits", () => {
    const { edges } = bins([[101e6, 117e6, 123e6, 139e6, 160e6, 178e6]]);
    const width = edges[1] - edges[0];
    expect([1, 2, 5]).toContain(Number((width / 10 ** Math.floor(Math.log10(width))).toPrecision(6)));
  });
  it("are logarithmic where times are far apart", () => {
    const { edges, isLog, counts } = bins([[1e6, 2e6, 3e6], [1e9]]);
    expect(isLog).toBe(true);
    expect(edges[1] / edges[0]).toBeCloseTo(edges[2] / edges[1]);
    expect(counts.map(sum)).toEqual([3, 1]);
  });
  it("stand values that are all alike, nothing, or zero", () => {
    expect(bins([[5, 5], [5]]).counts).toEqual([[2], [1]]);
    expect(bins([[0, 0]]).counts).toEqual([[2]]);
    expect(bins([[]]).counts).toEqual([[0]]);
    expect(sum(bins([[0, 1e9]]).counts[0])).toBe(2);
  });
  it("are never too many", () => {
    const values = Array.from({ length: 10_000 }, (_, place) => 100 + (place % 7) / 100);
    const { edges, counts } = bins([[...values, 2000]]);
    expect(edges.length).toBeLessThanOrEqual(66);
    expect(sum(counts[0])).toBe(10_001);
  });
});
