// A 3-D stencil like S3D's: a compressible gas that burns, over steps of several Runge-Kutta stages, on a periodic grid
// that the ranks share in blocks. See README.md.
#include <headrace/phases.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>

#include "checkpoint.h"
#include "fail.h"
#include "monitor.h"
#include "options.h"
#include "steps.h"

// More than rounding does in thousands of steps, less than one wrong flux.
static const double kMostDrift = 1e-11;

static bool every(int interval, int step) { return interval > 0 && step % interval == 0; }

static void run_steps(Halo* halo, Fields* fields, const Options* options, Checkpoints* checkpoints) {
  const Grid* grid = halo->grid;
  for (int step = 1; step <= options->steps; ++step) {
    headrace_phase_begin("step");
    steps_take(halo, fields, options->stages);
    headrace_phase_end("step");
    if (every(options->monitor_every, step)) {
      headrace_phase_begin("monitor");
      const Monitor now = monitor_read(grid, fields, step);
      monitor_print(grid, &now, step);
      headrace_phase_end("monitor");
    }
    if (every(options->checkpoint_every, step)) checkpoint_write(grid, fields, step, checkpoints);
  }
}

static void print_begin(const Grid* grid, const Options* options) {
  if (grid->rank != 0) return;
  printf("stencil: %d ranks as %dx%dx%d, grid %dx%dx%d, %d variables, %d steps of %d stages\n", grid->ranks,
         grid->parts[0], grid->parts[1], grid->parts[2], grid->points[0], grid->points[1], grid->points[2], kVariables,
         options->steps, options->stages);
  fflush(stdout);
}

static void print_end(const Grid* grid, const Checkpoints* checkpoints, double drift, uint64_t checksum, double time) {
  if (grid->rank != 0) return;
  printf("checkpoints: %d in %d files, %" PRIu64 " bytes%s\n", checkpoints->checkpoints, checkpoints->files,
         checkpoints->bytes, checkpoints->verify && checkpoints->checkpoints ? ", read back the same" : "");
  printf("conserved: mass, energy and atoms, to %.0e\n", drift);
  printf("checksum: %016" PRIx64 "\n", checksum);
  printf("time: %.3f s\n", time);
}

static void simulate(const Options* options, const int points[kAxes], const int parts[kAxes]) {
  Grid grid = grid_make(points, parts);
  Halo halo = halo_make(&grid);
  Fields fields = fields_make(&grid);
  Checkpoints checkpoints = {.kind = options->kind, .directory = options->directory, .verify = options->verify};
  if (options->checkpoint_every > 0) checkpoint_prepare(&grid, &checkpoints);
  print_begin(&grid, options);
  fields_start(&grid, &fields);
  const Monitor first = monitor_read(&grid, &fields, 0);
  const double begin = MPI_Wtime();
  run_steps(&halo, &fields, options, &checkpoints);
  const double time = MPI_Wtime() - begin;
  const Monitor last = monitor_read(&grid, &fields, options->steps);
  const double drift = monitor_drift(&first, &last);
  if (!(drift < kMostDrift)) fail("mass, energy or atoms were lost or made: %.3e of them", drift);
  print_end(&grid, &checkpoints, drift, monitor_checksum(&grid, &fields), time);
  fields_free(&fields);
  halo_free(&halo);
  grid_free(&grid);
}

// The grid, and how the ranks share it. False: they cannot.
static bool arrange(const Options* options, int ranks, int points[kAxes], int parts[kAxes]) {
  if (!options->grid[0]) grid_stack(ranks, parts);
  for (int axis = 0; axis < kAxes; ++axis)
    points[axis] = options->grid[0] ? options->grid[axis] : options->block[axis] * parts[axis];
  return !options->grid[0] || grid_divide(points, ranks, parts);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, points[kAxes], parts[kAxes];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Options options;
  Asked asked = options_read(argc, argv, rank, &options);
  if (asked == kRun && !arrange(&options, ranks, points, parts)) {
    asked = kBad;
    if (rank == 0)
      fprintf(stderr, "stencil: %d ranks cannot share a grid of %dx%dx%d: each needs %d points along each axis\n",
              ranks, points[0], points[1], points[2], kHalo);
  }
  if (asked == kRun) simulate(&options, points, parts);
  MPI_Finalize();
  return asked == kBad ? 2 : 0;
}
