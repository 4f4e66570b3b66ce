/* Every call of <headrace/forward.h>, against real servers: api SPEC. What is wrong ends it with a line and 1. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <headrace/forward.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(what)                                                      \
  do {                                                                    \
    if (!(what)) {                                                        \
      fprintf(stderr, "%s:%d: %s is wrong\n", __FILE__, __LINE__, #what); \
      exit(1);                                                            \
    }                                                                     \
  } while (0)

static headrace_forward* servers;

static headrace_forward_file* opened(const char* path, int flags) {
  headrace_forward_file* file;
  EXPECT(headrace_forward_open(servers, path, flags, 0640, &file) == 0);
  return file;
}

static int count_entry(void* context, const char* name, uint64_t inode, unsigned type) {
  EXPECT(inode != 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
  *(int*)context += type == DT_DIR ? 100 : 1;
  return strcmp(name, "stop") == 0 ? 7 : 0;
}

static void names(void) {
  headrace_forward_attributes attributes;
  headrace_forward_file* file;
  char target[8];
  int entries = 0;
  EXPECT(headrace_forward_open(servers, "none", 0, 0, &file) == -ENOENT && file == NULL);
  EXPECT(headrace_forward_open(servers, "/elsewhere/none", 0, 0, &file) == -EXDEV);
  EXPECT(headrace_forward_mkdir(servers, "d", 0750) == 0);
  EXPECT(headrace_forward_mkdir(servers, "d", 0750) == -EEXIST);
  file = opened("d/../d//a", O_CREAT | O_EXCL);
  EXPECT(headrace_forward_pwrite(file, "0123456789", 10, 0, 0) == 10);
  EXPECT(headrace_forward_truncate(file, 4) == 0);
  EXPECT(headrace_forward_fstat(file, &attributes) == 0 && attributes.size == 4 && (attributes.mode & 07777) == 0640);
  attributes.mode = 0600;
  attributes.modified = 981173106000000000;
  EXPECT(headrace_forward_set(file, HEADRACE_FORWARD_MODE | HEADRACE_FORWARD_MODIFIED, &attributes) == 0);
  EXPECT(headrace_forward_close(file) == 0);
  EXPECT(headrace_forward_open(servers, "d/a", O_CREAT | O_EXCL, 0666, &file) == -EEXIST);
  EXPECT(headrace_forward_open(servers, "d/a", O_DIRECTORY, 0, &file) == -ENOTDIR);
  EXPECT(headrace_forward_link(servers, "d/a", "d/b") == 0);
  EXPECT(headrace_forward_symlink(servers, "a-long-target", "d/stop") == 0);
  EXPECT(headrace_forward_readlink(servers, "d/stop", target, sizeof target) == 13 && !memcmp(target, "a-long-t", 8));
  EXPECT(headrace_forward_open(servers, "d/stop", O_NOFOLLOW, 0, &file) == -ELOOP);
  EXPECT(headrace_forward_stat(servers, "d/stop", 0, &attributes) == 0 && S_ISLNK(attributes.mode));
  EXPECT(headrace_forward_stat(servers, "d/stop", 1, &attributes) == -ENOENT);
  EXPECT(headrace_forward_stat(servers, "d/a", 1, &attributes) == 0);
  EXPECT(attributes.links == 2 && attributes.modified == 981173106000000000 && attributes.mode == (S_IFREG | 0600));
  EXPECT(headrace_forward_list(servers, "d", count_entry, &entries) == 7 && entries >= 1);
  EXPECT(headrace_forward_remove(servers, "d/stop") == 0);
  entries = 0;
  EXPECT(headrace_forward_list(servers, "/api/d/", count_entry, &entries) == 0 && entries == 2);
  EXPECT(headrace_forward_rename(servers, "d/a", "d/b", 0) == -EEXIST);
  EXPECT(headrace_forward_rename(servers, "d/a", "d/c", 1) == 0);
  EXPECT(headrace_forward_rmdir(servers, "d") == -ENOTEMPTY);
  EXPECT(headrace_forward_remove(servers, "d/b") == 0 && headrace_forward_remove(servers, "d/c") == 0);
  EXPECT(headrace_forward_rmdir(servers, "d") == 0);
  entries = 0;
  EXPECT(headrace_forward_list(servers, "", count_entry, &entries) == 0 && entries == 0);
}

/* Every other 4 bytes of a file, from and to three pieces of memory. */
static void lists(void) {
  enum { COUNT = 5000 };
  static headrace_forward_extent extents[COUNT];
  static char out[4 * COUNT], in[4 * COUNT];
  static uint64_t counts[COUNT];
  headrace_forward_file* file = opened("lists", O_CREAT);
  for (int i = 0; i < COUNT; ++i) extents[i] = (headrace_forward_extent){(uint64_t)i * 8, 4};
  for (int i = 0; i < 4 * COUNT; ++i) out[i] = (char)(i * 7);
  const struct iovec from[] = {{out, 10}, {out + 10, 0}, {out + 10, 4 * COUNT - 10}};
  EXPECT(headrace_forward_write_list(file, from, 3, extents, COUNT, HEADRACE_FORWARD_THROUGH) == 4 * COUNT);
  const struct iovec to[] = {{in, 4 * COUNT - 1}, {in + 4 * COUNT - 1, 1}};
  EXPECT(headrace_forward_read_list(file, to, 2, extents, COUNT, counts) == 4 * COUNT);
  EXPECT(memcmp(in, out, sizeof in) == 0 && counts[0] == 4 && counts[COUNT - 1] == 4);
  EXPECT(headrace_forward_read_list(file, to, 1, extents, COUNT, counts) == -EINVAL);
  extents[0] = (headrace_forward_extent){INT64_MAX, 4};
  EXPECT(headrace_forward_read_list(file, to, 2, extents, COUNT, counts) == -EINVAL);
  EXPECT(headrace_forward_pread(file, in, 100, COUNT * 8 - 8) == 4);
  EXPECT(headrace_forward_pread(file, in, 0, 0) == 0);
  EXPECT(headrace_forward_close(file) == 0);
}

/* Larger than a message, and than the window. */
static void large(void) {
  enum { SIZE = 70 << 20 };
  char *out = malloc(SIZE), *in = malloc(SIZE);
  headrace_forward_file* file = opened("large", O_CREAT);
  for (int i = 0; i < SIZE; ++i) out[i] = (char)(i ^ i >> 12);
  EXPECT(headrace_forward_append(file, "x", 1, 0) == 0);
  EXPECT(headrace_forward_append(file, out, SIZE, 0) == 1);
  EXPECT(headrace_forward_pread(file, in, SIZE, 1) == SIZE && memcmp(in, out, SIZE) == 0);
  EXPECT(headrace_forward_pwrite(file, out, SIZE, 0, 0) == SIZE);
  EXPECT(headrace_forward_commit(file, 0, 0, 0, NULL, 0, NULL) == 0);
  EXPECT(headrace_forward_pread(file, in, SIZE, 0) == SIZE && memcmp(in, out, SIZE) == 0);
  EXPECT(headrace_forward_close(file) == 0);
  free(in);
  free(out);
}

static void requests(void) {
  enum { COUNT = 200 };
  static char blocks[COUNT][64], back[64];
  headrace_forward_request* all[COUNT];
  headrace_forward_file* file = opened("requests", O_CREAT);
  for (int i = 0; i < COUNT; ++i) {
    memset(blocks[i], i, 64);
    const struct iovec part = {blocks[i], 64};
    const headrace_forward_extent extent = {(uint64_t)i * 64, 64};
    EXPECT(headrace_forward_submit_write(file, &part, 1, &extent, 1, 0, blocks[i], &all[i]) == 0);
    EXPECT(headrace_forward_context(all[i]) == blocks[i]);
  }
  while (!headrace_forward_test(all[COUNT - 1])) {
  }
  for (int i = 0; i < COUNT; ++i) {
    EXPECT(headrace_forward_wait(all[i]) == 64 && headrace_forward_wait(all[i]) == 64);
    EXPECT(headrace_forward_bad_ranges(all[i], NULL, 0) == 0);
    headrace_forward_free(all[i]);
  }
  EXPECT(headrace_forward_next(servers) == NULL);
  struct pollfd ready = {headrace_forward_descriptor(servers), POLLIN, 0};
  EXPECT(ready.fd >= 0 && headrace_forward_descriptor(servers) == ready.fd && poll(&ready, 1, 0) == 0);
  uint64_t counts[2] = {9, 9};
  const struct iovec to = {back, 64};
  const headrace_forward_extent end[] = {{(COUNT - 1) * 64 + 32, 48}, {0, 16}};
  EXPECT(headrace_forward_submit_read(file, &to, 1, end, 2, counts, NULL, &all[0]) == 0);
  EXPECT(headrace_forward_submit_commit(file, 0, 0, 0, NULL, &all[1]) == 0);
  for (int found = 0; found < 2; ++found) {
    EXPECT(poll(&ready, 1, 20000) == 1);
    headrace_forward_request* next = headrace_forward_next(servers);
    EXPECT(next == all[0] || next == all[1]);
    EXPECT(headrace_forward_test(next));
  }
  EXPECT(headrace_forward_next(servers) == NULL && poll(&ready, 1, 0) == 0);
  EXPECT(headrace_forward_wait(all[0]) == 48 && counts[0] == 32 && counts[1] == 16);
  EXPECT(back[0] == (char)(COUNT - 1) && back[48] == 0 && headrace_forward_wait(all[1]) == 0);
  headrace_forward_free(all[0]);
  headrace_forward_free(all[1]);
  /* One that is freed before it was asked for is not given any more. */
  EXPECT(headrace_forward_submit_read(file, &to, 1, end, 2, NULL, NULL, &all[0]) == 0);
  headrace_forward_free(all[0]);
  EXPECT(headrace_forward_next(servers) == NULL && poll(&ready, 1, 0) == 0);
  EXPECT(headrace_forward_close(file) == 0);
}

static void* append_many(void* file) {
  for (int64_t i = 0, last = -1; i < 500; ++i) {
    const int64_t where = headrace_forward_append(file, &i, sizeof i, 0);
    EXPECT(where > last && where % 8 == 0);
    last = where;
  }
  return NULL;
}

static void threads(void) {
  pthread_t all[4];
  headrace_forward_attributes attributes;
  headrace_forward_file* file = opened("threads", O_CREAT);
  for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&all[i], NULL, append_many, file) == 0);
  for (int i = 0; i < 4; ++i) EXPECT(pthread_join(all[i], NULL) == 0);
  EXPECT(headrace_forward_fstat(file, &attributes) == 0 && attributes.size == 4 * 500 * 8);
  EXPECT(headrace_forward_close(file) == 0);
}

static void child(const char* spec) {
  headrace_forward_file* file = opened("child", O_CREAT);
  const pid_t pid = fork();
  if (pid == 0) {
    char byte;
    headrace_forward* own;
    EXPECT(headrace_forward_pread(file, &byte, 1, 0) == -ECHILD);
    EXPECT(headrace_forward_remove(servers, "child") == -ECHILD && headrace_forward_descriptor(servers) == -ECHILD);
    EXPECT(headrace_forward_close(file) == 0);
    headrace_forward_disconnect(servers);
    EXPECT(headrace_forward_connect(spec, NULL, 0, &own) == 0);
    EXPECT(headrace_forward_remove(own, "child") == 0);
    headrace_forward_disconnect(own);
    _exit(0);
  }
  int status;
  EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
  EXPECT(headrace_forward_close(file) == 0);
}

int main(int count, char** words) {
  if (count < 2) return 2;
  EXPECT(headrace_forward_connect("nonsense", NULL, 0, &servers) == -EINVAL &&
         strstr(headrace_forward_message(), "nonsense"));
  EXPECT(headrace_forward_connect("/a@unix:/nobody", NULL, 100, &servers) == -EIO && *headrace_forward_message());
  EXPECT(headrace_forward_connect(NULL, NULL, 0, &servers) == -EINVAL && *headrace_forward_message());
  EXPECT(headrace_forward_connect(words[1], NULL, 0, &servers) == 0 && !*headrace_forward_message());
  names();
  lists();
  large();
  requests();
  threads();
  child(words[1]);
  headrace_forward_disconnect(servers);
  return 0;
}
