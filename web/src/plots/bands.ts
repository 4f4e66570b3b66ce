/** Spans of the calendar behind a plot over time. */
import type uPlot from "uplot";
import { h } from "../ui/dom";
import { colour } from "../ui/theme";

export interface Band {
  /** Seconds since 1970, as all times here. */
  start: number;
  end: number;
  kind: string;
  text: string;
}

const COLOURS: Record<string, string> = { maintenance: "--metadata", outage: "--bad", lost: "--series-6", note: "--accent", job: "--accent" };

export function bandColour(kind: string): string {
  return COLOURS[kind] ?? "--rest";
}

/** In the colours of the picture. */
export function bandMarks(bands: readonly Band[]): HTMLElement[] {
  const kinds = new Map<string, number>();
  for (const band of bands) kinds.set(band.kind, (kinds.get(band.kind) ?? 0) + 1);
  return [...kinds].map(([kind, times]) =>
    h("span", {}, h("i", { class: "band", style: `background:${tint(`var(${bandColour(kind)})`)};border:1px solid var(${bandColour(kind)})` }), `${kind}${times > 1 ? ` (${times})` : ""}`),
  );
}

function tint(of: string): string {
  return `color-mix(in srgb, ${of} 28%, transparent)`;
}

export function drawBands(plot: uPlot, bands: readonly Band[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const band of bands) {
    const [left, right] = [plot.valToPos(band.start, "x", true), plot.valToPos(band.end, "x", true)];
    ctx.fillStyle = tint(colour(bandColour(band.kind)));
    ctx.fillRect(left, bbox.top, Math.max(right - left, 2 * devicePixelRatio), bbox.height);
  }
  ctx.restore();
}
