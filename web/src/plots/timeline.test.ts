import { describe, expect, it } from "vitest";
import { days, withGaps } from "./timeline";

describe("a line over time", () => {
  it("is not drawn where moments are missing", () => {
    const { xs, ys } = withGaps({ xs: [0, 64, 128, 640, 704], ys: [1, 2, 3, 4, 5] }, 0);
    expect(xs).toEqual([0, 64, 128, 191.9375, 192, 640, 704, 768]);
    expect(ys).toEqual([1, 2, 3, 3, null, 4, 5, 5]);
  });
  it("is drawn to the end of its last step before nothing", () => {
    const { xs, ys } = withGaps({ xs: [0, 64, 128], ys: [1, NaN, NaN] }, 64);
    expect(xs).toEqual([0, 63.9375, 64, 128, 192]);
    expect(ys).toEqual([1, 1, null, null, null]);
  });
  it("stands one moment and none", () => {
    expect(withGaps({ xs: [], ys: [] }, 0)).toEqual({ xs: [], ys: [] });
    expect(withGaps({ xs: [7], ys: [NaN] }, 0)).toEqual({ xs: [7], ys: [null] });
  });
});

describe("ticks of time", () => {
  const start = Date.UTC(2026, 11, 31) / 1e3;
  it("tell the year where it begins", () => {
    expect(days([start, start + 86400, start + 172800], 86400)).toEqual(["31 Dec\n2026", "1 Jan\n2027", "2 Jan"]);
  });
  it("tell the day of hours", () => {
    expect(days([start, start + 3600], 3600)).toEqual(["00:00\n31 Dec 2026", "01:00"]);
  });
});
