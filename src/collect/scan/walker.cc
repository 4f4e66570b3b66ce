#include "collect/scan/walker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

namespace headrace::collect {

namespace {

constexpr size_t kLinks = 4096;  // handed over at a time
constexpr int kTries = 3;        // with a busy or stale handle

bool is_gone(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP; }

/// The file system's own list of what is in it moved on: seen again, it may be well.
bool may_pass(int error) { return error == ESTALE || error == EINTR || error == EAGAIN; }

}  // namespace

/// A descriptor of the directory that the group was found in; -1 with errno.
int Walker::parent_of(const PendingDirectory& next) {
  if (next.directory) return next.directory->get();
  const auto known = std::find_if(parents_.begin(), parents_.end(),
                                  [&](const auto& parent) { return parent.first == next.group->number; });
  if (known != parents_.end()) {
    std::rotate(known, known + 1, parents_.end());
    return parents_.back().second.get();
  }
  Descriptor opened = open_below(facts_.descriptors[next.group->root], next.group->parent);
  if (!opened) return -1;
  if (parents_.size() >= facts_.parents) parents_.erase(parents_.begin());
  parents_.emplace_back(next.group->number, std::move(opened));
  return parents_.back().second.get();
}

std::string Walker::full_path(const Here& here) const {
  const std::string& root = facts_.roots[here.at.root];
  if (here.at.path.empty()) return root.empty() ? "/" : root;
  return root + "/" + here.at.path;
}

void Walker::walk() {
  while (const std::optional<Work> next = crew_.next()) {
    if (next->open) {
      go_on(*next->open);
    } else {
      visit(next->directory);
    }
    flush_when_full();
  }
}

void Walker::visit(const PendingDirectory& next) {
  Here here;
  here.at.root = next.group->root;
  here.at.path = next.group->parent;
  if (!next.name.empty()) (here.at.path += here.at.path.empty() ? "" : "/") += next.name;
  const int parent = parent_of(next);
  if (parent < 0) {
    if (is_gone(errno))
      ++counts_.totals().vanished;
    else
      refuse(here, -1, next.name, errno);
    return;
  }
  if (enter(here, parent, next.name)) read(here);
}

void Walker::count_directory(const Here& here, const std::string& name) {
  counts_.add_inode(here.inode);
  if (!name.empty()) counts_.add_name(here.inode.owner, static_cast<int64_t>(name.size()));
  if (facts_.rows) rows_.add(full_path(here), here.inode);
}

bool Walker::enter(Here& here, int parent, const std::string& name) {
  Descriptor opened = open_directory(parent, name.empty() ? "." : name.c_str());
  for (int i = 1; !opened && may_pass(errno) && i < kTries; ++i)
    opened = open_directory(parent, name.empty() ? "." : name.c_str());
  if (!opened) {
    if (is_gone(errno))
      ++counts_.totals().vanished;
    else
      refuse(here, parent, name, errno);
    return false;
  }
  here.directory = std::make_shared<const Descriptor>(std::move(opened));
  bool is_mount = false;
  if (!look_at(here.descriptor(), "", facts_.start, here.inode, &is_mount)) {
    refuse(here, parent, name, errno);
    return false;
  }
  is_mount = !name.empty() && (is_mount || (!facts_.cross_mounts && here.inode.device != facts_.devices[here.at.root]));
  if (is_mount &&
      !(facts_.cross_mounts && crew_.enter_mount({here.inode.device, here.inode.number, here.at.root, here.at.path}))) {
    ++counts_.totals().mounts;
    return false;
  }
  here.at.device = here.inode.device;
  here.at.inode = here.inode.number;
  here.inode.owner.place = facts_.places->of(full_path(here));
  count_directory(here, name);
  return true;
}

/// A directory that cannot be opened still is one, or another file system's, which is not asked for.
void Walker::refuse(Here& here, int parent, const std::string& name, int error) {
  bool is_mount = false;
  if (parent >= 0 && look_at(parent, name.empty() ? "." : name.c_str(), facts_.start, here.inode, &is_mount)) {
    if (!name.empty() && !facts_.cross_mounts && (is_mount || here.inode.device != facts_.devices[here.at.root])) {
      ++counts_.totals().mounts;
      return;
    }
    here.inode.owner.place = facts_.places->of(full_path(here));
    count_directory(here, name);
  }
  ++counts_.totals().unreadable;
  crew_.problem(full_path(here), strerror(error));
}

void Walker::count(Here& here, const char* name, Inode& inode) {
  inode.owner.place = here.inode.owner.place;
  counts_.add_name(inode.owner, static_cast<int64_t>(strlen(name)));
  if (inode.type == FileType::kSymlink) {
    char first = '\0';
    inode.absolute = readlinkat(here.descriptor(), name, &first, 1) == 1 && first == '/';
  }
  if (facts_.rows) rows_.add(full_path(here) + (full_path(here) == "/" ? "" : "/") + name, inode);
  if (inode.links > 1) {
    links_.push_back(inode);
  } else {
    counts_.add_inode(inode);
  }
}

std::string Walker::path_of(const Here& here, const char* name) {
  return here.at.path + (here.at.path.empty() ? "" : "/") + name;
}

void Walker::look(Here& here, const Entry& entry) {
  ++here.at.entries;
  if (entry.type == DT_REG) ++here.at.files;
  if (entry.type == DT_DIR) {
    here.names.append(entry.name, strlen(entry.name) + 1);
    return;
  }
  Inode inode;
  bool is_mount = false;  // of a file: by mount --bind. Devices do not say so, as overlays have several
  bool seen = look_at(here.descriptor(), entry.name, facts_.start, inode, &is_mount);
  for (int i = 1; !seen && may_pass(errno) && i < kTries; ++i)
    seen = look_at(here.descriptor(), entry.name, facts_.start, inode, &is_mount);
  if (!seen && is_gone(errno)) {
    ++counts_.totals().vanished;
  } else if (!seen) {
    ++here.at.unseen;
    here.at.unseen_error = errno;
  } else if (inode.type == FileType::kDirectory) {  // the type was not said, or it is another one now
    here.names.append(entry.name, strlen(entry.name) + 1);
  } else if (is_mount && !(facts_.cross_mounts &&
                           crew_.enter_mount({inode.device, inode.number, here.at.root, path_of(here, entry.name)}))) {
    ++counts_.totals().mounts;
  } else {
    if (entry.type == DT_UNKNOWN && inode.type == FileType::kFile) ++here.at.files;
    count(here, entry.name, inode);
  }
}

void Walker::read(Here& here) {
  while (reader_.read(here.descriptor(), entries_)) {
    for (const Entry& entry : entries_) look(here, entry);
    seen_.fetch_add(static_cast<int64_t>(entries_.size()), std::memory_order_relaxed);
    if (!here.names.empty()) crew_.found(here.at.root, here.at.path, std::exchange(here.names, {}), here.directory);
    here.at.cookie = entries_.back().cookie;
    flush_when_full();
    if (crew_.is_to_rest() && !crew_.rest(here.at)) return;
  }
  end(here, errno);
}

void Walker::end(Here& here, int error) {
  if (error == ENOENT) {  // it was removed while it was read
    ++counts_.totals().vanished;
    error = 0;
  }
  if (error == 0 && here.at.unseen == 0) {
    counts_.add_directory(here.inode, here.at.entries, here.at.files);
    return;
  }
  ++counts_.totals().unreadable;
  if (error != 0) return crew_.problem(full_path(here), strerror(error));
  crew_.problem(full_path(here), std::to_string(here.at.unseen) + " of " + std::to_string(here.at.entries) +
                                     " entries cannot be looked at: " + strerror(here.at.unseen_error));
}

/// Whether there is something else now in the place of a directory, with errno.
bool Walker::is_another(const Here& here) {
  errno = ESTALE;
  return here.inode.device != here.at.device || here.inode.number != here.at.inode;
}

void Walker::go_on(const OpenDirectory& at) {
  Here here;
  here.at = at;
  here.directory = std::make_shared<const Descriptor>(open_below(facts_.descriptors[at.root], at.path));
  if (!*here.directory || !look_at(here.descriptor(), "", facts_.start, here.inode) || is_another(here) ||
      lseek(here.descriptor(), at.cookie, SEEK_SET) < 0) {
    const int error = errno;
    if (is_gone(error))
      ++counts_.totals().vanished;
    else
      ++counts_.totals().unreadable;
    if (!is_gone(error)) crew_.problem(full_path(here), std::string("the rest of it: ") + strerror(error));
    return;
  }
  here.inode.owner.place = facts_.places->of(full_path(here));
  read(here);
}

void Walker::flush_when_full() {
  if (links_.size() >= kLinks) crew_.hand_over(links_);
  if (rows_.full()) crew_.hand_over(rows_);
  if (counts_.owners() > kOwners) crew_.hand_over(counts_);
}

}  // namespace headrace::collect
