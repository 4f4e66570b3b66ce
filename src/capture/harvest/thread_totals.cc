#include "capture/harvest/thread_totals.h"

#include <algorithm>
#include <utility>

#include "intercept/functions.h"
#include "intercept/library_functions.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kLargestShift = 55;  // 200 bins of 2^55 ticks outlast any process, and their end fits 64 bits

/// The prefix of an exclusion rule, as "/usr/**".
std::string rule_path(const SpoolBytes& bytes, const Header& header, uint32_t rule) {
  std::string_view rules;
  bytes.name(header.exclusion_rules, &rules);
  for (uint32_t i = 0; i < rule && !rules.empty(); ++i) {
    const size_t end = rules.find('\0');
    rules = end == std::string_view::npos ? std::string_view() : rules.substr(end + 1);
  }
  const std::string prefix(rules.substr(0, rules.find('\0')));
  return prefix.empty() ? "(exclusion rules beyond the first " + std::to_string(kExclusionRules - 1) + ")"
                        : prefix + "**";
}

void add(SeriesBin& into, const SeriesBin& from) {
  for (uint32_t i = 0; i < kFlows; ++i) into.bytes[i] += from.bytes[i];
  for (uint32_t i = 0; i < 4; ++i) into.operations[i] += from.operations[i];
}

void add(Profile& into, const Profile& from) {
  into.calls += from.calls;
  into.errors += from.errors;
  into.bytes += from.bytes;
  into.time += from.time;
  into.inside += from.inside;
  into.max_time = std::max(into.max_time, from.max_time);
}

model::FileRecord rollup(std::string path, model::FileKind kind, uint64_t opens, const uint64_t operations[2],
                         const uint64_t bytes[2]) {
  model::FileRecord record;
  record.final_path = record.path = std::move(path);
  record.kind = kind;
  record[model::counter::opens] = opens;
  record[model::counter::reads] = operations[kRead];
  record[model::counter::writes] = operations[kWrite];
  record[model::counter::bytes_read] = bytes[kRead];
  record[model::counter::bytes_written] = bytes[kWrite];
  return record;
}

}  // namespace

ThreadTotals::ThreadTotals(SpoolBytes& bytes, const Header& header, const ClockMap& clock, DamageList& damage)
    : bytes_(bytes), header_(header), clock_(clock), damage_(damage) {}

void ThreadTotals::read_all() {
  apart_.add(header_);
  for (uint32_t offset = header_.first_thread; offset != 0;) {
    ThreadBlock block;
    if (!bytes_.claim(offset, &block)) return damage_.add("figures of a thread", offset);
    read(block);
    offset = block.next;
  }
}

void ThreadTotals::read(const ThreadBlock& block) {
  ++threads_;
  if (block.busy != 0) ++uncertain_;
  apart_.add(block);
  for (uint32_t i = 0; i < kMaximumFunctions; ++i) {
    Profile profile;
    if (block.profiles[i] == 0) continue;
    if (!bytes_.claim(block.profiles[i], &profile)) {
      damage_.add("the profile of a function", block.profiles[i]);
      continue;
    }
    add(profiles_[i], profile);
  }
  read_libraries(block);
  for (uint32_t i = 0; i < kExclusionRules; ++i) {
    Excluded excluded;
    if (block.excluded[i] == 0) continue;
    if (!bytes_.claim(block.excluded[i], &excluded)) {
      damage_.add("figures of excluded paths", block.excluded[i]);
      continue;
    }
    excluded_[i].opens += excluded.opens;
    excluded_[i].other += excluded.other;
    for (uint32_t d = 0; d < 2; ++d) {
      excluded_[i].operations[d] += excluded.operations[d];
      excluded_[i].bytes[d] += excluded.bytes[d];
    }
  }
  add_series(block);
}

void ThreadTotals::read_libraries(const ThreadBlock& block) {
  for (uint32_t page = 0; page < kLibraryPages; ++page) {
    LibraryProfiles profiles;
    if (block.libraries[page] == 0) continue;
    if (!bytes_.claim(block.libraries[page], &profiles)) {
      damage_.add("the profiles of a library", block.libraries[page]);
      continue;
    }
    for (uint32_t i = 0; i < kLibraryPage; ++i) {
      Profile profile;
      if (profiles.of[i] == 0) continue;
      if (!bytes_.claim(profiles.of[i], &profile)) {
        damage_.add("the profile of a library's function", profiles.of[i]);
        continue;
      }
      const uint32_t number = page * kLibraryPage + i;
      if (libraries_.size() <= number) libraries_.resize(number + 1);
      add(libraries_[number], profile);
    }
  }
}

void ThreadTotals::add_series(const ThreadBlock& block) {
  if (block.series_shift > kLargestShift) return damage_.add("the width of a series", block.series_shift);
  if (block.series_shift > bins_.shift) {  // the wider bins win: earlier sums move into them
    const uint32_t widen = block.series_shift - bins_.shift;
    for (uint32_t bin = 0; bin < kSeriesBins; ++bin) {
      add(bins_.sums[bin >> std::min(widen, 31u)], std::exchange(bins_.sums[bin], SeriesBin{}));
    }
    bins_.shift = block.series_shift;
  }
  const uint32_t narrow = std::min(bins_.shift - block.series_shift, 31u);
  for (uint32_t bin = 0; bin < kSeriesBins; ++bin) add(bins_.sums[bin >> narrow], block.series[bin]);
}

void ThreadTotals::give(SpoolContents* out, RecordSink& sink) {
  out->process.threads = std::max<uint64_t>(threads_, header_.started_threads);
  out->process.uncertain_operations = uncertain_;
  apart_.add_to_profiles(profiles_.data(), &libraries_);
  give_profiles(out);
  give_libraries(out);
  give_series(out);
  give_excluded(out, sink);
  apart_.give(clock_, out, sink);
}

void ThreadTotals::give_profiles(SpoolContents* out) {
  uint64_t unnamed = 0;
  for (uint32_t i = 0; i < kMaximumFunctions; ++i) {
    const Profile& sum = profiles_[i];
    if (sum.calls == 0 && sum.errors == 0) continue;
    const char* name = intercept::function_name(i);
    if (name == nullptr) {
      unnamed += sum.calls;
      continue;
    }
    const bool stdio = intercept::is_stdio(static_cast<intercept::Fn>(i));
    const uint64_t time_ns = clock_.duration_ns(sum.time);
    out->profiles.push_back({.function = name,
                             .layer = stdio ? "stdio" : "posix",
                             .calls = sum.calls,
                             .errors = sum.errors,
                             .bytes = sum.bytes,
                             .time_ns = time_ns,
                             .max_ns = clock_.duration_ns(sum.max_time),
                             .own_ns = time_ns});
  }
  if (unnamed != 0) out->gaps.push_back({"profile", unnamed, "calls", "of functions that this version does not know"});
}

void ThreadTotals::give_libraries(SpoolContents* out) {
  uint64_t unnamed = 0;
  for (uint32_t i = 0; i < libraries_.size(); ++i) {
    const Profile& sum = libraries_[i];
    if (sum.calls == 0) continue;
    const intercept::LibraryFunction function = intercept::library_function(i);
    if (!function) {
      unnamed += sum.calls;
      continue;
    }
    out->profiles.push_back({.function = function.name,
                             .layer = function.layer,
                             .calls = sum.calls,
                             .errors = sum.errors,
                             .bytes = sum.bytes,
                             .time_ns = clock_.duration_ns(sum.time),
                             .max_ns = clock_.duration_ns(sum.max_time),
                             .own_ns = clock_.duration_ns(sum.time > sum.inside ? sum.time - sum.inside : 0)});
  }
  if (unnamed != 0)
    out->gaps.push_back({"profile", unnamed, "calls", "of libraries' functions that this version does not know"});
}

void ThreadTotals::give_series(SpoolContents* out) {
  if (!clock_.known()) return;
  for (const uint32_t what : {0u, 1u, model::SeriesBin::kOther, model::SeriesBin::kMessage}) {
    const uint32_t flow = what == model::SeriesBin::kMessage ? static_cast<uint32_t>(kMessageFlow) : what;
    for (uint64_t bin = 0; bin < kSeriesBins; ++bin) {
      const uint64_t bytes = what != model::SeriesBin::kOther ? bins_.sums[bin].bytes[flow] : 0;
      const uint64_t operations = bins_.sums[bin].operations[what];
      if ((bytes | operations) == 0) continue;
      // Widths, not ends, are converted: an end may lie beyond the harvest.
      const uint64_t start = clock_.duration_ns(bin << bins_.shift), end = clock_.duration_ns((bin + 1) << bins_.shift);
      out->series.push_back({what, clock_.start_at_ns() + start, end - start, bytes, operations});
    }
  }
}

void ThreadTotals::give_excluded(SpoolContents* out, RecordSink& sink) {
  uint64_t other = 0;
  for (uint32_t i = 0; i < kExclusionRules; ++i) {
    const Excluded& sum = excluded_[i];
    other += sum.other;
    if ((sum.opens | sum.operations[0] | sum.operations[1]) == 0) continue;
    sink.record(
        rollup(rule_path(bytes_, header_, i), model::FileKind::kExcludedRollup, sum.opens, sum.operations, sum.bytes));
  }
  out->excluded_other = other;
}

}  // namespace headrace::capture
