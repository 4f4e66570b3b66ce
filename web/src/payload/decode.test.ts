import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { PayloadError, decode, readPayload } from "./decode";

/** The worked example of docs/formats/report-payload.md. */
const EXAMPLE = {
  format: 1,
  kind: "job",
  facts: {},
  tables: {
    files: { rows: 2, columns: { path: { type: "text", at: 0, bytes: 16 }, time_ns: { type: "f64", at: 16, bytes: 16 } } },
  },
};

function encode(head: unknown, columns: Uint8Array): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(head));
  const start = Math.ceil((4 + json.length) / 8) * 8;
  const bytes = new Uint8Array(start + columns.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  bytes.set(columns, start);
  return bytes;
}

const COLUMNS = Uint8Array.from([
  ...[0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0], ...new TextEncoder().encode("/a/b"),
  ...new Uint8Array(Float64Array.from([1500, 0]).buffer),
]);

test("columns are read as the format says", () => {
  const { kind, tables } = decode(encode(EXAMPLE, COLUMNS));
  expect(kind).toBe("job");
  expect([0, 1].map((row) => tables.files.texts("path").at(row))).toEqual(["/a", "/b"]);
  expect([...tables.files.numbers("time_ns")]).toEqual([1500, 0]);
});

test("codes give the texts they stand for", () => {
  const columns = { kind: { type: "code8", at: 0, bytes: 3, values: ["file", "directory"] } };
  const { tables } = decode(encode({ ...EXAMPLE, tables: { files: { rows: 3, columns } } }, Uint8Array.from([1, 0, 7])));
  expect([0, 1, 2].map((row) => tables.files.texts("kind").at(row))).toEqual(["directory", "file", ""]);
});

test("the whole way from base64 in a page", async () => {
  const text = gzipSync(encode(EXAMPLE, COLUMNS)).toString("base64");
  expect((await readPayload(`\n${text}\n`)).tables.files.rows).toBe(2);
});

test("what cannot be read is said, not shown", async () => {
  const text = gzipSync(encode(EXAMPLE, COLUMNS)).toString("base64");
  await expect(readPayload(text.slice(0, 60))).rejects.toThrow(PayloadError);
  await expect(readPayload("no base64 at all!")).rejects.toThrow(PayloadError);
  expect(() => decode(new Uint8Array([255, 255, 255, 255, 0]))).toThrow("ends too early");
  expect(() => decode(encode({ ...EXAMPLE, format: 2 }, COLUMNS))).toThrow("format 2");
  expect(() => decode(encode(EXAMPLE, COLUMNS.subarray(0, 20))).tables.files.numbers("time_ns")).toThrow("outside the data");
  expect(() => decode(encode(EXAMPLE, COLUMNS)).tables.files.numbers("nothing")).toThrow("no column nothing");
});
