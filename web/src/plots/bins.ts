/** Bins for histograms of times, the same for all that are laid over each other. */

export interface Bins {
  /** One more than bins. */
  edges: number[];
  /** Whether bins are as wide on a logarithmic scale, not on a plain one. */
  isLog: boolean;
  /** For each series, how many of its values are in each bin. */
  counts: number[][];
}

const LEAST = 8;
const MOST = 40;
/** Times further apart than this would all be in one bin of a plain scale. */
const WIDE = 30;

/**
 * As wide as Freedman and Diaconis (1981) find right for the series that needs the narrowest, on round limits where the
 * scale is plain.
 */
export function bins(series: readonly (readonly number[])[]): Bins {
  const all = series.flat().sort((one, other) => one - other);
  const [low, high] = [all[0] ?? 0, all[all.length - 1] ?? 0];
  const isLog = low > 0 && high / low > WIDE;
  const edges = isLog ? logEdges(series, low, high) : plainEdges(series, low, high);
  return { edges, isLog, counts: series.map((values) => counted(values, edges)) };
}

function plainEdges(series: readonly (readonly number[])[], low: number, high: number): number[] {
  if (high <= low) return low > 0 ? [low * 0.9, low * 1.1] : [0, 1];
  const width = round((high - low) / number(series, low, high));
  const first = Math.floor(low / width);
  const last = Math.max(first + 1, Math.ceil(high / width));
  return Array.from({ length: last - first + 1 }, (_, place) => (first + place) * width);
}

function logEdges(series: readonly (readonly number[])[], least: number, most: number): number[] {
  const [low, high] = [Math.log10(least), Math.log10(most)];
  const bins = number(series.map((values) => values.map(Math.log10)), low, high);
  return Array.from({ length: bins + 1 }, (_, place) => 10 ** (low + ((high - low) * place) / bins));
}

/** How many bins there should be. */
function number(series: readonly (readonly number[])[], low: number, high: number): number {
  const wanted = series.map((values) => {
    const sorted = [...values].sort((one, other) => one - other);
    const quartile = (part: number) => sorted[Math.floor((sorted.length - 1) * part)];
    const width = sorted.length > 1 ? (2 * (quartile(0.75) - quartile(0.25))) / Math.cbrt(sorted.length) : 0;
    return width > 0 ? (high - low) / width : 0;
  });
  // Few values in narrow bins would be a comb.
  const most = Math.min(MOST, 4 * Math.sqrt(Math.max(...series.map((values) => values.length))));
  return Math.max(LEAST, Math.ceil(Math.min(most, Math.max(...wanted))));
}

/** 1, 2 or 5 times a power of ten, the nearest by its ratio. */
function round(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const away = (step: number) => Math.abs(Math.log((step * power) / value));
  return power * [1, 2, 5, 10].reduce((best, step) => (away(step) < away(best) ? step : best));
}

function counted(values: readonly number[], edges: readonly number[]): number[] {
  const counts = new Array<number>(edges.length - 1).fill(0);
  for (const value of values) {
    let place = 0; // edges are few
    while (place < counts.length - 1 && value >= edges[place + 1]) place++;
    counts[place]++;
  }
  return counts;
}
