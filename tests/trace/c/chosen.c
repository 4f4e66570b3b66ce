/* Phases, regions and calls to choose from: chosen DIRECTORY. */
#include <fcntl.h>
#include <headrace/phases.h>
#include <headrace/trace.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* At least as long: nanosleep is not recorded. */
static void wait_for(long us) {
  struct timespec time = {0, us * 1000};
  nanosleep(&time, NULL);
}

int main(int count, char** values) {
  char path[4096], text[64] = "";
  snprintf(path, sizeof path, "%s/out", count > 1 ? values[1] : ".");
  FILE* stream = fopen(path, "w+");
  const int file = fileno(stream);
  setvbuf(stream, NULL, _IONBF, 0);
  for (int step = 1; step <= 12; ++step) {
    headrace_phase_begin("step");
    HEADRACE_REGION_ENTER("solve");
    fwrite(text, 1, sizeof text, stream);
    for (int i = 0; i < 5; ++i)
      if (pwrite(file, text, sizeof text, 0) != sizeof text) return 1;
    HEADRACE_REGION_LEAVE("solve");
    HEADRACE_REGION_ENTER("long");
    HEADRACE_REGION_ENTER("short");
    HEADRACE_REGION_LEAVE("short");
    if (step == 3) wait_for(30000);
    HEADRACE_REGION_LEAVE("long");
    HEADRACE_COUNTER("steps", step);
    headrace_phase_end("step");
    if (fsync(file) != 0) return 1;
  }
  return fclose(stream);
}
