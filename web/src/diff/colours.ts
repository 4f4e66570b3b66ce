/** Sides keep their colour on the whole page. */
export function sideColour(side: number): string {
  return ["--read", "--write", "--metadata", "--processes"][side % 4];
}
