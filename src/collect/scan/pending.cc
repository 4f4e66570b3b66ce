#include "collect/scan/pending.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "collect/scan/files.h"

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;

namespace {

uint64_t bytes_of(const PendingGroup& group) { return group.parent.size() + group.names.size() + sizeof group; }

void put(std::string& to, uint64_t number) { to.append(reinterpret_cast<const char*>(&number), sizeof number); }

/// Of our own file, which nobody else can write to.
uint64_t take(const std::string& from, size_t& at) {
  uint64_t number = 0;
  memcpy(&number, from.data() + at, sizeof number);
  at += sizeof number;
  return number;
}

}  // namespace

Pending::Pending(std::string place, uint64_t limit) : place_(std::move(place)), limit_(limit) {}

Pending::~Pending() {
  if (file_ >= 0) close(file_);
}

Status Pending::push(uint32_t root, std::string parent, std::string names,
                     std::shared_ptr<const Descriptor> directory) {
  if (names.empty()) return {};
  auto group = std::make_shared<PendingGroup>(
      PendingGroup{next_++, root, std::move(parent), std::move(names), std::move(directory)});
  bytes_ += bytes_of(*group);
  groups_.push_back(std::move(group));
  if (groups_.size() > kDescriptors) groups_[groups_.size() - kDescriptors - 1]->directory.reset();
  return bytes_ > limit_ && groups_.size() > 1 ? spill() : Status();
}

Result<PendingDirectory> Pending::pop() {
  if (groups_.empty()) HEADRACE_TRY(load());
  const std::shared_ptr<PendingGroup>& group = groups_.back();
  std::string& names = group->names;
  names.pop_back();
  const size_t begin = names.rfind('\0') + 1;  // npos + 1 is 0
  PendingDirectory found = {group, names.substr(begin), group->directory};
  bytes_ -= names.size() + 1 - begin;
  names.resize(begin);
  if (names.empty()) {
    bytes_ -= bytes_of(*group);
    groups_.pop_back();
  }
  return found;
}

/// The older half.
Status Pending::spill() {
  if (file_ < 0) {
    HEADRACE_ASSIGN(file_, open_unnamed(place_));
  }
  std::string block;
  uint64_t left = bytes_ / 2;
  while (groups_.size() > 1 && left > 0) {
    const PendingGroup& group = *groups_.front();
    put(block, group.root);
    put(block, group.parent.size());
    put(block, group.names.size());
    block += group.parent + group.names;
    bytes_ -= bytes_of(group);
    left -= std::min(left, bytes_of(group));
    groups_.pop_front();
  }
  HEADRACE_TRY(write_at(file_, block.data(), block.size(), end_, place_));
  blocks_.push_back({end_, block.size()});
  end_ += block.size();
  return {};
}

Status Pending::read(const Block& block, std::vector<PendingGroup>& groups) const {
  std::string bytes(block.length, '\0');
  HEADRACE_TRY(read_at(file_, bytes.data(), bytes.size(), block.offset, place_));
  for (size_t at = 0; at < bytes.size();) {
    PendingGroup& group = groups.emplace_back();
    group.root = static_cast<uint32_t>(take(bytes, at));
    const size_t parent = take(bytes, at), names = take(bytes, at);
    group.parent = bytes.substr(at, parent);
    group.names = bytes.substr(at + parent, names);
    at += parent + names;
  }
  return {};
}

Status Pending::load() {
  std::vector<PendingGroup> found;
  HEADRACE_TRY(read(blocks_.back(), found));
  end_ = blocks_.back().offset;
  blocks_.pop_back();
  for (PendingGroup& group : found) {
    group.number = next_++;
    bytes_ += bytes_of(group);
    groups_.push_back(std::make_shared<PendingGroup>(std::move(group)));
  }
  return {};
}

Status Pending::each(const std::function<Status(const PendingGroup&)>& take) const {
  for (const Block& block : blocks_) {
    std::vector<PendingGroup> found;
    HEADRACE_TRY(read(block, found));
    for (const PendingGroup& group : found) HEADRACE_TRY(take(group));
  }
  for (const auto& group : groups_) HEADRACE_TRY(take(*group));
  return {};
}

}  // namespace headrace::collect
