// The working directory below a prefix: base/working_directory.h says where it is kept.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/working_directory.h"
#include "forward/program/at_place.h"
#include "forward/program/attributes.h"
#include "forward/program/operations.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

/// Makes the kernel's part of it and removes it, with a descriptor of it in `fd`. An error number.
int make_below(const char* carrier, const std::string& path, int* fd) {
  std::string made = std::string(carrier) + "XXXXXX";
  if (mkdtemp(made.data()) == nullptr) return errno;
  const size_t base = made.size();
  int error = 0;
  for (size_t end = 1; error == 0 && end != path.npos;) {
    end = path.find('/', end + 1);
    const std::string next = made.substr(0, base) + path.substr(0, end);
    if (mkdir(next.c_str(), 0700) == 0)
      made = next;
    else
      error = errno;
  }
  // Its name has to fit into what /proc tells.
  if (error == 0 && made.size() + sizeof " (deleted)" > PATH_MAX) error = ENAMETOOLONG;
  if (error == 0) *fd = open(made.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (error == 0 && *fd < 0) error = errno;
  for (; made.size() >= base; made.resize(made.rfind('/'))) rmdir(made.c_str());
  return error;
}

int make_carried(const std::string& path, int* fd) {
  int error = ENOENT;
  for (const char* carrier : base::kCarriers) {
    error = make_below(carrier, path, fd);
    if (error == 0 || error == ENAMETOOLONG) break;
  }
  return error;
}

/// Goes to a new working directory's descriptor, if there is one.
int enter(int fd) {
  if (fd < 0) return -1;
  const int result = fchdir(fd), error = errno;
  close(fd);
  return result == 0 ? 0 : fail(error);
}

int check_directory(const Attributes& of) { return S_ISDIR(of.mode) ? check_access(of, X_OK) : ENOTDIR; }

}  // namespace

bool working_directory(int directory, const char* path, int* result) {
  const auto place = place_of(directory, path, true);
  std::string real(PATH_MAX, '\0');
  ssize_t length = -1;
  if (place.has_value() && real_path(place->path.c_str(), real.data(), &length) && length < 0) {
    *result = -1;
    return true;
  }
  int fd = -1;
  const bool ours = at_place(place, result, [&](Client& client) {
    const auto node = client.lookup(place->servers->root(), place->below_root());
    if (!node.ok()) return node.error();
    const int error = check_directory(node->attributes);
    return error != 0 ? error : make_carried(real.substr(0, static_cast<size_t>(length)), &fd);
  });
  if (ours && *result == 0) *result = fd;
  return ours;
}

bool change_directory(const char* path, int* result) {
  if (!working_directory(AT_FDCWD, path, result)) return false;
  *result = enter(*result);
  return true;
}

int change_directory_to(int fd) {
  const Held file(fd);
  if (!file) return fail(EBADF);
  if (!file->is_directory()) return fail(ENOTDIR);
  struct stat status;
  if (fstat_file(fd, &status) != 0) return -1;
  Attributes attributes;
  attributes.mode = status.st_mode;
  attributes.user = status.st_uid;
  attributes.group = status.st_gid;
  const int denied = check_directory(attributes);
  int made = -1;
  const int error = denied != 0 ? denied : make_carried(std::string(file->path()), &made);
  return error == 0 ? enter(made) : fail(error);
}

ssize_t current_directory(char* into, size_t size) {
  const std::string path = forwarded_base(AT_FDCWD);
  if (path.empty()) return 0;
  if (size <= path.size()) return fail<ssize_t>(size == 0 ? EINVAL : ERANGE);
  memcpy(into, path.c_str(), path.size() + 1);
  return static_cast<ssize_t>(path.size());
}

const char* elsewhere(int directory, const char* path, int slot) {
  if (path == nullptr || *path == '\0' || (*path == '/' && !leads_out_of_prefix(path))) return path;
  const std::string base = *path == '/' ? "/" : forwarded_base(directory);
  if (base.empty()) return path;
  static __thread std::string* made
      __attribute__((tls_model("initial-exec")));  // never deleted: a thread ends with signals let through
  if (made == nullptr) made = new std::string[2];
  made[slot] = plain_path(base + "/" + path);
  return made[slot].c_str();
}

}  // namespace headrace::forward::program
