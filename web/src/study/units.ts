/** Figures of a column as text, by its unit. */
import type { Scale } from "../plots/scales";
import { padded } from "../plots/scales";
import { BYTE_STEPS, NS_STEPS, NUMBER_STEPS } from "../plots/over_time";
import { clockUtc } from "../text/dates";
import { NONE, duration, number, percent, rate, roundPercent, size } from "../text/units";
import type { ColumnFacts } from "./facts";

const NAMELESS = new Set(["", "count"]);

type Format = (value: number) => string;

const FORMATS: Record<string, Format> = { bytes: size, "bytes/s": rate, ns: duration, s: (value) => duration(value * 1e9), share: percent };

/** In a tooltip or a table. */
export function formatOf(column: ColumnFacts): Format {
  const format = column.kind === "time" ? clockUtc : (FORMATS[column.unit] ?? (NAMELESS.has(column.unit) ? plain : (value: number) => `${plain(value)} ${column.unit}`));
  return (value) => (Number.isNaN(value) ? (column.empty ?? NONE) : format(value));
}

/** At an axis, whose title has the unit. */
export function tickOf(column: ColumnFacts): Format {
  if (column.unit === "share") return roundPercent;
  if (column.kind === "time") return day;
  return FORMATS[column.unit] ?? short;
}

/** What an axis is called. */
export function titleOf(column: ColumnFacts | undefined): string {
  if (!column) return "";
  return NAMELESS.has(column.unit) || FORMATS[column.unit] ? column.title : `${column.title}, ${column.unit}`;
}

export function scaleFor(column: ColumnFacts, isLog: boolean, found: readonly [number, number] | null): Scale {
  if (column.kind === "time") return { title: titleOf(column), isLog: false, isBinary: false, format: day, steps: DAYS, limits: around(found) };
  const isBinary = column.unit === "bytes" || column.unit === "bytes/s";
  const limits = padded(found, isLog);
  if (column.unit === "share" && !isLog && found && found[0] >= 0 && found[1] <= 1 && found[1] > 0.5) limits[1] = 1;
  return { title: titleOf(column), isLog, isBinary, format: tickOf(column), steps: isBinary ? BYTE_STEPS : column.unit === "ns" ? NS_STEPS : NUMBER_STEPS, limits };
}

const DAY = 86_400;
const DAYS = [1, 2, 7, 14, 30, 60, 90, 180, 365].flatMap((days) => [days * DAY, days * DAY * 10]).sort((one, other) => one - other);

/** Points in time, with some room: no axis of them begins at 0. */
function around(found: readonly [number, number] | null): [number, number] {
  if (!found) return [0, DAY];
  const room = Math.max((found[1] - found[0]) * 0.04, DAY / 2);
  return [found[0] - room, found[1] + room];
}

/** Without a time of day where that is midnight. */
export function day(seconds: number): string {
  return withoutMidnight(clockUtc(seconds));
}

export function withoutMidnight(text: string): string {
  return text.replace(/ 00:00:00 UTC$/, "");
}

const LEAST = 0.0001;

/** Three digits, all of those before the point, and no exponent; no figure but 0 is shown as 0. */
export function plain(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude > 0 && magnitude < LEAST) return `${value < 0 ? "> −" : "< "}${LEAST}`;
  if (magnitude >= 999.5 || Number.isInteger(value)) return number(value);
  return String(Number(value.toPrecision(3)));
}

const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

function short(value: number): string {
  const magnitude = Math.abs(value);
  return magnitude >= 1e5 ? COMPACT.format(value) : plain(value);
}
