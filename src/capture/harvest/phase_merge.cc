#include <algorithm>

#include "capture/harvest/phase_reader.h"
#include "capture/harvest/remainder.h"

namespace headrace::capture {
namespace {

model::Phase* row_of_all(std::vector<model::Phase>& phases, const std::string& path) {
  for (model::Phase& each : phases)
    if (each.instance == 0 && each.path == path) return &each;
  return nullptr;
}

void add_time(model::Phase& all, const model::Phase& one) {
  const auto before = static_cast<double>(all.instances), time = static_cast<double>(one.time_ns);
  const double mean = before > 0 ? static_cast<double>(all.time_ns) / before : 0;
  all.variance_ns2 = before / (before + 1) * (all.variance_ns2 + (time - mean) * (time - mean) / (before + 1));
  if (all.instances == 0 || one.time_ns < all.least_ns) all.least_ns = one.time_ns;
  if (one.time_ns >= all.most_ns) all.slowest = one.instance;
  all.most_ns = std::max(all.most_ns, one.time_ns);
  all.time_ns += one.time_ns;
  all.instances++;
  all.cut += one.cut;
  if (all.start_at_ns == 0 || one.start_at_ns < all.start_at_ns) all.start_at_ns = one.start_at_ns;
  all.end_at_ns = std::max(all.end_at_ns, one.end_at_ns);
}

void add_figures(model::Phase& all, const model::Phase& one) {
  for (uint64_t model::Phase::* figure :
       {&model::Phase::bytes_read, &model::Phase::bytes_written, &model::Phase::message_bytes, &model::Phase::read_ns,
        &model::Phase::write_ns, &model::Phase::meta_ns, &model::Phase::message_ns})
    all.*figure += one.*figure;
  for (const model::Profile& profile : one.profiles) {
    const auto same = [&](const model::Profile& p) {
      return p.function == profile.function && p.layer == profile.layer;
    };
    const auto known = std::find_if(all.profiles.begin(), all.profiles.end(), same);
    if (known == all.profiles.end())
      all.profiles.push_back(profile);
    else
      model::merge(*known, profile);
  }
  for (const model::SizeCount& size : one.sizes) {
    const auto same = [&](const model::SizeCount& s) {
      return s.layer == size.layer && s.direction == size.direction && s.least == size.least;
    };
    const auto known = std::find_if(all.sizes.begin(), all.sizes.end(), same);
    if (known == all.sizes.end())
      all.sizes.push_back(size);
    else
      known->count += size.count;
  }
}

/// Figures of instances that ended later than `before` was read.
bool subtract_all(model::Phase& all, const model::Phase& before) {
  for (uint64_t model::Phase::* figure :
       {&model::Phase::instances, &model::Phase::cut, &model::Phase::time_ns, &model::Phase::bytes_read,
        &model::Phase::bytes_written, &model::Phase::message_bytes, &model::Phase::read_ns, &model::Phase::write_ns,
        &model::Phase::meta_ns, &model::Phase::message_ns})
    all.*figure = less(all.*figure, before.*figure);
  subtract_profiles(all.profiles, before.profiles);
  for (model::SizeCount& size : all.sizes)
    for (const model::SizeCount& known : before.sizes)
      if (known.layer == size.layer && known.direction == size.direction && known.least == size.least)
        size.count = less(size.count, known.count);
  std::erase_if(all.sizes, [](const model::SizeCount& size) { return size.count == 0; });
  return all.instances != 0 || !all.sizes.empty();
}

}  // namespace

void close_open(Phases& phases, uint64_t end_at_ns) {
  for (model::Phase& one : phases.open) {
    one.end_at_ns = std::max(one.end_at_ns, end_at_ns);
    one.time_ns = one.least_ns = one.most_ns = one.end_at_ns > one.start_at_ns ? one.end_at_ns - one.start_at_ns : 0;
    model::Phase* all = row_of_all(phases.finished, one.path);
    if (all == nullptr) {  // all that it was before is in an earlier log
      all = &phases.finished.emplace_back();
      all->path = one.path;
    }
    add_time(*all, one);
    add_figures(*all, one);
    phases.finished.push_back(std::move(one));
  }
  phases.open.clear();
}

void subtract_phases(std::vector<model::Phase>& whole, const std::vector<model::Phase>& before) {
  std::erase_if(whole, [&](model::Phase& phase) {
    const auto same = [&](const model::Phase& p) { return p.path == phase.path && p.instance == phase.instance; };
    const auto known = std::find_if(before.begin(), before.end(), same);
    if (known == before.end()) return false;
    return phase.instance != 0 || !subtract_all(phase, *known);
  });
}

}  // namespace headrace::capture
