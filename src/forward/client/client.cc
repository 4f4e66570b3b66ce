#include "forward/client/client.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#include "forward/client/cutter.h"
#include "forward/client/memory_parts.h"
#include "forward/protocol/handle.h"

namespace headrace::forward {
namespace {

constexpr size_t kAtOnce = 4;  // calls of one transfer under way
constexpr uint32_t kListingBytes = 64 << 10;

Request request_of(Op op, const Handle& handle, std::string_view name = {}) {
  Request request;
  request.op = op;
  request.handle = handle;
  request.name = name;
  return request;
}

}  // namespace

base::Result<std::unique_ptr<Client>> Client::open(const std::vector<std::string>& addresses,
                                                   const WireOptions& options, uint32_t call_ms) {
  if (addresses.empty()) return base::Status(base::Code::kInvalid, "forwarding needs the address of a server");
  auto client = std::make_unique<Client>();
  for (const std::string& address : addresses) {
    HEADRACE_ASSIGN(std::unique_ptr<Channel> channel, Channel::open(address, options, call_ms));
    client->channels_.push_back(std::move(channel));
  }
  return client;
}

const OwnedRoot* Client::root_of(std::string_view path, std::string_view* rest) const {
  const OwnedRoot* best = nullptr;
  for (const OwnedRoot& root : roots()) {
    const bool below = path.starts_with(root.path) &&
                       (root.path.ends_with('/') || path.size() == root.path.size() || path[root.path.size()] == '/');
    if (!below || (best != nullptr && best->path.size() >= root.path.size())) continue;
    best = &root;
    *rest = path.substr(root.path.size());
    while (rest->starts_with('/')) rest->remove_prefix(1);
  }
  return best;
}

Channel& Client::channel_of(const Handle& handle) {
  if (channels_.size() == 1 || handle.size() < kHandleIdentityAt + kHandleIdentityBytes) return *channels_[0];
  return *channels_[hash_of_file(handle) % channels_.size()];
}

Outcome<Node> Client::node(const Request& request) {
  Pending pending;
  const Handle handle(request.handle.begin(), request.handle.end());
  if (const int error = channel_of(handle).call(request, &pending); error != 0) return Failed{error};
  return Node{{pending.reply.handle.begin(), pending.reply.handle.end()}, pending.reply.attributes};
}

Outcome<Attributes> Client::attributes(const Request& request) {
  Pending pending;
  const Handle handle(request.handle.begin(), request.handle.end());
  if (const int error = channel_of(handle).call(request, &pending); error != 0) return Failed{error};
  return pending.reply.attributes;
}

Outcome<Node> Client::lookup(const Handle& directory, std::string_view path, bool follow) {
  Request request = request_of(Op::kLookup, directory, path);
  request.flags = follow ? 0 : kNoFollow;
  return as_its_server_sees_it(directory, node(request));
}

Outcome<Node> Client::create(const Handle& directory, std::string_view path, uint32_t flags, uint32_t mode,
                             Hints hints) {
  Request request = request_of(Op::kCreate, directory, path);
  request.mode = mode;
  request.hints = hints;
  // Only the file's own server, which may be another one than the directory's, knows what is held of it.
  const bool one = channels_.size() == 1;
  request.flags = one ? flags : flags & ~kTruncate;
  auto made = as_its_server_sees_it(directory, node(request));
  if (one || !made.ok() || !(flags & kTruncate)) return made;
  const auto emptied = resize(made->handle, 0);
  if (!emptied.ok()) return Failed{emptied.error()};
  made->attributes = *emptied;
  return made;
}

/// What is held of a file is known to its own server alone, which may be another one than the directory's.
Outcome<Node> Client::as_its_server_sees_it(const Handle& directory, Outcome<Node> found) {
  if (!found.ok() || !S_ISREG(found->attributes.mode)) return found;
  if (&channel_of(found->handle) == &channel_of(directory)) return found;
  // Removed meanwhile: it was there when it was looked for.
  if (auto now = attributes(found->handle); now.ok()) found->attributes = *now;
  return found;
}

Outcome<Node> Client::mkdir(const Handle& directory, std::string_view path, uint32_t mode) {
  Request request = request_of(Op::kMkdir, directory, path);
  request.mode = mode;
  return node(request);
}

Outcome<Node> Client::symlink(const Handle& directory, std::string_view path, std::string_view target) {
  Request request = request_of(Op::kSymlink, directory, path);
  request.other_name = target;
  return node(request);
}

int Client::remove(const Handle& directory, std::string_view path, bool is_directory) {
  Request request = request_of(Op::kRemove, directory, path);
  request.flags = is_directory ? kDirectory : 0;
  Pending pending;
  return channel_of(directory).call(request, &pending);
}

int Client::rename(const Handle& from, std::string_view path, const Handle& to, std::string_view new_path,
                   bool replace) {
  Request request = request_of(Op::kRename, from, path);
  request.other_handle = to;
  request.other_name = new_path;
  request.flags = replace ? 0 : kNoReplace;
  Pending pending;
  return channel_of(from).call(request, &pending);
}

int Client::link(const Handle& file, const Handle& directory, std::string_view path) {
  Request request = request_of(Op::kLink, file);
  request.other_handle = directory;
  request.other_name = path;
  Pending pending;
  return channel_of(file).call(request, &pending);
}

Outcome<Attributes> Client::attributes(const Handle& file) { return attributes(request_of(Op::kGetattr, file)); }

Outcome<Attributes> Client::set_attributes(const Handle& file, uint32_t set, const Attributes& to) {
  Request request = request_of(Op::kSetattr, file);
  request.set = set;
  request.attributes = to;
  return attributes(request);
}

Outcome<Attributes> Client::resize(const Handle& file, uint64_t size) {
  Request request = request_of(Op::kResize, file);
  request.size = size;
  return attributes(request);
}

Outcome<std::string> Client::readlink(const Handle& file) {
  Pending pending;
  const int error = channel_of(file).call(request_of(Op::kReadlink, file), &pending);
  if (error != 0) return Failed{error};
  return std::string(pending.reply.text);
}

Outcome<std::vector<OwnedEntry>> Client::list(const Handle& directory) {
  std::vector<OwnedEntry> all;
  Request request = request_of(Op::kReaddir, directory);
  request.count = kListingBytes;
  for (bool at_end = false; !at_end;) {
    Pending pending;
    if (const int error = channel_of(directory).call(request, &pending); error != 0) return Failed{error};
    for (const Entry& entry : pending.reply.entries) {
      all.push_back({entry.inode, entry.type, std::string(entry.name)});
      request.cookie = entry.cookie;
    }
    at_end = pending.reply.at_end || pending.reply.entries.empty();
  }
  return all;
}

/// Keeps some calls under way; their answers are looked at in order. After an error no more are begun.
int Client::transfer(Op op, const Handle& file, std::span<const iovec> memory, std::span<const Extent> extents,
                     uint32_t flags, std::vector<uint64_t>* counts, std::vector<BadRange>* bad) {
  Channel& channel = channel_of(file);
  const std::vector<iovec> row(memory.begin(), memory.end());
  Cutter cutter(extents, std::min(kPiece, channel.most_data()));
  std::deque<std::pair<Pending, Cut>> under_way;
  uint64_t at = 0;
  int first_error = 0;
  while (!under_way.empty() || (!cutter.at_end() && first_error == 0)) {
    if (first_error == 0 && !cutter.at_end() && under_way.size() < kAtOnce) {
      auto& [pending, cut] = under_way.emplace_back(Pending(), cutter.next());
      Request request = request_of(op, file);
      request.flags = flags;
      request.extents = cut.extents;
      channel.submit(request, forward::cut(row, at, cut.bytes), cut.bytes, &pending);
      at += cut.bytes;
      continue;
    }
    auto& [pending, cut] = under_way.front();
    const int error = channel.wait(&pending);
    if (first_error == 0) first_error = error;
    if (bad != nullptr && error != 0) {
      if (pending.reply.bad.empty())
        for (const Extent& extent : cut.extents) bad->push_back({static_cast<uint32_t>(error), extent});
      bad->insert(bad->end(), pending.reply.bad.begin(), pending.reply.bad.end());
    }
    for (size_t i = 0; counts != nullptr && error == 0 && i < cut.extents.size(); ++i)
      (*counts)[cut.owners[i]] += pending.reply.counts.empty() ? cut.extents[i].length : pending.reply.counts[i];
    under_way.pop_front();
  }
  while (bad != nullptr && first_error != 0 && !cutter.at_end()) {
    for (const Extent& extent : cutter.next().extents) bad->push_back({static_cast<uint32_t>(first_error), extent});
  }
  return first_error;
}

Outcome<std::vector<uint64_t>> Client::read(const Handle& file, std::span<const iovec> memory,
                                            std::span<const Extent> extents) {
  std::vector<uint64_t> counts(extents.size());
  const int error = transfer(Op::kRead, file, memory, extents, 0, &counts, nullptr);
  if (error != 0) return Failed{error};
  return counts;
}

int Client::write(const Handle& file, std::span<const iovec> memory, std::span<const Extent> extents, uint32_t flags,
                  std::vector<BadRange>* bad) {
  return transfer(Op::kWrite, file, memory, extents, flags, nullptr, bad);
}

Outcome<uint64_t> Client::append(const Handle& file, std::span<const iovec> memory, uint32_t flags) {
  uint64_t bytes = 0;
  for (const iovec& each : memory) bytes += each.iov_len;
  Channel& channel = channel_of(file);
  Request request = request_of(Op::kAppend, file);
  request.flags = flags;
  request.size = bytes;
  Pending pending;
  // What is too large for one call gets its range first, and is then written there.
  const bool large = bytes > channel.most_data();
  if (large) request.flags |= kReserve;
  channel.submit(request, large ? std::vector<iovec>() : std::vector<iovec>(memory.begin(), memory.end()),
                 large ? 0 : bytes, &pending);
  if (const int error = channel.wait(&pending); error != 0) return Failed{error};
  const uint64_t offset = pending.reply.size;
  const Extent where{offset, bytes};
  if (large) {
    if (const int error = write(file, memory, {&where, 1}, flags); error != 0) return Failed{error};
  }
  return offset;
}

int Client::commit(const Handle& file, Extent range, std::vector<BadRange>* bad, uint32_t flags) {
  Request request = request_of(Op::kCommit, file);
  request.range = range;
  request.flags = flags;
  Pending pending;
  const int error = channel_of(file).call(request, &pending);
  if (bad != nullptr) *bad = pending.reply.bad;
  if (pending.error != 0) return error;
  const bool whole = range.offset == 0 && range.length == 0;
  if (!channel_of(file).uncommitted().was_lost(pending.file, pending.instance, whole)) return error;
  if (bad != nullptr) bad->push_back({EIO, range});
  return error != 0 ? error : EIO;
}

Outcome<Client::LockAnswer> Client::lock(const Handle& file, const LockAsked& asked) {
  Request request = request_of(Op::kLock, file);
  request.flags = asked.flags;
  request.owner = asked.owner;
  request.opener = asked.opener;
  request.cookie = static_cast<uint64_t>(getpid());
  request.range = asked.range;
  Pending pending;
  if (const int error = channel_of(file).call(request, &pending); error != 0) return Failed{error};
  LockAnswer answer{pending.reply.granted, {}, false, pending.reply.size};
  if (answer.granted) return answer;
  if (pending.reply.bad.empty()) return Failed{EPROTO};
  answer.range = pending.reply.bad[0].where;
  answer.exclusive = pending.reply.bad[0].error == kExclusively;
  return answer;
}

Outcome<std::string> Client::status(size_t server) {
  Pending pending;
  const int error = channels_[server]->call(request_of(Op::kStatus, {}), &pending);
  if (error != 0) return Failed{error};
  return std::string(pending.reply.text);
}

}  // namespace headrace::forward
