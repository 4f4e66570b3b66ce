/** Figures as text, by the same rules as the terminal's (python/headrace/commands/_text.py): one report, one wording. */

export const NONE = "–"; // in place of a figure that does not exist
export const NOT_RECORDED = "not recorded";

const SIZE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function number(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** A number and what it counts: "1 file", "2 files". */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** Bytes in the unit that gives one to four digits, three of them significant. */
export function size(value: number): string {
  let text = "";
  for (const unit of SIZE_UNITS) {
    text = threeDigits(value);
    // What is rounded up to the next unit is said in it.
    if (Math.abs(Number(text)) < 1024 || unit === "PiB") return `${text} ${unit}`;
    value /= 1024;
  }
  return text;
}

/** Bytes without rounding: a program that reads 4097 does something else than one that reads 4 KiB. */
export function exactSize(value: number): string {
  const short = size(value);
  const [digits, unit] = short.split(" ");
  const isWhole = value === Number(digits) * 1024 ** SIZE_UNITS.indexOf(unit);
  return isWhole && Number.isInteger(Number(digits)) ? short : `${number(value)} B`;
}

/** Bytes per second. */
export function rate(value: number | null): string {
  return value === null ? NONE : `${size(value)}/s`;
}

export function duration(nanoseconds: number): string {
  let value = nanoseconds;
  for (const unit of ["ns", "µs", "ms"]) {
    const text = unit === "ns" ? whole(value) : threeDigits(value);
    if (Math.abs(Number(text)) < 1000) return `${text} ${unit}`;
    value /= 1e3;
  }
  if (Math.abs(value) < 120) return `${threeDigits(value)} s`;
  const sign = value < 0 ? "-" : "";
  const seconds = Number(whole(Math.abs(value)));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${sign}${minutes} min ${two(seconds % 60)} s`;
  return `${sign}${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** The same where a figure may not exist, which columns hold as NaN. */
export function known(format: (value: number) => string): (value: number) => string {
  return (value) => (Number.isNaN(value) ? NONE : format(value));
}

/** Of figures that the source of a log may not record. */
export function recorded(format: (value: number) => string): (value: number) => string {
  return (value) => (Number.isNaN(value) || value < 0 ? NOT_RECORDED : format(value));
}

/** Rounded, but neither nothing nor all is said of what is only nearly so. */
export function percent(share: number | null): string {
  if (share === null) return NONE;
  const value = share * 100;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  if (value > 99 && value < 100) return "> 99 %";
  return value < 9.95 ? `${value.toFixed(1)} %` : `${whole(value)} %`;
}

/** Of the ticks of an axis, which stand at round figures. */
export function roundPercent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Three significant digits, but never fewer than the whole ones, and no exponent. */
function threeDigits(value: number): string {
  if (Math.abs(value) >= 999.5) return whole(value);
  return String(Number(isTie(value, 3) ? toEven(value, 3) : value.toPrecision(3)));
}

/** The nearest whole number, of two equally near ones the even one, as Python and IEEE 754 round. */
function whole(value: number): string {
  const floor = Math.floor(value);
  const rounded = value - floor === 0.5 ? floor + (floor % 2 === 0 ? 0 : 1) : Math.round(value);
  return String(rounded === 0 ? 0 : rounded);
}

/** Whether a value lies exactly between two of so many digits: sizes divided by 1024 often do. */
function isTie(value: number, digits: number): boolean {
  const longer = value.toPrecision(digits + 1);
  return /5(e[-+]\d+)?$/.test(longer) && Number(longer) === value && Number.isInteger(value * 65536);
}

function toEven(value: number, digits: number): string {
  const up = Number(value.toPrecision(digits));
  const down = Number((2 * value - up).toPrecision(digits));
  const lastIsEven = (candidate: number) => Number(candidate.toExponential(digits - 1).split("e")[0].slice(-1)) % 2 === 0;
  return String(lastIsEven(up) ? up : down);
}
