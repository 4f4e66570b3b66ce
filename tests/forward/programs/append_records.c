/* Appends records of random sizes to one file: append_records FILE WRITER COUNT HOW [OFFSETS]
 *
 * HOW is "posix", O_APPEND and write(2), or "api", <headrace/forward.h>, which puts where each record went to OFFSETS,
 * or "ahead", the same with up to 16 appends under way. A record is writer, number and length, then bytes made of
 * these. */
#include <errno.h>
#include <fcntl.h>
#include <headrace/forward.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST 900
#define AHEAD 16

struct record {
  uint32_t writer, number, length; /* of the bytes behind */
  unsigned char bytes[LONGEST];
};

static void fail(const char* what, int64_t error) {
  fprintf(stderr, "%s: %s\n", what, strerror((int)-error));
  exit(1);
}

static size_t make(struct record* record, uint32_t writer, uint32_t number) {
  record->writer = writer;
  record->number = number;
  record->length = (uint32_t)((number * 2654435761u + writer * 40503u) % (LONGEST + 1));
  memset(record->bytes, (int)((writer * 31 + number) & 255), record->length);
  return 12 + record->length;
}

static void by_posix(const char* path, uint32_t writer, uint32_t count) {
  static struct record record;
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (fd < 0) fail(path, -errno);
  for (uint32_t i = 0; i < count; ++i) {
    const size_t size = make(&record, writer, i);
    if (write(fd, &record, size) != (ssize_t)size) fail("write", -errno);
  }
  if (close(fd) != 0) fail("close", -errno);
}

static void by_api(const char* path, uint32_t writer, uint32_t count, unsigned depth, FILE* offsets) {
  static struct record records[AHEAD];
  headrace_forward_request* requests[AHEAD] = {NULL};
  headrace_forward* servers;
  headrace_forward_file* file;
  int error = headrace_forward_connect(NULL, NULL, 0, &servers);
  if (error != 0) {
    fprintf(stderr, "%s\n", headrace_forward_message());
    exit(1);
  }
  if ((error = headrace_forward_open(servers, path, O_CREAT, 0666, &file)) != 0) fail(path, error);
  for (uint32_t i = 0; i < count + depth; ++i) {
    const unsigned slot = i % depth;
    if (i >= depth) {
      const int64_t where = headrace_forward_wait(requests[slot]);
      if (where < 0) fail("append", where);
      headrace_forward_free(requests[slot]);
      if (fwrite(&where, sizeof where, 1, offsets) != 1) fail("offsets", -errno);
    }
    if (i >= count) continue;
    const struct iovec part = {&records[slot], make(&records[slot], writer, i)};
    if ((error = headrace_forward_submit_append(file, &part, 1, 0, NULL, &requests[slot])) != 0) fail("submit", error);
  }
  if ((error = headrace_forward_close(file)) != 0) fail("close", error);
  headrace_forward_disconnect(servers);
}

int main(int count, char** words) {
  if (count < 5) return 2;
  const uint32_t writer = (uint32_t)atoi(words[2]), records = (uint32_t)atoi(words[3]);
  if (strcmp(words[4], "posix") == 0) {
    by_posix(words[1], writer, records);
    return 0;
  }
  FILE* offsets = fopen(words[5], "wb");
  if (offsets == NULL) fail(words[5], -errno);
  by_api(words[1], writer, records, strcmp(words[4], "ahead") == 0 ? AHEAD : 1, offsets);
  return fclose(offsets) != 0;
}
