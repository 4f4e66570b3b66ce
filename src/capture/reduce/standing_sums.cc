#include "capture/reduce/standing_sums.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::capture {
namespace {

// Names are a letter and what the row is about, separated by NUL bytes; behind kGreatest those whose greatest value is
// kept. Of a least value and of a first moment that is what is missing to the greatest number there is.
constexpr std::string_view kProfile = "p", kSeries = "s", kPhase = "f", kPhaseProfile = "g", kPhaseSize = "z",
                           kGap = "a", kProfileMost = ">p", kPhaseMost = ">f";

std::string name_of(std::initializer_list<std::string_view> parts) {
  std::string name;
  for (const std::string_view part : parts) {
    if (!name.empty()) name += '\0';
    name += part;
  }
  return name;
}

using Parts = std::vector<std::string_view>;

Parts parts_of(std::string_view name) {
  Parts parts;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('\0', at), name.size());
    parts.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

uint64_t number_of(std::string_view text) {
  uint64_t value = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void add_row(NamedSums& sums, std::string name, std::vector<uint64_t> values) {
  NamedSums one;
  one.emplace(std::move(name), std::move(values));
  add(sums, one);
}

void add_phase_sums(NamedSums& sums, const model::Phase& phase) {
  if (phase.instances != 0) {
    add_row(sums, name_of({kPhase, phase.path}),
            {phase.instances, phase.cut, phase.time_ns, phase.bytes_read, phase.bytes_written, phase.message_bytes,
             phase.read_ns, phase.write_ns, phase.meta_ns, phase.message_ns});
    add_row(sums, name_of({kPhaseMost, phase.path}),
            {phase.most_ns, phase.end_at_ns, ~phase.least_ns, ~phase.start_at_ns});
  }
  for (const model::Profile& each : phase.profiles)
    add_row(sums, name_of({kPhaseProfile, phase.path, each.layer, each.function}),
            {each.calls, each.errors, each.bytes, each.time_ns, each.own_ns});
  for (const model::SizeCount& each : phase.sizes)
    add_row(sums,
            name_of({kPhaseSize, phase.path, each.layer, each.direction, std::to_string(each.least),
                     std::to_string(each.most)}),
            {each.count});
}

/// The values of another name that begins with `other` in place of `prefix`.
const std::vector<uint64_t>* beside(const NamedSums& sums, const std::string& name, std::string_view prefix,
                                    std::string_view other) {
  const auto found = sums.find(std::string(other) + name.substr(prefix.size()));
  return found == sums.end() ? nullptr : &found->second;
}

model::Profile profile_of(std::string_view layer, std::string_view function, const std::vector<uint64_t>& values) {
  model::Profile profile{.function = function, .layer = layer};
  profile.calls = values.at(0);
  profile.errors = values.at(1);
  profile.bytes = values.at(2);
  profile.time_ns = values.at(3);
  profile.own_ns = values.at(4);
  return profile;
}

model::Phase phase_of(std::string_view path, const std::vector<uint64_t>& sums, const std::vector<uint64_t>* most) {
  model::Phase phase;
  phase.path = path;
  uint64_t* const to[] = {&phase.instances,     &phase.cut,           &phase.time_ns, &phase.bytes_read,
                          &phase.bytes_written, &phase.message_bytes, &phase.read_ns, &phase.write_ns,
                          &phase.meta_ns,       &phase.message_ns};
  for (size_t i = 0; i < std::size(to) && i < sums.size(); ++i) *to[i] = sums[i];
  phase.variance_ns2 = std::nan("");  // not known
  if (most == nullptr || most->size() < 4) return phase;
  phase.most_ns = (*most)[0];
  phase.end_at_ns = (*most)[1];
  phase.least_ns = ~(*most)[2];
  phase.start_at_ns = ~(*most)[3];
  return phase;
}

}  // namespace

bool stays_with_rank(const model::Profile& profile) { return profile.layer == "mpi" || profile.layer == "mpiio"; }

uint64_t widest_span(const SpoolContents& contents) {
  uint64_t widest = 0;
  for (const model::SeriesBin& bin : contents.series) widest = std::max(widest, bin.width_ns);
  return widest;
}

NamedSums sums_of(const SpoolContents& contents, uint64_t width_ns) {
  NamedSums sums;
  for (const model::Profile& each : contents.profiles) {
    if (stays_with_rank(each)) continue;
    add_row(sums, name_of({kProfile, each.layer, each.function}),
            {each.calls, each.errors, each.bytes, each.time_ns, each.own_ns});
    add_row(sums, name_of({kProfileMost, each.layer, each.function}), {each.max_ns});
  }
  for (const model::SeriesBin& each : contents.series) {  // goes where its middle is
    const uint64_t place = (each.start_at_ns + each.width_ns / 2) / std::max<uint64_t>(width_ns, 1);
    add_row(sums, name_of({kSeries, std::to_string(each.what), std::to_string(place)}), {each.bytes, each.operations});
  }
  for (const model::Phase& each : contents.phases.finished)
    if (each.instance == 0) add_phase_sums(sums, each);
  for (const model::Gap& each : contents.gaps)
    add_row(sums, name_of({kGap, each.what, each.unit, each.reason}), {each.amount});
  return sums;
}

void add_sums(LogTables& tables, uint64_t process, const NamedSums& sums, uint64_t width_ns) {
  for (const auto& [name, values] : sums) {
    const Parts parts = parts_of(name);
    if (parts[0] == kProfile && parts.size() == 3) {
      model::Profile profile = profile_of(parts[1], parts[2], values);
      if (const auto* most = beside(sums, name, kProfile, kProfileMost)) profile.max_ns = most->at(0);
      tables.add_profile(process, profile);
    } else if (parts[0] == kSeries && parts.size() == 3) {
      tables.add_series(process, {static_cast<uint32_t>(number_of(parts[1])), number_of(parts[2]) * width_ns, width_ns,
                                  values.at(0), values.at(1)});
    } else if (parts[0] == kPhase && parts.size() == 2) {
      tables.add_phase(process, phase_of(parts[1], values, beside(sums, name, kPhase, kPhaseMost)));
    } else if (parts[0] == kPhaseProfile && parts.size() == 4) {
      model::Phase phase;
      phase.path = parts[1];
      phase.profiles.push_back(profile_of(parts[2], parts[3], values));
      tables.add_phase(process, phase);
    } else if (parts[0] == kPhaseSize && parts.size() == 6) {
      model::Phase phase;
      phase.path = parts[1];
      phase.sizes.push_back({parts[2], parts[3], number_of(parts[4]), number_of(parts[5]), values.at(0)});
      tables.add_phase(process, phase);
    } else if (parts[0] == kGap && parts.size() == 4) {
      tables.add_gap(process, {std::string(parts[1]), values.at(0), std::string(parts[2]), std::string(parts[3])});
    }
  }
}

}  // namespace headrace::capture
