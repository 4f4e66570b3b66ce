#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

static const char kUsage[] =
    "usage: mpirun -np RANKS stencil [OPTION…]\n"
    "A flame in vortices, by finite differences of order 8 on a grid that the ranks share.\n"
    "\n"
    "  --block XxYxZ        points of a rank: the grid grows with the ranks (56x56x56)\n"
    "  --grid XxYxZ         points of the whole grid instead, at least 4 a rank along each axis\n"
    "  --steps N            steps in time (60)\n"
    "  --stages N           stages of a step: 3, 5 or 6 (6)\n"
    "  --monitor N          every N steps, print extremes and sums; 0: never (10)\n"
    "  --checkpoint N       every N steps, write the state; 0: never (20)\n"
    "  --output files       a file per rank, by system calls (default)\n"
    "  --output shared      one file, by MPI-IO\n"
    "  --directory DIR      where checkpoints go (stencil.out)\n"
    "  --verify             read each checkpoint back and compare\n"
    "  --help               print this\n";

// Points of a rank along each axis: with these, ranks make events as often as those of S3D did. See README.md.
enum { kUsual = 56 };

static int own_rank;

static Asked bad(const char* format, ...) __attribute__((format(printf, 1, 2)));
static Asked bad(const char* format, ...) {
  if (own_rank != 0) return kBad;
  va_list more;
  va_start(more, format);
  fputs("stencil: ", stderr);
  vfprintf(stderr, format, more);
  fputs(" (--help says what there is)\n", stderr);
  va_end(more);
  return kBad;
}

// A whole number from `least` on, to the end of the text or to an 'x' where `end` is given.
static bool read_number(const char* text, int least, const char** end, int* number) {
  char* stop;
  errno = 0;
  const long found = strtol(text, &stop, 10);
  if (stop == text || errno != 0 || found < least || found > INT_MAX) return false;
  if (end)
    *end = stop;
  else if (*stop != '\0')
    return false;
  *number = (int)found;
  return true;
}

static bool read_sizes(const char* text, int sizes[kAxes]) {
  for (int axis = 0; axis < kAxes; ++axis) {
    if (!read_number(text, kHalo, &text, &sizes[axis])) return false;
    if (*text++ != (axis < kAxes - 1 ? 'x' : '\0')) return false;
  }
  // Counts of points, and bytes of a checkpoint, stay far from what an int or MPI can say.
  return (double)sizes[0] * sizes[1] * sizes[2] < 1e9;
}

enum { kGrid, kBlock, kSteps, kStages, kMonitor, kCheckpoint, kOutput, kDirectory, kVerify, kAskHelp };

static const struct option kLong[] = {
    {"grid", required_argument, NULL, kGrid},
    {"block", required_argument, NULL, kBlock},
    {"steps", required_argument, NULL, kSteps},
    {"stages", required_argument, NULL, kStages},
    {"monitor", required_argument, NULL, kMonitor},
    {"checkpoint", required_argument, NULL, kCheckpoint},
    {"output", required_argument, NULL, kOutput},
    {"directory", required_argument, NULL, kDirectory},
    {"verify", no_argument, NULL, kVerify},
    {"help", no_argument, NULL, kAskHelp},
    {NULL, 0, NULL, 0},
};

static bool read_kind(const char* text, CheckpointKind* kind) {
  *kind = strcmp(text, "shared") == 0 ? kShared : kFiles;
  return *kind == kShared || strcmp(text, "files") == 0;
}

static bool read_value(int which, const char* text, Options* o) {
  switch (which) {
    case kGrid:
      return read_sizes(text, o->grid);
    case kBlock:
      return read_sizes(text, o->block);
    case kSteps:
      return read_number(text, 0, NULL, &o->steps);
    case kStages:
      return read_number(text, 1, NULL, &o->stages) && steps_known(o->stages);
    case kMonitor:
      return read_number(text, 0, NULL, &o->monitor_every);
    case kCheckpoint:
      return read_number(text, 0, NULL, &o->checkpoint_every);
    case kOutput:
      return read_kind(text, &o->kind);
    case kDirectory:
      o->directory = text;
      return *text != '\0';
    default:
      o->verify = true;
      return true;
  }
}

Asked options_read(int count, char** words, int rank, Options* options) {
  own_rank = rank;
  *options = (Options){
      .block = {0}, .steps = 60, .stages = 6, .monitor_every = 10, .checkpoint_every = 20, .directory = "stencil.out"};
  opterr = 0;  // or every rank would say it
  for (int which, index = 0; (which = getopt_long(count, words, "", kLong, &index)) != -1;) {
    if (which == '?') return bad("%s is no option, or lacks its value", words[optind - 1]);
    if (which == kAskHelp) {
      if (rank == 0) fputs(kUsage, stdout);
      return kHelp;
    }
    if (!read_value(which, optarg, options)) return bad("--%s %s: this cannot be", kLong[index].name, optarg);
  }
  if (optind < count) return bad("%s is not expected", words[optind]);
  if (options->grid[0] && options->block[0]) return bad("--grid and --block: take one of them");
  if (!options->grid[0] && !options->block[0])
    for (int axis = 0; axis < kAxes; ++axis) options->block[axis] = kUsual;
  return kRun;
}
