#include "forward/mount/mount.h"

#include <string.h>
#include <sys/stat.h>

#include "forward/mount/locks.h"
#include "forward/program/attributes.h"

namespace headrace::forward::mount {
namespace {

/// `path` below `to` when it is below `from`.
std::string moved(std::string path, const std::string& from, const std::string& to) {
  const bool below = path.starts_with(from) && (path.size() == from.size() || path[from.size()] == '/');
  return below ? to + path.substr(from.size()) : path;
}

}  // namespace

Mount::Mount(Upstream& servers, std::string mountpoint)
    : servers_(servers),
      mountpoint_(std::move(mountpoint)),
      items_(servers.root()),
      locks_(std::make_unique<LockWaiter>(*this)) {}

Mount::~Mount() = default;

std::string Mount::target_here(std::string target) const {
  return moved(std::move(target), servers_.directory(), mountpoint_);
}

std::string Mount::target_there(std::string target) const {
  return moved(std::move(target), mountpoint_, servers_.directory());
}

/// Finds the file by the names that are known here. False: it is not there, or another one is.
bool Mount::refresh(Item& item) {
  if (item.removed) return false;
  if (item.id == kRootId) {
    auto root = servers_.find_root();
    return root.ok() && items_.set_handle(item, std::move(*root));
  }
  const auto path = items_.path(item);
  const ItemRef root = items_.find(kRootId);
  if (!path.has_value()) return false;
  auto node = client().lookup(*items_.handle(*root), *path, false);
  if (node.error() == ESTALE && refresh(*root)) node = client().lookup(*items_.handle(*root), *path, false);
  return node.ok() && items_.set_handle(item, std::move(node->handle));
}

Outcome<Attributes> Mount::attributes(Item& item) {
  auto attributes = on(item, [this](const Handle& handle) { return client().attributes(handle); });
  if (attributes.error() != ESTALE || !item.removed) return attributes;
  const std::lock_guard<std::mutex> lock(item.mutex);
  item.last.links = 0;
  return item.last;
}

void Mount::fill(Item& item, const Attributes& attributes, struct stat* into) {
  program::fill(attributes, 0, into);
  if (!S_ISLNK(attributes.mode)) return;
  // Its length is that of the target as it is named here. It is read once only: reading changes the link's own times.
  const std::lock_guard<std::mutex> lock(item.mutex);
  if (!item.target.has_value()) {
    const auto target = on(item, [this](const Handle& handle) { return client().readlink(handle); });
    if (!target.ok()) return;
    item.target = *target;
  }
  into->st_size = static_cast<off_t>(target_here(*item.target).size());
}

int Mount::commit(Item& item, Opened* opened, uint32_t flags) {
  const uint64_t begun = item.writes.now();
  bool answered = false;  // by every server: what one that is silent holds is asked for again
  std::vector<BadRange> bad;
  int error = on(item, [&](const Handle& handle) { return client().commit(handle, {}, &bad, flags, &answered); });
  if (error == ESTALE && item.removed) error = 0;  // nobody can want it any more
  if (answered) item.writes.settle(begun);         // what is lost is told, and not tried again
  if (error != 0) {
    const std::string words = answered || !bad.empty() ? lost_in_words(name_of(item), error, bad) : "";
    const std::lock_guard<std::mutex> lock(item.mutex);
    ++item.losses;
    item.loss_error = error;
    if (!words.empty()) item.loss_words += (item.loss_words.empty() ? "" : "\n") + words;
  }
  return opened == nullptr ? error : untold(*opened);
}

int Mount::untold(Opened& opened) {
  Item& item = *opened.item;
  const std::lock_guard<std::mutex> lock(item.mutex);
  return std::exchange(opened.losses, item.losses) != item.losses ? item.loss_error : 0;
}

void Mount::tell_of_loss(Item& item) {
  std::string words;
  {
    const std::lock_guard<std::mutex> lock(item.mutex);
    words.swap(item.loss_words);
  }
  if (words.empty()) return;
  servers_.say(words);
  lost_.add(std::move(words));
}

void Mount::ask_later(const ItemRef& item) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(unsettled_, [](const auto& each) { return !each.first->writes.unsettled(); });
  unsettled_.insert_or_assign(item, name_of(*item));
}

std::vector<std::string> Mount::commit_all() {
  std::vector<std::string> unknown;
  std::map<ItemRef, std::string> items;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    items.swap(unsettled_);
  }
  for (const ItemRef& item : items_.all()) items.try_emplace(item, name_of(*item));
  for (const auto& [item, name] : items) {
    if (!item->writes.unsettled()) continue;
    const int error = commit(*item, nullptr, kNoSync);
    if (error == 0) continue;
    tell_of_loss(*item);
    if (item->writes.unsettled())
      unknown.push_back(name + ": whether all that was written is stored is not known: " + strerror(error));
  }
  return unknown;
}

std::string Mount::name_of(const Item& item) const { return items_.path(item).value_or("a removed file"); }

}  // namespace headrace::forward::mount
