import { describe, expect, it } from "vitest";
import { binaryStep } from "../plots/columns";
import { everyDay } from "./draw_bars";
import { widthOf } from "./data";

describe("an axis of days", () => {
  const day = (date: string) => `${date} 00:00:00 UTC`;
  it("has days without anything too", () => {
    expect(everyDay([day("2026-01-30"), day("2026-02-02")])).toEqual(["2026-01-30", "2026-01-31", "2026-02-01", "2026-02-02"].map(day));
    expect(everyDay([])).toEqual([]);
  });
  it("keeps what are no days", () => {
    expect(everyDay([day("2026-01-30"), "2026-02-02 01:00:00 UTC"])).toEqual([day("2026-01-30"), "2026-02-02 01:00:00 UTC"]);
    expect(everyDay([day("2026-01-30"), "–"])).toEqual([day("2026-01-30"), "–"]);
  });
});

describe("bars of bytes", () => {
  it("have ticks at powers of two", () => {
    const one = { name: "a", colour: "--read", values: [5 * 2 ** 40, null] };
    expect(binaryStep({ figures: [one] })).toBe(2 ** 40);
    expect(binaryStep({ figures: [one, one], stacked: true })).toBe(2 ** 41);
    expect(binaryStep({ figures: [] })).toBe(1);
  });
});

describe("a column of figures", () => {
  it("has room for its longest figure", () => {
    const long = "191,400,000,000";
    expect(widthOf("Files", Float64Array.of(1, 2), () => long)).toBeGreaterThan(15 * 7.6 + 20);
  });
});
