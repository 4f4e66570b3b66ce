/** Plots below each other that show the same part of the time. */
import type uPlot from "uplot";

export class Together {
  private readonly plots = new Map<object, uPlot>();
  private moving = false;

  /** A plot that was made anew takes the place of its owner's last one. */
  put(owner: object, plot: uPlot): void {
    this.plots.set(owner, plot);
  }

  /** Told of every change of one of them. */
  follow(changed: uPlot): void {
    const { min, max } = changed.scales.x;
    if (this.moving || min == null || max == null) return;
    // Not inside uPlot's own update.
    queueMicrotask(() => {
      this.moving = true;
      for (const plot of this.plots.values()) {
        if (plot !== changed && (plot.scales.x.min !== min || plot.scales.x.max !== max)) plot.setScale("x", { min, max });
      }
      queueMicrotask(() => (this.moving = false));
    });
  }
}
