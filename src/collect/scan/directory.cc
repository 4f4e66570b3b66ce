#include "collect/scan/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace headrace::collect {

namespace {

constexpr int kOpen = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
constexpr unsigned kMask = STATX_TYPE | STATX_NLINK | STATX_UID | STATX_GID | STATX_SIZE | STATX_BLOCKS | STATX_ATIME |
                           STATX_MTIME | STATX_CTIME | STATX_INO;
constexpr int64_t kSector = 512;  // what st_blocks counts, whatever the file system's blocks are

struct KernelEntry {  // struct linux_dirent64
  uint64_t number;
  int64_t cookie;
  uint16_t length;
  uint8_t type;
  char name[];
};

FileType type_of(uint16_t mode) {
  if (S_ISREG(mode)) return FileType::kFile;
  if (S_ISDIR(mode)) return FileType::kDirectory;
  return S_ISLNK(mode) ? FileType::kSymlink : FileType::kOther;
}

int64_t capped(uint64_t number) {
  return static_cast<int64_t>(std::min<uint64_t>(number, std::numeric_limits<int64_t>::max()));
}

FileTime file_time(const statx_timestamp& time) { return {time.tv_sec, time.tv_nsec}; }

bool is_dots(const char* name) { return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0')); }

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  if (number_ >= 0) close(number_);
  number_ = other.release();
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

int Descriptor::release() {
  const int number = number_;
  number_ = -1;
  return number;
}

Descriptor open_directory(int parent, const char* name) {
  Descriptor quiet(openat(parent, name, kOpen | O_NOATIME));
  if (quiet || errno != EPERM) return quiet;  // EPERM: only the owner may leave the access time alone
  return Descriptor(openat(parent, name, kOpen));
}

Descriptor open_below(int root, std::string_view path) {
  Descriptor at(fcntl(root, F_DUPFD_CLOEXEC, 0));
  while (at && !path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string name(path.substr(0, slash));
    at = open_directory(at.get(), name.c_str());
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return at;
}

bool DirectoryReader::read(int directory, std::vector<Entry>& entries) {
  entries.clear();
  while (entries.empty()) {
    const long bytes = syscall(SYS_getdents64, directory, buffer_.data(), buffer_.size());
    if (bytes <= 0) {
      if (bytes == 0) errno = 0;
      return false;
    }
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const KernelEntry*>(buffer_.data() + at);
      at += entry->length;
      if (!is_dots(entry->name)) entries.push_back({entry->name, entry->type, entry->cookie});
    }
  }
  return true;
}

int64_t age_at(const FileTime& start, const FileTime& time) {
  int64_t age = 0;
  if (__builtin_sub_overflow(start.seconds, time.seconds, &age))
    return time.seconds < 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
  return age - (time.nanoseconds > start.nanoseconds && age > std::numeric_limits<int64_t>::min() ? 1 : 0);
}

bool look_at(int directory, const char* name, const FileTime& start, Inode& inode, bool* is_mount) {
  struct statx info;
  const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name[0] == '\0' ? AT_EMPTY_PATH : 0);
  if (statx(directory, name, flags, kMask, &info) != 0) return false;
  inode.device = makedev(info.stx_dev_major, info.stx_dev_minor);
  inode.number = info.stx_ino;
  inode.size = capped(info.stx_size);
  inode.capacity = capped(std::min<uint64_t>(info.stx_blocks, INT64_MAX / kSector) * kSector);
  inode.times = {info.stx_mtime.tv_sec, info.stx_atime.tv_sec, info.stx_ctime.tv_sec};
  inode.ages = {age_at(start, file_time(info.stx_mtime)), age_at(start, file_time(info.stx_atime)),
                age_at(start, file_time(info.stx_ctime))};
  inode.owner.user = info.stx_uid;
  inode.owner.group = info.stx_gid;
  inode.links = info.stx_nlink;
  inode.type = type_of(info.stx_mode);
  inode.absolute = false;
  if (is_mount != nullptr) *is_mount = (info.stx_attributes & info.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
  return true;
}

}  // namespace headrace::collect
