/** Where rows lie when all have one height, except some that have something open below them. */

export class Layout {
  private places: number[] = []; // of open rows, ascending
  private sums: number[] = []; // heights of what is open up to and with that place

  constructor(
    readonly rowHeight: number,
    public rows: number,
  ) {}

  /** Heights of what is open, by the place of the row it belongs to. */
  setOpen(open: ReadonlyMap<number, number>): void {
    this.places = [...open.keys()].sort((a, b) => a - b);
    let sum = 0;
    this.sums = this.places.map((place) => (sum += open.get(place) ?? 0));
  }

  get height(): number {
    return this.rows * this.rowHeight + (this.sums.at(-1) ?? 0);
  }

  /** The top of a row; that of `rows` is the end. */
  top(place: number): number {
    const before = this.countBefore(place);
    return place * this.rowHeight + (before ? this.sums[before - 1] : 0);
  }

  /** The row at a distance from the top, what is open below it included. */
  at(distance: number): number {
    let low = 0;
    let high = Math.max(0, this.rows - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.top(middle) <= distance) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private countBefore(place: number): number {
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.places[middle] < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
