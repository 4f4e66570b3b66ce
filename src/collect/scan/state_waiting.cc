#include <algorithm>

#include "collect/scan/directory.h"
#include "collect/scan/state_tables.h"

namespace headrace::collect {

using base::Status;

namespace {

constexpr int64_t kMostEntries = int64_t{1} << 56, kMostError = 4095;

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

Status take_pending(const StateTables& tables, const format::Table& rows, size_t roots, Pending& pending) {
  std::string names;
  for (uint64_t row = 0; row < rows.rows; ++row) {
    const uint64_t root = rows.find("root")->u64(row);
    const std::string_view parent = rows.find("parent")->text(row), name = rows.find("name")->text(row);
    const bool is_root = parent.empty() && name.empty();
    if (root >= roots || !is_path_below(parent) ||
        (!is_root && (name.empty() || name.find('/') != name.npos || !is_path_below(name))))
      return tables.wrong("a directory that waits has no proper path");
    (names += name) += '\0';
    const bool last = row + 1 == rows.rows || names.size() > DirectoryReader::kBuffer ||
                      rows.find("root")->u64(row + 1) != root || rows.find("parent")->text(row + 1) != parent;
    if (!last) continue;
    HEADRACE_TRY(pending.push(static_cast<uint32_t>(root), std::string(parent), std::move(names)));
    names.clear();
  }
  return {};
}

}  // namespace

Status add_open(format::Writer& writer, const std::vector<OpenDirectory>& open) {
  std::vector<uint64_t> root, entries, files, unseen, error, device, inode;
  std::vector<int64_t> cookie;
  std::vector<std::string_view> path;
  for (const OpenDirectory& one : open) {
    root.push_back(one.root);
    path.push_back(one.path);
    cookie.push_back(one.cookie);
    entries.push_back(static_cast<uint64_t>(one.entries));
    files.push_back(static_cast<uint64_t>(one.files));
    unseen.push_back(static_cast<uint64_t>(one.unseen));
    error.push_back(static_cast<uint64_t>(one.unseen_error));
    device.push_back(one.device);
    inode.push_back(one.inode);
  }
  format::TableBuilder table("scan_open");
  table.u64("root", root).text("path", std::span<const std::string_view>(path)).i64("cookie", cookie);
  table.u64("entries", entries)
      .u64("files", files)
      .u64("unseen", unseen)
      .u64("unseen_error", error)
      .u64("device", device)
      .u64("inode", inode);
  return writer.add(table);
}

Status add_mounts(format::Writer& writer, const ScanState& state) {
  std::vector<uint64_t> device, inode, root;
  std::vector<std::string_view> path;
  for (const Mount& mount : state.mounts) {
    device.push_back(mount.device);
    inode.push_back(mount.inode);
    root.push_back(mount.root);
    path.push_back(mount.path);
  }
  format::TableBuilder table("scan_mounts");
  table.u64("device", device).u64("inode", inode).u64("root", root);
  table.text("path", std::span<const std::string_view>(path));
  return writer.add(table);
}

Status read_mounts(StateTables& tables, ScanState& state) {
  HEADRACE_ASSIGN(const format::Table rows,
                  tables.table("scan_mounts", {{"device", false}, {"inode", false}, {"root", false}, {"path", true}}));
  for (uint64_t row = 0; row < rows.rows; ++row) {
    const uint64_t root = rows.find("root")->u64(row);
    const std::string_view path = rows.find("path")->text(row);
    if (root >= state.settings.roots.size() || !is_path_below(path))
      return tables.wrong("a file system that was entered has no proper path");
    state.mounts.push_back(
        {rows.find("device")->u64(row), rows.find("inode")->u64(row), static_cast<uint32_t>(root), std::string(path)});
  }
  return {};
}

Status add_pending(format::Writer& writer, const Pending& pending) {
  PendingWriter waiting(writer);
  HEADRACE_TRY(pending.each([&](const PendingGroup& group) { return waiting.add(group); }));
  return waiting.flush();
}

Status read_pending(StateTables& tables, size_t roots, Pending& pending) {
  return tables.each("scan_pending", {{"root", false}, {"parent", true}, {"name", true}},
                     [&](const format::Table& rows) { return take_pending(tables, rows, roots, pending); });
}

Status read_open(StateTables& tables, size_t roots, std::vector<OpenDirectory>& open) {
  HEADRACE_ASSIGN(const format::Table rows, tables.table("scan_open", {{"root", false},
                                                                       {"path", true},
                                                                       {"cookie", false},
                                                                       {"entries", false},
                                                                       {"files", false},
                                                                       {"unseen", false},
                                                                       {"unseen_error", false},
                                                                       {"device", false},
                                                                       {"inode", false}}));
  for (uint64_t row = 0; row < rows.rows; ++row) {
    const auto value = [&](const char* column) { return rows.find(column)->i64(row); };
    const std::string_view path = rows.find("path")->text(row);
    const int64_t entries = value("entries"), error = value("unseen_error");
    const bool counts = entries >= 0 && entries <= kMostEntries && std::min(value("files"), value("unseen")) >= 0 &&
                        std::max(value("files"), value("unseen")) <= entries && error >= 0 && error <= kMostError;
    if (rows.find("root")->u64(row) >= roots || !is_path_below(path) || !counts)
      return tables.wrong("an open directory has no proper path or counts");
    open.push_back({static_cast<uint32_t>(value("root")), std::string(path), value("cookie"), entries, value("files"),
                    value("unseen"), static_cast<int>(error), rows.find("device")->u64(row),
                    rows.find("inode")->u64(row)});
  }
  return {};
}

}  // namespace headrace::collect
