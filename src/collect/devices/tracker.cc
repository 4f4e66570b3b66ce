#include "collect/devices/tracker.h"

#include <algorithm>
#include <cstdlib>

namespace headrace::collect {
namespace {

/// Clocks that are put right slowly differ by less (adjtimex(2): 500 ppm; chrony for a while more).
constexpr int64_t kSlewUs = 100'000, kSlewShare = 1000;
constexpr int64_t kWrap = int64_t{1} << 32;

/// The kernel prints these as 32 bits of milliseconds (block/genhd.c, diskstats_show).
constexpr bool wraps(size_t counter) { return counter >= kReadMs && counter <= kQueueMs; }

/// False: a counter went back that cannot have wrapped. One that would have come around by more than half of its range
/// is another device's.
bool subtract(const Reading& now, const Counters& last, Counters& grown) {
  for (size_t i = 0; i < kCounters; ++i) {
    const int64_t value = now.counters[i], before = last[i];
    if (value == kNotKnown || before == kNotKnown) {
      grown[i] = kNotKnown;
    } else if (value >= before) {
      grown[i] = value - before;
    } else if (now.kind == Kind::kBlock && wraps(i) && before < kWrap && before - value > kWrap / 2) {
      grown[i] = value + kWrap - before;
    } else {
      return false;
    }
  }
  return true;
}

/// A counter that appeared with its first operation began at 0.
void begin_at_zero(const Counters& now, Counters& last) {
  for (size_t i = 0; i < kCounters; ++i) last[i] = now[i] == kNotKnown ? kNotKnown : 0;
}

}  // namespace

const Rows& Tracker::compare(const Look& look) {
  rows_.clear();
  now_ = look.at;
  ++tick_;
  compare_clocks();
  whole_ = look.whole;
  next_ = 0;
  for (size_t i = 0; i < look.device_count; ++i) compare_device(look.devices[i]);
  find_gone();
  compare_jobs(look);
  return rows_;
}

void Tracker::compare_clocks() {
  stepped_ = false;
  if (!has_before_) {
    if (!earlier_) return;
    const bool same = earlier_->boot == boot_ && !boot_.empty();
    add_gap("", earlier_->end_us, now_.real_us, same ? "restart" : "reboot");
    return;
  }
  const int64_t passed = now_.boot_us - before_.boot_us;
  const int64_t step = (now_.real_us - before_.real_us) - passed;
  stepped_ = std::llabs(step) > kSlewUs + passed / kSlewShare;
  const int64_t start = stepped_ ? real_of(before_.boot_us) : before_.real_us;
  if (stepped_) add_gap("", before_.real_us, start, "clock");
  if (lost_)
    add_gap("", start, now_.real_us, "lost");
  else if (passed > interval_us_ + interval_us_ / 2)
    add_gap("", start, now_.real_us, "missed");
}

Tracker::Known& Tracker::find(const Reading& reading) {
  const auto is_it = [&](const Known& known) { return known.kind == reading.kind && known.device == reading.device; };
  if (next_ < known_.size() && is_it(known_[next_])) return known_[next_++];
  auto found = std::find_if(known_.begin(), known_.end(), is_it);
  if (found == known_.end())
    found = known_.emplace(known_.end(), Known{.kind = reading.kind, .device = reading.device});
  next_ = static_cast<size_t>(found - known_.begin()) + 1;
  return *found;
}

/// Of a device that no committed look had: whether it counts from 0. Otherwise from what it has now.
bool Tracker::begins(Known& fresh, const Reading& reading) {
  fresh.end_us = before_.real_us;
  fresh.end_boot_us = before_.boot_us;
  // The kernel counts a block device from 0 when it comes. Of targets of servers it is not known when they came, nor
  // of what a look that was not whole may have missed.
  fresh.was_there = fresh.was_there || reading.was_there;
  if (has_before_ && fresh.was_there)
    add_gap(fresh.device, stepped_ ? real_of(fresh.end_boot_us) : fresh.end_us, now_.real_us, "reset");
  if (!has_before_ || fresh.was_there || reading.kind != Kind::kBlock || !whole_ || !before_whole_) return false;
  begin_at_zero(reading.counters, fresh.last);
  return true;
}

void Tracker::compare_device(const Reading& reading) {
  Known& known = find(reading);
  if (known.seen == tick_) return;  // listed twice
  Counters grown;
  // Another one of that name, or it was left out meanwhile.
  if (known.gone && (reading.was_there || !subtract(reading, known.last, grown)))
    known = Known{.kind = reading.kind, .device = reading.device};
  known.seen = tick_;
  known.next = reading.counters;
  if (!known.committed && !begins(known, reading)) return;
  const bool behind = known.end_boot_us < before_.boot_us;  // a look before this one did not have it
  const int64_t start = stepped_ || behind ? real_of(known.end_boot_us) : known.end_us;
  if (!subtract(reading, known.last, grown)) {
    add_gap(known.device, start, now_.real_us, "reset");
    return;
  }
  if (behind) add_gap(known.device, start, now_.real_us, "lost");
  add_sample(reading, start, grown);
}

void Tracker::add_sample(const Reading& reading, int64_t start_us, const Counters& grown) {
  rows_.samples.kind.emplace_back(kind_name(reading.kind));
  rows_.samples.device.emplace_back(reading.device);
  rows_.samples.times.add(tick_, start_us, now_.real_us);
  for (size_t i = 0; i < kCounters; ++i) rows_.samples.counters[i].push_back(grown[i]);
}

void Tracker::add_gap(const std::string& device, int64_t start_us, int64_t end_us, const char* reason) {
  rows_.gaps.device.push_back(device);
  rows_.gaps.reason.emplace_back(reason);
  rows_.gaps.times.add(tick_, start_us, end_us);
}

void Tracker::find_gone() {
  for (const Known& known : known_) {
    if (!is_gone(known.seen) || !known.committed || known.gone) continue;
    add_gap(known.device, stepped_ ? real_of(known.end_boot_us) : known.end_us, now_.real_us, "gone");
  }
}

/// Of a job that no committed look had: whether the last one had its target, and missed nothing. If not, what the job
/// has done may be of any time.
bool Tracker::began_since(const JobReading& fresh) const {
  if (!before_whole_) return false;
  return std::any_of(known_.begin(), known_.end(), [&](const Known& known) {
    return known.kind != Kind::kBlock && known.device == fresh.device && known.committed && !known.gone;
  });
}

void Tracker::compare_jobs(const Look& look) {
  for (size_t i = 0; i < look.job_count; ++i) {
    const JobReading& now = look.jobs[i];
    KnownJob& known = jobs_[now.device + '\n' + now.job];
    if (known.seen == tick_) continue;  // listed twice
    known.next = now.counters;
    known.seen = tick_;
    if (has_before_ && (known.committed || began_since(now))) compare_job(now, known);
  }
}

void Tracker::compare_job(const JobReading& now, const KnownJob& known) {
  std::array<int64_t, 5> grown{};
  bool back = false, any = false;
  for (size_t c = 0; c < grown.size(); ++c) back = back || now.counters[c] < known.last[c];
  for (size_t c = 0; c < grown.size(); ++c) {  // one that went back was forgotten by the server, and began anew
    grown[c] = now.counters[c] - (back ? 0 : known.last[c]);
    any = any || grown[c] != 0;
  }
  if (!any) return;
  const bool behind = known.committed && known.end_boot_us < before_.boot_us;
  const int64_t start = behind ? real_of(known.end_boot_us) : stepped_ ? real_of(before_.boot_us) : before_.real_us;
  rows_.jobs.device.push_back(now.device);
  rows_.jobs.job.push_back(now.job);
  rows_.jobs.times.add(tick_, start, now_.real_us);
  for (size_t c = 0; c < grown.size(); ++c) rows_.jobs.counters[c].push_back(grown[c]);
}

void Tracker::commit() {
  for (Known& known : known_) known.gone = known.committed && is_gone(known.seen);
  std::erase_if(known_,
                [&](const Known& known) { return known.committed ? is_forgotten(known.seen) : is_gone(known.seen); });
  std::erase_if(jobs_, [&](const auto& job) { return is_forgotten(job.second.seen); });
  for (Known& known : known_) {
    if (known.seen != tick_) continue;
    known.last = known.next;
    known.end_us = now_.real_us;
    known.end_boot_us = now_.boot_us;
    known.committed = true;
  }
  for (auto& [key, job] : jobs_) {
    if (job.seen != tick_) continue;
    job.last = job.next;
    job.end_boot_us = now_.boot_us;
    job.committed = true;
  }
  before_ = now_;
  before_whole_ = whole_;
  has_before_ = true;
  lost_ = false;
  earlier_.reset();
}

}  // namespace headrace::collect
