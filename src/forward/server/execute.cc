#include "forward/server/execute.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>

#include "base/clock.h"
#include "forward/protocol/codec.h"
#include "forward/server/journal.h"
#include "forward/server/locks.h"
#include "forward/server/opens.h"
#include "forward/server/shared_reads.h"
#include "forward/server/write_buffer.h"

namespace headrace::forward {
namespace {

constexpr uint32_t kLongestListing = 1 << 20;
constexpr uint32_t kShortestListing = 4096;

constexpr uint64_t kAnything = UINT64_MAX;  // an inode that no file has

/// All that must happen once, but for those of data.
bool changes_names(Op op) { return happens_once(op) && op != Op::kAppend && op != Op::kCommit; }

/// The reply's views point into what is kept here.
class Execution {
 public:
  Execution(const Services& services, Call& call) : services_(services), call_(call), request_(call.request) {
    reply_.op = request_.op;
  }

  /// An error number, or 0.
  int run();
  const Reply& reply() const { return reply_; }
  size_t read_bytes() const { return read_bytes_; }

 private:
  Outcome<File> file(base::Bytes handle) const { return services_.handles->open(handle); }
  int answer(Outcome<Found> found);
  int answer(Outcome<Attributes> attributes);
  Outcome<Attributes> attributes(const File& file);
  int create(const File& directory);
  int resize(const File& file, uint64_t size);
  int fail(int error, Extent rest, std::ptrdiff_t index);
  int names();
  int read();
  int write();
  int commit();
  int list();
  int lock(const File& file);
  int held(const File& file);
  void opens(const File& file);
  int opened(const File& file);
  int gone(int error, const std::optional<File>& file);
  void forget(const File& file);
  base::Bytes directory_of_name() const;
  std::string_view changed_name() const;
  uint64_t inode_now(const File& directory) const;
  bool claim(const File& directory) const;
  int run_call();
  bool has_happened(const File& directory) const;
  int as_done();

  const Services& services_;
  Call& call_;
  const Request& request_;
  Reply reply_;
  std::vector<uint8_t> handle_;
  std::string text_;
  Listing listing_;
  size_t read_bytes_ = 0;
};

int Execution::answer(Outcome<Found> found) {
  if (!found.ok()) return found.error();
  const bool can_be_kept = S_ISREG(found->attributes.mode) || S_ISDIR(found->attributes.mode);
  if ((request_.flags & kOpens) && can_be_kept)
    opens(found->file);
  else if (request_.owner != Nonce{})
    services_.opens->expect(found->file);
  handle_ = services_.handles->make(found->file);
  reply_.handle = handle_;
  reply_.attributes = found->attributes;
  if (!S_ISREG(found->attributes.mode) || services_.write_buffer->find(found->file) == nullptr) return 0;
  // Asked again: what was held may have reached the file between the two looks, and be in neither.
  if (const auto now = attributes(found->file); now.ok()) reply_.attributes = *now;
  return 0;
}

/// As clients see it, with what is held.
Outcome<Attributes> Execution::attributes(const File& file) {
  const auto held = services_.write_buffer->find(file);
  const HeldFile::View view = held == nullptr ? HeldFile::View() : held->view();
  auto attributes = services_.backend->attributes(file);
  if (attributes.ok()) view.apply(&*attributes);
  return attributes;
}

int Execution::answer(Outcome<Attributes> attributes) {
  if (!attributes.ok()) return attributes.error();
  reply_.attributes = *attributes;
  return 0;
}

/// Calls with two places.
int Execution::names() {
  const auto first = file(request_.handle);
  if (!first.ok()) return first.error();
  const auto second = file(request_.other_handle);
  if (!second.ok()) return second.error();
  if (first->root != second->root) return EXDEV;
  const Place to{*second, request_.other_name};
  if (request_.op == Op::kRename) {
    std::optional<File> replaced;
    const int error = services_.backend->rename({*first, request_.name}, to, !(request_.flags & kNoReplace), &replaced);
    return gone(error, replaced);
  }
  if (const int error = services_.backend->link(*first, to); error != 0) return error;
  return answer(attributes(*first));
}

/// The extents behind one that failed were not tried: they are as bad.
int Execution::fail(int error, Extent rest, std::ptrdiff_t index) {
  reply_.bad.push_back({static_cast<uint32_t>(error), rest});
  for (size_t i = static_cast<size_t>(index) + 1; i < request_.extents.size(); ++i)
    reply_.bad.push_back({static_cast<uint32_t>(error), request_.extents[i]});
  return error;
}

/// A file to read from, with what is held of it.
struct Readable {
  std::shared_ptr<HeldFile> held;
  std::shared_ptr<OpenFile> opened;
  Outcome<uint64_t> read(Extent extent, uint8_t* into) const {
    return held == nullptr ? opened->read(extent, into) : held->read(*opened, extent, into);
  }
};

Outcome<Readable> readable(const Services& services, base::Bytes handle) {
  const auto target = services.handles->open(handle);
  if (!target.ok()) return Failed{target.error()};
  const auto held = services.write_buffer->find(*target);
  auto opened = services.backend->open(*target, false);
  if (!opened.ok() && opened.error() == ESTALE && held != nullptr) opened = held->opened();  // renamed
  if (!opened.ok()) return Failed{opened.error()};
  return Readable{held, *opened};
}

int Execution::read() {
  const auto file = readable(services_, request_.handle);
  if (!file.ok()) return file.error();
  bool whole = true;
  for (const Extent& extent : request_.extents) {
    uint8_t* into = call_.data + read_bytes_;
    const auto got = file->read(extent, into);
    if (!got.ok()) return fail(got.error(), extent, &extent - request_.extents.data());
    reply_.counts.push_back(*got);
    whole = whole && *got == extent.length;
    read_bytes_ += *got;
  }
  if (whole) reply_.counts.clear();
  return 0;
}

/// Writes to the file itself: what was held of these ranges before is in it already.
int Execution::write() {
  const auto target = file(request_.handle);
  if (!target.ok()) return target.error();
  const auto held = services_.write_buffer->find(*target);
  const auto opened = held != nullptr ? held->opened() : services_.backend->open(*target, true);
  if (!opened.ok()) return opened.error();
  const uint8_t* from = call_.data;
  for (const Extent& extent : request_.extents) {
    const uint64_t before = services_.write_buffer->spaces_made();
    OpenFile::Written written = (*opened)->write(extent, from);
    const bool is_full = written.error == ENOSPC || written.error == EDQUOT;
    if (is_full && services_.write_buffer->make_space(before)) written = (*opened)->write(extent, from);
    if (written.error != 0)
      return fail(written.error, {extent.offset + written.bytes, extent.length - written.bytes},
                  &extent - request_.extents.data());
    reply_.size += extent.length;
    from += extent.length;
  }
  if (!(request_.flags & kThrough)) return 0;
  return held != nullptr ? held->sync() : (*opened)->commit();
}

/// What was held of the range is flushed already.
int Execution::commit() {
  const auto target = file(request_.handle);
  if (!target.ok()) return target.error();
  const auto held = services_.write_buffer->find(*target);
  const bool sync = !(request_.flags & kNoSync);
  int error = 0;
  if (held != nullptr) {
    error = sync ? held->sync() : 0;
    reply_.bad = held->tell(call_.client, range_or_all(request_.range), call_.failed, error);
    if (reply_.bad.size() > kMostExtents) reply_.bad.resize(kMostExtents);
  } else if (sync) {
    auto opened = services_.backend->open(*target, true);
    const bool perhaps = opened.error() == EACCES || opened.error() == ESTALE;  // it is open for reading alone
    if (perhaps) opened = services_.backend->open(*target, false);
    if (!opened.ok()) return opened.error();
    error = (*opened)->commit();
    if (error != 0) reply_.bad.push_back({static_cast<uint32_t>(error), request_.range});
  }
  return error != 0 || reply_.bad.empty() ? error : static_cast<int>(reply_.bad[0].error);
}

/// Data that is held must not come after the truncation, so that is done apart, unless the file is new.
int Execution::create(const File& directory) {
  WriteBuffer& buffer = *services_.write_buffer;
  const bool apart = (request_.flags & kTruncate) && buffer.on() && buffer.knows_any();
  const uint32_t flags = apart ? request_.flags & ~kTruncate : request_.flags;
  const auto make = [&](uint32_t how) {
    return services_.backend->create({directory, request_.name}, {how, request_.mode, request_.hints, apart});
  };
  auto made = make(apart ? flags | kExclusive : flags);
  const bool was_there = apart && !(flags & kExclusive) && !made.ok() && made.error() == EEXIST;
  if (was_there) made = make(flags);
  if (!made.ok()) return made.error();
  if (was_there && S_ISREG(made->attributes.mode)) {
    if (const int error = resize(made->file, 0); error != 0) return error;
    made->attributes = reply_.attributes;
  }
  buffer.set_stripe(made->file, request_.hints.stripe_bytes);
  return answer(std::move(made));
}

int Execution::resize(const File& file, uint64_t size) {
  const auto held = services_.write_buffer->find(file);
  const auto opened = held != nullptr ? held->opened() : services_.backend->open(file, true);
  if (!opened.ok()) return opened.error();
  if (held != nullptr) held->pause();
  const int error = (*opened)->resize(size);
  if (held != nullptr) held->resume(error == 0 ? std::optional<uint64_t>(size) : std::nullopt);
  if (error != 0) return error;
  if (services_.journal != nullptr) services_.journal->cut(file.identity());
  return answer(attributes(file));
}

int Execution::list() {
  const auto directory = file(request_.handle);
  if (!directory.ok()) return directory.error();
  auto listing = services_.backend->list(*directory, request_.cookie,
                                         std::clamp(request_.count, kShortestListing, kLongestListing));
  if (!listing.ok()) return listing.error();
  listing_ = std::move(*listing);
  reply_.entries = listing_.entries;
  reply_.at_end = listing_.at_end;
  return 0;
}

int Execution::lock(const File& file) {
  Locks& locks = *services_.locks;
  const uint32_t flags = request_.flags;
  const Locks::Wanted wanted{
      request_.owner,        call_.client,  request_.opener, request_.cookie, (flags & kExclusively) != 0,
      (flags & kWhole) != 0, request_.range};
  reply_.granted = true;
  if (flags & kLeave) locks.leave(wanted.owner, wanted.client);
  if (!(flags & (kShared | kExclusively))) {
    if (!(flags & kLeave)) locks.give(file, wanted);
    return 0;
  }
  bool full = false;
  const auto conflict = locks.take(file, wanted, flags & kTest, &full);
  reply_.granted = !conflict.has_value();
  if (!conflict.has_value()) return full && !(flags & kTest) ? ENOLCK : 0;
  reply_.size = conflict->process;
  reply_.bad.push_back({conflict->exclusive ? kExclusively : kShared, conflict->range});
  return 0;
}

/// What was to be brought to the file first is there already.
int Execution::held(const File& file) {
  const auto held = services_.write_buffer->find(file);
  if (held == nullptr) return 0;
  if (request_.flags & kCut) {
    held->pause();
    held->resume(request_.size);
  }
  const HeldFile::View view = held->view();
  reply_.size = view.end;
  reply_.taken = held->append_end();
  reply_.attributes.modified = view.modified;
  return 0;
}

void Execution::opens(const File& file) {
  services_.opens->open(file, request_.flags & kWrites, request_.owner, call_.client);
}

/// What is held of a file that has no name, and that nobody has open, is nobody's.
void Execution::forget(const File& file) {
  services_.write_buffer->forget(file);
  services_.backend->forget(file);
}

int Execution::gone(int error, const std::optional<File>& file) {
  if (error != 0 || !file.has_value()) return error;
  handle_ = services_.handles->make(*file);
  reply_.handle = handle_;
  if (services_.opens->is_unused(*file)) forget(*file);
  return 0;
}

int Execution::opened(const File& file) {
  if (file.type != DT_REG && file.type != DT_DIR) return EINVAL;
  if (request_.flags & kOpens) {
    opens(file);
    return answer(attributes(file));
  }
  bool removed = request_.flags & kGone;
  if (request_.flags & kLeave) {
    const auto last = services_.opens->close(file, request_.owner, call_.client, request_.flags & kMayBeShared);
    const auto now = last == nullptr ? Outcome<Attributes>(Failed{EBADF}) : last->attributes();
    removed = now.ok() && now->links == 0;
  }
  if (removed && services_.opens->is_unused(file)) forget(file);
  return 0;
}

/// Where the name stands that the call makes or takes away.
base::Bytes Execution::directory_of_name() const {
  return request_.op == Op::kLink ? request_.other_handle : request_.handle;
}

std::string_view Execution::changed_name() const {
  return request_.op == Op::kLink ? request_.other_name : request_.name;
}

/// The name's inode; 0: there is none. Making what may be there already is done again without harm, and is not worth
/// the look.
uint64_t Execution::inode_now(const File& directory) const {
  if (request_.op == Op::kCreate && !(request_.flags & kExclusive)) return kAnything;
  const auto found = services_.backend->lookup({directory, changed_name()}, false);
  if (!found.ok()) return found.error() == ENOENT ? 0 : kAnything;
  return found->file.inode;
}

/// False: another call has made the name, or taken it away, since the server that was killed.
bool Execution::claim(const File& directory) const {
  const bool takes = request_.op == Op::kRemove || request_.op == Op::kRename;
  return services_.journal->claim(directory.identity(), changed_name(), !takes);
}

/// Whether a server that was killed did it, which began when `before` was there.
bool Execution::has_happened(const File& directory) const {
  const uint64_t before = *call_.before, now = inode_now(directory);
  if (before == kAnything || now == kAnything) return false;
  if (request_.op != Op::kRemove && request_.op != Op::kRename) return before == 0 && now != 0;
  if (before == 0 || now == before) return false;
  if (request_.op == Op::kRemove) return true;
  const auto target = file(request_.other_handle);
  if (!target.ok()) return false;
  const auto found = services_.backend->lookup({*target, request_.other_name}, false);
  return found.ok() && found->file.inode == before;
}

int Execution::as_done() {
  if (request_.op == Op::kRemove || request_.op == Op::kRename) return 0;
  const auto first = file(request_.handle);
  if (!first.ok()) return first.error();
  if (request_.op == Op::kLink) return answer(attributes(*first));
  return answer(services_.backend->lookup({*first, request_.name}, false));
}

int Execution::run() {
  Journal* const journal = services_.journal;
  if (journal == nullptr || !changes_names(request_.op)) return run_call();
  const auto directory = file(directory_of_name());
  if (!directory.ok()) return directory.error();
  const auto alone = journal->alone(directory->identity(), changed_name());
  const bool has_left = journal->has_left();
  journal->begin(call_.client, call_.header.id, call_.before.has_value() ? *call_.before : inode_now(*directory));
  if (call_.before.has_value() && has_happened(*directory) && claim(*directory)) return as_done();
  const int error = run_call();
  if (error == 0 && has_left) claim(*directory);
  return error;
}

int Execution::run_call() {
  switch (request_.op) {
    case Op::kStatus:
      text_ = services_.counters->open_metrics(*services_.buffers) + services_.write_buffer->open_metrics() + "# EOF\n";
      reply_.text = text_;
      return 0;
    case Op::kRename:
    case Op::kLink:
      return names();
    case Op::kRead:
      return read();
    case Op::kWrite:
      return write();
    case Op::kCommit:
      return commit();
    case Op::kReaddir:
      return list();
    case Op::kHello:
    case Op::kProve:
    case Op::kGoodbye:
    case Op::kKeep:
    case Op::kSecret:
    case Op::kAppend:
      return ENOSYS;
    default:
      break;
  }
  const auto first = file(request_.handle);
  if (!first.ok()) return first.error();
  const Place place{*first, request_.name};
  Backend& backend = *services_.backend;
  switch (request_.op) {
    case Op::kLookup:
      return answer(backend.lookup(place, !(request_.flags & kNoFollow)));
    case Op::kGetattr:
      return answer(attributes(*first));
    case Op::kSetattr:
      if (const int error = backend.set_attributes(*first, request_.set, request_.attributes); error != 0) return error;
      return answer(attributes(*first));
    case Op::kCreate:
      return create(*first);
    case Op::kRemove: {
      std::optional<File> removed;
      const int error = backend.remove(place, request_.flags & kDirectory, &removed);
      return gone(error, removed);
    }
    case Op::kSymlink:
      return answer(backend.symlink(place, request_.other_name));
    case Op::kMkdir:
      return answer(backend.mkdir(place, request_.mode));
    case Op::kReadlink: {
      auto target = backend.readlink(*first);
      if (!target.ok()) return target.error();
      text_ = std::move(*target);
      reply_.text = text_;
      return 0;
    }
    case Op::kResize:
      return resize(*first, request_.size);
    case Op::kLock:
      return lock(*first);
    case Op::kHeld:
      return held(*first);
    case Op::kOpened:
      return opened(*first);
    case Op::kSpace: {
      const auto space = backend.space(*first);
      if (space.ok()) reply_.space = *space;
      return space.error();
    }
    default:
      return ENOSYS;
  }
}

/// Of a file; a create may have emptied any.
bool changes_data(const Request& request) {
  const Op op = request.op;
  return op == Op::kWrite || op == Op::kAppend || op == Op::kResize || (op == Op::kHeld && (request.flags & kCut)) ||
         (op == Op::kCreate && (request.flags & kTruncate));
}

/// All answers pass here before they are sent.
void count(const Services& services, const Call& call, int error, uint64_t bytes, uint64_t begun, uint64_t ended) {
  if (changes_data(call.request))
    services.reads->changed(call.request.op == Op::kCreate ? base::Bytes() : call.request.handle);
  Counters::Operation& counter = services.counters->of(call.request.op);
  counter.calls += 1;
  // To look for a name is how programs find out whether it is there.
  const bool not_found = error == ENOENT && call.request.op == Op::kLookup;
  counter.failed += error != 0 && !not_found;
  services.counters->not_found += not_found;
  counter.bytes += bytes;
  counter.waited_ns += begun - call.begun_ns;
  counter.worked_ns += ended - begun;
}

}  // namespace

namespace {

/// `read_bytes`: how many of `call.data` the client gets.
Answer answer_of(const Services& services, Call& call, const Reply& reply, int error, size_t read_bytes,
                 uint64_t begun) {
  Header header;
  header.limit = static_cast<uint32_t>(error);
  const bool in_window = call.header.flags & kInWindow;
  Answer answer;
  if (header.limit == 0 && read_bytes > 0) {
    header.data = static_cast<uint32_t>(read_bytes);
    header.window = call.header.window;
    header.flags = in_window ? kInWindow : 0;
    answer.data = in_window ? nullptr : call.data;
    answer.bytes = in_window ? 0 : read_bytes;
    answer.room = std::move(call.room);
  }
  header.id = call.header.id;
  const uint64_t ended = base::clock_ns(CLOCK_MONOTONIC);
  header.passed = served_in({begun - call.begun_ns, ended - begun});
  encode_reply(header, reply, &answer.frame);
  const bool wrote = header.limit == 0 && call.request.op != Op::kRead;
  count(services, call, error, header.data + (wrote ? call.header.data : 0), begun, ended);
  return answer;
}

}  // namespace

Answer execute(const Services& services, Call& call) {
  const uint64_t begun = call.flush_ns != 0 ? call.flush_ns : base::clock_ns(CLOCK_MONOTONIC);
  Execution execution(services, call);
  const int error = execution.run();
  return answer_of(services, call, execution.reply(), error, execution.read_bytes(), begun);
}

Outcome<uint64_t> read_extent(const Services& services, base::Bytes handle, Extent extent, uint8_t* into) {
  const auto file = readable(services, handle);
  if (!file.ok()) return Failed{file.error()};
  return file->read(extent, into);
}

Answer answer_read(const Services& services, Call& call, Outcome<uint64_t> got, uint64_t begun_ns) {
  const Extent& extent = call.request.extents[0];
  Reply reply;
  reply.op = Op::kRead;
  if (!got.ok()) reply.bad.push_back({static_cast<uint32_t>(got.error()), extent});
  if (got.ok() && *got < extent.length) reply.counts = {*got};
  return answer_of(services, call, reply, got.error(), got.ok() ? static_cast<size_t>(*got) : 0, begun_ns);
}

namespace {

Answer answer_data(const Services& services, const Call& call, const Reply& reply, int error, bool held,
                   uint64_t begun_ns) {
  Header header;
  header.id = call.header.id;
  header.limit = static_cast<uint32_t>(error);
  header.flags = error == 0 && held ? kHeld : 0;
  const uint64_t ended = base::clock_ns(CLOCK_MONOTONIC);
  header.passed = served_in({begun_ns - call.begun_ns, ended - begun_ns});
  Answer answer;
  encode_reply(header, reply, &answer.frame);
  count(services, call, error, error == 0 ? call.header.data : 0, begun_ns, ended);
  return answer;
}

}  // namespace

Answer answer_write(const Services& services, const Call& call, const std::vector<BadRange>& failed,
                    uint64_t begun_ns) {
  Reply reply;
  reply.op = Op::kWrite;
  reply.size = call.header.data;
  reply.bad = failed;
  return answer_data(services, call, reply, failed.empty() ? 0 : static_cast<int>(failed[0].error), true, begun_ns);
}

Answer answer_append(const Services& services, const Call& call, uint64_t offset, int error, Extent rest,
                     uint64_t begun_ns, bool held) {
  Reply reply;
  reply.op = Op::kAppend;
  reply.size = offset;
  if (error != 0 && rest.length > 0) reply.bad.push_back({static_cast<uint32_t>(error), rest});
  return answer_data(services, call, reply, error, held, begun_ns);
}

Answer refuse(const Call& call, int error) {
  Answer answer;
  Reply reply;
  Header header;
  reply.op = call.request.op;
  header.id = call.header.id;
  header.limit = static_cast<uint32_t>(error);
  encode_reply(header, reply, &answer.frame);
  return answer;
}

}  // namespace headrace::forward
