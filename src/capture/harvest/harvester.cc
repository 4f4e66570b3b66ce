#include "capture/harvest/harvester.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/clock.h"
#include "capture/flush_layout.h"
#include "capture/harvest/event_file_lock.h"
#include "capture/harvest/flush_account.h"
#include "capture/harvest/reductions.h"
#include "capture/harvest/small_file.h"
#include "capture/spool_layout.h"

namespace headrace::capture {
namespace {

// Rows are stored in batches: small enough that spools do not fill a small /dev/shm, large enough that a hundred
// thousand short processes do not make as many chunks.
constexpr size_t kBatchSpools = 64;
constexpr uint64_t kBatchBytes = 4 << 20, kBatchRows = 16384, kBatchAgeNs = 1'000'000'000;
constexpr uint64_t kLargestSpool = uint64_t{4} << 30;  // offsets have 32 bits
constexpr size_t kExitNotes = 4096;
constexpr size_t kListedForOne = 4;  // names in the directory that take less than to look for one file

/// Of the file beside a spool (event_layout.h).
std::string events_name(const std::string& spool) { return spool.substr(0, spool.rfind('.')) + kEvents; }

/// Not one that is dead and waits for its parent to take notice, which kill() takes for alive.
bool is_running(uint32_t process) {
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0u));
  if (descriptor < 0) return errno != ESRCH;
  pollfd end{descriptor, POLLIN, 0};
  const bool ended = poll(&end, 1, 0) == 1;
  close(descriptor);
  return !ended;
}

/// Only processes that have a rank reduce their spools.
bool may_be_reduced(std::span<const std::byte> spool) {
  Header header{};
  if (spool.size() < sizeof header) return true;
  std::memcpy(static_cast<void*>(&header), spool.data(), sizeof header);
  return header.magic != kSpoolMagic || header.version != kSpoolVersion || header.ranks != 0 || header.reduction != 0;
}

uint64_t since_start(const JobLog& log) {
  const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
  return now > log.start().monotonic_ns ? now - log.start().monotonic_ns : 1;
}

}  // namespace

bool Harvester::directory_changed() {
  struct stat info;
  if (fstat(directory_, &info) != 0) return true;
  const uint64_t time =
      static_cast<uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(info.st_mtim.tv_nsec);
  const bool changed = time != directory_time_ns_;
  // The kernel's file times move in ticks: something may still come in the tick of the latest change.
  const bool settled = base::clock_ns(CLOCK_REALTIME) > time + 50'000'000;
  directory_time_ns_ = settled ? time : 0;
  return changed;
}

void Harvester::look_for_new() {
  if (!directory_changed()) return;
  for (SpoolName& name : list_spools(directory_)) {
    const auto key = std::pair(name.image.created_ns, name.file);
    if (waiting_.count(key) != 0) continue;
    if (std::find(harvested_.begin(), harvested_.end(), name.file) != harvested_.end()) continue;
    stirred_ = true;
    log_.tree().see(name.image);
    waiting_.emplace(key, std::move(name));
  }
}

base::Status Harvester::scan(Depth depth) {
  stirred_ = false;
  look_for_new();
  const Moment now = Moment::now();
  for (auto place = waiting_.begin(); place != waiting_.end();) {
    bool done = true;
    if (already_stored_.count(log_.stored_id(log_.tree().id_of(place->second.image))) != 0)
      stirred_ = true;
    else if (place->second.is_note())
      harvest_note(place->second);
    else
      done = harvest_spool(place->second, depth, now);
    if (!done) {
      ++place;
      continue;
    }
    stirred_ = true;
    if (harvested_.empty()) oldest_ns_ = now.monotonic_ns;
    harvested_.push_back(place->second.file);
    alive_ns_.erase(place->second.image.process_id);
    elsewhere_.erase(place->second.file);
    here_.erase(place->second.file);
    place = waiting_.erase(place);
    if (due()) HEADRACE_TRY(flush());
  }
  return due() ? flush() : base::Status();
}

bool Harvester::due() const {
  if (harvested_.empty()) return false;
  return harvested_.size() >= kBatchSpools || harvested_bytes_ >= kBatchBytes || log_.tables().rows() >= kBatchRows ||
         base::clock_ns(CLOCK_MONOTONIC) - oldest_ns_ >= kBatchAgeNs;
}

base::Status Harvester::flush() {
  if (harvested_.empty()) return {};
  HEADRACE_TRY(log_.flush());
  remove_stored();
  return {};
}

void Harvester::remove_stored() {
  // Most spools are alone: trying to remove what may lie beside each of them would take as long as removing them.
  std::unordered_set<std::string> others;
  const bool listed = waiting_.size() <= harvested_.size() * kListedForOne && list_others(directory_, &others);
  const auto remove = [&](const std::string& file) {
    if (!listed || others.count(file) != 0) unlinkat(directory_, file.c_str(), 0);
  };
  for (const std::string& file : harvested_) {
    remove(events_name(file));  // first: nobody would look for it without its spool
    unlinkat(directory_, file.c_str(), 0);
    for (const char* ending : {kReduced, kReducing, kAccount, kPart}) remove(copy_name(file, ending));
  }
  harvested_.clear();
  harvested_bytes_ = 0;
}

void Harvester::note_exit(uint32_t process_id, int wait_status) {
  if (exits_.size() >= kExitNotes) exits_.clear();
  exits_[process_id] = {wait_status, since_start(log_)};
}

std::vector<uint32_t> Harvester::alive_processes() const {
  std::set<uint32_t> here, elsewhere;
  for (const auto& [key, name] : waiting_)
    (elsewhere_.count(name.file) != 0 ? elsewhere : here).insert(name.image.process_id);
  std::vector<uint32_t> ids(here.begin(), here.end());
  ids.insert(ids.end(), elsewhere.size(), 0);
  return ids;
}

bool Harvester::finished(const SpoolName& name, int descriptor) {
  Use use = spool_use(descriptor);
  if (use == Use::kInUse && process_ended(name.image)) {
    wait_for_flusher(directory_, events_name(name.file), [&] { return spool_use(descriptor) == Use::kInUse; });
    use = spool_use(descriptor);
  }
  if (use != Use::kUnknown) return use == Use::kFree;
  return process_gone(name.image) || log_.tree().has_successor(name.image);
}

void Harvester::see_alive(const Image& image) {
  const uint64_t now = since_start(log_);
  if (is_running(image.process_id)) alive_ns_[image.process_id] = now;
}

void Harvester::see_in_use(const SpoolName& name) {
  // Asking reads all mappings of a process: no second time while one that was found here lives.
  const bool known = here_.count(name.file) != 0 && !process_gone(name.image);
  if (!known && is_in_other_namespace(name, log_.start().boottime_ns)) {
    here_.erase(name.file);
    elsewhere_.insert(name.file);
    return;
  }
  elsewhere_.erase(name.file);
  here_.insert(name.file);
  see_alive(name.image);
}

bool Harvester::harvest_spool(const SpoolName& name, Depth depth, const Moment& now) {
  if (depth == Depth::kQuick && elsewhere_.count(name.file) == 0 &&
      kill(static_cast<pid_t>(name.image.process_id), 0) == 0 && !log_.tree().has_successor(name.image)) {
    see_alive(name.image);
    return false;
  }
  const std::string label = path_ + "/" + name.file;
  const int descriptor = openat(directory_, name.file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT || harvest_unreadable(name);
  struct stat info{};
  const bool readable = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  if (readable && !finished(name, descriptor)) {
    close(descriptor);
    see_in_use(name);
    return false;
  }
  const EventsTaken taken(directory_, events_name(name.file));
  if (!taken.ok()) {  // a flusher that its process did not outlive is still at work
    close(descriptor);
    return false;
  }
  buffer_.clear();
  if (readable && static_cast<uint64_t>(info.st_size) <= kLargestSpool) {
    read_spool_file(descriptor, static_cast<uint64_t>(info.st_size), &buffer_);
  }
  close(descriptor);
  harvested_bytes_ += static_cast<uint64_t>(info.st_size);
  Reduction reduced = may_be_reduced(buffer_) ? read_reduced(name) : Reduction{};
  model::Process settled;
  log_.add_spool(buffer_, reduced.copy, label, name.image, now, [&](model::Process& process, bool forked) {
    settle(name.image, process, forked);
    settled = process;
  });
  log_.add_lost_events(buffer_);
  if (taken.there()) take_events(name.file, settled, now);
  if (!reduced.behind.empty()) log_.add_layouts(reduced.behind);
  if (buffer_.capacity() > kBatchBytes * 2) std::vector<std::byte>().swap(buffer_);
  return true;
}

/// What the process recorded event by event, and what flushers have stored of it.
void Harvester::take_events(const std::string& spool, const model::Process& process, const Moment& now) {
  const int descriptor = openat(directory_, events_name(spool).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat info{};
  const bool readable = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
  auto account = read_account(directory_, copy_name(spool, kAccount));
  // Of a larger one only what flushers have stored is taken: no process makes such, and holes in it could take any
  // memory.
  const auto size = static_cast<uint64_t>(info.st_size);
  if (readable && account.ok())
    log_.add_events(EventBytes(descriptor, size <= kLargestSpool ? size : 0), std::move(*account),
                    path_ + "/" + copy_name(spool, kPart), buffer_, process, now);
  else if (readable)
    log_.add_damaged_trace(account.message());
  close(descriptor);
}

/// The copy that was reduced; empty when there is none. Of one that was being reduced when its rank lost the others,
/// the log says whether it was.
Harvester::Reduction Harvester::read_reduced(const SpoolName& name) {
  Reduction found = read_copy(copy_name(name.file, kReduced));
  if (!found.copy.empty()) return found;
  found = read_copy(copy_name(name.file, kReducing));
  if (found.copy.empty()) return found;
  Header header{};
  if (found.copy.size() >= sizeof header) std::memcpy(static_cast<void*>(&header), found.copy.data(), sizeof header);
  if (header.magic == kSpoolMagic && header.reduction != 0 && has_reduction(log_.output().place(), header.reduction))
    return found;
  log_.add_gap({"reduction over ranks", 1, "ranks",
                "the ranks lost each other before all had written; each rank has rows of its own"});
  return {};
}

Harvester::Reduction Harvester::read_copy(const std::string& file) {
  Reduction found;
  const int descriptor = openat(directory_, file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return found;
  struct stat info{};
  const auto size = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) ? static_cast<uint64_t>(info.st_size) : 0;
  if (size <= kLargestSpool) read_spool_file(descriptor, size, &found.copy);
  if (size <= kLargestSpool && size > found.copy.size() && !found.copy.empty()) {
    found.behind.resize(size - found.copy.size());
    const ssize_t got =
        pread(descriptor, found.behind.data(), found.behind.size(), static_cast<off_t>(found.copy.size()));
    found.behind.resize(got > 0 ? static_cast<size_t>(got) : 0);
  }
  close(descriptor);
  if (found.copy.empty()) found.copy.resize(1);  // it is there, so it was reduced
  return found;
}

/// A spool of another user's, as of a program that changed its own: it cannot even be told whether it is in use.
bool Harvester::harvest_unreadable(const SpoolName& name) {
  const std::string why = strerror(errno);
  if (!process_gone(name.image)) return false;
  model::Process process;
  process.process_id = name.image.process_id;
  process.reason = path_ + "/" + name.file + ": " + why;
  settle(name.image, process, false);
  log_.tree().end(name.image, process.ended, 0);
  log_.add_uncaptured(std::move(process));
  return true;
}

/// What only an observer knows of a process: its parent image, and how it ended when it could not say so itself.
void Harvester::settle(const Image& image, model::Process& process, bool forked) {
  process.id = log_.tree().id_of(image);
  process.parent = log_.tree().parent_of(image, process.parent_process_id, process.start_at_ns, forked);
  if (process.ended != model::Ended::kUnknown) return;
  const bool followed = log_.tree().has_successor(image);
  if (followed && same_process_alive(image)) {
    process.ended = model::Ended::kExec;
    return;
  }
  const auto noted = exits_.find(image.process_id);
  if (noted != exits_.end() && !followed && noted->second.at_ns >= process.start_at_ns) {
    const int status = noted->second.wait_status;
    process.ended = WIFSIGNALED(status) ? model::Ended::kKilled : model::Ended::kExit;
    process.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    process.end_at_ns = process.seen_at_ns = noted->second.at_ns;
    exits_.erase(noted);
    return;
  }
  // Every way out of a program but a signal leaves word in the spool.
  if (process.captured) process.ended = model::Ended::kKilled;
  const auto alive = alive_ns_.find(image.process_id);
  if (!process.captured || followed || alive == alive_ns_.end()) return;
  process.seen_at_ns = alive->second;
  process.end_at_ns = std::max(process.end_at_ns, alive->second);
}

void Harvester::harvest_note(const SpoolName& name) {
  model::Process process;
  process.process_id = name.image.process_id;
  process.reason = note_sentence(name.reason);
  process.executable = read_small_file_at(directory_, name.file.c_str(), 4096);
  const uint64_t offset = name.image.created_ns - log_.start().boottime_ns;
  process.start_at_ns = name.image.created_ns > log_.start().boottime_ns ? offset : 1;
  process.parent_process_id = parent_if_alive(name.image);
  settle(name.image, process, false);
  log_.tree().end(name.image, process.ended, 0);
  log_.add_uncaptured(std::move(process));
}

}  // namespace headrace::capture
