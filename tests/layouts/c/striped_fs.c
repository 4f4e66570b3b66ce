// A FUSE file system over a directory that answers what a client of Lustre or GPFS would of the layout of its files:
//   striped_fs MOUNT_POINT FUSE_OPTIONS…, the directory below in STRIPED_FS
// Of a file NAME there, .layout.NAME holds the bytes of "lustre.lov"; .delay.NAME microseconds that each write of it
// takes; .silent makes every question for a layout wait for ever, as a dead server does; .block_size is st_blksize.
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* below_;

static const char* below(const char* path, const char* prefix, char* out) {
  const char* name = strrchr(path, '/') + 1;
  snprintf(out, PATH_MAX, "%s%.*s%s%s", below_, (int)(name - path), path, prefix, name);
  return out;
}

/// Up to `size` bytes of a small file beside PATH; −1 without one.
static ssize_t beside(const char* path, const char* prefix, char* out, size_t size) {
  char name[PATH_MAX];
  const int fd = open(below(path, prefix, name), O_RDONLY);
  if (fd < 0) return -1;
  const ssize_t got = read(fd, out, size);
  close(fd);
  return got;
}

static long number_beside(const char* path, const char* prefix) {
  char text[32] = {0};
  return beside(path, prefix, text, sizeof text - 1) > 0 ? atol(text) : 0;
}

static int do_getattr(const char* path, struct stat* info, struct fuse_file_info* file) {
  (void)file;
  char name[PATH_MAX];
  if (lstat(below(path, "", name), info) != 0) return -errno;
  const long size = number_beside("/block_size", ".");
  if (size > 0) info->st_blksize = size;
  return 0;
}

static int do_open(const char* path, struct fuse_file_info* file) {
  char name[PATH_MAX];
  const int fd = open(below(path, "", name), file->flags);
  if (fd < 0) return -errno;
  file->fh = (uint64_t)fd;
  return 0;
}

static int do_create(const char* path, mode_t mode, struct fuse_file_info* file) {
  char name[PATH_MAX];
  const int fd = open(below(path, "", name), file->flags | O_CREAT, mode);
  if (fd < 0) return -errno;
  file->fh = (uint64_t)fd;
  return 0;
}

static int do_read(const char* path, char* buffer, size_t size, off_t offset, struct fuse_file_info* file) {
  (void)path;
  const ssize_t got = pread((int)file->fh, buffer, size, offset);
  return got < 0 ? -errno : (int)got;
}

static int do_write(const char* path, const char* buffer, size_t size, off_t offset, struct fuse_file_info* file) {
  const long delay = number_beside(path, ".delay.");
  if (delay > 0) usleep((useconds_t)delay);
  const ssize_t got = pwrite((int)file->fh, buffer, size, offset);
  return got < 0 ? -errno : (int)got;
}

static int do_release(const char* path, struct fuse_file_info* file) {
  (void)path;
  close((int)file->fh);
  return 0;
}

static int do_unlink(const char* path) {
  char name[PATH_MAX];
  return unlink(below(path, "", name)) == 0 ? 0 : -errno;
}

static int do_mkdir(const char* path, mode_t mode) {
  char name[PATH_MAX];
  return mkdir(below(path, "", name), mode) == 0 ? 0 : -errno;
}

static int do_rename(const char* from, const char* to, unsigned flags) {
  char one[PATH_MAX], other[PATH_MAX];
  if (flags != 0) return -EINVAL;
  return rename(below(from, "", one), below(to, "", other)) == 0 ? 0 : -errno;
}

static int do_truncate(const char* path, off_t size, struct fuse_file_info* file) {
  (void)file;
  char name[PATH_MAX];
  return truncate(below(path, "", name), size) == 0 ? 0 : -errno;
}

static int do_getxattr(const char* path, const char* name, char* value, size_t size) {
  if (strcmp(name, "lustre.lov") != 0) return -ENODATA;
  while (access(below("/silent", ".", (char[PATH_MAX]){0}), F_OK) == 0) usleep(100000);
  char layout[65536];
  const ssize_t got = beside(path, ".layout.", layout, sizeof layout);
  if (got < 0) return -ENODATA;
  if (size == 0) return (int)got;
  if ((size_t)got > size) return -ERANGE;
  memcpy(value, layout, (size_t)got);
  return (int)got;
}

int main(int count, char** arguments) {
  static const struct fuse_operations operations = {
      .getattr = do_getattr,
      .open = do_open,
      .create = do_create,
      .read = do_read,
      .write = do_write,
      .unlink = do_unlink,
      .rename = do_rename,
      .mkdir = do_mkdir,
      .truncate = do_truncate,
      .release = do_release,
      .getxattr = do_getxattr,
  };
  below_ = getenv("STRIPED_FS");
  return below_ == NULL ? 2 : fuse_main(count, arguments, &operations, NULL);
}
