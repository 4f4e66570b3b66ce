#include "capture/harvest/remainder.h"

#include <algorithm>

#include "base/hash.h"

namespace headrace::capture {
namespace {

/// What a name stands for may have been found out between the copy and the end: a file that turns out to be a
/// directory is the same record.
uint64_t key_of(const model::FileRecord& record) {
  const auto kind = record.kind == model::FileKind::kDirectory ? model::FileKind::kFile : record.kind;
  // What file it is may have been found out as well; which one of those of its path it is says the generation.
  return base::mix(model::record_id(0, record.path, kind, record.layer), record.generation);
}

void subtract_values(model::CommonValues& whole, const model::CommonValues& before) {
  model::CommonValues rest;
  rest.exact = whole.exact && before.exact;
  for (const model::CommonValue& each : whole.values()) {
    const auto& known = before.values();
    const auto place = std::find_if(known.begin(), known.end(),
                                    [&](const model::CommonValue& other) { return other.value == each.value; });
    rest.add(each.value, less(each.count, place == known.end() ? 0 : place->count));
  }
  whole = rest;
}

class Before : public RecordSink {
 public:
  void record(const model::FileRecord& record) override { records.emplace(key_of(record), record); }
  std::unordered_map<uint64_t, model::FileRecord> records;
};

class Rest : public RecordSink {
 public:
  Rest(const Before& before, RecordSink& sink) : before_(before), sink_(sink) {}
  void record(const model::FileRecord& record) override {
    const auto known = before_.records.find(key_of(record));
    if (known == before_.records.end()) return sink_.record(record);
    model::FileRecord rest = record;
    rest.kind = known->second.kind;  // one row for both
    if (subtract(rest, known->second)) sink_.record(rest);
  }

 private:
  const Before& before_;
  RecordSink& sink_;
};

/// Bins double in width as a process goes on: an earlier one lies within a later one.
void subtract_series(SpoolContents& whole, const SpoolContents& before) {
  for (const model::SeriesBin& known : before.series) {
    const uint64_t middle = known.start_at_ns + known.width_ns / 2;
    for (model::SeriesBin& bin : whole.series) {
      if (bin.what != known.what || middle < bin.start_at_ns || middle >= bin.start_at_ns + bin.width_ns) continue;
      bin.bytes = less(bin.bytes, known.bytes);
      bin.operations = less(bin.operations, known.operations);
      break;
    }
  }
  std::erase_if(whole.series, [](const model::SeriesBin& bin) { return bin.bytes + bin.operations == 0; });
}

void subtract_gaps(SpoolContents& whole, const SpoolContents& before) {
  for (model::Gap& gap : whole.gaps) {
    for (const model::Gap& known : before.gaps) {
      if (known.what == gap.what && known.unit == gap.unit && known.reason == gap.reason)
        gap.amount = less(gap.amount, known.amount);
    }
  }
  std::erase_if(whole.gaps, [](const model::Gap& gap) { return gap.amount == 0; });
}

}  // namespace

void subtract_profiles(std::vector<model::Profile>& whole, const std::vector<model::Profile>& before) {
  for (model::Profile& profile : whole) {
    for (const model::Profile& known : before) {
      if (known.function != profile.function || known.layer != profile.layer) continue;
      profile.calls = less(profile.calls, known.calls);
      profile.errors = less(profile.errors, known.errors);
      profile.bytes = less(profile.bytes, known.bytes);
      profile.time_ns = less(profile.time_ns, known.time_ns);
      profile.own_ns = less(profile.own_ns, known.own_ns);
    }
  }
  std::erase_if(whole, [](const model::Profile& p) { return p.calls + p.errors + p.time_ns == 0; });
}

bool subtract(model::FileRecord& whole, const model::FileRecord& before) {
  uint64_t left = 0;
  for (uint32_t i = 0; i < model::counter::kCount; ++i) {
    if (model::kCounters[i].merge.kind != model::MergeKind::kSum) continue;
    whole.counters[i] = less(whole.counters[i], before.counters[i]);
    left |= whole.counters[i];
  }
  for (uint32_t d = 0; d < model::kDirections; ++d) {
    for (uint32_t b = 0; b < model::SizeHistogram::kBuckets; ++b)
      whole.sizes[d].counts[b] = less(whole.sizes[d].counts[b], before.sizes[d].counts[b]);
    subtract_values(whole.common_sizes[d], before.common_sizes[d]);
    subtract_values(whole.common_strides[d], before.common_strides[d]);
  }
  const auto& known = before.properties;
  std::erase_if(whole.properties, [&](const model::Property& property) {
    return std::find(known.begin(), known.end(), property) != known.end();
  });
  return left != 0 || !whole.properties.empty();
}

base::Result<SpoolContents> read_remainder(std::span<std::byte> bytes, std::span<std::byte> reduced,
                                           const std::string& label, const Moment& job_start, const Moment& now,
                                           RecordSink& sink) {
  Before before;
  auto known = read_spool(reduced, label + " (as it was reduced)", job_start, now, before);
  if (!known.ok()) {
    HEADRACE_ASSIGN(SpoolContents all, read_spool(bytes, label, job_start, now, sink));
    all.gaps.push_back({"reduced figures", 1, "processes", known.message() + "; they may be counted twice"});
    return all;
  }
  Rest rest(before, sink);
  HEADRACE_ASSIGN(SpoolContents contents, read_spool(bytes, label, job_start, now, rest));
  subtract_profiles(contents.profiles, known->profiles);
  subtract_series(contents, *known);
  subtract_phases(contents.phases.finished, known->phases.finished);
  subtract_gaps(contents, *known);
  contents.clusters = {};  // the reduction stored them
  contents.excluded_other = less(contents.excluded_other, known->excluded_other);
  return contents;
}

}  // namespace headrace::capture
