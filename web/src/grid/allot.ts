/** How wide columns are: by what they hold, not by figures in the program. */

/** In pixels. */
export interface Need {
  /** Holds every cell whole. */
  natural: number;
  /** The narrowest that is of use. */
  least: number;
  /** Takes what the others leave. */
  grows: boolean;
}

/**
 * The width of each column. Where there is room for all, growing columns share the rest, else the first column has it.
 * Where there is not, the widest give way first, and none below its least: the table is then wider than the room.
 */
export function allot(needs: readonly Need[], room: number): number[] {
  const natural = needs.map((need) => Math.max(need.natural, need.least));
  const rest = room - sum(natural);
  if (rest < 0) return narrowed(needs, natural, room);
  const growing = needs.some((need) => need.grows) ? needs.map((need) => need.grows) : needs.map((_, place) => place === 0);
  const share = rest / growing.filter(Boolean).length;
  return natural.map((width, place) => (growing[place] ? width + share : width));
}

/** All that are wider than one level come down to it; halving finds the level. */
function narrowed(needs: readonly Need[], natural: readonly number[], room: number): number[] {
  const at = (level: number) => natural.map((width, place) => Math.min(width, Math.max(needs[place].least, level)));
  let [low, high] = [0, Math.max(...natural)];
  for (let step = 0; step < 30; step++) {
    const level = (low + high) / 2;
    if (sum(at(level)) > room) high = level;
    else low = level;
  }
  return at(low);
}

export function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
