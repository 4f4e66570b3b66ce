import { expect, test } from "vitest";
import { Table } from "../payload/table";
import { depths, hiddenRows } from "./tree";

test("all below a closed process is hidden", () => {
  const parents = Int32Array.of(-1, 0, 1, 1, 0, -1);
  expect([...hiddenRows(parents, new Set([1]))]).toEqual([0, 0, 1, 1, 0, 0]);
  expect([...hiddenRows(parents, new Set([0]))]).toEqual([0, 1, 1, 1, 1, 0]);
  expect([...hiddenRows(Int32Array.of(1, 0), new Set([0, 1]))]).toEqual([0, 1]); // a circle, as damage may make
});

test("what exec makes of a process stands where the process stood", () => {
  const data = new Uint8Array(64);
  new Int32Array(data.buffer, 0, 4).set([-1, 0, 1, 2]);
  new Uint32Array(data.buffer, 16, 4).set([10, 11, 11, 12]);
  data.set([0, 1, 0, 0], 32);
  const table = new Table("processes", 4, {
    parent: { type: "i32", at: 0, bytes: 16 },
    pid: { type: "u32", at: 16, bytes: 16 },
    ended: { type: "code8", at: 32, bytes: 4, values: ["exit", "exec"] },
  }, data);
  expect([...depths(table)]).toEqual([0, 1, 1, 2]);
});
