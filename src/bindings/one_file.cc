#include "bindings/one_file.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "bindings/id_map.h"

namespace headrace::bindings {
namespace {

constexpr size_t kMostMoves = 16;  // of one directory that are looked through

class OneFile {
 public:
  explicit OneFile(const SharedTable& files) : files_(files) {
    const auto column = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
    path_ = column("path");
    final_ = column("final_path");
    file_ = column("identity");
    opened_ = column("first_open_at_ns");
    closed_ = column("last_close_at_ns");
    unlinks_ = column("unlinks");
  }

  SharedTable make(Names* names) {
    know_owners();
    for (uint32_t row = 0; row < files_->rows; ++row) add(row);
    if (!several_names_ && paths_.size() == groups_.size()) return files_;
    for (uint32_t row = 0; row < files_->rows; ++row) name_group(row);
    for (Group& group : groups_) group.final = last_name(group);
    if (names) follow_directories(*names);
    make_paths_differ(names);
    return table();
  }

 private:
  struct Group {
    uint64_t key, path, final = 0;
    uint32_t first;                    // row
    std::vector<uint32_t> renamed;     // rows
    bool several = false;              // names
    std::vector<uint64_t> names = {};  // if there are several
    uint32_t kept = IdMap::kNone;      // the row that was opened first under a name that nobody removed
  };

  bool is_renamed(uint32_t row) const { return final_.words[row] != 0 && final_.words[row] != path_.words[row]; }

  // Of paths that files had: the row of the one that had it last.
  void know_owners() {
    for (uint32_t row = 0; row < files_->rows; ++row) {
      if (file_.words[row] == 0) continue;
      const uint32_t at = owner_.insert(path_.words[row], static_cast<uint32_t>(owners_.size()));
      if (at == owners_.size()) owners_.push_back(row);
      if (comes_later(row, owners_[at])) owners_[at] = row;
    }
  }
  bool comes_later(uint32_t a, uint32_t b) const {
    if (is_renamed(a) != is_renamed(b)) return !is_renamed(a);
    return opened_.words[a] > opened_.words[b];
  }

  uint64_t key_of(uint32_t row) const {
    if (file_.words[row] != 0) return file_.words[row];
    const uint64_t name = is_renamed(row) ? final_.words[row] : path_.words[row];
    const uint32_t owner = owner_.find(name);
    return owner == IdMap::kNone ? name : file_.words[owners_[owner]];
  }

  void add(uint32_t row) {
    const uint64_t key = key_of(row), path = path_.words[row];
    const uint32_t at = place_.insert(key, static_cast<uint32_t>(groups_.size()));
    if (at == groups_.size()) groups_.push_back({.key = key, .path = path, .first = row, .renamed = {}});
    of_.push_back(at);
    Group& group = groups_[at];
    if (group.path != path) {
      if (!group.several) group.names = {group.path};
      group.several = several_names_ = true;
      const uint32_t before = named_.size();
      named_.insert(base::mix(path, key), 0);
      if (named_.size() != before) group.names.push_back(path);
    }
    if (unlinks_.words[row] != 0) removed_.insert(base::mix(path, key), 0);
    paths_.insert(path, 0);
  }

  // The name under which it was opened first; of names that nobody opened the one that the log has first.
  void name_group(uint32_t row) {
    Group& group = groups_[of_[row]];
    if (is_renamed(row)) group.renamed.push_back(row);
    if (group.several && !is_renamed(row) && !was_removed(group, path_.words[row]) &&
        (group.kept == IdMap::kNone || opened_.words[row] < opened_.words[group.kept]))
      group.kept = row;
    const uint64_t now = opened_.words[row], before = opened_.words[group.first];
    if (now == 0 || (before != 0 && before <= now)) return;
    group.first = row;
    group.path = path_.words[row];
  }

  bool was_removed(const Group& group, uint64_t path) const {
    return removed_.find(base::mix(path, group.key)) != IdMap::kNone;
  }

  // A name that a row of the file gave up again is no last one; of others that of the row that was closed last.
  uint64_t last_name(const Group& group) const {
    uint32_t chosen = IdMap::kNone;
    for (const bool but_given_up : {true, false}) {
      for (uint32_t row : group.renamed) {
        const auto gives_up = [&](uint32_t other) { return path_.words[other] == final_.words[row]; };
        if (but_given_up && std::ranges::any_of(group.renamed, gives_up)) continue;
        if (chosen == IdMap::kNone || closed_.words[row] > closed_.words[chosen]) chosen = row;
      }
      if (chosen != IdMap::kNone) return final_.words[chosen];
    }
    const bool has_another = group.kept != IdMap::kNone && was_removed(group, group.path);
    return has_another ? path_.words[group.kept] : group.path;
  }

  // Another process may have renamed a directory above, and a third one opened the file by its new name.
  void follow_directories(const Names& names) {
    const format::Column* kinds = files_->find("kind");
    std::unordered_map<std::string_view, std::vector<uint32_t>> moved;  // rows, by the name before
    for (uint32_t row = 0; row < files_->rows && kinds && kinds->type == format::Type::kText; ++row) {
      if (!is_renamed(row) || kinds->text(row) != "directory") continue;
      std::vector<uint32_t>& rows = moved[names.text(path_.words[row])];
      if (rows.size() < kMostMoves) rows.push_back(row);
    }
    if (moved.empty()) return;
    for (Group& group : groups_)
      if (group.several && group.final == group.path) follow(names, moved, group);
  }

  // Of each directory above, from the root down.
  void follow(const Names& names, const std::unordered_map<std::string_view, std::vector<uint32_t>>& moved,
              Group& group) const {
    const std::string_view path = names.text(group.path);
    for (size_t slash = path.find('/', 1); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
      const auto rows = moved.find(path.substr(0, slash));
      if (rows == moved.end()) continue;
      for (const uint32_t row : rows->second) {
        const std::string now = std::string(names.text(final_.words[row])) += path.substr(slash);
        for (const uint64_t name : group.names)
          if (names.text(name) == now) group.final = name;
      }
    }
  }

  void make_paths_differ(Names* names) {
    IdMap used;  // paths that a file has
    // Who keeps its path comes first: the file that has it still.
    std::vector<uint32_t> order(groups_.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
      const bool stays_a = groups_[a].final == groups_[a].path, stays_b = groups_[b].final == groups_[b].path;
      if (stays_a != stays_b) return stays_a;
      return stays_a && opened_.words[groups_[a].first] > opened_.words[groups_[b].first];
    });
    IdMap times;
    for (const Group& group : groups_) {
      const uint32_t before = times.size();
      times.insert(group.path, 0);
      if (times.size() == before) shared_.insert(group.path, 0);
    }
    for (uint32_t at : order) {
      Group& group = groups_[at];
      if (shared_.find(group.path) != IdMap::kNone && group.final != group.path) group.path = group.final;
      const uint32_t before = used.size();
      used.insert(group.path, 0);
      if (used.size() != before || !names) continue;
      const uint64_t own = base::mix(group.path, group.key);
      names->add_alias(own, group.path);
      if (group.final == group.path) group.final = own;
      group.path = own;
    }
  }

  SharedTable table() const {
    auto made = std::make_shared<format::Table>(*files_);
    for (format::Column& column : made->columns) {
      const bool is_path = column.name == "path";
      if (!is_path && column.name != "final_path") continue;
      column.constant = false;
      column.words = std::shared_ptr<uint64_t[]>(new uint64_t[files_->rows]);
      for (uint32_t row = 0; row < files_->rows; ++row) {
        const Group& group = groups_[of_[row]];
        column.words[row] = is_path ? group.path : group.final;
      }
    }
    return made;
  }

  const SharedTable& files_;
  Values path_, final_, file_, opened_, closed_, unlinks_;
  IdMap owner_, place_, paths_, shared_, removed_, named_;
  std::vector<uint32_t> owners_, of_;
  std::vector<Group> groups_;
  bool several_names_ = false;
};

}  // namespace

SharedTable by_file(const SharedTable& files, Names* names) {
  const format::Column* file = files->find("identity");
  if (!file || file->type == format::Type::kText || (file->constant && file->bits == 0)) return files;
  return OneFile(files).make(names);
}

}  // namespace headrace::bindings
