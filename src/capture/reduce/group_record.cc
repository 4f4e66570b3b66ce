#include "capture/reduce/group_record.h"

#include <algorithm>
#include <tuple>

#include "base/hash.h"

namespace headrace::capture {
namespace {

constexpr size_t kMostProperties = 64;

uint64_t time_of(const model::FileRecord& record) {
  using namespace model::counter;
  return record.counters[read_ns] + record.counters[write_ns] + record.counters[meta_ns];
}

/// What a call site of its sort is chosen by.
uint64_t weight(const model::CallSite& site) { return site.what.starts_with("slowest") ? site.time_ns : site.bytes; }

bool comes_first(const Opened& a, const Opened& b) {
  if (a.at_ns == 0 || b.at_ns == 0) return a.at_ns != 0;
  // To the last member, so that the order in which groups meet does not matter.
  return std::tie(a.at_ns, a.size, a.flags) < std::tie(b.at_ns, b.size, b.flags);
}

bool stands_out(const RankSite& a, const RankSite& b) {
  if (weight(a.site) != weight(b.site)) return weight(a.site) > weight(b.site);
  return a.process < b.process;
}

}  // namespace

GroupRecord::GroupRecord(const model::FileRecord& of_rank, uint64_t process, uint32_t rank)
    : record(of_rank),
      spread(rank, of_rank.counters[model::counter::bytes_read] + of_rank.counters[model::counter::bytes_written],
             time_of(of_rank)),
      opened{of_rank.counters[model::counter::first_open_at_ns], of_rank.counters[model::counter::size_at_open],
             of_rank.counters[model::counter::flags]} {
  for (const model::CallSite& site : record.call_sites) sites.push_back({process, site});
  record.call_sites.clear();
  record.generation = 0;
}

void GroupRecord::merge(const GroupRecord& other) {
  model::merge(record, other.record);
  if (record.final_path == record.path) record.final_path = other.record.final_path;
  for (const model::Property& property : other.record.properties) {
    const auto& mine = record.properties;
    if (mine.size() < kMostProperties && std::find(mine.begin(), mine.end(), property) == mine.end())
      record.properties.push_back(property);
  }
  for (const RankSite& site : other.sites) {
    const auto same = std::find_if(sites.begin(), sites.end(),
                                   [&](const RankSite& mine) { return mine.site.what == site.site.what; });
    if (same == sites.end())
      sites.push_back(site);
    else if (stands_out(site, *same))
      *same = site;
  }
  if (comes_first(other.opened, opened)) opened = other.opened;
  spread.merge(other.spread);
}

uint64_t key_of(const model::FileRecord& record) { return model::shared_id(0, record); }

bool can_be_shared(const model::FileRecord& record) {
  using enum model::FileKind;
  // Ranks cannot tell which of those that had the path one after the other they mean.
  if (record.generation != 0 && record.file == 0) return false;
  switch (record.kind) {
    case kFile:
    case kDirectory:
    case kDataset:
    case kDevice:
    case kStream:
      return true;
    default:
      return false;
  }
}

}  // namespace headrace::capture
