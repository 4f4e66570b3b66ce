// The files and directories that the kernel knows of a mount, by its numbers for them.
//
// A file keeps its number under all its names, so that the kernel has one set of pages for it. A handle of a server has
// the path in it that the file was found by; when that leads elsewhere by now, the names known here find it again.
// Names that others changed are forgotten when the kernel asks for them. Safe in any thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forward/client/client.h"
#include "forward/mount/writes.h"

namespace headrace::forward::mount {

using HandleRef = std::shared_ptr<const Handle>;

inline constexpr uint64_t kRootId = 1;  // the kernel's number of the directory that is mounted

struct Item {
  Item(uint64_t id, std::string key, bool directory) : id(id), key(std::move(key)), is_directory(directory) {}

  const uint64_t id;
  const std::string key;  // the same for every handle of the file
  const bool is_directory;

  Writes writes;
  std::atomic<unsigned> opens = 0;
  std::atomic<bool> removed = false;  // its last name, through this mount

  std::mutex mutex;                   // of what follows
  uint64_t losses = 0;                // commits that told of some
  int loss_error = 0;                 // of the last one
  std::string loss_words;             // which no close() has told of yet
  Attributes last;                    // for one that is removed
  std::optional<std::string> target;  // of a symbolic link, which never changes
  std::set<Nonce> lockers;            // owners of locks of ranges

 private:
  friend class Items;                             // needs its lock
  using Name = std::pair<uint64_t, std::string>;  // of a directory's number, and in it
  HandleRef handle_;
  uint64_t lookups_ = 0;
  std::vector<Name> names_;  // the surest last
};
using ItemRef = std::shared_ptr<Item>;

class Items {
 public:
  explicit Items(Handle root);

  /// Null: the kernel knows no such number.
  ItemRef find(uint64_t id) const;
  /// What a name led to. The kernel is told of it, and will forget() it.
  ItemRef found(uint64_t directory, std::string_view name, const Node& node);
  void forget(uint64_t id, uint64_t times);
  /// A name does not lead anywhere; gives what it led to.
  ItemRef gone(uint64_t directory, std::string_view name);
  /// `name` leads to what this name led to.
  void renamed(uint64_t directory, std::string_view name, uint64_t to, std::string_view new_name);
  /// What is known of a name, without asking anybody.
  ItemRef known(uint64_t directory, std::string_view name) const;
  /// A new file with the same inode number is not this one.
  void set_removed(const ItemRef& item);

  HandleRef handle(const Item& item) const;
  /// False: the handle is of another file.
  bool set_handle(Item& item, Handle handle);
  /// Below the root; nothing when no name is known that leads there.
  std::optional<std::string> path(const Item& item) const;
  std::vector<ItemRef> all() const;

 private:
  using Name = Item::Name;
  void drop_name(const Name& name);
  void release(const ItemRef& item);

  mutable std::mutex mutex_;
  uint64_t last_id_ = kRootId;
  std::unordered_map<uint64_t, ItemRef> by_id_;
  std::unordered_map<std::string, ItemRef> by_key_;
  std::map<Name, ItemRef> by_name_;
};

/// What is the same in all handles of a file; "" of one that is too short.
std::string key_of(const Handle& handle);

}  // namespace headrace::forward::mount
