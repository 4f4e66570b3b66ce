/* Each case does known I/O through a stream on the file of its own name in the working directory. test_stdio.py says
 * what must be counted. Buffers are given to setvbuf, so that their size does not depend on the file system. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBuffer = 4096 };
/* Through pointers, so that nothing is inlined. */
static int (*volatile put_bytes[])(int, FILE*) = {putc, fputc_unlocked, putc_unlocked};
static int (*volatile get_bytes[])(FILE*) = {getc, fgetc_unlocked, getc_unlocked};
static char data[1 << 16], space[1 << 16];

static void need(int ok, const char* what) {
  if (!ok) fprintf(stderr, "%s failed\n", what), exit(1);
}
static FILE* make(const char* path, const char* mode) {
  FILE* stream = fopen(path, mode);
  need(stream != 0, path);
  need(setvbuf(stream, 0, _IOFBF, kBuffer) == 0, "setvbuf");
  return stream;
}

static void items(const char* path) {
  FILE* stream = make(path, "w+");
  for (int i = 0; i < 3; ++i) need(fwrite(data, 8, 1, stream) == 1, "fwrite");
  need(fwrite(data, 0, 5, stream) == 0, "fwrite of nothing");
  need(fwrite(data, 5, 0, stream) == 0, "fwrite of nothing");
  need(fwrite_unlocked(data, 1000, 10, stream) == 10, "fwrite larger than the buffer");
  need(fflush(stream) == 0, "fflush");
  need(fseek(stream, 0, SEEK_SET) == 0, "fseek");
  need(fread(space, 100, 10, stream) == 10, "fread");
  need(fread(space, 0, 5, stream) == 0, "fread of nothing");
  need(fread_unlocked(space, 5000, 3, stream) == 1, "fread with a partial item"); /* 9024 bytes: one item and 4024 */
  need(fread(space, 7, 1, stream) == 0, "fread at the end");
  need(fclose(stream) == 0, "fclose");
}

static void bytes(const char* path) {
  FILE* stream = make(path, "w+");
  for (int i = 0; i < 5000; ++i) need(fputc(i, stream) != EOF, "fputc"); /* 4096 and 904 */
  for (int i = 0; i < 30; ++i) need(put_bytes[i / 10](i, stream) != EOF, "putc and the like");
  rewind(stream);
  for (int i = 0; i < 5000; ++i) need(fgetc(stream) != EOF, "fgetc");
  for (int i = 0; i < 30; ++i) need(get_bytes[i / 10](stream) != EOF, "getc and the like");
  need(fgetc(stream) == EOF, "the end");
  fclose(stream);
}

static void inlined(const char* path) {
  FILE* stream = make(path, "w+");
  for (int i = 0; i < 10000; ++i) putc_unlocked(i, stream); /* the first call is __overflow */
  fflush(stream);
  rewind(stream);
  for (int i = 0; i < 10000; ++i) need(getc_unlocked(stream) != EOF, "getc_unlocked");
  need(getc_unlocked(stream) == EOF, "the end");
  fclose(stream);
}

static void lines(const char* path) {
  char *line = 0, text[9002];
  size_t room = 0;
  FILE* stream = make(path, "w+");
  memset(text, 'x', 9000);
  text[9000] = '\n';
  text[9001] = 0;
  need(fputs("one\n", stream) >= 0, "fputs");
  need(fwrite("t\0o\n", 1, 4, stream) == 4, "fwrite");
  need(fputs_unlocked(text, stream) >= 0, "fputs");
  need(fputs("a;b;last", stream) >= 0, "fputs");
  rewind(stream);
  need(fgets(space, 100, stream) && strlen(space) == 4, "fgets");
  need(fgets_unlocked(space, 100, stream) && strlen(space) == 1, "fgets with a NUL byte");
  need(fgets(space, 10000, stream) && strlen(space) == 9001, "fgets of a long line");
  need(getdelim(&line, &room, ';', stream) == 2, "getdelim");
  need(getline(&line, &room, stream) == 6, "getline");
  need(getline(&line, &room, stream) == -1, "getline at the end");
  need(!fgets(space, 100, stream), "fgets at the end");
  free(line);
  fclose(stream);
}

static void words(const char* path) {
  FILE* stream = make(path, "w+");
  for (int i = 0; i < 3; ++i) need(putw(i, stream) == 0, "putw");
  rewind(stream);
  for (int i = 0; i < 3; ++i) need(getw(stream) == i, "getw");
  fclose(stream);
}

static int by_list(FILE* stream, const char* format, ...) {
  va_list values;
  va_start(values, format);
  int result = vfprintf(stream, format, values);
  va_end(values);
  return result;
}
static int scan_by_list(FILE* stream, const char* format, ...) {
  va_list values;
  va_start(values, format);
  int result = vfscanf(stream, format, values);
  va_end(values);
  return result;
}
static volatile int large = 6000;

static void print(const char* path) {
  FILE* stream = make(path, "w");
  need(fprintf(stream, "%d\n", 42) == 3, "fprintf");
  need(by_list(stream, "%s\n", "text") == 5, "vfprintf");
  need(fprintf(stream, "%*d", large, 1) == 6000, "fprintf larger than the buffer");
  need(fprintf(stream, "%s", "") == 0, "fprintf of nothing");
  fclose(stream);
}

static void scan(const char* path) {
  int number = 0;
  FILE* stream = make(path, "w+");
  fputs("12 34\n56 word 78", stream);
  rewind(stream);
  need(fscanf(stream, "%d", &number) == 1 && number == 12, "fscanf");
  need(scan_by_list(stream, "%d", &number) == 1 && number == 34, "vfscanf");
  need(fscanf(stream, "%d", &number) == 1 && number == 56, "fscanf");
  need(fscanf(stream, "%d", &number) == 0, "fscanf of no number"); /* takes the blank */
  need(fscanf(stream, "%9s %d", space, &number) == 2 && number == 78, "fscanf");
  need(fscanf(stream, "%d", &number) == EOF, "fscanf at the end");
  fclose(stream);
}

static void scan_long(const char* path) {
  FILE* stream = make(path, "w+");
  memset(data, 'y', 10000);
  fwrite(data, 1, 10000, stream);
  rewind(stream);
  need(fscanf(stream, "%20000s", space) == 1 && strlen(space) == 10000, "fscanf of a long word");
  fclose(stream);
}

static void pushed_back(const char* path) {
  FILE* stream = make(path, "w+");
  fputs("abcdef", stream);
  rewind(stream);
  need(fgetc(stream) == 'a', "fgetc");
  need(fgetc(stream) == 'b', "fgetc");
  need(ungetc('b', stream) == 'b', "ungetc");
  need(fgetc(stream) == 'b', "fgetc again");
  need(ungetc('X', stream) == 'X', "ungetc of another byte");
  need(fgetc(stream) == 'X', "fgetc of it");
  need(fread(space, 1, 4, stream) == 4, "fread");
  fclose(stream);
}

static void moved(const char* path) {
  fpos_t position;
  FILE* stream = make(path, "w+");
  fwrite(data, 1, 10000, stream);
  need(fseek(stream, 100, SEEK_SET) == 0, "fseek");
  fwrite(data, 1, 100, stream); /* backward */
  need(fseeko(stream, 50, SEEK_CUR) == 0, "fseeko");
  fwrite(data, 1, 100, stream); /* forward: 250 to 350 */
  need(ftell(stream) == 350 && ftello(stream) == 350, "ftell");
  need(fgetpos(stream, &position) == 0, "fgetpos");
  need(fseek(stream, -10, SEEK_END) == 0, "fseek to the end");
  fwrite(data, 1, 10, stream); /* forward: 9990 to 10000 */
  need(fsetpos(stream, &position) == 0, "fsetpos");
  fwrite(data, 1, 1, stream); /* backward: 350 */
  need(fseek(stream, -1, SEEK_SET) == -1, "a bad seek");
  fclose(stream);
}

static void unbuffered(const char* path) {
  FILE* stream = fopen(path, "w+");
  need(setvbuf(stream, 0, _IONBF, 0) == 0, "setvbuf");
  for (int i = 0; i < 5; ++i) fputc('a', stream);
  fwrite(data, 1, 100, stream);
  rewind(stream);
  for (int i = 0; i < 5; ++i) fgetc(stream);
  fclose(stream);
}

static void by_line(const char* path) {
  FILE* stream = fopen(path, "w");
  setlinebuf(stream);
  fputs("one\n", stream);
  fputs("two", stream);
  fputc('\n', stream);
  fputs("rest", stream);
  fclose(stream);
}

static void own_buffer(const char* path) {
  static char buffer[1 << 16];
  FILE* stream = fopen(path, "w");
  setbuffer(stream, buffer, sizeof buffer);
  for (int i = 0; i < 100; ++i) fwrite(data, 1, 1000, stream);
  fclose(stream);
}

static void appended(const char* path) {
  FILE* stream = make(path, "w");
  fwrite(data, 1, 100, stream);
  fclose(stream);
  stream = make(path, "a");
  fwrite(data, 1, 10, stream);
  fwrite(data, 1, 10, stream);
  fclose(stream);
}

static void updated(const char* path) {
  FILE* stream = make(path, "w");
  fwrite(data, 1, 100, stream);
  fclose(stream);
  stream = make(path, "r+");
  need(fread(space, 1, 10, stream) == 10, "fread");
  need(fseek(stream, 0, SEEK_CUR) == 0, "fseek");
  need(fwrite(data, 1, 10, stream) == 10, "fwrite"); /* at 10 */
  need(fflush(stream) == 0, "fflush");
  need(fread(space, 1, 10, stream) == 10, "fread"); /* at 20 */
  need(fseek(stream, 5, SEEK_SET) == 0, "fseek");
  need(fputc('x', stream) != EOF, "fputc");
  fclose(stream);
}

static void purged(const char* path) {
  FILE* stream = make(path, "w");
  fputs("kept", stream);
  fflush(stream);
  fputs("thrown away", stream);
  __fpurge(stream);
  fputs("end", stream);
  fclose(stream);
}

static void all_flushed(const char* path) {
  FILE* stream = make(path, "w");
  for (int i = 0; i < 100; ++i) fputc('a', stream);
  fflush(0);
  for (int i = 0; i < 100; ++i) fputc('b', stream);
  fflush(0);
  for (int i = 0; i < 100; ++i) fputc('c', stream);
  fclose(stream);
}

static void failing(const char* path) {
  FILE* stream = make(path, "w");
  need(fgetc(stream) == EOF, "fgetc from a stream to write");
  need(fread(space, 1, 1, stream) == 0, "fread from it");
  fclose(stream);
  stream = make(path, "r");
  need(fputc('a', stream) == EOF, "fputc to a stream to read");
  need(fwrite(data, 1, 1, stream) == 0, "fwrite to it");
  need(fputs("a", stream) == EOF, "fputs to it");
  need(fprintf(stream, "a") < 0, "fprintf to it");
  need(fgetc(stream) == EOF, "the end");
  fclose(stream);
}

/* What the kernel counted: calls of read and write and their bytes. The reading itself is in the next one. */
struct kernel {
  long bytes[2], calls[2], own;
};
static struct kernel look(void) {
  char text[512] = "";
  struct kernel found = {0};
  int fd = open("/proc/self/io", O_RDONLY);
  found.own = read(fd, text, sizeof text - 1);
  close(fd);
  int fields = sscanf(text, "rchar: %ld wchar: %ld syscr: %ld syscw: %ld", &found.bytes[0], &found.bytes[1],
                      &found.calls[0], &found.calls[1]);
  need(fields == 4, "/proc/self/io");
  return found;
}
static struct kernel before;
static struct {
  const char* name;
  struct kernel spent;
} account[64];
static int accounts;

static void run(void (*body)(const char*), const char* name) {
  before = look();
  body(name);
  struct kernel after = look();
  account[accounts].name = name;
  for (int i = 0; i < 2; ++i) {
    account[accounts].spent.bytes[i] = after.bytes[i] - before.bytes[i] - (i == 0 ? before.own : 0);
    account[accounts].spent.calls[i] = after.calls[i] - before.calls[i] - (i == 0);
  }
  ++accounts;
}

int main(void) {
#define CASE(name) run(name, #name);
  CASE(items)
  CASE(bytes)
  CASE(inlined)
  CASE(lines)
  CASE(words)
  CASE(print)
  CASE(scan)
  CASE(scan_long)
  CASE(pushed_back)
  CASE(moved)
  CASE(unbuffered)
  CASE(by_line)
  CASE(own_buffer)
  CASE(appended)
  CASE(updated)
  CASE(purged)
  CASE(all_flushed)
  CASE(failing)
  for (int i = 0; i < accounts; ++i) {
    const struct kernel* spent = &account[i].spent;
    printf("%s %ld %ld %ld %ld\n", account[i].name, spent->bytes[0], spent->bytes[1], spent->calls[0], spent->calls[1]);
  }
  return 0;
}
