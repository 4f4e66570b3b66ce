#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kUsage[] =
    "usage: mpirun -np RANKS radixk [OPTION…]\n"
    "Every rank draws a slab of a scene; radix-k compositing lays these images over each other.\n"
    "\n"
    "  --size WxH           pixels, at least 32x32 (512x512)\n"
    "  --frames N           images, one after the other (10)\n"
    "  --radices K,K,…      ranks in a group, by round; their product is the number of ranks\n"
    "  --most K             else: groups of at most K, as far as the number of ranks has such factors (8)\n"
    "  --output gather      rank 0 gathers and writes each image (default)\n"
    "  --output shared      each rank writes its piece, by MPI-IO\n"
    "  --directory DIR      where images go, as frame_NNNN.ppm (radixk.out)\n"
    "  --verify             rank 0 draws each image alone, and compares the file\n"
    "  --help               print this\n";

static int own_rank;

static Asked bad(const char* format, ...) __attribute__((format(printf, 1, 2)));
static Asked bad(const char* format, ...) {
  if (own_rank != 0) return kBad;
  va_list more;
  va_start(more, format);
  fputs("radixk: ", stderr);
  vfprintf(stderr, format, more);
  fputs(" (--help says what there is)\n", stderr);
  va_end(more);
  return kBad;
}

// A whole number from `least` on, to the end of the text or to where `end` says.
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

static bool read_size(const char* text, Scene* scene) {
  if (!read_number(text, kCell, &text, &scene->width) || *text != 'x') return false;
  if (!read_number(text + 1, kCell, NULL, &scene->height)) return false;
  return (double)scene->width * scene->height <= INT_MAX / 3;  // MPI counts the bytes of an image in an int
}

static bool read_kind(const char* text, OutputKind* kind) {
  *kind = strcmp(text, "shared") == 0 ? kShared : kGather;
  return *kind == kShared || strcmp(text, "gather") == 0;
}

enum { kSize, kFrames, kRadices, kMost, kOutput, kDirectory, kVerify, kAskHelp };

static const struct option kLong[] = {
    {"size", required_argument, NULL, kSize},
    {"frames", required_argument, NULL, kFrames},
    {"radices", required_argument, NULL, kRadices},
    {"most", required_argument, NULL, kMost},
    {"output", required_argument, NULL, kOutput},
    {"directory", required_argument, NULL, kDirectory},
    {"verify", no_argument, NULL, kVerify},
    {"help", no_argument, NULL, kAskHelp},
    {NULL, 0, NULL, 0},
};

typedef struct {
  const char* radices;
  int most;
} Groups;

static bool read_value(int which, const char* text, Options* o, Groups* groups) {
  switch (which) {
    case kSize:
      return read_size(text, &o->scene);
    case kFrames:
      return read_number(text, 1, NULL, &o->frames);
    case kRadices:
      groups->radices = text;
      return true;
    case kMost:
      return read_number(text, 2, NULL, &groups->most);
    case kOutput:
      return read_kind(text, &o->output.kind);
    case kDirectory:
      o->output.directory = text;
      return *text != '\0';
    default:
      o->verify = true;
      return true;
  }
}

Asked options_read(int count, char** words, int rank, int ranks, Options* options) {
  own_rank = rank;
  *options = (Options){.scene = {512, 512}, .output.directory = "radixk.out", .frames = 10};
  Groups groups = {.most = 8};
  opterr = 0;  // or every rank would say it
  for (int which, index = 0; (which = getopt_long(count, words, "", kLong, &index)) != -1;) {
    if (which == '?') return bad("%s is no option, or lacks its value", words[optind - 1]);
    if (which == kAskHelp) {
      if (rank == 0) fputs(kUsage, stdout);
      return kHelp;
    }
    if (!read_value(which, optarg, options, &groups)) return bad("--%s %s: this cannot be", kLong[index].name, optarg);
  }
  if (optind < count) return bad("%s is not expected", words[optind]);
  if (!groups.radices)
    radices_factor(ranks, groups.most, &options->radices);
  else if (!radices_parse(groups.radices, ranks, &options->radices))
    return bad("--radices %s: %d is not their product", groups.radices, ranks);
  return kRun;
}
