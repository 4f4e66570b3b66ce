#include "forward/backend/memory.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>

#include "forward/backend/path.h"

namespace headrace::forward {
namespace {

constexpr int kMostSymbolicLinks = 40;
constexpr size_t kLongestName = 255;
constexpr uint32_t kBlockBytes = 64 << 10;

}  // namespace

MemoryBackend::MemoryBackend(std::string root, uint64_t capacity)
    : room_(capacity), root_path_(std::move(root)), root_(std::make_shared<Node>()) {
  Attributes& own = root_->attributes;
  own.mode = S_IFDIR | 0755;
  own.links = 2;
  own.user = geteuid();
  own.group = getegid();
  own.inode = 1;
  own.born = own.modified = own.changed = own.accessed = time_now();
  root_->parent = root_.get();
  nodes_[1] = root_;
}

/// Leads along a path as the kernel would; `node` is null where there is nothing of the last name.
Outcome<MemoryBackend::Spot> MemoryBackend::walk(Place place, bool follow) {
  if (place.path.starts_with('/')) return Failed{EINVAL};
  const auto start = node_of(place.directory);
  if (!start.ok()) return Failed{start.error()};
  Spot spot{nullptr, *start, ""};
  std::deque<std::string> left;
  for (const std::string_view part : parts_of(place.path)) left.emplace_back(part);
  if (place.path.ends_with('/') && !left.empty()) left.emplace_back(".");
  int links = 0;
  while (!left.empty()) {
    const std::string part = left.front();
    left.pop_front();
    if (spot.node == nullptr) return Failed{ENOENT};
    if (!S_ISDIR(spot.node->attributes.mode)) return Failed{ENOTDIR};
    if (part.size() > kLongestName) return Failed{ENAMETOOLONG};
    if (part == ".") continue;
    if (part == "..") {
      if (spot.node == root_) return Failed{EXDEV};
      const auto above = nodes_[spot.node->parent->attributes.inode].lock();
      if (above == nullptr) return Failed{ENOENT};
      spot = {nullptr, above, ""};
      continue;
    }
    const auto entry = spot.node->entries.find(part);
    spot = {spot.node, entry == spot.node->entries.end() ? nullptr : entry->second, part};
    if (spot.node == nullptr || !S_ISLNK(spot.node->attributes.mode) || (left.empty() && !follow)) continue;
    if (++links > kMostSymbolicLinks) return Failed{ELOOP};
    std::string_view rest = spot.node->target;
    const bool absolute = rest.starts_with('/');
    if (absolute && !below(rest, root_path_, &rest)) return Failed{EXDEV};
    const auto parts = parts_of(rest);
    for (auto each = parts.rbegin(); each != parts.rend(); ++each) left.emplace_front(*each);
    spot = {nullptr, absolute ? root_ : spot.directory, ""};
  }
  return spot;
}

Outcome<std::shared_ptr<MemoryBackend::Node>> MemoryBackend::node_of(const File& file) {
  if (file.path.empty()) return root_;
  const auto found = nodes_.find(file.inode);
  auto node = found == nodes_.end() ? nullptr : found->second.lock();
  if (file.root != 0 || node == nullptr || node->attributes.born != file.born) return Failed{ESTALE};
  return node;
}

/// A place where something can be made: nothing is there, and its directory is.
Outcome<std::shared_ptr<MemoryBackend::Node>> MemoryBackend::empty_spot(Place place, Spot* spot) {
  while (place.path.ends_with('/')) place.path.remove_suffix(1);
  auto there = walk(place, false);
  if (!there.ok()) return Failed{there.error()};
  if (there->node != nullptr) return Failed{EEXIST};
  if (there->directory->attributes.links == 0) return Failed{ENOENT};  // it was removed
  *spot = *there;
  return there->directory;
}

std::shared_ptr<MemoryBackend::Node> MemoryBackend::add(Spot& spot, uint32_t mode) {
  auto node = std::make_shared<Node>();
  Attributes& own = node->attributes;
  own = root_->attributes;
  own.mode = mode;
  own.links = S_ISDIR(mode) ? 2 : 1;
  own.inode = ++last_inode_;
  own.size = 0;
  own.born = own.modified = own.changed = own.accessed = time_now();
  own.block_size = kBlockBytes;
  if (S_ISDIR(mode)) {
    node->parent = spot.directory.get();
    ++spot.directory->attributes.links;
  }
  if (S_ISREG(mode)) node->bytes = new_file();
  nodes_[own.inode] = node;
  spot.directory->entries[spot.name] = node;
  spot.directory->attributes.modified = own.born;
  return node;
}

Attributes MemoryBackend::now_of(const Node& node) const {
  Attributes attributes = node.attributes;
  if (node.bytes == nullptr) {
    attributes.size = node.target.size();
    return attributes;
  }
  const auto bytes = node.bytes->attributes();
  attributes.size = bytes->size;
  attributes.blocks = bytes->blocks;
  attributes.modified = std::max(attributes.modified, bytes->modified);
  return attributes;
}

Found MemoryBackend::found(Place place, const std::shared_ptr<Node>& node) const {
  File file = place.directory;
  file.path = join_path(file.path, place.path);
  if (node == root_) return {root_file(0), now_of(*node)};
  file.type = static_cast<uint8_t>(IFTODT(node->attributes.mode));
  file.inode = node->attributes.inode;
  file.born = node->attributes.born;
  return {std::move(file), now_of(*node)};
}

Outcome<Found> MemoryBackend::lookup(Place place, bool follow) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto spot = walk(place, follow);
  if (!spot.ok()) return Failed{spot.error()};
  if (spot->node == nullptr) return Failed{ENOENT};
  return found(place, spot->node);
}

Outcome<Found> MemoryBackend::create(Place place, const CreateOptions& options) {
  const uint32_t type = type_to_create(options.mode);
  if (type == 0) return Failed{EPERM};
  const bool exclusive = (options.flags & kExclusive) || type != S_IFREG;
  const std::lock_guard<std::mutex> lock(mutex_);
  auto spot = walk(place, !exclusive);
  if (!spot.ok()) return Failed{spot.error()};
  if (spot->node == nullptr) {
    if (place.path.ends_with('/')) return Failed{EISDIR};
    return found(place, add(*spot, type | (options.mode & 07777)));
  }
  if (exclusive) return Failed{EEXIST};
  if (S_ISDIR(spot->node->attributes.mode)) return Failed{EISDIR};
  if ((options.flags & kTruncate) && spot->node->bytes != nullptr) spot->node->bytes->resize(0);
  return found(place, spot->node);
}

Outcome<Found> MemoryBackend::mkdir(Place place, uint32_t mode) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Spot spot;
  if (const auto directory = empty_spot(place, &spot); !directory.ok()) return Failed{directory.error()};
  return found(place, add(spot, S_IFDIR | (mode & 07777)));
}

Outcome<Found> MemoryBackend::symlink(Place place, std::string_view target) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Spot spot;
  if (target.empty()) return Failed{ENOENT};
  if (const auto directory = empty_spot(place, &spot); !directory.ok()) return Failed{directory.error()};
  const auto node = add(spot, S_IFLNK | 0777);
  node->target = target;
  return found(place, node);
}

/// Takes a name out of its directory; the node lives on while somebody has it open.
int MemoryBackend::drop(const Spot& spot) {
  const bool directory = S_ISDIR(spot.node->attributes.mode);
  if (directory && !spot.node->entries.empty()) return ENOTEMPTY;
  spot.node->attributes.links = directory ? 0 : spot.node->attributes.links - 1;
  spot.node->attributes.changed = spot.directory->attributes.modified = time_now();
  if (directory) --spot.directory->attributes.links;
  if (spot.node->attributes.links == 0) nodes_.erase(spot.node->attributes.inode);
  spot.directory->entries.erase(spot.name);
  return 0;
}

int MemoryBackend::remove(Place place, bool directory, std::optional<File>*) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto spot = walk(place, false);
  if (!spot.ok()) return spot.error();
  if (spot->node == nullptr) return ENOENT;
  if (spot->directory == nullptr) return directory ? EBUSY : EISDIR;
  const bool is_directory = S_ISDIR(spot->node->attributes.mode);
  if (is_directory != directory) return directory ? ENOTDIR : EISDIR;
  return drop(*spot);
}

int MemoryBackend::rename(Place from, Place to, bool replace, std::optional<File>*) {
  const std::lock_guard<std::mutex> lock(mutex_);
  while (to.path.ends_with('/')) to.path.remove_suffix(1);
  const auto source = walk(from, false);
  auto target = walk(to, false);
  if (!source.ok()) return source.error();
  if (!target.ok()) return target.error();
  if (source->node == nullptr) return ENOENT;
  if (source->directory == nullptr || target->directory == nullptr) return EBUSY;
  const bool moves_directory = S_ISDIR(source->node->attributes.mode);
  if (moves_directory) {  // not into itself
    for (Node* above = target->directory.get();; above = above->parent) {
      if (above == source->node.get()) return EINVAL;
      if (above == root_.get()) break;
    }
  }
  if (target->node != nullptr) {
    if (!replace) return EEXIST;
    if (target->node == source->node) return 0;
    const bool over_directory = S_ISDIR(target->node->attributes.mode);
    if (over_directory != moves_directory) return over_directory ? EISDIR : ENOTDIR;
    if (const int error = drop(*target); error != 0) return error;
  }
  target->directory->entries[target->name] = source->node;
  source->directory->entries.erase(source->name);
  if (moves_directory) {
    --source->directory->attributes.links;
    ++target->directory->attributes.links;
    source->node->parent = target->directory.get();
  }
  source->node->attributes.changed = target->directory->attributes.modified = time_now();
  source->directory->attributes.modified = target->directory->attributes.modified;
  return 0;
}

int MemoryBackend::link(const File& file, Place to) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto node = node_of(file);
  if (!node.ok()) return node.error();
  if (S_ISDIR((*node)->attributes.mode)) return EPERM;
  Spot spot;
  if (const auto directory = empty_spot(to, &spot); !directory.ok()) return directory.error();
  spot.directory->entries[spot.name] = *node;
  ++(*node)->attributes.links;
  (*node)->attributes.changed = spot.directory->attributes.modified = time_now();
  return 0;
}

Outcome<Attributes> MemoryBackend::attributes(const File& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto node = node_of(file);
  if (!node.ok()) return Failed{node.error()};
  return now_of(**node);
}

Outcome<Space> MemoryBackend::space(const File& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto node = node_of(file);
  if (!node.ok()) return Failed{node.error()};
  return Space{.bytes = room_.capacity(), .free = room_.left(), .available = room_.left()};
}

int MemoryBackend::set_attributes(const File& file, uint32_t set, const Attributes& to) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto node = node_of(file);
  if (!node.ok()) return node.error();
  Attributes& own = (*node)->attributes;
  own.changed = time_now();
  if (set & kSetMode) own.mode = (own.mode & S_IFMT) | (to.mode & 07777);
  if (set & kSetUser) own.user = to.user;
  if (set & kSetGroup) own.group = to.group;
  if (set & kSetAccessed) own.accessed = to.accessed == kTimeNow ? own.changed : to.accessed;
  if (set & kSetModified) {
    own.modified = to.modified == kTimeNow ? own.changed : to.modified;
    if ((*node)->bytes != nullptr) (*node)->bytes->forget_time();
  }
  return 0;
}

Outcome<std::string> MemoryBackend::readlink(const File& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto node = node_of(file);
  if (!node.ok()) return Failed{node.error()};
  if (!S_ISLNK((*node)->attributes.mode)) return Failed{EINVAL};
  return (*node)->target;
}

/// Entries come in the order of their inodes, whose numbers only grow: a cookie is the inode that was last, so what is
/// made or removed meanwhile neither hides nor doubles another entry. Two names of one file come together.
Outcome<Listing> MemoryBackend::list(const File& directory, uint64_t cookie, size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto node = node_of(directory);
  if (!node.ok()) return Failed{node.error()};
  if (!S_ISDIR((*node)->attributes.mode)) return Failed{ENOTDIR};
  std::multimap<uint64_t, std::pair<std::string_view, const Node*>> rows;
  rows.insert({1, {".", node->get()}});
  rows.insert({1, {"..", (*node)->parent}});
  for (const auto& [name, each] : (*node)->entries) rows.insert({each->attributes.inode + 1, {name, each.get()}});
  Listing listing;
  size_t room = 0;
  auto row = rows.upper_bound(cookie), end = row;
  for (; end != rows.end(); ++end) {
    const bool new_inode = end != row && std::prev(end)->first != end->first;
    if (new_inode && room + end->second.first.size() + sizeof(Entry) > bytes) break;
    room += end->second.first.size() + sizeof(Entry);
  }
  listing.at_end = row == rows.end();
  listing.bytes.reserve(room);
  for (; row != end; ++row) {
    const auto& [name, each] = row->second;
    const size_t at = listing.bytes.size();
    listing.bytes.insert(listing.bytes.end(), name.begin(), name.end());
    listing.entries.push_back({each->attributes.inode, row->first, static_cast<uint8_t>(IFTODT(each->attributes.mode)),
                               std::string_view(listing.bytes.data() + at, name.size())});
  }
  return listing;
}

Outcome<std::shared_ptr<OpenFile>> MemoryBackend::open(const File& file, bool) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto node = node_of(file);
  if (!node.ok()) return Failed{node.error()};
  if ((*node)->bytes == nullptr) return Failed{S_ISDIR((*node)->attributes.mode) ? EISDIR : EINVAL};
  return std::shared_ptr<OpenFile>((*node)->bytes);
}

}  // namespace headrace::forward
