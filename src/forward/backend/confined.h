// Opens files below one directory and nowhere else: no "..", no symbolic link and no race leads out of it.
//
// The kernel does it where it can (openat2, Linux 5.6). Otherwise, and for absolute links that lead back into the
// directory, a walk does it part by part without ever following a link blindly. A root is one file system: what is
// mounted below it is refused (EXDEV), because inode numbers would be ambiguous there.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "forward/protocol/outcome.h"

namespace headrace::forward {

/// A descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  int release();

 private:
  int fd_ = -1;
};

class Confined {
 public:
  /// `use_openat2`: tests switch it off.
  static base::Result<Confined> make(const std::string& directory, bool use_openat2 = true);

  /// As open(2), with a path below the root; O_CLOEXEC is added.
  Outcome<Descriptor> open(std::string_view path, int flags, mode_t mode = 0) const;

  struct Parent {
    Descriptor directory;
    std::string name;  // the last part: neither "", "." nor ".."
  };
  /// The directory that a path's last part is in, which need not exist itself. EINVAL where there is no such part.
  Outcome<Parent> parent(std::string_view path) const;

  const std::string& path() const { return path_; }
  dev_t device() const { return device_; }
  int descriptor() const { return root_.get(); }
  bool is_lustre() const { return is_lustre_; }

 private:
  Outcome<Descriptor> walk(std::string_view path, int flags, mode_t mode) const;

  Descriptor root_;
  std::string path_;  // absolute, without links
  dev_t device_ = 0;
  bool use_openat2_ = true, is_lustre_ = false;
};

}  // namespace headrace::forward
