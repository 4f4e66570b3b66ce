import { expect, test } from "vitest";
import { csv } from "../text/csv";
import { allot } from "./allot";
import { safeText } from "./column";
import { Layout } from "./layout";
import { partsOf } from "./name";
import { sortRows } from "./order";

function rows(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, row) => row);
}

function sorted(by: Parameters<typeof sortRows>[1], count: number, descending: boolean): number[] {
  const order = rows(count);
  sortRows(order, by, descending);
  return [...order];
}

test("rows sort by figures, and equal ones stay in order", () => {
  expect(sorted(Float64Array.of(3, 1, 3, 2), 4, true)).toEqual([0, 2, 3, 1]);
  expect(sorted(Float64Array.of(3, 1, 3, 2), 4, false)).toEqual([1, 3, 0, 2]);
});

test("a figure that does not exist comes last in both directions", () => {
  expect(sorted(Float64Array.of(NaN, 1, NaN, 2), 4, true)).toEqual([3, 1, 0, 2]);
  expect(sorted(Float64Array.of(NaN, 1, NaN, 2), 4, false)).toEqual([1, 3, 0, 2]);
});

test("rows sort by texts and by codes in the order of the alphabet", () => {
  const texts = ["b", "a", "c", "a"];
  expect(sorted({ at: (row) => texts[row] }, 4, false)).toEqual([1, 3, 0, 2]);
  const codes = { codes: Uint8Array.of(1, 0, 2, 0), values: ["z", "m", "a"], at: () => "" };
  expect(sorted(codes, 4, false)).toEqual([2, 0, 1, 3]);
});

test("rows lie below what is open above them", () => {
  const layout = new Layout(30, 1000);
  expect([layout.height, layout.top(10), layout.at(299), layout.at(300)]).toEqual([30_000, 300, 9, 10]);
  layout.setOpen(new Map([[3, 200], [7, 50]]));
  expect([layout.height, layout.top(3), layout.top(4), layout.top(8)]).toEqual([30_250, 90, 320, 490]);
  expect([layout.at(95), layout.at(319), layout.at(320), layout.at(1e9)]).toEqual([3, 3, 4, 999]);
  expect(new Layout(30, 0).at(0)).toBe(0);
});

test("cells with separators are quoted, and formulas are texts", () => {
  expect(csv([["a,b", 'say "x"', "plain", " edge"]])).toBe('"a,b","say ""x""",plain," edge"\n');
  expect(["=1+1", "@x", "-o", "/a\nb"].map(safeText)).toEqual(["'=1+1", "'@x", "'-o", "/a\\nb"]);
});

const need = (natural: number, least = natural, grows = false) => ({ natural, least, grows });

test("columns have what they need, and growing ones the rest", () => {
  expect(allot([need(100, 50, true), need(80), need(60)], 400)).toEqual([260, 80, 60]);
  expect(allot([need(100), need(80)], 400)).toEqual([320, 80]);
});

test("the widest give way first, and no figure is cut", () => {
  const rounded = (needs: Parameters<typeof allot>[0], room: number) => allot(needs, room).map(Math.round);
  expect(rounded([need(800, 170, true), need(300, 120), need(90), need(90)], 700)).toEqual([260, 260, 90, 90]);
  expect(rounded([need(800, 170, true), need(150, 120), need(90), need(90)], 700)).toEqual([370, 150, 90, 90]);
  expect(rounded([need(800, 170, true), need(90), need(90)], 200)).toEqual([170, 90, 90]);
});

test("shortened names of a series differ", () => {
  const shown = (name: string, room: number) => partsOf(name, room).map((part, place) => (place % 2 ? "…" : part)).join("");
  expect(shown("/short", 10)).toBe("/short");
  expect(shown("/scratch/user/run/output.dat", 22)).toBe("/scra…r/run/output.dat");
  expect(shown("d/checkpoint-of-the-run-00017-with-a-long-name.dat", 18)).toBe("…00017…ng-name.dat");
  expect(shown("d/a-name-of-no-number-at-all.dat", 12)).toBe("…-at-all.dat");
  for (let room = 1; room < 60; room++) {
    expect(shown("/a/b\u{1F600}/data-12-\u{1F600}\u{1F600}.nc", room).length).toBeLessThanOrEqual(Math.max(room, 4) + 2);
    expect(partsOf("/a/b/some-12-more-13.nc", room).join("")).toBe("/a/b/some-12-more-13.nc");
  }
});
