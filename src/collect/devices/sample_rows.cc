#include "collect/devices/sample_rows.h"

#include <map>
#include <utility>

namespace headrace::collect {
namespace {

constexpr const char* kJobCounterNames[] = {"reads", "read_bytes", "writes", "write_bytes", "metadata"};

template <typename T>
void add_all(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void add_all(Times& to, const Times& more) {
  add_all(to.tick, more.tick);
  add_all(to.start_us, more.start_us);
  add_all(to.end_us, more.end_us);
}

template <typename T>
void reorder(std::vector<T>& values, const std::vector<size_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const size_t at : order) sorted.push_back(values[at]);
  values.swap(sorted);
}

void add_times(format::TableBuilder& table, const Times& times) {
  table.u64("tick", times.tick).i64("start_us", times.start_us).i64("end_us", times.end_us);
}

/// What stands for queue_ms: kernels since 5.0 sum it from the times of reads, writes, discards and flushes, so that
/// little is left without the first two. Modulo 2^64, so that a -1 comes back as well.
std::vector<int64_t> queue_rest(const SampleRows& rows) {
  std::vector<int64_t> rest;
  rest.reserve(rows.kind.size());
  for (size_t i = 0; i < rows.kind.size(); ++i) {
    const auto counter = [&](Counter which) { return static_cast<uint64_t>(rows.counters[which][i]); };
    rest.push_back(static_cast<int64_t>(counter(kQueueMs) - counter(kReadMs) - counter(kWriteMs)));
  }
  return rest;
}

}  // namespace

void SampleRows::clear() {
  kind.clear();
  device.clear();
  times.clear();
  for (auto& column : counters) column.clear();
}

void GapRows::clear() {
  device.clear();
  reason.clear();
  times.clear();
}

void JobRows::clear() {
  device.clear();
  job.clear();
  times.clear();
  for (auto& column : counters) column.clear();
}

void Rows::clear() {
  samples.clear();
  gaps.clear();
  jobs.clear();
}

void Rows::append(const Rows& more, Names& names) {
  add_all(samples.kind, more.samples.kind);  // of kind_name: they stay
  for (const std::string_view device : more.samples.device) {
    const auto known = names.find(device);
    samples.device.emplace_back(known == names.end() ? *names.emplace(device).first : *known);
  }
  add_all(samples.times, more.samples.times);
  for (size_t i = 0; i < kCounters; ++i) add_all(samples.counters[i], more.samples.counters[i]);
  add_all(gaps.device, more.gaps.device);
  add_all(gaps.reason, more.gaps.reason);
  add_all(gaps.times, more.gaps.times);
  add_all(jobs.device, more.jobs.device);
  add_all(jobs.job, more.jobs.job);
  add_all(jobs.times, more.jobs.times);
  for (size_t i = 0; i < jobs.counters.size(); ++i) add_all(jobs.counters[i], more.jobs.counters[i]);
}

void Rows::sort() {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<size_t>> places;
  for (size_t i = 0; i < samples.kind.size(); ++i) places[{samples.kind[i], samples.device[i]}].push_back(i);
  std::vector<size_t> order;
  order.reserve(samples.kind.size());
  for (const auto& [device, rows] : places) order.insert(order.end(), rows.begin(), rows.end());
  reorder(samples.kind, order);
  reorder(samples.device, order);
  reorder(samples.times.tick, order);
  reorder(samples.times.start_us, order);
  reorder(samples.times.end_us, order);
  for (auto& column : samples.counters) reorder(column, order);
}

base::Status add_rows(format::Writer& writer, const Rows& rows, std::string_view host, std::string_view boot) {
  const std::vector<std::string_view> hosts(rows.size(), host);
  const auto of_host = [&](size_t count) { return std::span(hosts).first(count); };
  if (const SampleRows& all = rows.samples; !all.kind.empty()) {
    const std::vector<std::string_view> boots(all.kind.size(), boot);
    format::TableBuilder table("samples");
    table.text("host", of_host(all.kind.size())).text("boot", boots).text("kind", all.kind).text("device", all.device);
    add_times(table, all.times);
    const std::vector<int64_t> rest = queue_rest(all);
    for (size_t i = 0; i < kCounters; ++i)
      i == kQueueMs ? table.i64("queue_rest_ms", rest) : table.i64(kCounterNames[i], all.counters[i]);
    HEADRACE_TRY(writer.add(table));
  }
  if (const GapRows& all = rows.gaps; !all.device.empty()) {
    format::TableBuilder table("sample_gaps");
    table.text("host", of_host(all.device.size())).text("device", all.device).text("reason", all.reason);
    add_times(table, all.times);
    HEADRACE_TRY(writer.add(table));
  }
  if (const JobRows& all = rows.jobs; !all.device.empty()) {
    format::TableBuilder table("server_jobs");
    table.text("host", of_host(all.device.size())).text("device", all.device).text("job", all.job);
    add_times(table, all.times);
    for (size_t i = 0; i < all.counters.size(); ++i) table.i64(kJobCounterNames[i], all.counters[i]);
    HEADRACE_TRY(writer.add(table));
  }
  return {};
}

}  // namespace headrace::collect
