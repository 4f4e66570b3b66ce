// nftw and ftw for trees that are forwarded: the C library's own go past the wrappers. As that one's, but it opens one
// directory at a time, whatever it is allowed.
#pragma once
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

namespace headrace::preload {

/// `Calls` has the functions that see forwarded files.
template <class Calls>
class TreeWalk {
 public:
  TreeWalk(__nftw_func_t visit, int flags) : visit_(visit), flags_(flags) {}
  explicit TreeWalk(__ftw_func_t visit) : visit_plainly_(visit) {}
  TreeWalk(const TreeWalk&) = delete;
  TreeWalk& operator=(const TreeWalk&) = delete;

  int walk(const char* root) {
    const int start = goes_there() ? Calls::openat(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) : -1;
    int result = (goes_there() && start < 0) || !begin(root) || (goes_there() && leave() != 0) ? -1 : visit_root();
    const int error = errno;
    if (start >= 0) {
      if (Calls::fchdir(start) != 0 && result == 0) result = -1;
      Calls::close(start);
    }
    free(path_);
    tdestroy(seen_, &free);
    if (result != 0) errno = error;
    return is(result, FTW_SKIP_SUBTREE) || is(result, FTW_SKIP_SIBLINGS) ? 0 : result;
  }

 private:
  struct Directory {
    dev_t device;
    ino_t inode;
  };

  bool has(int flag) const { return (flags_ & flag) != 0; }
  bool goes_there() const { return has(FTW_CHDIR); }
  bool is(int result, int action) const { return has(FTW_ACTIONRETVAL) && result == action; }

  /// Paths are told as the program names the root; where the walk changes the working directory, they are asked for
  /// by their whole names.
  bool begin(const char* root) {
    path_ = static_cast<char*>(malloc(PATH_MAX));
    if (!path_) return false;
    if (goes_there() && *root != '/') {
      if (!Calls::getcwd(path_, PATH_MAX - 1)) return false;
      shown_ = strlen(path_) + 1;
      path_[shown_ - 1] = '/';
    }
    const size_t length = strlen(root);
    if (shown_ + length >= PATH_MAX) return errno = ENAMETOOLONG, false;
    memcpy(path_ + shown_, root, length + 1);
    end_ = shown_ + length;
    while (end_ > shown_ + 1 && path_[end_ - 1] == '/') path_[--end_] = '\0';
    const char* slash = strrchr(path_ + shown_, '/');
    base_ = slash && slash[1] ? static_cast<size_t>(slash + 1 - path_) : shown_;
    return true;
  }
  int visit_root() {
    struct stat status;
    if ((has(FTW_PHYS) ? Calls::lstat(path_, &status) : Calls::stat(path_, &status)) != 0) {
      const int error = errno;
      if (!has(FTW_PHYS) && Calls::lstat(path_, &status) == 0) return tell(&status, FTW_SLN);
      return errno = error, -1;
    }
    device_ = status.st_dev;
    return visit(&status);
  }
  int visit_entry() {
    struct stat status = {};
    if ((has(FTW_PHYS) ? Calls::lstat(path_, &status) : Calls::stat(path_, &status)) != 0) {
      if (errno != EACCES && errno != ENOENT) return -1;
      const bool is_link = !has(FTW_PHYS) && Calls::lstat(path_, &status) == 0 && S_ISLNK(status.st_mode);
      return tell(&status, is_link ? FTW_SLN : FTW_NS);
    }
    if (has(FTW_MOUNT) && status.st_dev != device_) return 0;
    return visit(&status);
  }
  int visit(const struct stat* status) {
    if (!S_ISDIR(status->st_mode)) return tell(status, S_ISLNK(status->st_mode) ? FTW_SL : FTW_F);
    // A link may lead to where the walk has been.
    if (!has(FTW_PHYS) && !is_new(*status)) return errno == ENOMEM ? -1 : 0;
    const int result = visit_directory(status);
    return is(result, FTW_SKIP_SUBTREE) ? 0 : result;
  }
  int visit_directory(const struct stat* status) {
    struct dirent** entries = nullptr;
    const int count = Calls::scandir(path_, &entries, nullptr, nullptr);
    if (count < 0) return errno == EACCES ? tell(status, FTW_DNR) : -1;
    int result = has(FTW_DEPTH) ? 0 : tell(status, FTW_D);
    const size_t end = end_, base = base_;
    if (result == 0 && goes_there()) result = Calls::chdir(path_);
    ++level_;
    for (int i = 0; i < count; ++i) {
      const char* name = entries[i]->d_name;
      if (result == 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) result = enter(name, end);
      path_[end_ = end] = '\0';
      free(entries[i]);
    }
    free(entries);
    --level_;
    base_ = base;
    if (is(result, FTW_SKIP_SIBLINGS)) result = 0;
    if (result == 0 && has(FTW_DEPTH)) result = tell(status, FTW_DP);  // still inside, with FTW_CHDIR
    return result == 0 && goes_there() ? leave() : result;
  }
  int enter(const char* name, size_t end) {
    const size_t length = strlen(name), slash = path_[end - 1] != '/' ? 1 : 0;
    if (end + slash + length >= PATH_MAX) return errno = ENAMETOOLONG, -1;
    path_[end] = '/';
    base_ = end + slash;
    memcpy(path_ + base_, name, length + 1);
    end_ = base_ + length;
    return visit_entry();
  }
  /// Back to the directory that the one at hand is in.
  int leave() {
    const char kept = path_[base_];
    path_[base_] = '\0';
    const int result = base_ > shown_ || shown_ > 0 ? Calls::chdir(path_) : 0;
    path_[base_] = kept;
    return result;
  }
  int tell(const struct stat* status, int what) {
    if (!visit_plainly_) {
      struct FTW place = {static_cast<int>(base_ - shown_), level_};
      return visit_(path_ + shown_, status, what, &place);
    }
    const bool is_file = what == FTW_SL;
    return visit_plainly_(path_ + shown_, status, is_file ? FTW_F : what == FTW_SLN ? FTW_NS : what);
  }
  bool is_new(const struct stat& of) {
    auto* key = static_cast<Directory*>(malloc(sizeof(Directory)));
    if (!key) return false;
    *key = {of.st_dev, of.st_ino};
    errno = 0;
    void* found = tsearch(key, &seen_, [](const void* left, const void* right) {
      return memcmp(left, right, sizeof(Directory));  // two numbers of eight bytes
    });
    const bool added = found && *static_cast<Directory**>(found) == key;
    if (!added) free(key);
    if (!found) errno = ENOMEM;
    return added;
  }

  __nftw_func_t visit_ = nullptr;
  __ftw_func_t visit_plainly_ = nullptr;
  int flags_ = 0, level_ = 0;
  char* path_ = nullptr;
  size_t shown_ = 0, base_ = 0, end_ = 0;
  dev_t device_ = 0;
  void* seen_ = nullptr;
};

}  // namespace headrace::preload
