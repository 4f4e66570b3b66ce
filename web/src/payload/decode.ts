/** The data inside the page, as docs/formats/report-payload.md describes it: base64 of gzip of JSON and columns. */
import { Table, type ColumnEntry } from "./table";

export interface Payload {
  kind: string;
  facts: unknown;
  tables: Record<string, Table>;
}

/** Data that cannot be used; the message is for the person who opened the page. */
export class PayloadError extends Error {
  override name = "PayloadError";
}

const FORMAT = 1;
/** Characters of base64 decoded at a time, a multiple of 4: each piece becomes a string and an array of its own. */
const PIECE = 1 << 18;

export async function readPayload(text: string): Promise<Payload> {
  if (typeof DecompressionStream === "undefined") {
    throw new PayloadError("This browser cannot unpack the report's data. A browser of 2023 or later can.");
  }
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    const packed = new Blob([...pieces(text.trim())]).stream();
    bytes = new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  } catch (error) {
    throw new PayloadError(`The report's data cannot be unpacked; the file was changed or cut. (${String(error)})`);
  }
  return decode(bytes);
}

function* pieces(text: string): Generator<Uint8Array<ArrayBuffer>> {
  for (let from = 0; from < text.length; from += PIECE) {
    const raw = atob(text.slice(from, from + PIECE));
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    yield bytes;
  }
}

/** Columns are views of `bytes`: nothing is copied, and there is no object a row. */
export function decode(bytes: Uint8Array<ArrayBuffer>): Payload {
  if (bytes.length < 4) throw new PayloadError("The report's data is empty.");
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  if (4 + length > bytes.length) throw new PayloadError("The report's data ends too early.");
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as {
    format: number;
    kind: string;
    facts: unknown;
    tables: Record<string, { rows: number; columns: Record<string, ColumnEntry> }>;
  };
  if (head.format !== FORMAT) {
    throw new PayloadError(`The report's data has format ${head.format}; this page reads format ${FORMAT}.`);
  }
  const columns = bytes.subarray(Math.ceil((4 + length) / 8) * 8);
  const tables: Record<string, Table> = {};
  for (const [name, { rows, columns: entries }] of Object.entries(head.tables)) {
    tables[name] = new Table(name, rows, entries, columns);
  }
  return { kind: head.kind, facts: head.facts, tables };
}
