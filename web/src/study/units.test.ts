import { describe, expect, it } from "vitest";
import type { ColumnFacts } from "./facts";
import { formatOf, plain, scaleFor, tickOf, titleOf } from "./units";

const column = (unit: string, kind: ColumnFacts["kind"] = "number"): ColumnFacts => ({ name: "it", title: "It", unit, kind });

describe("figures of a study", () => {
  it("are in the unit of their column", () => {
    expect(formatOf(column("bytes"))(3 * 2 ** 50)).toBe("3 PiB");
    expect(formatOf(column("share"))(0.38)).toBe("38 %");
    expect(formatOf(column("MiB/s"))(12.345)).toBe("12.3 MiB/s");
    expect(formatOf(column("", "time"))(0)).toBe("1970-01-01 00:00:00 UTC");
  });
  it("that are not known are a dash", () => {
    for (const unit of ["", "bytes", "ns", "share"]) expect(formatOf(column(unit))(NaN)).toBe("–");
  });
  it("never become 0 or lose whole digits", () => {
    expect(plain(0.00001)).toBe("< 0.0001");
    expect(plain(-0.00001)).toBe("> −0.0001");
    expect(plain(3e15)).toBe("3,000,000,000,000,000");
    expect(plain(1234.4)).toBe("1,234");
    expect(plain(2.5)).toBe("2.5");
    expect(plain(12)).toBe("12");
  });
});

describe("axes of a study", () => {
  it("have their unit in the title, where figures do not", () => {
    expect(titleOf(column("MiB/s"))).toBe("It, MiB/s");
    expect(titleOf(column("bytes"))).toBe("It");
    expect(tickOf(column("MiB/s"))(1_500_000)).toBe("1.5M");
  });
  it("of time hold what there is, a day at least, and say days", () => {
    const time = column("", "time");
    const midnight = 1_264_204_800;
    expect(scaleFor(time, false, [midnight, midnight]).limits).toEqual([midnight - 43_200, midnight + 43_200]);
    expect(scaleFor(time, false, [midnight, midnight + 100 * 86_400]).limits[0]).toBe(midnight - 4 * 86_400);
    expect(tickOf(time)(midnight)).toBe("2010-01-23");
    expect(tickOf(time)(midnight + 60)).toBe("2010-01-23 00:01:00 UTC");
  });
  it("of shares end at all of them", () => {
    expect(scaleFor(column("share"), false, [0, 0.97]).limits).toEqual([0, 1]);
    expect(scaleFor(column("share"), false, [0, 0.02]).limits[1]).toBeLessThan(0.03);
  });
});
