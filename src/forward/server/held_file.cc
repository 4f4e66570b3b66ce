#include "forward/server/held_file.h"

#include <errno.h>
#include <string.h>

#include <algorithm>

#include "base/clock.h"
#include "forward/server/write_buffer.h"

namespace headrace::forward {
namespace {

constexpr uint64_t kCopyAtOnce = 256 << 10;  // then others get the lock

Range range_of(Extent extent) { return {extent.offset, extent.offset + extent.length}; }

}  // namespace

HeldFile::HeldFile(WriteBuffer& buffer, File file, std::shared_ptr<OpenFile> opened, uint64_t stripe_bytes)
    : buffer_(buffer), file_(std::move(file)), opened_(std::move(opened)), stripe_bytes_(stripe_bytes) {}

// --- Writes -----------------------------------------------------------------------------------------------------

bool HeldFile::write(HeldWrite* write) {
  Lock lock(mutex_);
  // Who waits already comes first.
  const Step step = waiting_.empty() && !serving_ ? hold(lock, write) : Step::kWait;
  if (step == Step::kHeld) return true;
  buffer_.counters.waited += 1;
  waiting_.push_back(std::move(*write));
  if (step == Step::kDirect) buffer_.in_flush_thread([self = shared_from_this()] { self->serve_waiting(); });
  return false;
}

/// Takes what there is room for. kWait: flushes will make room. kDirect: nothing of this file is held, so none will.
HeldFile::Step HeldFile::hold(Lock& lock, HeldWrite* write) {
  while (write->next < write->pieces.size()) {
    const HeldWrite::Piece& piece = write->pieces[write->next];
    if (write->inside == piece.where.length) {
      ++write->next;
      write->inside = 0;
      continue;
    }
    const uint64_t at = piece.where.offset + write->inside, index = at / stripe_bytes_;
    const uint64_t part = std::min({piece.where.length - write->inside, (index + 1) * stripe_bytes_ - at, kCopyAtOnce});
    HeldStripe* stripe = stripe_of(index);
    uint64_t put = 0;
    if (stripe != nullptr) {
      const auto [number, is_new] = numbers_.try_emplace(piece.client, static_cast<uint32_t>(clients_.size()));
      if (is_new) clients_.push_back(piece.client);
      const uint64_t before = stripe->memory();
      put = stripe->put(number->second, {at, at + part}, piece.from + write->inside,
                        [this] { return buffer_.take_page(memory_); });
      memory_ += stripe->memory() - before;
      buffer_.buffers().held += stripe->memory() - before;
    }
    if (put == 0) {
      if (stripe != nullptr && stripe->written().empty()) {
        dirty_.erase(index);
        stripe = nullptr;
      }
      if (dirty_.empty() && flushing_.empty()) return Step::kDirect;
      if (stripe != nullptr) want(*stripe, index, FlushReason::kPressure);
      want_oldest(FlushReason::kPressure);
      start_flushes();
      return Step::kWait;
    }
    modified_ = std::max(modified_, static_cast<int64_t>(base::clock_ns(CLOCK_REALTIME)));
    write->inside += put;
    watch_size(*stripe, index);
    if (put == kCopyAtOnce) {
      lock.unlock();
      lock.lock();
    }
  }
  return Step::kHeld;
}

HeldStripe* HeldFile::stripe_of(uint64_t index) {
  auto& stripe = dirty_[index];
  if (stripe == nullptr) {
    if (!buffer_.charge(HeldStripe::cost(stripe_bytes_))) {
      dirty_.erase(index);
      return nullptr;
    }
    stripe = std::make_shared<HeldStripe>(buffer_.buffers(), index * stripe_bytes_, stripe_bytes_);
    stripe->since_ns = base::monotonic_ns();
    if (!watched_) buffer_.watch(shared_from_this(), stripe->since_ns);
    watched_ = true;
  }
  return stripe.get();
}

void HeldFile::watch_size(HeldStripe& stripe, uint64_t index) {
  if (stripe.full() || stripe.is_scattered())
    want(stripe, index, FlushReason::kFull);
  else if (buffer_.is_tight() && wanted_.empty() && flushing_.empty())
    want_oldest(FlushReason::kPressure);
  else
    return;
  start_flushes();
}

void HeldFile::want(HeldStripe& stripe, uint64_t index, FlushReason reason) {
  if (stripe.wanted != FlushReason::kNone) return;
  stripe.wanted = reason;
  wanted_.push_back(index);
}

void HeldFile::want_oldest(FlushReason reason) {
  auto oldest = dirty_.end();
  for (auto each = dirty_.begin(); each != dirty_.end(); ++each) {
    if (each->second->wanted == FlushReason::kNone &&
        (oldest == dirty_.end() || each->second->since_ns < oldest->second->since_ns))
      oldest = each;
  }
  if (oldest != dirty_.end()) want(*oldest->second, oldest->first, reason);
}

/// Data that waits, or the rest of it, when there is no memory at all.
std::vector<BadRange> HeldFile::write_rest(HeldWrite* write) {
  std::vector<BadRange> failed;
  int error = 0;
  for (; write->next < write->pieces.size(); ++write->next, write->inside = 0) {
    const HeldWrite::Piece& piece = write->pieces[write->next];
    const Extent rest{piece.where.offset + write->inside, piece.where.length - write->inside};
    if (rest.length == 0) continue;
    OpenFile::Written written{0, error};
    if (error == 0) written = opened_->write(rest, piece.from + write->inside);
    error = written.error;
    const Lock lock(mutex_);
    losses_.stored(piece.client, {rest.offset, rest.offset + written.bytes});
    if (error != 0)
      failed.push_back({static_cast<uint32_t>(error), {rest.offset + written.bytes, rest.length - written.bytes}});
  }
  return failed;
}

/// There may be room for those who wait.
void HeldFile::serve_waiting() {
  Lock lock(mutex_);
  if (serving_) {
    serve_again_ = true;
    return;
  }
  serving_ = true;
  while (!waiting_.empty()) {
    HeldWrite write = std::move(waiting_.front());
    waiting_.pop_front();
    const Step step = hold(lock, &write);
    if (step == Step::kWait) {
      waiting_.push_front(std::move(write));
      if (!std::exchange(serve_again_, false)) break;
      continue;
    }
    lock.unlock();
    write.done(step == Step::kDirect ? write_rest(&write) : std::vector<BadRange>());
    lock.lock();
  }
  serving_ = false;
  serve_again_ = false;
  changed_.notify_all();
}

// --- Reads and sizes ----------------------------------------------------------------------------------------------

/// Older ones first: what is being flushed is older than what came meanwhile.
std::vector<std::shared_ptr<HeldStripe>> HeldFile::stripes_in(Range range) const {
  std::vector<std::shared_ptr<HeldStripe>> found;
  if (range.begin >= range.end) return found;
  for (const Stripes* stripes : {&flushing_, &dirty_}) {
    const uint64_t last = (range.end - 1) / stripe_bytes_;
    for (auto at = stripes->lower_bound(range.begin / stripe_bytes_); at != stripes->end() && at->first <= last; ++at) {
      if (at->second->written().touches(range)) found.push_back(at->second);
    }
  }
  return found;
}

uint64_t HeldFile::end_of_held() const {
  uint64_t end = 0;
  for (const Stripes* stripes : {&dirty_, &flushing_}) {
    if (!stripes->empty()) end = std::max(end, stripes->rbegin()->second->written().end());
  }
  return end;
}

// What is flushed between the two looks at memory is found by both or by the file: a byte read is always one that the
// file had, as its clients see it, at some moment since the read began.
Outcome<uint64_t> HeldFile::read(OpenFile& file, Extent where, uint8_t* into) {
  const Range range = range_of(where);
  Lock lock(mutex_);
  const auto stripes = stripes_in(range);
  const uint64_t end = end_of_held();
  RangeSet held;
  for (const auto& stripe : stripes) {
    for (const Range& part : stripe->written().within(range)) held.add(part);
  }
  const auto copy_out = [&](Range part) {
    for (const auto& stripe : stripes) stripe->copy_out(part, into);
  };
  if (held.covers(range)) {
    copy_out(range);
    return where.length;
  }
  lock.unlock();
  const auto got = file.read(where, into);
  if (!got.ok()) return got;
  const uint64_t length = std::min(where.length, std::max(*got, end - std::min(end, where.offset)));
  memset(into + *got, 0, length - *got);
  lock.lock();
  copy_out({range.begin, range.begin + length});
  return length;
}

HeldFile::View HeldFile::view() {
  const Lock lock(mutex_);
  if (dirty_.empty() && flushing_.empty()) return {};
  return {end_of_held(), modified_};
}

void HeldFile::View::apply(Attributes* attributes) const {
  attributes->size = std::max(attributes->size, end);
  attributes->modified = std::max(attributes->modified, modified);
  attributes->changed = std::max(attributes->changed, modified);
}

uint64_t HeldFile::append_end() {
  const Lock lock(mutex_);
  return std::max(end_of_held(), losses_.lost_end());
}

// --- Flushes ------------------------------------------------------------------------------------------------------

void HeldFile::flush(Range range, FlushReason reason, std::function<void(std::vector<BadRange>)> then) {
  Lock lock(mutex_);
  auto wait = std::make_shared<FlushWait>();
  wait->range = range;
  for (const Stripes* stripes : {&flushing_, &dirty_}) {
    for (const auto& [index, stripe] : *stripes) {
      if (!stripe->written().touches(range)) continue;
      stripe->waits.push_back(wait);
      ++wait->left;
      if (stripes == &dirty_) want(*stripe, index, reason);
    }
  }
  if (wait->left == 0) {
    lock.unlock();
    return then({});
  }
  wait->then = std::move(then);
  start_flushes();
}

uint64_t HeldFile::flush_older(uint64_t since_ns, FlushReason reason) {
  const Lock lock(mutex_);
  uint64_t oldest = 0;
  for (const auto& [index, stripe] : dirty_) {
    if (stripe->since_ns <= since_ns)
      want(*stripe, index, reason);
    else
      oldest = oldest == 0 ? stripe->since_ns : std::min(oldest, stripe->since_ns);
  }
  watched_ = oldest != 0;
  start_flushes();
  return oldest;
}

void HeldFile::start_flushes() {
  while (paused_ == 0 && asked_ < wanted_.size() && asked_ + flushing_.size() < buffer_.flushes_of_file()) {
    ++asked_;
    buffer_.in_flush_thread([self = shared_from_this()] { self->flush_one(); });
  }
}

void HeldFile::flush_one() {
  Lock lock(mutex_);
  --asked_;
  ++at_work_;
  flush_next(lock);
  --at_work_;
  changed_.notify_all();
}

void HeldFile::flush_next(Lock& lock) {
  // What came for a stripe that is being flushed has to come after it.
  const auto next =
      std::find_if(wanted_.begin(), wanted_.end(), [this](uint64_t index) { return !flushing_.contains(index); });
  if (paused_ > 0 || next == wanted_.end() || flushing_.size() >= buffer_.flushes_of_file()) return;
  const uint64_t index = *next;
  wanted_.erase(next);
  const auto found = dirty_.find(index);
  std::shared_ptr<HeldStripe> stripe = std::move(found->second);
  dirty_.erase(found);
  flushing_[index] = stripe;
  lock.unlock();
  const LostRanges lost = write_out(*stripe);
  lock.lock();
  settle(*stripe, lost);
  flushing_.erase(index);
  memory_ -= stripe->memory();
  std::vector<std::shared_ptr<FlushWait>> done;
  for (auto& wait : stripe->waits) {
    if (--wait->left == 0) done.push_back(std::move(wait));
  }
  stripe->waits.clear();
  start_flushes();
  lock.unlock();
  changed_.notify_all();
  buffer_.buffers().held -= stripe->memory();
  stripe.reset();  // its memory is there for those who wait; a read may still use it
  for (const auto& wait : done) wait->then(std::move(wait->failed));
  serve_waiting();
  lock.lock();
}

LostRanges HeldFile::write_out(const HeldStripe& stripe) {
  LostRanges lost;
  for (const Range& range : stripe.written().ranges()) {
    const uint64_t before = buffer_.spaces_made();
    OpenFile::Written written = opened_->write_parts(range.begin, stripe.parts_of(range));
    const bool is_full = written.error == ENOSPC || written.error == EDQUOT;
    if (is_full && buffer_.make_space(before)) written = opened_->write_parts(range.begin, stripe.parts_of(range));
    buffer_.counters.flushed_bytes += written.bytes;
    buffer_.counters.flush_writes += 1;
    if (written.error == 0) continue;
    lost[written.error].add({range.begin + written.bytes, range.end});
    buffer_.counters.lost_bytes += range.end - range.begin - written.bytes;
  }
  buffer_.counters.flushes[static_cast<size_t>(stripe.wanted)] += 1;
  return lost;
}

/// Each client that wrote here has its part stored or lost.
void HeldFile::settle(const HeldStripe& stripe, const LostRanges& lost) {
  for (const auto& [number, ranges] : stripe.writers()) {
    RangeSet stored = ranges;
    for (const auto& [error, bad] : lost) {
      for (const Range& part : bad.ranges()) {
        for (const Range& own : ranges.within(part)) losses_.lost(clients_[number], own, error);
        stored.remove(part);
      }
    }
    for (const Range& range : stored.ranges()) losses_.stored(clients_[number], range);
  }
  for (const auto& [error, bad] : lost) {
    for (const auto& wait : stripe.waits) {
      for (const Range& part : bad.within(wait->range))
        wait->failed.push_back({static_cast<uint32_t>(error), {part.begin, part.end - part.begin}});
    }
  }
}

void HeldFile::pause() {
  Lock lock(mutex_);
  ++paused_;
  changed_.wait(lock, [this] { return flushing_.empty(); });
}

void HeldFile::resume(std::optional<uint64_t> kept) {
  std::vector<std::shared_ptr<FlushWait>> done;
  {
    const Lock lock(mutex_);
    --paused_;
    for (auto each = dirty_.begin(); kept.has_value() && each != dirty_.end();) {
      HeldStripe& stripe = *each->second;
      if (stripe.written().end() > *kept) stripe.cut(*kept);
      if (!stripe.written().empty()) {
        ++each;
        continue;
      }
      for (auto& wait : stripe.waits) {
        if (--wait->left == 0) done.push_back(std::move(wait));
      }
      std::erase(wanted_, each->first);
      memory_ -= stripe.memory();
      buffer_.buffers().held -= stripe.memory();
      each = dirty_.erase(each);
    }
    if (kept.has_value()) losses_.forget_end();
    start_flushes();
  }
  changed_.notify_all();
  for (const auto& wait : done) wait->then(std::move(wait->failed));
  serve_waiting();
}

// --- Commits ------------------------------------------------------------------------------------------------------

int HeldFile::sync() {
  Lock lock(mutex_);
  const uint64_t epoch = losses_.begin_commit();
  lock.unlock();
  const int error = opened_->commit();
  lock.lock();
  if (error != 0)
    losses_.commit_failed(epoch, error);
  else
    losses_.committed(epoch);
  return error;
}

std::vector<BadRange> HeldFile::tell(const Nonce& client, Range range, const std::vector<BadRange>& failed, int error) {
  const Lock lock(mutex_);
  LostRanges lost = losses_.take(client, range);
  for (const BadRange& bad : failed) lost[static_cast<int>(bad.error)].add(range_of(bad.where));
  if (error != 0 && lost[error].empty()) lost[error].add(range);
  std::vector<BadRange> all;
  for (const auto& [number, ranges] : lost) {
    for (const Range& each : ranges.ranges()) {
      const uint64_t length = each.end == UINT64_MAX ? 0 : each.end - each.begin;  // 0: to the end
      all.push_back({static_cast<uint32_t>(number), {each.begin, length}});
    }
  }
  return all;
}

bool HeldFile::empty() {
  const Lock lock(mutex_);
  return is_empty();
}

bool HeldFile::is_empty() const {
  return dirty_.empty() && flushing_.empty() && waiting_.empty() && !serving_ && at_work_ == 0;
}

void HeldFile::empty_out() {
  Lock lock(mutex_);
  while (!is_empty()) {
    for (const auto& [index, stripe] : dirty_) want(*stripe, index, FlushReason::kEnd);
    start_flushes();
    changed_.wait(lock);
  }
}

bool HeldFile::idle() {
  const Lock lock(mutex_);
  return is_empty() && paused_ == 0 && losses_.empty();
}

uint64_t HeldFile::oldest_ns() {
  const Lock lock(mutex_);
  uint64_t oldest = 0;
  for (const Stripes* stripes : {&dirty_, &flushing_}) {
    for (const auto& [index, stripe] : *stripes)
      oldest = oldest == 0 ? stripe->since_ns : std::min(oldest, stripe->since_ns);
  }
  return oldest;
}

std::set<Nonce> HeldFile::losers() {
  const Lock lock(mutex_);
  return losses_.losers();
}

LostRanges HeldFile::untold() {
  const Lock lock(mutex_);
  return losses_.untold();
}

}  // namespace headrace::forward
