/* Things that programs do to streams and expect to work, one by name; prints what it saw. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

static void need(int ok, const char* what) {
  if (!ok) dprintf(2, "%s failed: errno %d\n", what, errno), _exit(1);
}

/* A call that succeeds leaves errno as it is. */
#define KEEPS(call)                                          \
  do {                                                       \
    errno = 12345;                                           \
    call;                                                    \
    if (errno != 12345) printf("%s changes errno\n", #call); \
  } while (0)
static void keeps_errno(void) {
  char text[100], *line = 0;
  size_t room = 0;
  int number;
  fpos_t position;
  FILE* f = fopen("errno", "w+");
  setvbuf(f, 0, _IOFBF, 4096);
  for (int round = 0; round < 3; ++round) { /* the first call of a kind takes other ways */
    KEEPS(fputc('a', f));
    KEEPS(fputc('b', f));
    KEEPS(fwrite("12345678", 8, 1, f));
    KEEPS(fputs("text\n", f));
    KEEPS(fprintf(f, "%d\n", 42));
    KEEPS(putw(1, f));
    KEEPS(ftell(f));
    KEEPS(fflush(f));
    KEEPS(rewind(f));
    KEEPS(fgetc(f));
    KEEPS(ungetc('x', f));
    KEEPS(fgetc(f));
    KEEPS((void)!fread(text, 1, 9, f));
    KEEPS((void)!fgets(text, 100, f));
    KEEPS((void)!fscanf(f, "%d", &number));
    KEEPS(fgetpos(f, &position));
    KEEPS((void)!getline(&line, &room, f));
    KEEPS(fsetpos(f, &position));
    KEEPS(fseek(f, 0, SEEK_END));
    KEEPS(fgetc(f)); /* the end */
    KEEPS(fseek(f, 0, SEEK_END));
  }
  KEEPS(fclose(f));
  setlocale(LC_ALL, "C.UTF-8");
  f = fopen("wide", "w+");
  fwide(f, 1);
  fputwc(L'a', f);
  for (int round = 0; round < 3; ++round) {
    KEEPS(fputwc(L'\u00e4', f));
    KEEPS(fputws(L"\u20ac text\n", f));
    KEEPS(fwprintf(f, L"%d\n", 42));
  }
  fclose(f);
}

static FILE* pipe_end;
static void* blocked(void* unused) {
  char line[100];
  return fgets(line, sizeof line, pipe_end) ? unused : 0;
}
static void cancelled(void) {
  int ends[2];
  pthread_t thread;
  void* result;
  need(pipe(ends) == 0, "pipe");
  pipe_end = fdopen(ends[0], "r");
  pthread_create(&thread, 0, blocked, 0);
  usleep(50000);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}

static jmp_buf out;
static ssize_t escape(void* cookie, const char* text, size_t size) {
  (void)text;
  if (*(int*)cookie) longjmp(out, 1);
  int fd = open("cookie", O_WRONLY | O_CREAT | O_APPEND, 0644);
  ssize_t done = write(fd, text, size);
  close(fd);
  return done;
}
static void jumped(void) {
  int escapes = 0;
  FILE* f = fopencookie(&escapes, "w", (cookie_io_functions_t){.write = escape});
  setvbuf(f, 0, _IONBF, 0);
  fputs("to the cookie\n", f);
  escapes = 1;
  if (setjmp(out) == 0) fputs("lost", f);
  escapes = 0;
  FILE* other = fopen("jumped", "w");
  for (int i = 0; i < 1000; ++i) need(fputc('x', other) != EOF, "fputc");
  fclose(other);
  puts("jumped");
}

static FILE *in_main, *in_handler;
static volatile int handled;
static void handler(int number) {
  (void)number;
  fwrite("12345678", 8, 1, in_handler);
  handled++;
}
static void interrupted(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  in_main = fopen("main", "w");
  in_handler = fopen("handler", "w");
  sigaction(SIGALRM, &action, 0);
  ualarm(200, 200);
  for (int i = 0; i < 300000; ++i) fwrite("12345678", 8, 1, in_main);
  ualarm(0, 0);
  fclose(in_main);
  fclose(in_handler);
  printf("%d\n", handled);
}

static void vforked(void) {
  FILE* f = fopen("vforked", "w");
  fputs("parent\n", f);
  pid_t child = vfork();
  if (child == 0) {
    fputs("child\n", f);
    fflush(f);
    _exit(0);
  }
  waitpid(child, 0, 0);
  for (int i = 0; i < 10; ++i) fputc('p', f);
  fclose(f);
}

/* The stream is closed by functions that capture does not see; its memory is used for something else. */
static void closed_elsewhere(void) {
  void* library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  int (*close_unseen)(FILE*) = (int (*)(FILE*))dlsym(library, "fclose");
  for (int i = 0; i < 100; ++i) {
    FILE* f = fopen("elsewhere", "w");
    for (int j = 0; j < 10; ++j) fputc('x', f);
    close_unseen(f);
    char* memory = malloc(552);
    memset(memory, 0xee, 552);
    if (i % 3 == 0) fflush(0);
    free(memory);
  }
  puts("closed");
}

static void full(void) {
  FILE* f = fopen("/dev/full", "w");
  int failed = 0;
  for (int i = 0; i < 10000; ++i) failed += fputc('x', f) == EOF;
  printf("%d %d\n", failed, fclose(f));
}

static void no_stdout(void) {
  close(1);
  int printed = printf("to nobody\n"), flushed = fflush(stdout);
  fprintf(stderr, "%d %d %d\n", printed, flushed, errno == EBADF);
}

__attribute__((constructor)) static void before_main(void) {
  if (getenv("EARLY_AND_LATE")) puts("constructor");
}
__attribute__((destructor)) static void after_main(void) {
  if (getenv("EARLY_AND_LATE")) puts("destructor");
}
static void at_exit(void) { puts("atexit"); }
static void early_and_late(void) {
  atexit(at_exit);
  for (int i = 0; i < 5; ++i) putchar('m');
  putchar('\n');
}

int main(int argc, char** argv) {
#define CASE(name) \
  if (argc == 2 && !strcmp(argv[1], #name)) return name(), 0;
  CASE(keeps_errno)
  CASE(cancelled)
  CASE(jumped)
  CASE(interrupted)
  CASE(vforked)
  CASE(closed_elsewhere)
  CASE(full)
  CASE(no_stdout)
  CASE(early_and_late)
  return 2;
}
