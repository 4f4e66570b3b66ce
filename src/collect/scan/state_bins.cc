#include <algorithm>
#include <map>

#include "collect/scan/owner_names.h"
#include "collect/scan/state_tables.h"

namespace headrace::collect {

using base::Status;

namespace {

/// Columns of bins that are alike in both tables.
struct BinColumns {
  std::vector<std::string> histogram;
  std::vector<int64_t> bucket, total;
  std::vector<uint64_t> files, bytes;
  std::vector<double> weighted;

  void add(uint16_t place, const Bin& bin) {
    size_t i = kHistograms - 1;
    while (kHistogramInfos[i].first > place) --i;
    histogram.emplace_back(kHistogramInfos[i].name);
    bucket.push_back(bucket_at(kHistogramInfos[i], place));
    files.push_back(static_cast<uint64_t>(bin.files));
    bytes.push_back(static_cast<uint64_t>(bin.bytes));
    total.push_back(bin.total);
    weighted.push_back(bin.weighted);
  }
  void add_to(format::TableBuilder& table) const {
    table.text("histogram", std::span<const std::string>(histogram)).i64("bucket", bucket).u64("files", files);
    table.u64("bytes", bytes).i64("total", total).f64("weighted", weighted);
  }
};

}  // namespace

Status add_histograms(format::Writer& writer, const ScanState& state) {
  struct Who {
    uint16_t place;
    uint8_t by;
    std::string owner;
    auto operator<=>(const Who&) const = default;
  };
  constexpr const char* kBy[] = {"all", "user", "group", "project"};
  OwnerNames names;
  const Places places(state.settings.rules);
  std::map<Who, Bin> sums;
  for (const auto& [key, bin] : state.sums.bins) {
    const std::string &user = names.user(key.owner.user), &group = names.group(key.owner.group);
    sums[{key.place, 0, ""}].add(bin);
    sums[{key.place, 1, user}].add(bin);
    sums[{key.place, 2, group}].add(bin);
    if (!places.rules().empty()) sums[{key.place, 3, places.project(key.owner.place, user, group)}].add(bin);
  }
  BinColumns columns;
  std::vector<std::string> by, owner;
  for (const auto& [who, bin] : sums) {
    columns.add(who.place, bin);
    by.emplace_back(kBy[who.by]);
    owner.push_back(who.owner);
  }
  format::TableBuilder table("scan_histograms");
  columns.add_to(table);
  table.text("owned_by", std::span<const std::string>(by)).text("owner", std::span<const std::string>(owner));
  return writer.add(table);
}

Status add_bins(format::Writer& writer, const Sums& sums) {
  BinColumns columns;
  std::vector<uint64_t> user, group, place;
  for (const auto& [key, bin] : sums.bins) {
    columns.add(key.place, bin);
    user.push_back(key.owner.user);
    group.push_back(key.owner.group);
    place.push_back(key.owner.place);
  }
  format::TableBuilder table("scan_bins");
  columns.add_to(table);
  table.u64("user", user).u64("group", group).u64("place", place);
  return writer.add(table);
}

Status add_ranges(format::Writer& writer, const Sums& sums) {
  std::vector<std::string> histogram;
  std::vector<int64_t> least, greatest;
  for (size_t i = 0; i < kHistograms; ++i) {
    if (!sums.ranges[i].any()) continue;
    histogram.emplace_back(kHistogramInfos[i].name);
    least.push_back(sums.ranges[i].least);
    greatest.push_back(sums.ranges[i].greatest);
  }
  format::TableBuilder table("scan_ranges");
  table.text("histogram", std::span<const std::string>(histogram)).i64("least", least).i64("greatest", greatest);
  return writer.add(table);
}

Status read_bins(StateTables& tables, size_t places, Sums& sums) {
  HEADRACE_ASSIGN(const format::Table bins, tables.table("scan_bins", {{"histogram", true},
                                                                       {"bucket", false},
                                                                       {"files", false},
                                                                       {"bytes", false},
                                                                       {"total", false},
                                                                       {"user", false},
                                                                       {"group", false},
                                                                       {"place", false}}));
  const format::Column* weighted = bins.find("weighted");
  if (weighted == nullptr || weighted->type != format::Type::kF64)
    return tables.wrong("table 'scan_bins' has no weights");
  std::map<std::string, const HistogramInfo*, std::less<>> infos;
  for (const HistogramInfo& info : kHistogramInfos) infos[info.name] = &info;
  for (uint64_t row = 0; row < bins.rows; ++row) {
    const auto value = [&](const char* column) { return bins.find(column)->i64(row); };
    const auto info = infos.find(bins.find("histogram")->text(row));
    const int64_t user = value("user"), group = value("group"), place = value("place");
    const bool is_owner = std::min({user, group, place}) >= 0 && std::max(user, group) <= UINT32_MAX &&
                          static_cast<size_t>(place) <= places;
    if (info == infos.end() || !is_owner || value("files") < 0 || value("bytes") < 0)
      return tables.wrong("a bin is none");
    const int64_t at = value("bucket") + (info->second->bins == Bins::kAges ? 1 : 0);
    if (at < 0 || at >= bins_of(info->second->bins)) return tables.wrong("a bin has a number that none has");
    const BinKey key = {{static_cast<uint32_t>(user), static_cast<uint32_t>(group), static_cast<uint32_t>(place)},
                        static_cast<uint16_t>(info->second->first + at)};
    sums.bins[key].add(Bin{value("files"), value("bytes"), value("total"), weighted->f64(row)});
  }
  return {};
}

Status read_ranges(StateTables& tables, Sums& sums) {
  HEADRACE_ASSIGN(const format::Table ranges,
                  tables.table("scan_ranges", {{"histogram", true}, {"least", false}, {"greatest", false}}));
  for (uint64_t row = 0; row < ranges.rows; ++row) {
    for (size_t i = 0; i < kHistograms; ++i) {
      if (ranges.find("histogram")->text(row) != kHistogramInfos[i].name) continue;
      sums.ranges[i].add(ranges.find("least")->i64(row));
      sums.ranges[i].add(ranges.find("greatest")->i64(row));
    }
  }
  return {};
}

}  // namespace headrace::collect
