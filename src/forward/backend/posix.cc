#include "forward/backend/posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "forward/backend/lustre.h"
#include "forward/backend/posix_file.h"

namespace headrace::forward {
namespace {

constexpr int kDataFlags = O_NONBLOCK | O_NOCTTY;  // opening a pipe or a terminal must not stop a thread

/// A name for what an O_PATH descriptor stands for, for calls that take no descriptor of that kind.
std::string own_name(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

}  // namespace

base::Result<std::unique_ptr<PosixBackend>> PosixBackend::make(const std::vector<std::string>& directories,
                                                               Options options) {
  std::unique_ptr<PosixBackend> backend(new PosixBackend(std::move(options)));
  for (const std::string& directory : directories) {
    HEADRACE_ASSIGN(Confined root, Confined::make(directory, backend->options_.use_openat2));
    backend->roots_.push_back(std::move(root));
  }
  return backend;
}

std::vector<std::string> PosixBackend::roots() const {
  std::vector<std::string> paths;
  for (const Confined& root : roots_) paths.push_back(root.path());
  return paths;
}

Outcome<const Confined*> PosixBackend::root_of(const File& file) const {
  if (file.root >= roots_.size()) return Failed{ESTALE};
  return &roots_[file.root];
}

/// The file that a handle means, or ESTALE when its path leads to another one by now.
Outcome<Descriptor> PosixBackend::open_same(const File& file, int flags) const {
  const auto root = root_of(file);
  if (!root.ok()) return Failed{root.error()};
  if (file.type == DT_LNK) flags |= O_NOFOLLOW;
  auto opened = (*root)->open(file.path, flags);
  if (!opened.ok()) return Failed{opened.error() == ENOENT || opened.error() == ENOTDIR ? ESTALE : opened.error()};
  if (file.path.empty()) return opened;
  const auto attributes = attributes_of(opened->get());
  if (!attributes.ok()) return Failed{attributes.error()};
  if (attributes->inode != file.inode || attributes->born != file.born) return Failed{ESTALE};
  return opened;
}

/// Whether a directory's path leads to it, or ESTALE. Only looks: what is opened then is confined by its own opening.
int PosixBackend::still_there(const File& directory) const {
  const auto root = root_of(directory);
  if (!root.ok()) return root.error();
  dev_t device = 0;
  const auto now = attributes_at((*root)->descriptor(), directory.path.c_str(), &device);
  if (!now.ok()) return now.error() == ENOENT || now.error() == ENOTDIR ? ESTALE : now.error();
  const bool same = now->inode == directory.inode && now->born == directory.born && device == (*root)->device();
  return same ? 0 : ESTALE;
}

/// A place's path below its root, after a look whether the directory is still where it was.
Outcome<std::string> PosixBackend::path_of(Place place) const {
  if (place.path.starts_with('/')) return Failed{EINVAL};
  if (place.directory.type != DT_DIR) return Failed{ENOTDIR};
  if (!place.directory.path.empty()) {
    if (const int error = still_there(place.directory); error != 0) return Failed{error};
  }
  std::string path = join_path(place.directory.path, place.path);
  if (place.path.ends_with('/') && !path.empty()) path += '/';
  if (path.size() > kLongestPath) return Failed{ENAMETOOLONG};
  return path;
}

Outcome<Confined::Parent> PosixBackend::parent_of(Place place) const {
  const auto root = root_of(place.directory);
  if (!root.ok()) return Failed{root.error()};
  const auto path = path_of(place);
  if (!path.ok()) return Failed{path.error()};
  return (*root)->parent(*path);
}

Outcome<Found> PosixBackend::describe(Place place, int fd) const {
  dev_t device = 0;
  auto attributes = attributes_of(fd, &device);
  if (!attributes.ok()) return Failed{attributes.error()};
  if (device != roots_[place.directory.root].device()) return Failed{EXDEV};
  File file = place.directory;
  file.path = join_path(file.path, place.path);
  if (file.path.empty()) return Found{root_file(file.root), *attributes};
  file.type = static_cast<uint8_t>(IFTODT(attributes->mode));
  file.inode = attributes->inode;
  file.born = attributes->born;
  return Found{std::move(file), *attributes};
}

Outcome<Found> PosixBackend::lookup(Place place, bool follow) {
  const auto root = root_of(place.directory);
  if (!root.ok()) return Failed{root.error()};
  const auto path = path_of(place);
  if (!path.ok()) return Failed{path.error()};
  const auto opened = (*root)->open(*path, O_PATH | (follow ? 0 : O_NOFOLLOW));
  if (!opened.ok()) return Failed{opened.error()};
  return describe(place, opened->get());
}

/// Only what is made here gets a layout. ENOTSUP: there is nothing to ask the file system for. A file that did not get
/// it has no objects until it is opened in the usual way: its descriptor is none to write to.
Outcome<Descriptor> PosixBackend::create_striped(const Confined& root, const std::string& path,
                                                 const CreateOptions& options, bool* can_be_used) {
  Hints hints = options.hints;
  if (hints.stripe_bytes == 0) hints.stripe_bytes = options_.hints.stripe_bytes;
  if (hints.stripe_count == 0) hints.stripe_count = options_.hints.stripe_count;
  const auto layout = lustre_layout(hints);
  if (!layout.has_value() || !(options_.assume_lustre || root.is_lustre())) return Failed{ENOTSUP};
  auto made = root.open(path, O_CREAT | O_EXCL | O_RDWR | kDataFlags | kLustreDelayCreate, options.mode & 07777);
  if (!made.ok()) return made;
  const int error = set_lustre_layout(made->get(), *layout);
  *can_be_used = error == 0;
  if (error != 0 && !noted_.exchange(true))
    options_.note(root.path() + ": the striping of new files cannot be set (" + strerror(error) +
                  "); they get the file system's own");
  return made;
}

/// A named pipe or a socket: a name that programs of one node meet at.
Outcome<Found> PosixBackend::make_node(Place place, uint32_t mode) {
  const auto parent = parent_of(place);
  if (!parent.ok()) return Failed{parent.error() == EINVAL ? EEXIST : parent.error()};
  if (mknodat(parent->directory.get(), parent->name.c_str(), mode, 0) != 0) return Failed{errno};
  return lookup(place, false);
}

Outcome<Found> PosixBackend::create(Place place, const CreateOptions& options) {
  const uint32_t type = type_to_create(options.mode);
  if (type == 0) return Failed{EPERM};
  if (type != S_IFREG) return make_node(place, type | (options.mode & 07777));
  const auto root = root_of(place.directory);
  if (!root.ok()) return Failed{root.error()};
  const auto path = path_of(place);
  if (!path.ok()) return Failed{path.error()};
  const int flags = O_CREAT | kDataFlags | (options.flags & kExclusive ? O_EXCL : 0);
  const int truncate = options.flags & kTruncate ? O_TRUNC : 0;
  bool can_be_used = true;
  auto opened = create_striped(**root, *path, options, &can_be_used);
  if (!opened.ok()) opened = (*root)->open(*path, flags | O_RDWR | truncate, options.mode & 07777);
  bool for_writing = true;
  if (!opened.ok() && opened.error() == EACCES && truncate == 0 && !options.is_emptied_later) {
    // A file of ours that may only be read, or one just made with such a mode.
    opened = (*root)->open(*path, flags | O_RDONLY, options.mode & 07777);
    for_writing = false;
  }
  if (!opened.ok()) return Failed{opened.error()};
  auto found = describe(place, opened->get());
  if (!can_be_used && found.ok()) opened = open_lent(found->file, kDataFlags | O_RDWR);
  if (!opened.ok()) return Failed{opened.error()};
  if (found.ok() && S_ISREG(found->attributes.mode))
    open_files_.keep(found->file, for_writing, std::make_shared<PosixFile>(std::move(*opened)));
  return found;
}

Outcome<Found> PosixBackend::mkdir(Place place, uint32_t mode) {
  const auto parent = parent_of(place);
  if (!parent.ok()) return Failed{parent.error() == EINVAL ? EEXIST : parent.error()};
  if (mkdirat(parent->directory.get(), parent->name.c_str(), mode & 07777) != 0) return Failed{errno};
  return lookup(place, false);
}

Outcome<Found> PosixBackend::symlink(Place place, std::string_view target) {
  const auto parent = parent_of(place);
  if (!parent.ok()) return Failed{parent.error()};
  if (symlinkat(std::string(target).c_str(), parent->directory.get(), parent->name.c_str()) != 0) return Failed{errno};
  return lookup(place, false);
}

/// The regular file whose only name this is.
std::optional<File> PosixBackend::only_name(Place place, const Confined::Parent& parent) const {
  const auto now = attributes_at(parent.directory.get(), parent.name.c_str(), nullptr, true);
  if (!now.ok() || !S_ISREG(now->mode) || now->links != 1) return std::nullopt;
  return File{place.directory.root, DT_REG, now->inode, now->born, join_path(place.directory.path, place.path)};
}

int PosixBackend::remove(Place place, bool directory, std::optional<File>* gone) {
  const auto parent = parent_of(place);
  if (!parent.ok()) return parent.error();
  auto last = gone != nullptr && !directory ? only_name(place, *parent) : std::nullopt;
  if (unlinkat(parent->directory.get(), parent->name.c_str(), directory ? AT_REMOVEDIR : 0) != 0) return errno;
  if (gone != nullptr) *gone = std::move(last);
  return 0;
}

int PosixBackend::rename(Place from, Place to, bool replace, std::optional<File>* gone) {
  const auto source = parent_of(from);
  if (!source.ok()) return source.error();
  const auto target = parent_of(to);
  if (!target.ok()) return target.error();
  auto last = gone != nullptr && replace ? only_name(to, *target) : std::nullopt;
  if (renameat2(source->directory.get(), source->name.c_str(), target->directory.get(), target->name.c_str(),
                replace ? 0 : RENAME_NOREPLACE) != 0)
    return errno;
  // A file that got its own name is there still.
  if (last.has_value()) {
    const auto now = only_name(to, *target);
    if (now.has_value() && now->identity() == last->identity()) last.reset();
  }
  if (gone != nullptr) *gone = std::move(last);
  return 0;
}

int PosixBackend::link(const File& file, Place to) {
  const auto source = open_same(file, O_PATH);
  // One that is open is found whatever its name is by now.
  const auto opened = source.ok() ? nullptr : open_files_.find(file, false);
  if (!source.ok() && opened == nullptr) return source.error();
  const auto target = parent_of(to);
  if (!target.ok()) return target.error();
  const std::string name = own_name(source.ok() ? source->get() : static_cast<PosixFile&>(*opened).descriptor());
  return linkat(AT_FDCWD, name.c_str(), target->directory.get(), target->name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0
                                                                                                               : errno;
}

Outcome<Attributes> PosixBackend::attributes(const File& file) {
  if (const auto opened = open_files_.find(file, false)) return opened->attributes();
  const auto opened = open_same(file, O_PATH);
  if (!opened.ok()) return Failed{opened.error()};
  return attributes_of(opened->get());
}

Outcome<Space> PosixBackend::space(const File& file) {
  const auto opened = open_same(file, O_PATH);
  if (!opened.ok()) return Failed{opened.error()};
  struct statvfs found;
  if (fstatvfs(opened->get(), &found) != 0) return Failed{errno};
  const uint64_t block = found.f_frsize;
  return Space{found.f_blocks * block, found.f_bfree * block, found.f_bavail * block, found.f_files, found.f_ffree};
}

int PosixBackend::set_attributes(const File& file, uint32_t set, const Attributes& to) {
  if (const auto file_open = open_files_.find(file, false)) return file_open->set_attributes(set, to);
  const auto opened = open_same(file, O_PATH);
  if (!opened.ok()) return opened.error();
  const std::string name = own_name(opened->get());
  if (set & (kSetUser | kSetGroup)) {
    const uid_t user = set & kSetUser ? to.user : static_cast<uid_t>(-1);
    const gid_t group = set & kSetGroup ? to.group : static_cast<gid_t>(-1);
    if (fchownat(opened->get(), "", user, group, AT_EMPTY_PATH) != 0) return errno;
  }
  if ((set & kSetMode) && chmod(name.c_str(), to.mode & 07777) != 0) return errno;
  if (set & (kSetAccessed | kSetModified)) {
    const timespec times[] = {as_time(set, kSetAccessed, to.accessed), as_time(set, kSetModified, to.modified)};
    if (utimensat(AT_FDCWD, name.c_str(), times, 0) != 0) return errno;
  }
  return 0;
}

Outcome<std::string> PosixBackend::readlink(const File& file) {
  const auto opened = open_same(file, O_PATH | O_NOFOLLOW);
  if (!opened.ok()) return Failed{opened.error()};
  char target[PATH_MAX];
  const ssize_t size = readlinkat(opened->get(), "", target, sizeof target);
  if (size < 0) return Failed{errno == ENOENT ? EINVAL : errno};
  return std::string(target, static_cast<size_t>(size));
}

/// A directory that is open here, wherever it is by now, with a position of its own.
Outcome<Descriptor> PosixBackend::open_again(const File& directory) {
  const auto known = open_files_.find(directory, false);
  if (known == nullptr) return Failed{ESTALE};
  const int fd = openat(static_cast<PosixFile&>(*known).descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Failed{errno};
  return Descriptor(fd);
}

Outcome<Listing> PosixBackend::list(const File& directory, uint64_t cookie, size_t bytes) {
  if (directory.type != DT_DIR) return Failed{ENOTDIR};
  auto opened = open_same(directory, O_RDONLY | O_DIRECTORY);
  if (!opened.ok() && opened.error() == ESTALE) opened = open_again(directory);
  if (!opened.ok()) return Failed{opened.error()};
  if (cookie != 0 && lseek(opened->get(), static_cast<off_t>(cookie), SEEK_SET) < 0) return Failed{errno};
  Listing listing;
  listing.bytes.resize(bytes);
  const long got = syscall(SYS_getdents64, opened->get(), listing.bytes.data(), bytes);
  if (got < 0 && errno != ENOENT) return Failed{errno};  // ENOENT: it was removed
  listing.at_end = got <= 0;
  for (long at = 0; at < got;) {
    const auto* entry = reinterpret_cast<const dirent64*>(listing.bytes.data() + at);
    listing.entries.push_back({entry->d_ino, static_cast<uint64_t>(entry->d_off), entry->d_type, entry->d_name});
    at += entry->d_reclen;
  }
  return listing;
}

/// Opens a file of this server's own user whose mode refuses that user. Whoever makes a file may write to it whatever
/// its mode says, and the descriptor that has this right may be another server's. So the right is lent for the moment
/// of the opening; who may open a file is asked by the client before. Every server lends the same two bits and leaves
/// alone a file that has both, so that none takes another's loan for the file's own mode and puts that back.
Outcome<Descriptor> PosixBackend::open_lent(const File& file, int flags) const {
  constexpr int kMostTries = 100;  // others may end their loan just before the file is opened here
  const auto held = open_same(file, O_PATH | O_NOFOLLOW);
  if (!held.ok()) return Failed{held.error()};
  const std::string name = own_name(held->get());
  for (int tries = 0; tries < kMostTries; ++tries) {
    const auto attributes = attributes_of(held->get());
    if (!attributes.ok()) return Failed{attributes.error()};
    if (attributes->user != geteuid() || !S_ISREG(attributes->mode)) return Failed{EACCES};
    const mode_t mode = attributes->mode & 07777, lent = mode | S_IRUSR | S_IWUSR;
    if (mode != lent && chmod(name.c_str(), lent) != 0) return Failed{EACCES};
    const int fd = ::open(name.c_str(), flags | O_CLOEXEC);
    const int error = errno;
    if (mode != lent) {
      const auto now = attributes_of(held->get());
      if (now.ok() && (now->mode & 07777) == lent) chmod(name.c_str(), mode);  // else somebody has set another
    }
    if (fd >= 0) return Descriptor(fd);
    if (error != EACCES) return Failed{error};
  }
  return Failed{EACCES};
}

Outcome<std::shared_ptr<OpenFile>> PosixBackend::open_any(const File& file, bool for_writing) {
  if (file.type != DT_DIR) return open(file, for_writing);
  if (auto opened = open_files_.find(file, false)) return opened;
  auto opened = open_same(file, O_RDONLY | O_DIRECTORY);
  if (!opened.ok()) return Failed{opened.error()};
  std::shared_ptr<OpenFile> made = std::make_shared<PosixFile>(std::move(*opened));
  open_files_.keep(file, false, made);
  return made;
}

Outcome<std::shared_ptr<OpenFile>> PosixBackend::open(const File& file, bool for_writing) {
  if (file.type == DT_DIR) return Failed{EISDIR};
  if (auto opened = open_files_.find(file, for_writing)) return opened;
  if (file.type != DT_REG) return Failed{file.type == DT_DIR ? EISDIR : EINVAL};
  auto opened = open_same(file, kDataFlags | (for_writing ? O_RDWR : O_RDONLY));
  const bool write_only = !opened.ok() && opened.error() == EACCES && for_writing;
  if (write_only) opened = open_same(file, kDataFlags | O_WRONLY);
  const bool lend = !opened.ok() && opened.error() == EACCES;
  if (lend) opened = open_lent(file, kDataFlags | (for_writing ? O_RDWR : O_RDONLY));
  if (!opened.ok()) return Failed{opened.error()};
  std::shared_ptr<OpenFile> made = std::make_shared<PosixFile>(std::move(*opened));
  if (!write_only || lend) open_files_.keep(file, for_writing, made);  // else somebody might want to read from it
  return made;
}

}  // namespace headrace::forward
