#include "forward/server/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace headrace::forward {
namespace {

constexpr uint64_t kLeftNs = 300'000'000'000;  // longer than any call
constexpr uint8_t kBegun = 1, kDone = 2;
constexpr char kCallsMagic[8] = {'H', 'R', 'C', 'A', 'L', 'L', 'S', '1'};
constexpr size_t kMostAnswer = 64 << 10;
constexpr size_t kMostBytes = 64 << 20;  // that are read
constexpr size_t kUsualBytes = 4 << 20;  // from which on what is not needed any more is left out

struct Head {
  uint32_t bytes = 0;  // behind it
  uint32_t kind = 0;
  Nonce client{};
  uint64_t id = 0;
};
struct Begun {
  uint64_t before = 0, file = 0, end = 0;
};

}  // namespace

base::Result<std::unique_ptr<Journal>> Journal::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return base::Status(base::Code::kIo, path + ": " + strerror(errno));
  std::unique_ptr<Journal> journal(new Journal(path, fd));
  struct stat status;
  const bool is_own = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  if (!is_own || !journal->load())
    return base::Status(base::Code::kInvalid, path + ": is no list of calls of a server of yours");
  if (!journal->write_again()) return base::Status(base::Code::kIo, path + ".new: cannot be written");
  return journal;
}

Journal::~Journal() { close(fd_); }

/// Reads what is whole: the last record of a server that was killed may not be. False: it is another file.
bool Journal::load() {
  struct stat status;
  if (fstat(fd_, &status) != 0) return false;
  std::vector<uint8_t> all(std::min<size_t>(static_cast<size_t>(status.st_size), kMostBytes));
  const ssize_t got = pread(fd_, all.data(), all.size(), 0);
  if (got <= 0) return got == 0;
  const size_t bytes = static_cast<size_t>(got);
  if (bytes < sizeof kCallsMagic || memcmp(all.data(), kCallsMagic, sizeof kCallsMagic) != 0) return false;
  for (size_t at = sizeof kCallsMagic; bytes - at >= sizeof(Head);) {
    Head head;
    memcpy(&head, &all[at], sizeof head);
    at += sizeof head;
    if (head.bytes > kMostAnswer || head.bytes > bytes - at) break;
    Entry& entry = entries_[{head.client, head.id}];
    entry.is_left = true;
    if (head.kind == kDone) {
      entry.left.done = true;
      entry.left.answer.assign(&all[at], &all[at] + head.bytes);
    } else if (head.kind == kBegun && head.bytes == sizeof(Begun)) {
      Begun begun;
      memcpy(&begun, &all[at], sizeof begun);
      entry.left.before = begun.before, entry.file = begun.file, entry.end = begun.end;
    }
    at += head.bytes;
  }
  left_ = entries_.size();
  return true;
}

/// A note that cannot be written is one that the next server lacks, as if there were no list.
bool Journal::note(uint8_t kind, const Key& key, const Entry& entry) {
  const Begun begun{entry.left.before, entry.file, entry.end};
  const auto* body = kind == kDone ? entry.left.answer.data() : reinterpret_cast<const uint8_t*>(&begun);
  const size_t length = kind == kDone ? entry.left.answer.size() : sizeof begun;
  const Head head{static_cast<uint32_t>(length), kind, key.first, key.second};
  std::vector<uint8_t> record(sizeof head + length);
  memcpy(record.data(), &head, sizeof head);
  if (length > 0) memcpy(record.data() + sizeof head, body, length);
  const ssize_t wrote = write(fd_, record.data(), record.size());
  if (wrote == static_cast<ssize_t>(record.size())) {
    bytes_ += record.size();
    return true;
  }
  // Half of it, as on a full disk, would hide all that follows.
  [[maybe_unused]] const int cut = wrote > 0 ? ftruncate(fd_, static_cast<off_t>(bytes_)) : 0;
  return false;
}

/// What is needed, into a new file in place of the old one: whenever this is killed, one of them is there.
bool Journal::write_again() {
  // Clients of an earlier server had time enough to come.
  if (base::clock_ns(CLOCK_MONOTONIC) - opened_ns_ > kLeftNs) {
    std::erase_if(entries_, [](const auto& each) { return each.second.is_left; });
    claimed_.clear();
    left_ = 0;
  }
  const std::string fresh = path_ + ".new";
  const int fd = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  const int old = std::exchange(fd_, fd);
  const size_t old_bytes = std::exchange(bytes_, sizeof kCallsMagic);
  bool is_whole = write(fd, kCallsMagic, sizeof kCallsMagic) == static_cast<ssize_t>(sizeof kCallsMagic);
  for (const auto& [key, entry] : entries_) is_whole = is_whole && note(entry.left.done ? kDone : kBegun, key, entry);
  most_bytes_ = std::max(kUsualBytes, 2 * bytes_);
  if (is_whole && rename(fresh.c_str(), path_.c_str()) == 0) {
    close(old);
    return true;
  }
  fd_ = old;
  bytes_ = old_bytes;
  close(fd);
  unlink(fresh.c_str());
  return false;
}

std::optional<Journal::Left> Journal::left(const Nonce& client, uint64_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find({client, id});
  if (found == entries_.end() || !found->second.is_left) return std::nullopt;
  return found->second.left;
}

void Journal::begin(const Nonce& client, uint64_t id, uint64_t before, uint64_t file, uint64_t end) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[{client, id}];
  left_ -= entry.is_left;
  entry = Entry{{false, {}, before}, false, file, end};
  note(kBegun, {client, id}, entry);
}

void Journal::done(const Nonce& client, uint64_t id, base::Bytes answer) {
  if (answer.size() > kMostAnswer) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find({client, id});
  if (found == entries_.end()) return;
  found->second.left.done = true;
  found->second.left.answer.assign(answer.begin(), answer.end());
  found->second.end = 0;
  note(kDone, {client, id}, found->second);
}

void Journal::passed(const Nonce& client, uint64_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto first = entries_.lower_bound({client, 0}), last = entries_.lower_bound({client, id});
  for (auto each = first; each != last; ++each) left_ -= each->second.is_left;
  entries_.erase(first, last);
  if (bytes_ > most_bytes_) write_again();
}

void Journal::gone(const Nonce& client) { passed(client, UINT64_MAX); }

uint64_t Journal::taken(uint64_t file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t most = 0;
  for (const auto& [key, entry] : entries_) {
    if (left_ == 0) break;
    if (entry.is_left && !entry.left.done && entry.file == file) most = std::max(most, entry.end);
  }
  return most;
}

void Journal::cut(uint64_t file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [key, entry] : entries_) {
    if (entry.is_left && entry.file == file) entry.end = 0;
  }
}

bool Journal::has_left() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return left_ > 0;
}

bool Journal::claim(uint64_t directory, std::string_view name, bool made) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return claimed_.emplace(directory, std::string(name), made).second;
}

void Journal::remove() { unlink(path_.c_str()); }

}  // namespace headrace::forward
