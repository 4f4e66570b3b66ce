#include "forward/mount/items.h"

#include <sys/stat.h>

#include <algorithm>

#include "forward/protocol/handle.h"

namespace headrace::forward::mount {
namespace {

constexpr size_t kDeepest = 2048;  // a path of 4,095 bytes has no more parts
constexpr size_t kMostNames = 16;  // of one file; more are found again when they are asked for

}  // namespace

std::string key_of(const Handle& handle) {
  constexpr size_t begin = kHandleIdentityAt - 1;  // the type is in front
  if (handle.size() < begin + 1 + kHandleIdentityBytes) return "";
  return {reinterpret_cast<const char*>(handle.data()) + begin, 1 + kHandleIdentityBytes};
}

Items::Items(Handle root) {
  const auto item = std::make_shared<Item>(kRootId, key_of(root), true);
  item->handle_ = std::make_shared<const Handle>(std::move(root));
  item->lookups_ = 1;
  by_id_[kRootId] = item;
  by_key_[item->key] = item;
}

ItemRef Items::find(uint64_t id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

ItemRef Items::found(uint64_t directory, std::string_view name, const Node& node) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ItemRef& item = by_key_[key_of(node.handle)];
  if (item == nullptr) {
    item = std::make_shared<Item>(++last_id_, key_of(node.handle), S_ISDIR(node.attributes.mode));
    by_id_[item->id] = item;
  }
  ++item->lookups_;
  item->handle_ = std::make_shared<const Handle>(node.handle);
  const Name now(directory, name);
  const auto known = by_name_.find(now);
  if (known != by_name_.end() && known->second != item) drop_name(now);
  by_name_[now] = item;
  std::erase(item->names_, now);
  item->names_.push_back(now);
  if (item->names_.size() > kMostNames || (item->is_directory && item->names_.size() > 1)) drop_name(item->names_[0]);
  return item;
}

/// A copy, since what is dropped may be what is referred to.
void Items::drop_name(const Name& name) {
  const Name dropped = name;
  const auto known = by_name_.find(dropped);
  if (known == by_name_.end()) return;
  std::erase(known->second->names_, dropped);
  by_name_.erase(known);
}

void Items::release(const ItemRef& item) {
  for (const Name& name : item->names_) by_name_.erase(name);
  item->names_.clear();
  for (auto child = by_name_.lower_bound({item->id, ""}); child != by_name_.end() && child->first.first == item->id;) {
    std::erase(child->second->names_, child->first);
    child = by_name_.erase(child);
  }
  const auto same = by_key_.find(item->key);
  if (same != by_key_.end() && same->second == item) by_key_.erase(same);
  by_id_.erase(item->id);
}

void Items::forget(uint64_t id, uint64_t times) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || id == kRootId) return;
  const ItemRef item = found->second;
  item->lookups_ -= std::min(item->lookups_, times);
  if (item->lookups_ == 0) release(item);
}

ItemRef Items::gone(uint64_t directory, std::string_view name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = by_name_.find({directory, std::string(name)});
  if (known == by_name_.end()) return nullptr;
  const ItemRef item = known->second;
  drop_name(known->first);
  return item;
}

void Items::renamed(uint64_t directory, std::string_view name, uint64_t to, std::string_view new_name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = by_name_.find({directory, std::string(name)});
  const ItemRef item = known == by_name_.end() ? nullptr : known->second;
  const Name now(to, new_name);
  if (item != nullptr) drop_name(known->first);
  drop_name(now);
  if (item == nullptr) return;
  by_name_[now] = item;
  item->names_.push_back(now);
}

ItemRef Items::known(uint64_t directory, std::string_view name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = by_name_.find({directory, std::string(name)});
  return known == by_name_.end() ? nullptr : known->second;
}

void Items::set_removed(const ItemRef& item) {
  const std::lock_guard<std::mutex> lock(mutex_);
  item->removed = true;
  const auto same = by_key_.find(item->key);
  if (same != by_key_.end() && same->second == item) by_key_.erase(same);
}

HandleRef Items::handle(const Item& item) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return item.handle_;
}

bool Items::set_handle(Item& item, Handle handle) {
  if (key_of(handle) != item.key) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  item.handle_ = std::make_shared<const Handle>(std::move(handle));
  return true;
}

std::optional<std::string> Items::path(const Item& item) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string path;
  const Item* at = &item;
  for (size_t depth = 0; at->id != kRootId; ++depth) {
    if (at->names_.empty() || depth == kDeepest) return std::nullopt;
    const auto& [directory, name] = at->names_.back();
    path = path.empty() ? name : name + "/" + path;
    const auto parent = by_id_.find(directory);
    if (parent == by_id_.end()) return std::nullopt;
    at = parent->second.get();
  }
  return path;
}

std::vector<ItemRef> Items::all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ItemRef> items;
  for (const auto& [id, item] : by_id_) items.push_back(item);
  return items;
}

}  // namespace headrace::forward::mount
