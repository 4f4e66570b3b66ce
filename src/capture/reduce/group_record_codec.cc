#include <bit>
#include <iterator>

#include "base/varint.h"
#include "capture/reduce/group_record.h"

namespace headrace::capture {
namespace {

using base::ByteReader;
using base::ByteWriter;
using model::FileRecord;

constexpr size_t kMostCommon = 32;  // values of a list that travel on
constexpr std::string_view kSites[] = {"open", "slowest_read", "slowest_write", "largest_read", "largest_write"};

void put(ByteWriter& to, uint64_t value) {
  if (value < 0x80)  // most are: one byte costs less than a sequence of one
    to.u8(static_cast<uint8_t>(value));
  else
    base::write_varint(to, value);
}
void put(ByteWriter& to, std::string_view text) {
  put(to, text.size());
  to.append(base::as_bytes(text));
}

/// Numbers of which most are 0: how many are not, then for each the distance from the one before, and itself.
template <typename Numbers>
void put_sparse(ByteWriter& to, const Numbers& numbers) {
  uint64_t count = 0;
  for (uint64_t number : numbers) count += number != 0 ? 1 : 0;
  put(to, count);
  size_t next = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) continue;
    put(to, i - next);
    put(to, numbers[i]);
    next = i + 1;
  }
}

void put_common(ByteWriter& to, const model::CommonValues& values) {
  const bool all = values.values().size() <= kMostCommon;
  const std::vector<model::CommonValue> kept = all ? values.values() : values.most_common(kMostCommon);
  to.u8(values.exact && all ? 1 : 0);
  put(to, kept.size());
  for (const model::CommonValue& each : kept) {
    put(to, base::zigzag(each.value));
    put(to, each.count);
  }
}

void put_spread(ByteWriter& to, const Spread& spread) {
  put(to, spread.least);
  put(to, spread.most);
  to.u64(std::bit_cast<uint64_t>(spread.mean));
  to.u64(std::bit_cast<uint64_t>(spread.squares));
}

void put_site(ByteWriter& to, const RankSite& each) {
  uint8_t what = 0;
  while (what + 1u < std::size(kSites) && kSites[what] != each.site.what) ++what;
  to.u8(what);
  to.u64(each.process);
  to.u64(each.site.stack);
  put(to, each.site.bytes);
  put(to, each.site.time_ns);
  put(to, each.site.at_ns);
}

/// Takes what the functions above put; after the first mistake everything is 0.
class Taker {
 public:
  explicit Taker(base::Bytes bytes) : reader_(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    if (!base::read_varint(reader_, value)) fail();
    return whole_ ? value : 0;
  }
  uint64_t word() { return reader_.u64(); }
  uint8_t byte() { return reader_.u8(); }
  std::string_view text() { return base::as_text(reader_.take(number())); }
  /// A count of things that take at least a byte each.
  uint64_t count() {
    const uint64_t value = number();
    if (value > reader_.left()) fail();
    return whole_ ? value : 0;
  }
  template <typename Numbers>
  void sparse(Numbers& numbers) {
    size_t next = 0;
    for (uint64_t left = count(); left > 0 && whole_; --left) {
      const uint64_t skip = number(), value = number();
      if (skip >= numbers.size() - next) return fail();
      next += skip;
      numbers[next++] = value;
      if (next == numbers.size() && left > 1) return fail();
    }
  }
  void fail() { whole_ = false; }
  bool whole() const { return whole_ && reader_.ok(); }
  bool at_end() const { return whole() && reader_.left() == 0; }

 private:
  ByteReader reader_;
  bool whole_ = true;
};

void take_common(Taker& from, model::CommonValues& values) {
  values.exact = from.byte() != 0;
  for (uint64_t left = from.count(); left > 0 && from.whole(); --left) {
    const int64_t value = base::unzigzag(from.number());
    values.add(value, from.number());
  }
}

Spread take_spread(Taker& from) {
  Spread spread;
  spread.least = from.number();
  spread.most = from.number();
  spread.mean = std::bit_cast<double>(from.word());
  spread.squares = std::bit_cast<double>(from.word());
  return spread;
}

RankSite take_site(Taker& from) {
  RankSite each;
  const uint8_t what = from.byte();
  if (what >= std::size(kSites)) from.fail();
  each.site.what = kSites[what < std::size(kSites) ? what : 0];
  each.process = from.word();
  each.site.stack = from.word();
  each.site.bytes = from.number();
  each.site.time_ns = from.number();
  each.site.at_ns = from.number();
  return each;
}

RankSet take_ranks(Taker& from) {
  const bool cut = from.byte() != 0;
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  uint64_t next = 0;
  for (uint64_t left = from.count(); left > 0 && from.whole(); --left) {
    const uint64_t first = next + from.number(), last = first + from.number();
    if (last < first || last > UINT32_MAX) {
      from.fail();
      break;
    }
    ranges.emplace_back(first, last);
    next = last + 1;
  }
  return {std::move(ranges), cut};
}

}  // namespace

void encode(const GroupRecord& group, std::vector<uint8_t>* bytes) {
  ByteWriter to(*bytes);
  const FileRecord& record = group.record;
  put(to, record.path);
  put(to, record.final_path == record.path ? std::string_view() : std::string_view(record.final_path));
  put(to, record.file);
  to.u8(static_cast<uint8_t>(record.kind));
  to.u8(static_cast<uint8_t>(record.layer));
  put_sparse(to, record.counters);
  for (const model::SizeHistogram& sizes : record.sizes) put_sparse(to, sizes.counts);
  for (const auto* lists : {&record.common_sizes, &record.common_strides})
    for (const model::CommonValues& values : *lists) put_common(to, values);
  put(to, record.properties.size());
  for (const model::Property& property : record.properties) {
    put(to, property.key);
    put(to, property.value);
  }
  put(to, group.sites.size());
  for (const RankSite& site : group.sites) put_site(to, site);
  put(to, group.opened.at_ns);
  put(to, group.opened.size);
  put(to, group.opened.flags);
  const RankSpread& spread = group.spread;
  put(to, spread.ranks);
  put_spread(to, spread.bytes);
  put_spread(to, spread.time_ns);
  put(to, spread.fastest);
  put(to, spread.slowest);
  to.u8(spread.who.cut() ? 1 : 0);
  put(to, spread.who.ranges().size());
  uint64_t next = 0;
  for (const auto& [first, last] : spread.who.ranges()) {
    put(to, first - next);
    put(to, last - first);
    next = uint64_t{last} + 1;
  }
}

base::Result<GroupRecord> decode_group(base::Bytes bytes) {
  Taker from(bytes);
  GroupRecord group;
  FileRecord& record = group.record;
  record.path = from.text();
  record.final_path = from.text();
  if (record.final_path.empty()) record.final_path = record.path;
  record.file = from.number();
  const uint8_t kind = from.byte(), layer = from.byte();
  if (kind >= model::kFileKinds || layer >= model::kLayers) from.fail();
  record.kind = static_cast<model::FileKind>(kind);
  record.layer = static_cast<model::Layer>(layer);
  from.sparse(record.counters);
  for (model::SizeHistogram& sizes : record.sizes) from.sparse(sizes.counts);
  for (auto* lists : {&record.common_sizes, &record.common_strides})
    for (model::CommonValues& values : *lists) take_common(from, values);
  for (uint64_t left = from.count(); left > 0 && from.whole(); --left) {
    std::string key(from.text());
    record.properties.push_back({std::move(key), std::string(from.text())});
  }
  for (uint64_t left = from.count(); left > 0 && from.whole(); --left) group.sites.push_back(take_site(from));
  group.opened.at_ns = from.number();
  group.opened.size = from.number();
  group.opened.flags = from.number();
  RankSpread& spread = group.spread;
  spread.ranks = from.number();
  spread.bytes = take_spread(from);
  spread.time_ns = take_spread(from);
  spread.fastest = static_cast<uint32_t>(from.number());
  spread.slowest = static_cast<uint32_t>(from.number());
  spread.who = take_ranks(from);
  if (!from.at_end()) return base::Status(base::Code::kCorrupt, "a rank sent a file record that is not whole");
  return group;
}

}  // namespace headrace::capture
