/* Does a random mix of I/O on streams with many threads, keeps its own account (tally.h) and ends in a
 * chosen way. Thread T has the files T × STREAMS and on, or all threads share the first ones:
 *
 *   stream_mix --tally FILE --dir DIR [--threads N] [--operations N] [--seed N] [--streams N]
 *              [--shared 1] [--end return|exit|_exit|exec|kill] [--dirs 1]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tally.h"

enum { kMost = 16 };
static struct tally account;
static const char *tally_path, *dir = ".", *end_how = "return";
static uint64_t threads = 1, operations = 1000, seed = 1, streams = 4, shared;

struct stream {
  FILE* file;
  uint64_t index;
  int last; /* kReads or kWrites; 0: any may follow */
};
static struct stream all[kMost * kMost];
/* Through pointers, so that nothing is inlined. */
static int (*volatile put_byte)(int, FILE*) = fputc_unlocked;
static int (*volatile get_byte)(FILE*) = fgetc_unlocked;
static struct worker {
  uint64_t row, random;
  struct stream* own;
  char *line, text[1 << 15];
  size_t room;
} workers[kMost];

static uint64_t next_random(uint64_t* state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
static uint64_t below(struct worker* w, uint64_t limit) { return next_random(&w->random) % limit; }

static void open_one(struct stream* s, struct worker* w) {
  static const char* modes[] = {"w+", "a+", "r+", "w+"};
  char path[4200];
  snprintf(path, sizeof path, "%s/d0/f%llu", dir, (unsigned long long)s->index);
  tally_begin(&account, w->row, s->index, kOpens, 0);
  s->file = fopen(path, modes[below(w, 4)]);
  tally_end(&account, w->row, s->index, kOpens, s->file ? 0 : -1);
  if (!s->file) {
    tally_begin(&account, w->row, s->index, kOpens, 0);
    s->file = fopen(path, "w+");
    tally_end(&account, w->row, s->index, kOpens, 0);
  }
  s->last = 0;
  switch (below(w, 5)) {
    case 0:
      setvbuf(s->file, 0, _IONBF, 0);
      break;
    case 1:
      setvbuf(s->file, 0, _IOLBF, 0);
      break;
    case 2:
      setvbuf(s->file, 0, _IOFBF, 1024);
      break;
    default:
      break;
  }
}

static void close_one(struct stream* s, struct worker* w) {
  tally_begin(&account, w->row, s->index, kCloses, 0);
  fclose(s->file);
  tally_end(&account, w->row, s->index, kCloses, 0);
}

static void move(struct stream* s, struct worker* w) {
  long size = 20000;
  switch (below(w, 4)) {
    case 0:
      fseek(s->file, (long)below(w, (uint64_t)size), SEEK_SET);
      break;
    case 1:
      fseeko(s->file, 0, SEEK_END);
      break;
    case 2:
      rewind(s->file);
      break;
    default:
      fseek(s->file, 0, SEEK_CUR);
      break;
  }
  s->last = 0;
}

#define COUNT(what, bytes, call)                          \
  do {                                                    \
    tally_begin(&account, w->row, s->index, what, bytes); \
    int64_t result = (int64_t)(call);                     \
    tally_end(&account, w->row, s->index, what, result);  \
  } while (0)
#define PASSED(call) (before = ftello(f), call, ftello(f) - before)

static void write_some(struct stream* s, struct worker* w) {
  FILE* f = s->file;
  uint64_t size = below(w, 8) ? below(w, 200) : below(w, 10000), times = below(w, 300);
  memset(w->text, 'a' + (int)below(w, 26), size);
  w->text[size] = 0;
  switch (below(w, 10)) {
    case 0:
      COUNT(kWrites, size, fwrite(w->text, 1, size, f));
      break;
    case 1:
      COUNT(kWrites, 7 * (size / 7), fwrite(w->text, 7, size / 7, f) * 7);
      break;
    case 2:
      for (uint64_t i = 0; i < times; ++i) COUNT(kWrites, 1, fputc((int)i, f) != EOF ? 1 : -1);
      break;
    case 3:
      for (uint64_t i = 0; i < times; ++i) COUNT(kWrites, 1, put_byte((int)i, f) != EOF ? 1 : -1);
      break;
    case 4:
      if (shared) break;
      for (uint64_t i = 0; i < times; ++i) COUNT(kWrites, 1, putc_unlocked((int)i, f) != EOF ? 1 : -1);
      break;
    case 5:
      COUNT(kWrites, size, fputs(w->text, f) >= 0 ? (int64_t)size : -1);
      break;
    case 6:
      COUNT(kWrites, size + 1, fprintf(f, "%s\n", w->text));
      break;
    case 7:
      COUNT(kWrites, 4, putw(12, f) == 0 ? 4 : -1);
      break;
    case 8:
      for (uint64_t i = 0; i < 20; ++i) COUNT(kWrites, 8, fwrite(w->text, 8, 1, f) * 8);
      break;
    default:
      fflush(below(w, 4) || threads > 1 ? f : 0);
      break; /* of all needs all locks */
  }
}

static void read_some(struct stream* s, struct worker* w) {
  FILE* f = s->file;
  uint64_t size = 1 + (below(w, 8) ? below(w, 200) : below(w, 10000)), times = below(w, 300);
  int64_t before;
  uint64_t which = below(w, 9);
  if (shared && (which == 1 || which == 5 || which == 7)) return; /* at least what they return */
  switch (which) {
    case 0:
      COUNT(kReads, size, fread(w->text, 1, size, f));
      break;
    case 1:
      COUNT(kReads, size * 3, PASSED((void)!fread(w->text, size, 3, f)));
      break;
    case 2:
      for (uint64_t i = 0; i < times; ++i) COUNT(kReads, 1, fgetc(f) != EOF);
      break;
    case 3:
      for (uint64_t i = 0; i < times; ++i) COUNT(kReads, 1, get_byte(f) != EOF);
      break;
    case 4:
      if (shared) break;
      for (uint64_t i = 0; i < times && !feof_unlocked(f); ++i) COUNT(kReads, 1, getc_unlocked(f) != EOF);
      break;
    case 5:
      COUNT(kReads, size, PASSED((void)!fgets(w->text, (int)(size % 4000) + 2, f)));
      break;
    case 6:
      COUNT(kReads, sizeof w->text, PASSED((void)!getline(&w->line, &w->room, f)));
      break;
    case 7:
      COUNT(kReads, sizeof w->text, PASSED((void)!fscanf(f, "%1000[a-z]", w->text)));
      break;
    default: {
      int byte;
      COUNT(kReads, 1, (byte = fgetc(f)) != EOF);
      if (byte != EOF && ungetc(byte, f) != EOF) COUNT(kReads, 1, fgetc(f) != EOF);
    }
  }
}

static void step(struct worker* w) {
  struct stream* s = &w->own[below(w, streams)];
  int what = below(w, 2) ? kReads : kWrites;
  if (!shared && below(w, 60) == 0) {
    close_one(s, w);
    open_one(s, w);
  }
  flockfile(s->file);
  if ((s->last && s->last != what) || below(w, 12) == 0) move(s, w);
  s->last = what;
  if (what == kReads)
    read_some(s, w);
  else
    write_some(s, w);
  funlockfile(s->file);
}

static void* work(void* worker) {
  for (uint64_t i = 0; i < operations; ++i) step(worker);
  return 0;
}

static void work_with_threads(void) {
  pthread_t ids[kMost];
  if (threads == 1) {
    work(&workers[0]);
    return;
  }
  for (uint64_t t = 0; t < threads; ++t) pthread_create(&ids[t], 0, work, &workers[t]);
  for (uint64_t t = 0; t < threads; ++t) pthread_join(ids[t], 0);
}

static void end_now(void) {
  if (!strcmp(end_how, "exit")) exit(0);
  if (!strcmp(end_how, "_exit")) _exit(0);
  if (!strcmp(end_how, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(end_how, "exec")) execl("/bin/true", "true", (char*)0);
  if (!strcmp(end_how, "close"))
    for (uint64_t i = 0; i < (shared ? streams : streams * threads); ++i) close_one(&all[i], &workers[0]);
}

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const char* name = argv[i];
    uint64_t value = strtoull(argv[i + 1], 0, 10);
    if (!strcmp(name, "--tally"))
      tally_path = argv[i + 1];
    else if (!strcmp(name, "--dir"))
      dir = argv[i + 1];
    else if (!strcmp(name, "--end"))
      end_how = argv[i + 1];
    else if (!strcmp(name, "--threads"))
      threads = value;
    else if (!strcmp(name, "--operations"))
      operations = value;
    else if (!strcmp(name, "--seed"))
      seed = value;
    else if (!strcmp(name, "--streams"))
      streams = value;
    else if (!strcmp(name, "--shared"))
      shared = value;
    else if (strcmp(name, "--dirs"))
      return 96;
  }
  account = tally_map(tally_path);
  for (uint64_t t = 0; t < threads; ++t) {
    workers[t].row = t;
    workers[t].random = seed * 1000 + t;
    account.intents[t].process = (uint64_t)getpid();
    workers[t].own = shared ? all : all + t * streams;
    for (uint64_t i = 0; i < streams && (t == 0 || !shared); ++i) {
      workers[t].own[i].index = t * streams + i;
      open_one(&workers[t].own[i], &workers[t]);
    }
  }
  work_with_threads();
  end_now();
  return 0;
}
