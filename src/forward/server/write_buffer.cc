#include "forward/server/write_buffer.h"

#include <string.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "forward/server/metrics.h"
#include "forward/server/opens.h"

namespace headrace::forward {
namespace {

constexpr uint64_t kStripe = 1 << 20;
constexpr uint64_t kLargestPart = 16 << 20, kSmallestPart = 64 << 10;
constexpr size_t kMostHints = 65536;
constexpr size_t kMostLooks = 32;  // for a file to forget
constexpr const char* kReasons[] = {"", "full", "age", "pressure", "commit", "end"};

/// A stripe, or its largest part that a single write can take.
uint64_t usable_stripe(uint64_t bytes) {
  for (uint64_t parts = 1; parts <= bytes / kSmallestPart; ++parts) {
    const uint64_t part = bytes / parts;
    if (bytes % parts == 0 && part <= kLargestPart && part % kSmallestPart == 0) return part;
  }
  return kStripe;
}

}  // namespace

WriteBuffer::WriteBuffer(Backend& backend, Buffers& buffers, const WriteBufferOptions& options)
    : backend_(backend),
      buffers_(buffers),
      options_(options),
      spare_(buffers.memory() / 4),
      flushes_of_file_(std::max(1u, options.threads / 2)),
      pool_(options.on ? options.threads : 0) {
  if (options_.on) age_thread_ = std::thread([this] { watch_ages(); });
}

std::shared_ptr<HeldFile> WriteBuffer::find(const File& file) {
  if (!options_.on) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = files_.find(file.identity());
  return found == files_.end() ? nullptr : found->second.file;
}

/// Forgets one of which nothing is held, if there are too many files. Nobody has it who could not find it again.
bool WriteBuffer::make_room_for_file() {
  if (files_.size() < options_.most_files) return true;
  size_t looks = 0;
  for (auto each = order_.rbegin(); each != order_.rend() && looks < kMostLooks; ++each, ++looks) {
    const auto found = files_.find(*each);
    if (found->second.file.use_count() > 1 || !found->second.file->idle()) continue;
    order_.erase(found->second.place);
    files_.erase(found);
    return true;
  }
  return false;
}

Outcome<std::shared_ptr<HeldFile>> WriteBuffer::open(const File& file) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(file.identity());
    if (found != files_.end()) {
      order_.splice(order_.begin(), order_, found->second.place);
      return found->second.file;
    }
  }
  auto opened = backend_.open(file, true);
  if (!opened.ok()) return Failed{opened.error()};
  uint64_t stripe = options_.stripe;
  const auto attributes = (*opened)->attributes();
  if (stripe == 0) stripe = attributes.ok() && attributes->block_size > kStripe ? attributes->block_size : kStripe;
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t identity = file.identity();
  if (const auto found = files_.find(identity); found != files_.end()) return found->second.file;
  if (!make_room_for_file()) return std::shared_ptr<HeldFile>();
  if (const auto hint = stripes_.find(identity); hint != stripes_.end()) stripe = hint->second;
  if (options_.only_stripe != 0) stripe = options_.only_stripe;
  auto made = std::make_shared<HeldFile>(*this, file, std::move(*opened), usable_stripe(stripe));
  order_.push_front(identity);
  files_[identity] = {made, order_.begin()};
  return made;
}

void WriteBuffer::set_stripe(const File& file, uint64_t bytes) {
  if (!options_.on || bytes == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stripes_.size() >= kMostHints) stripes_.clear();  // hints: without them writes are only less well aligned
  stripes_[file.identity()] = bytes;
}

void WriteBuffer::forget(const File& file) {
  auto held = find(file);
  if (held == nullptr) return;
  const auto now = held->opened()->attributes();
  if (!now.ok() || now->links != 0) return;  // it got a name meanwhile
  held->pause();
  held->resume(0);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = files_.find(file.identity());
  if (found == files_.end() || found->second.file != held) return;
  stripes_.erase(found->first);
  order_.erase(found->second.place);
  files_.erase(found);
}

bool WriteBuffer::make_space(uint64_t before) {
  const std::lock_guard<std::mutex> one(space_mutex_);
  if (spaces_made_ != before) return true;
  for (const auto& file : all()) {
    const auto attributes = file->opened()->attributes();
    const bool removed = attributes.ok() && attributes->links == 0;
    if (!removed || !file->idle() || (opens_ != nullptr && opens_->has(file->file()))) continue;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(file->file().identity());
    if (found == files_.end() || found->second.file != file) continue;
    order_.erase(found->second.place);
    files_.erase(found);
  }
  if (!backend_.forget_removed()) return false;
  ++spaces_made_;
  return true;
}

Buffer WriteBuffer::take_page(uint64_t held_by_file) {
  const uint64_t most = buffers_.memory() - spare_, used = buffers_.used();
  const bool fair = used < most && held_by_file + HeldStripe::kPage <= 3 * (most - used);
  Buffer page = fair ? buffers_.take(HeldStripe::kPage, spare_) : Buffer();
  if (!page) {
    const std::lock_guard<std::mutex> lock(age_mutex_);
    pressed_ = true;
    age_changed_.notify_all();
  }
  return page;
}

// --- Ages ---------------------------------------------------------------------------------------------------------

void WriteBuffer::watch(std::shared_ptr<HeldFile> file, uint64_t since_ns) {
  const std::lock_guard<std::mutex> lock(age_mutex_);
  ages_.emplace(since_ns + options_.flush_age_ns, std::move(file));
  if (ages_.size() == 1) age_changed_.notify_all();
}

/// Sleeps as long as nothing is held. When memory is used up all that is held is old enough.
void WriteBuffer::watch_ages() {
  std::unique_lock<std::mutex> lock(age_mutex_);
  while (!ending_) {
    const uint64_t now = base::monotonic_ns();
    if (ages_.empty() || (!pressed_ && ages_.begin()->first > now)) {
      if (ages_.empty()) {
        pressed_ = false;
        age_changed_.wait(lock);
      } else {
        age_changed_.wait_for(lock, std::chrono::nanoseconds(ages_.begin()->first - now));
      }
      continue;
    }
    const bool pressed = std::exchange(pressed_, false);
    std::vector<std::shared_ptr<HeldFile>> due;
    while (!ages_.empty() && (pressed || ages_.begin()->first <= now)) {
      if (auto file = ages_.begin()->second.lock()) due.push_back(std::move(file));
      ages_.erase(ages_.begin());
    }
    lock.unlock();
    for (const auto& file : due) {
      const uint64_t since = pressed ? UINT64_MAX : now - std::min(now, options_.flush_age_ns);
      const uint64_t rest = file->flush_older(since, pressed ? FlushReason::kPressure : FlushReason::kAge);
      if (rest != 0) watch(file, rest);
    }
    due.clear();
    lock.lock();
  }
}

// --- The end ------------------------------------------------------------------------------------------------------

std::vector<std::shared_ptr<HeldFile>> WriteBuffer::all() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<HeldFile>> files;
  for (const auto& [identity, known] : files_) files.push_back(known.file);
  return files;
}

void WriteBuffer::flush_all() {
  for (const auto& file : all()) file->flush_older(UINT64_MAX, FlushReason::kEnd);
  for (const auto& file : all()) file->empty_out();
}

bool WriteBuffer::empty() {
  const auto files = all();
  return std::all_of(files.begin(), files.end(), [](const auto& file) { return file->empty(); });
}

bool WriteBuffer::knows_any() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !files_.empty();
}

void WriteBuffer::finish() {
  {
    const std::lock_guard<std::mutex> lock(age_mutex_);
    if (std::exchange(ending_, true)) return;
    age_changed_.notify_all();
  }
  if (age_thread_.joinable()) age_thread_.join();
  flush_all();
  pool_.finish();
}

std::vector<std::string> WriteBuffer::untold() {
  std::vector<std::string> lines;
  for (const auto& file : all()) {
    for (const auto& [error, ranges] : file->untold()) {
      for (const Range& range : ranges.ranges())
        lines.push_back(backend_.roots()[file->file().root] + "/" + file->file().path + ": " +
                        std::to_string(range.end - range.begin) + " bytes from " + std::to_string(range.begin) +
                        " are not stored: " + strerror(error));
    }
  }
  return lines;
}

std::set<Nonce> WriteBuffer::losers() {
  std::set<Nonce> clients;
  for (const auto& file : all()) clients.merge(file->losers());
  return clients;
}

std::string WriteBuffer::open_metrics() {
  std::string text;
  uint64_t oldest = 0;
  for (const auto& file : all()) {
    const uint64_t since = file->oldest_ns();
    if (since != 0 && (oldest == 0 || since < oldest)) oldest = since;
  }
  const uint64_t now = base::monotonic_ns();
  add_single(&text, "held_bytes", "gauge", "bytes", "Memory of writes that are not in their files yet.",
             std::to_string(buffers_.held));
  add_single(&text, "held_seconds", "gauge", "seconds", "Since when the oldest of them is held.",
             seconds_text(oldest == 0 || oldest > now ? 0 : now - oldest));
  add_metric(&text, "flushes", "counter", "", "Stripes that were brought to their files, by reason.");
  for (size_t i = 1; i < counters.flushes.size(); ++i)
    add_value(&text, "flushes_total", std::string("reason=\"") + kReasons[i] + "\"",
              std::to_string(counters.flushes[i]));
  add_single(&text, "flush_writes", "counter", "", "Writes to files that this took.",
             std::to_string(counters.flush_writes));
  add_single(&text, "flushed_bytes", "counter", "bytes", "Data that was brought to files.",
             std::to_string(counters.flushed_bytes));
  add_single(&text, "lost_bytes", "counter", "bytes", "Held data that could not be stored.",
             std::to_string(counters.lost_bytes));
  add_single(&text, "waited_writes", "counter", "", "Writes that waited for memory.", std::to_string(counters.waited));
  return text;
}

}  // namespace headrace::forward
