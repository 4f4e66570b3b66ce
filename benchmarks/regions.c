/* What marking regions costs: ns of processor time for each, best of rounds.
 *
 *   cc -O2 $(headrace config --cflags) -o regions benchmarks/regions.c
 *   ./regions; headrace run -q -o r.hr -- ./regions; headrace run -q --trace --trace-memory 4000M -o r.hr -- ./regions
 */
#include <headrace/trace.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void pairs(int count) {
  for (int i = 0; i < count; ++i) {
    HEADRACE_REGION_ENTER("region");
    HEADRACE_REGION_LEAVE("region");
  }
}

static void pairs_by_name(int count) {
  for (int i = 0; i < count; ++i) {
    headrace_region_enter("region");
    headrace_region_leave("region");
  }
}

static void counters(int count) {
  for (int i = 0; i < count; ++i) HEADRACE_COUNTER("counter", i);
}

static double best(void (*run)(int), int count) {
  double least = 1e18;
  for (int round = 0; round < 7; ++round) {
    const double begin = now();
    run(count);
    const double each = (now() - begin) / count;
    if (each < least) least = each;
  }
  return least;
}

int main(void) {
  const int count = 1000000;
  printf("enter and leave %.1f, by name %.1f, counter %.1f", best(pairs, count), best(pairs_by_name, count),
         best(counters, count));
  headrace_trace_pause();
  printf("; while paused %.1f\n", best(pairs, count));
  return 0;
}
