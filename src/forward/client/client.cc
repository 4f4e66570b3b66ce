#include "forward/client/client.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#include "forward/protocol/handle.h"

namespace headrace::forward {
namespace {

constexpr uint32_t kListingBytes = 64 << 10;

Request request_of(Op op, const Handle& handle, std::string_view name = {}) {
  Request request;
  request.op = op;
  request.handle = handle;
  request.name = name;
  return request;
}

/// Several servers are told apart, once it is known which of them have to know.
void with_opening(const Client::Opening* opening, bool alone, Request* request) {
  if (opening == nullptr) return;
  if (alone) request->flags |= kOpens | (opening->writes ? kWrites : 0);
  request->owner = opening->owner;
}

std::string in_words(const Placement& placement) {
  return std::string("--place ") + placing_name(placement.place) + " --stripe-size " +
         std::to_string(placement.stripe) + (placement.holds ? "" : " --write-through");
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
  HEADRACE_TRY(client->agree());
  return client;
}

/// Servers that place differently would each have a part of the truth.
base::Status Client::agree() {
  const Placement& first = channels_[0]->placement();
  std::vector<size_t> near;
  for (size_t i = 0; i < channels_.size(); ++i) {
    const Placement& each = channels_[i]->placement();
    if (!each.agrees(first))
      return {base::Code::kInvalid, "the servers do not agree: " + channels_[0]->address() + " has " + in_words(first) +
                                        ", " + channels_[i]->address() + " has " + in_words(each) +
                                        "; start all servers of a job with the same"};
    if (each.node == this_node()) near.push_back(i);
  }
  // All processes of a node have to choose the same.
  const uint64_t node = this_node();
  const size_t own = near.empty() ? node % channels_.size() : near[node % near.size()];
  layout_ = Layout(first, channels_.size(), own);
  return {};
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

/// All that may be asked for a file's bytes or attributes.
std::vector<size_t> Client::users_of(const Handle& file) const {
  std::vector<size_t> users;
  const uint64_t hash = hash_of_file(file);
  for (size_t i = 0; i < channels_.size(); ++i) {
    if (i == layout_.home(hash) || i == layout_.front(hash) || layout_.owns_of(hash, i, 0, 0)) users.push_back(i);
  }
  return users;
}

Outcome<Attributes> Client::opened(const Handle& file, const Opening& opening) {
  Request request = request_of(Op::kOpened, file);
  request.flags = kOpens | (opening.writes ? kWrites : 0);
  request.owner = opening.owner;
  const std::vector<size_t> users = users_of(file);
  const size_t front = layout_.front(hash_of_file(file));
  std::deque<Pending> asked(users.size());
  for (size_t i = 0; i < users.size(); ++i) channels_[users[i]]->submit(request, {}, 0, &asked[i]);
  Outcome<Attributes> result = Failed{EPROTO};
  for (size_t i = 0; i < users.size(); ++i) {
    const int error = channels_[users[i]]->wait(&asked[i]);
    if (users[i] != front) continue;
    result = error == 0 ? Outcome<Attributes>(asked[i].reply.attributes) : Outcome<Attributes>(Failed{error});
  }
  return result;
}

void Client::closed(const Handle& file, const Nonce& owner, bool may_be_shared) {
  Request request = request_of(Op::kOpened, file);
  request.flags = kLeave | (may_be_shared ? kMayBeShared : 0);
  request.owner = owner;
  for (const size_t user : users_of(file)) channels_[user]->tell(request);
}

/// Other servers do not know that a file is gone.
void Client::pass_on(const Reply& reply, const Channel& but) {
  const Handle file(reply.handle.begin(), reply.handle.end());
  if (!is_regular_file(file)) return;
  Request request = request_of(Op::kOpened, file);
  request.flags = kGone;
  for (const size_t user : users_of(file)) {
    if (channels_[user].get() != &but) channels_[user]->tell(request);
  }
}

Outcome<Node> Client::lookup(const Handle& directory, std::string_view path, bool follow, const Opening* opening) {
  Request request = request_of(Op::kLookup, directory, path);
  request.flags = follow ? 0 : kNoFollow;
  with_opening(opening, channels_.size() == 1, &request);
  return as_its_servers_see_it(directory, node(request), opening);
}

Outcome<Node> Client::create(const Handle& directory, std::string_view path, uint32_t flags, uint32_t mode, Hints hints,
                             const Opening* opening) {
  Request request = request_of(Op::kCreate, directory, path);
  request.mode = mode;
  request.hints = hints;
  const bool empties = flags & kTruncate;
  if (channels_.size() == 1 || !empties) {
    request.flags = flags;
    with_opening(opening, channels_.size() == 1, &request);
    auto made = node(request);
    const bool is_new = (flags & kExclusive) && opening == nullptr;
    return is_new ? made : as_its_servers_see_it(directory, std::move(made), opening);
  }
  // Of one that was there several servers may hold something. One that was not is empty everywhere.
  request.flags = kExclusive;
  with_opening(opening, false, &request);
  auto made = node(request);
  if (made.ok() && opening != nullptr) return as_its_servers_see_it(directory, std::move(made), opening);
  if (made.ok() || made.error() != EEXIST || (flags & kExclusive)) return made;
  request.flags = 0;
  made = node(request);
  if (!made.ok() || !S_ISREG(made->attributes.mode)) return made;
  if (opening != nullptr) (void)opened(made->handle, *opening);
  const auto emptied = resize(made->handle, 0);
  if (!emptied.ok() && opening != nullptr) closed(made->handle, opening->owner, false);
  if (!emptied.ok()) return Failed{emptied.error()};
  made->attributes = *emptied;
  return made;
}

/// What is held of a file the server of its directory may not know.
Outcome<Node> Client::as_its_servers_see_it(const Handle& directory, Outcome<Node> found, const Opening* opening) {
  if (!found.ok()) return found;
  const bool opens = S_ISREG(found->attributes.mode) || S_ISDIR(found->attributes.mode);
  if (opening != nullptr && opens && channels_.size() > 1) {
    const auto now = opened(found->handle, *opening);
    if (now.ok()) found->attributes = *now;
    if (!layout_.is_spread() || S_ISDIR(found->attributes.mode))
      return now.ok() || now.error() == ESTALE ? found : Failed{now.error()};
  }
  if (!S_ISREG(found->attributes.mode)) return found;
  if (!layout_.is_spread() && &channel_of(found->handle) == &channel_of(directory)) return found;
  auto now = attributes(found->handle);
  if (now.ok()) found->attributes = *now;
  // Removed meanwhile: it was there when it was looked for.
  if (now.ok() || now.error() == ENOENT || now.error() == ESTALE) return found;
  return Failed{now.error()};
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
  Channel& channel = channel_of(directory);
  const int error = channel.call(request, &pending);
  if (error == 0) pass_on(pending.reply, channel);
  return error;
}

int Client::rename(const Handle& from, std::string_view path, const Handle& to, std::string_view new_path,
                   bool replace) {
  Request request = request_of(Op::kRename, from, path);
  request.other_handle = to;
  request.other_name = new_path;
  request.flags = replace ? 0 : kNoReplace;
  Pending pending;
  Channel& channel = channel_of(from);
  const int error = channel.call(request, &pending);
  if (error == 0) pass_on(pending.reply, channel);
  return error;
}

int Client::link(const Handle& file, const Handle& directory, std::string_view path) {
  Request request = request_of(Op::kLink, file);
  request.other_handle = directory;
  request.other_name = path;
  Pending pending;
  return channel_of(file).call(request, &pending);
}

/// Asks all but one server what they hold of a file. What they hold no more by then is in the file, so that is looked
/// at afterwards.
Outcome<Client::Held> Client::ask_others(const Handle& file, size_t but, uint32_t flags, uint64_t size) {
  std::vector<Pending> asked(channels_.size());
  Request request = request_of(Op::kHeld, file);
  request.flags = flags;
  request.size = size;
  for (size_t i = 0; i < channels_.size(); ++i) {
    if (i != but) channels_[i]->submit(request, {}, 0, &asked[i]);
  }
  Held all;
  int failed = 0;
  for (size_t i = 0; i < channels_.size(); ++i) {
    if (i == but) continue;
    if (const int error = channels_[i]->wait(&asked[i]); error != 0) failed = error;
    const Reply& reply = asked[i].reply;
    all = {std::max(all.end, reply.size), std::max(all.taken, reply.taken),
           std::max(all.modified, reply.attributes.modified)};
  }
  if (failed != 0) return Failed{failed};
  return all;
}

Outcome<uint64_t> Client::held_end(const Handle& file) {
  if (!layout_.is_held_elsewhere()) return 0;
  const auto held = ask_others(file, layout_.home(hash_of_file(file)), 0);
  if (!held.ok()) return Failed{held.error()};
  return held->taken;
}

Outcome<Attributes> Client::attributes(const Handle& file) {
  const Request request = request_of(Op::kGetattr, file);
  if (!layout_.is_spread() || !is_regular_file(file)) return attributes(request);
  const auto held = ask_others(file, layout_.home(hash_of_file(file)), 0);
  if (!held.ok()) return Failed{held.error()};
  auto now = attributes(request);
  if (!now.ok()) return now;
  now->size = std::max(now->size, held->end);
  now->modified = std::max(now->modified, held->modified);
  now->changed = std::max(now->changed, held->modified);
  return now;
}

Outcome<Attributes> Client::set_attributes(const Handle& file, uint32_t set, const Attributes& to) {
  // A flush afterwards would change the times.
  if (layout_.is_spread() && (set & (kSetAccessed | kSetModified)) && is_regular_file(file)) {
    const auto stored = ask_others(file, layout_.home(hash_of_file(file)), kBring);
    if (!stored.ok()) return Failed{stored.error()};
  }
  Request request = request_of(Op::kSetattr, file);
  request.set = set;
  request.attributes = to;
  return attributes(request);
}

/// Others forget what they hold behind the new end only when the home could cut the file: nothing is lost by a
/// truncation that fails. What they stored between the two is cut by the second one.
Outcome<Attributes> Client::resize(const Handle& file, uint64_t size) {
  const size_t home = layout_.home(hash_of_file(file));
  Request request = request_of(Op::kResize, file);
  request.size = size;
  if (layout_.is_held_elsewhere()) {
    Pending first;
    if (const int error = channels_[home]->call(request, &first); error != 0) return Failed{error};
    const auto cut = ask_others(file, home, kCut, size);
    if (!cut.ok()) return Failed{cut.error()};
  }
  Pending pending;
  if (const int error = channels_[home]->call(request, &pending); error != 0) return Failed{error};
  return pending.reply.attributes;
}

Outcome<std::string> Client::readlink(const Handle& file) {
  Pending pending;
  const int error = channel_of(file).call(request_of(Op::kReadlink, file), &pending);
  if (error != 0) return Failed{error};
  return std::string(pending.reply.text);
}

Outcome<Space> Client::space(const Handle& file) {
  Pending pending;
  if (const int error = channel_of(file).call(request_of(Op::kSpace, file), &pending); error != 0) return Failed{error};
  return pending.reply.space;
}

Outcome<std::vector<OwnedEntry>> Client::list(const Handle& directory) {
  std::vector<OwnedEntry> all;
  for (;;) {
    auto some = list_from(directory, all.empty() ? 0 : all.back().cookie);
    if (!some.ok()) return some;
    if (some->empty()) return all;
    for (OwnedEntry& entry : *some) all.push_back(std::move(entry));
  }
}

Outcome<std::vector<OwnedEntry>> Client::list_from(const Handle& directory, uint64_t cookie) {
  std::vector<OwnedEntry> some;
  Request request = request_of(Op::kReaddir, directory);
  request.count = kListingBytes;
  request.cookie = cookie;
  Pending pending;
  if (const int error = channel_of(directory).call(request, &pending); error != 0) return Failed{error};
  for (const Entry& entry : pending.reply.entries)
    some.push_back({entry.inode, entry.cookie, entry.type, std::string(entry.name)});
  return some;
}

Outcome<Client::LockAnswer> Client::lock(const Handle& file, const LockAsked& asked) {
  // The next one to have the lock may be a client of another server.
  const bool gives = !(asked.flags & (kShared | kExclusively));
  if (gives && layout_.by(Placing::kNode) && layout_.is_held_elsewhere()) {
    Request bring = request_of(Op::kHeld, file);
    bring.flags = kBring;
    Pending brought;
    if (const int error = channel_of(file).call(bring, &brought); error != 0) return Failed{error};
  }
  Request request = request_of(Op::kLock, file);
  request.flags = asked.flags;
  request.owner = asked.owner;
  request.opener = asked.opener;
  request.cookie = asked.process != 0 ? asked.process : static_cast<uint64_t>(getpid());
  request.range = asked.range;
  Pending pending;
  if (const int error = home_of(file).call(request, &pending); error != 0) return Failed{error};
  LockAnswer answer{pending.reply.granted, {}, false, pending.reply.size};
  if (answer.granted) return answer;
  if (pending.reply.bad.empty()) return Failed{EPROTO};
  answer.range = pending.reply.bad[0].where;
  answer.exclusive = pending.reply.bad[0].error == kExclusively;
  return answer;
}

int Client::keep(size_t server) {
  Pending pending;
  return channels_[server]->call(request_of(Op::kKeep, {}), &pending);
}

Outcome<std::string> Client::status(size_t server) {
  Pending pending;
  const int error = channels_[server]->call(request_of(Op::kStatus, {}), &pending);
  if (error != 0) return Failed{error};
  return std::string(pending.reply.text);
}

}  // namespace headrace::forward
