#include "collect/scan/state.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "collect/scan/directory.h"
#include "collect/scan/files.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;

namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string name_of_user(uint32_t number) {
  char buffer[16384];
  passwd entry, *found = nullptr;
  getpwuid_r(number, &entry, buffer, sizeof buffer, &found);
  return found != nullptr ? found->pw_name : std::to_string(number);
}

std::string name_of_group(uint32_t number) {
  char buffer[65536];
  group entry, *found = nullptr;
  getgrgid_r(number, &entry, buffer, sizeof buffer, &found);
  return found != nullptr ? found->gr_name : std::to_string(number);
}

/// Looks each number up once.
class Names {
 public:
  const std::string& user(uint32_t number) { return find(users_, number, name_of_user); }
  const std::string& group(uint32_t number) { return find(groups_, number, name_of_group); }

 private:
  static const std::string& find(std::map<uint32_t, std::string>& known, uint32_t number,
                                 std::string (*look)(uint32_t)) {
    const auto [place, is_new] = known.try_emplace(number);
    if (is_new) place->second = look(number);
    return place->second;
  }
  std::map<uint32_t, std::string> users_, groups_;
};

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : std::string(1, '\0')) + text;
  return all;
}

std::vector<std::string> parted(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\0', at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Facts facts_of(const ScanState& state) {
  const auto number = [](auto value) { return std::to_string(value); };
  Facts facts = {{"format_version", "1"},
                 {"headrace_version", HEADRACE_VERSION},
                 {"root", joined(state.settings.roots)},
                 {"file_system", state.settings.file_system},
                 {"host", state.host},
                 {"start_utc_ns", number(state.start_utc_ns)},
                 {"end_utc_ns", number(state.end_utc_ns)}};
#define HEADRACE_FIELD(name) facts.emplace_back(#name, number(state.sums.totals.name));
  HEADRACE_SCAN_TOTALS(HEADRACE_FIELD)
#undef HEADRACE_FIELD
  facts.emplace_back("unlisted_problems", number(state.unlisted_problems));
  facts.emplace_back("complete", state.complete());
  if (state.done) return facts;
  facts.emplace_back("links", number(state.link_bytes));
  facts.emplace_back("rows", number(state.row_bytes));
  facts.emplace_back("row_count", number(state.rows));
  facts.emplace_back("keeps_rows", number(state.settings.rows ? 1 : 0));
  facts.emplace_back("cross_mounts", number(state.settings.cross_mounts ? 1 : 0));
  facts.emplace_back("rules", text_of(state.settings.rules));
  return facts;
}

Status add_facts(format::Writer& writer, const ScanState& state) {
  std::vector<std::string> keys, values;
  for (auto& [key, value] : facts_of(state)) {
    keys.push_back(key);
    values.push_back(value);
  }
  format::TableBuilder table("scan");
  table.text("key", std::span<const std::string>(keys)).text("value", std::span<const std::string>(values));
  return writer.add(table);
}

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

Status add_histograms(format::Writer& writer, const ScanState& state) {
  struct Who {
    uint16_t place;
    uint8_t by;
    std::string owner;
    auto operator<=>(const Who&) const = default;
  };
  constexpr const char* kBy[] = {"all", "user", "group", "project"};
  Names names;
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

Status add_problems(format::Writer& writer, const std::vector<Problem>& problems) {
  std::vector<std::string_view> path, reason;
  for (const Problem& problem : problems) {
    path.push_back(problem.path);
    reason.push_back(problem.reason);
  }
  format::TableBuilder table("scan_problems");
  table.text("path", std::span<const std::string_view>(path)).text("reason", std::span<const std::string_view>(reason));
  return writer.add(table);
}

Status add_open(format::Writer& writer, const std::vector<OpenDirectory>& open) {
  std::vector<uint64_t> root, entries, files;
  std::vector<int64_t> cookie;
  std::vector<std::string_view> path;
  for (const OpenDirectory& one : open) {
    root.push_back(one.root);
    path.push_back(one.path);
    cookie.push_back(one.cookie);
    entries.push_back(static_cast<uint64_t>(one.entries));
    files.push_back(static_cast<uint64_t>(one.files));
  }
  format::TableBuilder table("scan_open");
  table.u64("root", root).text("path", std::span<const std::string_view>(path)).i64("cookie", cookie);
  table.u64("entries", entries).u64("files", files);
  return writer.add(table);
}

/// Little by little: there may be more than memory is to hold.
class PendingWriter {
 public:
  explicit PendingWriter(format::Writer& writer) : writer_(writer) {}
  Status add(const PendingGroup& group) {
    for (size_t at = 0; at < group.names.size();) {
      const size_t end = group.names.find('\0', at);
      roots_.push_back(group.root);
      parents_.push_back(group.parent);
      names_.push_back(group.names.substr(at, end - at));
      bytes_ += group.parent.size() + end - at;
      at = end + 1;
      if (roots_.size() >= kRows || bytes_ >= kBytes) HEADRACE_TRY(flush());
    }
    return {};
  }
  Status flush() {
    format::TableBuilder table("scan_pending");
    table.u64("root", roots_).text("parent", std::span<const std::string>(parents_));
    table.text("name", std::span<const std::string>(names_));
    HEADRACE_TRY(writer_.add(table));
    roots_.clear();
    parents_.clear();
    names_.clear();
    bytes_ = 0;
    return {};
  }

 private:
  static constexpr size_t kRows = 16384, kBytes = 4U << 20;
  format::Writer& writer_;
  std::vector<uint64_t> roots_;
  std::vector<std::string> parents_, names_;
  size_t bytes_ = 0;
};

Status write_tables(const std::string& path, const ScanState& state, const Pending* pending) {
  HEADRACE_ASSIGN(auto sink, format::FileSink::open(path, format::FileSink::Mode::kReplace));
  HEADRACE_ASSIGN(format::Writer writer, format::Writer::open(std::move(sink)));
  HEADRACE_TRY(add_facts(writer, state));
  HEADRACE_TRY(add_histograms(writer, state));
  HEADRACE_TRY(add_ranges(writer, state.sums));
  HEADRACE_TRY(add_problems(writer, state.problems));
  if (pending != nullptr) {
    HEADRACE_TRY(add_bins(writer, state.sums));
    HEADRACE_TRY(add_open(writer, state.open));
    PendingWriter waiting(writer);
    HEADRACE_TRY(pending->each([&](const PendingGroup& group) { return waiting.add(group); }));
    HEADRACE_TRY(waiting.flush());
  }
  return writer.close();
}

Status store(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file && fsync(file.get()) == 0 ? Status() : failed(path + ": cannot be stored", errno);
}

}  // namespace

std::string ScanState::complete() const {
  if (!done) return "no: the scan has not ended";
  if (sums.totals.unreadable == 0) return "yes";
  return "no: of " + std::to_string(sums.totals.unreadable) + " directories something could not be read";
}

Status write_state(const std::string& path, const ScanState& state, const Pending* pending) {
  const std::string next = path + ".new";
  Status written = write_tables(next, state, pending);
  if (written.ok()) written = store(next);
  if (written.ok() && rename(next.c_str(), path.c_str()) != 0) written = failed(path + ": cannot be written", errno);
  if (!written.ok()) unlink(next.c_str());
  return written;
}

Status check_output(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return {};
  auto reader = format::Reader::open(path);
  const auto tables = reader.ok() ? reader->tables() : std::vector<std::string>();
  if (std::find(tables.begin(), tables.end(), "scan") != tables.end()) return {};
  return {Code::kInvalid, path + ": is there and is no scan: give another name with -o, or remove it"};
}

namespace {

/// Takes what a state has, checking all of it.
class StateReader {
 public:
  StateReader(std::string path, format::Reader reader) : path_(std::move(path)), reader_(std::move(reader)) {}
  Status read(ScanState& state, Pending& pending);

 private:
  Status wrong(const std::string& what) const {
    return {Code::kCorrupt, path_ + ": " + what + ": the scan cannot go on from it; remove it and begin anew"};
  }
  Result<format::Table> table(const char* name, std::initializer_list<std::pair<const char*, bool>> columns);
  Status read_facts(ScanState& state);
  Status read_bins(Sums& sums, const Places& places);
  Status read_ranges(Sums& sums);
  Status read_pending(const ScanState& state, Pending& pending);
  Status read_open(ScanState& state);
  Status number(const std::string& key, int64_t* to);
  Status count(const std::string& key, uint64_t* to);

  std::string path_;
  format::Reader reader_;
  std::map<std::string, std::string> facts_;
};

/// The columns by name, each with whether it is text.
Result<format::Table> StateReader::table(const char* name,
                                         std::initializer_list<std::pair<const char*, bool>> columns) {
  auto found = reader_.table(name);
  if (!found.ok()) return wrong(found.message());
  for (const auto& [column, is_text] : columns) {
    const format::Column* one = found->find(column);
    const bool fits =
        one != nullptr && one->type != format::Type::kF64 && (one->type == format::Type::kText) == is_text;
    if (!fits) return wrong(std::string("table '") + name + "' has no proper column '" + column + "'");
  }
  return found;
}

Status StateReader::number(const std::string& key, int64_t* to) {
  const std::string& text = facts_[key];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *to);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? Status() : wrong("its fact '" + key + "' is no number");
}

Status StateReader::count(const std::string& key, uint64_t* to) {
  int64_t found = 0;
  HEADRACE_TRY(number(key, &found));
  *to = static_cast<uint64_t>(found);
  return found >= 0 ? Status() : wrong("its fact '" + key + "' is below zero");
}

Status StateReader::read_facts(ScanState& state) {
  HEADRACE_ASSIGN(const format::Table facts, table("scan", {{"key", true}, {"value", true}}));
  for (uint64_t row = 0; row < facts.rows; ++row)
    facts_[std::string(facts.find("key")->text(row))] = facts.find("value")->text(row);
  if (facts_["format_version"] != "1") return wrong("another version of Headrace wrote it");
  state.settings.roots = parted(facts_["root"]);
  for (const std::string& root : state.settings.roots)
    if (!root.starts_with('/')) return wrong("its root is not absolute");
  state.settings.file_system = facts_["file_system"];
  state.host = facts_["host"];
  HEADRACE_TRY(number("start_utc_ns", &state.start_utc_ns));
#define HEADRACE_FIELD(name) HEADRACE_TRY(number(#name, &state.sums.totals.name));
  HEADRACE_SCAN_TOTALS(HEADRACE_FIELD)
#undef HEADRACE_FIELD
  HEADRACE_TRY(number("unlisted_problems", &state.unlisted_problems));
  HEADRACE_TRY(count("links", &state.link_bytes));
  HEADRACE_TRY(count("rows", &state.row_bytes));
  HEADRACE_TRY(count("row_count", &state.rows));
  state.settings.rows = facts_["keeps_rows"] == "1";
  state.settings.cross_mounts = facts_["cross_mounts"] == "1";
  auto rules = rules_of(facts_["rules"]);
  if (!rules.ok()) return wrong(rules.message());
  state.settings.rules = std::move(*rules);
  return {};
}

Status StateReader::read_bins(Sums& sums, const Places& places) {
  HEADRACE_ASSIGN(const format::Table bins, table("scan_bins", {{"histogram", true},
                                                                {"bucket", false},
                                                                {"files", false},
                                                                {"bytes", false},
                                                                {"total", false},
                                                                {"user", false},
                                                                {"group", false},
                                                                {"place", false}}));
  const format::Column* weighted = bins.find("weighted");
  if (weighted == nullptr || weighted->type != format::Type::kF64) return wrong("table 'scan_bins' has no weights");
  std::map<std::string, const HistogramInfo*, std::less<>> infos;
  for (const HistogramInfo& info : kHistogramInfos) infos[info.name] = &info;
  for (uint64_t row = 0; row < bins.rows; ++row) {
    const auto value = [&](const char* column) { return bins.find(column)->i64(row); };
    const auto info = infos.find(bins.find("histogram")->text(row));
    const int64_t user = value("user"), group = value("group"), place = value("place");
    const bool is_owner = std::min({user, group, place}) >= 0 && std::max(user, group) <= UINT32_MAX &&
                          static_cast<size_t>(place) <= places.rules().size();
    if (info == infos.end() || !is_owner || value("files") < 0 || value("bytes") < 0) return wrong("a bin is none");
    const int64_t at = value("bucket") + (info->second->bins == Bins::kAges ? 1 : 0);
    if (at < 0 || at >= bins_of(info->second->bins)) return wrong("a bin has a number that none has");
    const BinKey key = {{static_cast<uint32_t>(user), static_cast<uint32_t>(group), static_cast<uint32_t>(place)},
                        static_cast<uint16_t>(info->second->first + at)};
    sums.bins[key].add(Bin{value("files"), value("bytes"), value("total"), weighted->f64(row)});
  }
  return {};
}

Status StateReader::read_ranges(Sums& sums) {
  HEADRACE_ASSIGN(const format::Table ranges,
                  table("scan_ranges", {{"histogram", true}, {"least", false}, {"greatest", false}}));
  for (uint64_t row = 0; row < ranges.rows; ++row) {
    for (size_t i = 0; i < kHistograms; ++i) {
      if (ranges.find("histogram")->text(row) != kHistogramInfos[i].name) continue;
      sums.ranges[i].add(ranges.find("least")->i64(row));
      sums.ranges[i].add(ranges.find("greatest")->i64(row));
    }
  }
  return {};
}

/// No path may lead out of its root.
bool is_path_below(std::string_view path) {
  if (path.find('\0') != path.npos) return false;
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name.empty() || name == "." || name == "..") return false;
    at = end + 1;
  }
  return !path.ends_with('/');
}

Status StateReader::read_pending(const ScanState& state, Pending& pending) {
  HEADRACE_ASSIGN(const format::Table rows, table("scan_pending", {{"root", false}, {"parent", true}, {"name", true}}));
  std::string names;
  for (uint64_t row = 0; row < rows.rows; ++row) {
    const uint64_t root = rows.find("root")->u64(row);
    const std::string_view parent = rows.find("parent")->text(row), name = rows.find("name")->text(row);
    const bool is_root = parent.empty() && name.empty();
    if (root >= state.settings.roots.size() || !is_path_below(parent) ||
        (!is_root && (name.empty() || name.find('/') != name.npos || !is_path_below(name))))
      return wrong("a directory that waits has no proper path");
    (names += name) += '\0';
    const bool last = row + 1 == rows.rows || names.size() > DirectoryReader::kBuffer ||
                      rows.find("root")->u64(row + 1) != root || rows.find("parent")->text(row + 1) != parent;
    if (!last) continue;
    HEADRACE_TRY(pending.push(static_cast<uint32_t>(root), std::string(parent), std::move(names)));
    names.clear();
  }
  return {};
}

Status StateReader::read_open(ScanState& state) {
  HEADRACE_ASSIGN(
      const format::Table rows,
      table("scan_open", {{"root", false}, {"path", true}, {"cookie", false}, {"entries", false}, {"files", false}}));
  for (uint64_t row = 0; row < rows.rows; ++row) {
    const auto value = [&](const char* column) { return rows.find(column)->i64(row); };
    const std::string_view path = rows.find("path")->text(row);
    if (rows.find("root")->u64(row) >= state.settings.roots.size() || !is_path_below(path) || value("entries") < 0 ||
        value("files") < 0)
      return wrong("an open directory has no proper path");
    state.open.push_back(
        {static_cast<uint32_t>(value("root")), std::string(path), value("cookie"), value("entries"), value("files")});
  }
  return {};
}

Status StateReader::read(ScanState& state, Pending& pending) {
  HEADRACE_TRY(read_facts(state));
  HEADRACE_TRY(read_bins(state.sums, Places(state.settings.rules)));
  HEADRACE_TRY(read_ranges(state.sums));
  HEADRACE_TRY(read_pending(state, pending));
  HEADRACE_TRY(read_open(state));
  HEADRACE_ASSIGN(const format::Table problems, table("scan_problems", {{"path", true}, {"reason", true}}));
  for (uint64_t row = 0; row < problems.rows && row < kListedProblems; ++row)
    state.problems.push_back(
        {std::string(problems.find("path")->text(row)), std::string(problems.find("reason")->text(row))});
  if (!reader_.damage().empty()) return wrong("a part of it is damaged");
  return {};
}

}  // namespace

Result<ScanState> read_state(const std::string& path, Pending& pending) {
  HEADRACE_ASSIGN(format::Reader reader, format::Reader::open(path));
  ScanState state;
  HEADRACE_TRY(StateReader(path, std::move(reader)).read(state, pending));
  return state;
}

}  // namespace headrace::collect
