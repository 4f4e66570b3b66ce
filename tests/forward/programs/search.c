// What glob, nftw, ftw, scandir and futimesat find and do in the directory given, in an order of its own.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static char* lines[500];
static int count, actions;

static int compare(const void* left, const void* right) { return strcmp(*(char**)left, *(char**)right); }

static void show(const char* what, int result) {
  printf("%s: %d %s\n", what, result, result < 0 ? strerror(errno) : "");
  qsort(lines, (size_t)count, sizeof *lines, &compare);
  for (int i = 0; i < count; ++i) puts(lines[i]), free(lines[i]);
  count = 0;
}

static int visit(const char* path, const struct stat* status, int type, struct FTW* where) {
  const char* name = path + where->base;
  struct stat again;
  const int here = lstat(name, &again) == 0;  // so it is with FTW_CHDIR
  asprintf(&lines[count++], "%s %s level %d, type %d, %s, %s", path, where->level > 0 ? name : "root", where->level,
           type, type == FTW_NS || type == FTW_SLN || S_ISDIR(status->st_mode) ? "" : "a file",
           here ? "here" : "elsewhere");
  if (actions && strcmp(name, "one") == 0) return FTW_SKIP_SUBTREE;
  if (actions && strcmp(name, "two") == 0) return FTW_STOP;
  return 0;
}

static int visit_plainly(const char* path, const struct stat* status, int type) {
  asprintf(&lines[count++], "%s type %d, %ld", path, type, type == FTW_F ? (long)status->st_size : 0L);
  return 0;
}

static void match(const char* pattern, int flags, glob_t* into) {
  const int result = glob(pattern, flags, NULL, into);
  printf("%s, %x: %d\n", pattern, (unsigned)flags, result);
  for (size_t i = 0; result == 0 && i < into->gl_pathc; ++i) printf("  %s\n", into->gl_pathv[into->gl_offs + i]);
}

static int is_plain(const struct dirent* entry) { return entry->d_name[0] != '.' && entry->d_type == DT_REG; }

int main(int words, char** word) {
  char text[5000];
  glob_t found = {0};
  if (words < 2 || chdir(word[1]) != 0) return 2;
  for (int whole = 0; whole < 2; ++whole) {
    const char* patterns[] = {"*", "d/*/*", "d/*/f?", "*/none", "d/[!a-n]*", ".*", "{d/one,link}/*", "none"};
    for (int i = 0; i < 8; ++i) {
      snprintf(text, sizeof text, "%s%s%s", whole ? word[1] : "", whole ? "/" : "", patterns[i]);
      match(text, GLOB_BRACE | (i % 2 ? GLOB_MARK : 0), &found);
      globfree(&found);
    }
  }
  found.gl_offs = 2;
  match("d/*", GLOB_ONLYDIR | GLOB_DOOFFS, &found);
  match("d/one/*", GLOB_DOOFFS | GLOB_APPEND, &found);
  printf("%d\n", (found.gl_flags & GLOB_ALTDIRFUNC) != 0);
  globfree(&found);

  const int flags[] = {
      0, FTW_PHYS, FTW_DEPTH, FTW_PHYS | FTW_DEPTH | FTW_MOUNT, FTW_CHDIR, FTW_CHDIR | FTW_PHYS | FTW_DEPTH};
  for (int i = 0; i < 6; ++i) {
    snprintf(text, sizeof text, "nftw %x", (unsigned)flags[i]);
    show(text, nftw("d", &visit, 10, flags[i]));
    show(text, nftw(word[1], &visit, flags[i] & FTW_CHDIR ? 10 : 1, flags[i]));
    show("here", nftw(".", &visit, 10, flags[i]));
  }
  show("file", nftw("d/one/f1", &visit, 10, 0));
  show("link", nftw("link", &visit, 10, FTW_PHYS));
  show("slash", nftw("d/one/", &visit, 10, 0));
  show("lost", nftw("lost", &visit, 10, 0));
  show("none", nftw("none", &visit, 10, 0));
  actions = 1;
  show("skip", nftw("d", &visit, 10, FTW_ACTIONRETVAL | FTW_PHYS));
  show("ftw", ftw(word[1], &visit_plainly, 10));
  show("getcwd", getcwd(text, sizeof text) ? 0 : -1);
  printf("%s\n", text);

  struct dirent** names;
  for (int i = 0; i < 3; ++i) {
    const int dir = open("d", O_RDONLY | O_DIRECTORY);
    const int n = i == 0   ? scandir("d/one", &names, &is_plain, &alphasort)
                  : i == 1 ? scandirat(dir, "one", &names, NULL, &versionsort)
                           : scandir("none", &names, NULL, NULL);
    printf("scandir: %d %s\n", n, n < 0 ? strerror(errno) : "");
    for (int k = 0; k < n; ++k) puts(names[k]->d_name), free(names[k]);
    if (n >= 0) free(names);
    const struct timeval times[2] = {{1000, 5}, {2000 + i, 250000}};
    struct stat status;
    int result = i == 0   ? futimesat(dir, "one/f1", times)
                 : i == 1 ? futimesat(AT_FDCWD, "d/one/f1", times)
                          : futimesat(dir, NULL, times);
    fstatat(dir, i == 2 ? "" : "one/f1", &status, AT_EMPTY_PATH);
    printf("futimesat: %d %ld %ld %ld\n", result, (long)status.st_atim.tv_sec, (long)status.st_mtim.tv_sec,
           status.st_mtim.tv_nsec);
    close(dir);
  }
  return 0;
}
