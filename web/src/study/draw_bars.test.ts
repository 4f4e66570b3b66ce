import { describe, expect, it } from "vitest";
import { evenStep } from "../plots/columns";
import { everyDay } from "./draw_bars";

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

describe("axes of bars", () => {
  it("have ticks at powers of two of bytes", () => {
    expect(evenStep(5 * 2 ** 40, true)).toBe(2 ** 40);
    expect(evenStep(10 * 2 ** 40, true)).toBe(2 ** 41);
    expect(evenStep(0, true)).toBe(1);
  });
  it("have ticks at round figures of ten", () => {
    expect([0.37, 1, 5.9, 7, 13, 42, 61, 997].map((most) => evenStep(most, false))).toEqual([0.1, 0.2, 1, 2, 5, 10, 20, 200]);
  });
});
