#include "capture/harvest/mounts.h"

#include <algorithm>

#include "base/hash.h"
#include "capture/harvest/small_file.h"

namespace headrace::capture {
namespace {

std::string_view next_field(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

bool octal(char c) { return c >= '0' && c <= '7'; }

/// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Adds the options of the file system that the mount does not repeat.
void add_options(std::string_view super, std::string* options) {
  while (!super.empty()) {
    const size_t end = std::min(super.find(','), super.size());
    const std::string option = "," + std::string(super.substr(0, end));
    if (("," + *options + ",").find(option + ",") == std::string::npos) *options += option;
    super.remove_prefix(std::min(end + 1, super.size()));
  }
}

bool parse_line(std::string_view line, Mount* mount) {
  for (int skipped = 0; skipped < 4; ++skipped) next_field(line);  // ids, device, root
  mount->point = unescape(next_field(line));
  mount->options = next_field(line);
  while (!line.empty() && next_field(line) != "-") {
  }
  mount->type = unescape(next_field(line));
  mount->source = unescape(next_field(line));
  add_options(next_field(line), &mount->options);
  return !mount->point.empty() && mount->point[0] == '/' && !mount->type.empty();
}

}  // namespace

MountTable MountTable::parse(std::string_view text) {
  MountTable table;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    Mount mount;
    if (parse_line(text.substr(0, end), &mount)) {
      table.add(std::move(mount));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return table;
}

void MountTable::add(Mount mount) {
  const std::string all = mount.point + '\0' + mount.type + '\0' + mount.source + '\0' + mount.options;
  mount.id = base::hash_text(all);
  by_point_[mount.point] = static_cast<uint32_t>(mounts_.size());
  mounts_.push_back(std::move(mount));
  last_mount_ = nullptr;
}

MountTable MountTable::of_this_process() { return parse(read_small_file("/proc/self/mountinfo", 4 << 20)); }

const Mount* MountTable::find(std::string_view path) const {
  if (path.empty() || path[0] != '/') return nullptr;
  if (const auto itself = by_point_.find(std::string(path)); itself != by_point_.end()) return &mounts_[itself->second];
  std::string_view directory = path.substr(0, path.rfind('/'));
  if (last_mount_ != nullptr && directory == last_directory_) return last_mount_;
  last_directory_ = directory;
  last_mount_ = nullptr;
  while (last_mount_ == nullptr) {
    const auto found = by_point_.find(directory.empty() ? "/" : std::string(directory));
    if (found != by_point_.end()) last_mount_ = &mounts_[found->second];
    if (directory.empty()) break;
    directory = directory.substr(0, directory.rfind('/'));
  }
  return last_mount_;
}

bool MountTable::has_below(std::string_view directory) const {
  if (directory == "/") directory = "";
  return std::any_of(mounts_.begin(), mounts_.end(), [&](const Mount& mount) {
    return mount.point.size() > directory.size() + 1 && mount.point.starts_with(directory) &&
           mount.point[directory.size()] == '/';
  });
}

}  // namespace headrace::capture
