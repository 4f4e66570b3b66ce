#include "workload/emulation/profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "workload/emulation/toml.h"

namespace headrace::workload::emulation {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr char kSuffix[] = ".toml";
constexpr size_t kMostBytes = 1 << 20;

std::string where(const TomlEntry& entry) { return (entry.table.empty() ? "" : "[" + entry.table + "] ") + entry.key; }

/// "latency, metadata" of the sections, or the keys of one.
std::string known(const std::string& section) {
  std::string list;
  for (const Constant& each : kConstants) {
    const std::string word = section.empty() ? each.section : section == each.section ? each.key : "";
    const bool is_new = !word.empty() && (", " + list + ",").find(", " + word + ",") == std::string::npos;
    if (is_new) list += (list.empty() ? "" : ", ") + word;
  }
  if (section == "system") list += ", romio_hints";
  return list;
}

Status unknown(const TomlEntry& entry) {
  if (entry.table.empty())
    return {Code::kInvalid, "there is no such key outside of a table; there are title, and the tables " + known("")};
  const std::string keys = known(entry.table);
  return {Code::kInvalid, keys.empty() ? "there is no table [" + entry.table + "]; there are " + known("")
                                       : "there is no such key; [" + entry.table + "] has " + keys};
}

Status apply(const TomlEntry& entry, Profile* profile) {
  if (entry.table.empty() && entry.key == "title") {
    profile->title = entry.value;
    return {};
  }
  if (entry.table == "system" && entry.key == "romio_hints") {
    profile->hints = entry.value;
    return {};
  }
  for (const Constant& each : kConstants) {
    if (entry.table != each.section || entry.key != each.key) continue;
    if (!entry.is_string)
      return {Code::kInvalid,
              entry.value + " has no unit; write it as a string, such as \"" + written(200'000, each.unit) + "\""};
    HEADRACE_ASSIGN(profile->constants.*each.place, parse_value(entry.value, each.unit));
    return {};
  }
  return unknown(entry);
}

/// What must hold between them.
Status check(const Profile& profile) {
  const Constants& c = profile.constants;
  if (profile.title.empty()) return {Code::kInvalid, "there is no title; say in one line what this is like"};
  if (c.lock_block != 0 && c.lock_block < kLeastBlock)
    return {Code::kInvalid, "[locks] block: no lock covers less than " + written(kLeastBlock, Unit::kSize)};
  if ((c.lock_block == 0) != (c.lock_conflict == 0))
    return {Code::kInvalid, "[locks] has block and conflict, both or none"};
  return {};
}

}  // namespace

Result<Profile> parse_profile(std::string_view text, const std::string& name) {
  auto entries = parse_toml(text);
  if (!entries.ok()) return Status(Code::kInvalid, name + ": " + entries.message());
  Profile profile;
  for (const TomlEntry& entry : *entries) {
    if (const Status status = apply(entry, &profile); !status.ok())
      return Status(Code::kInvalid,
                    name + ": line " + std::to_string(entry.line) + ": " + where(entry) + ": " + status.message());
  }
  if (const Status status = check(profile); !status.ok()) return Status(Code::kInvalid, name + ": " + status.message());
  return profile;
}

Result<Profile> read_profile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (file < 0 || fstat(file, &info) != 0) {
    const Status failed(Code::kIo, path + ": " + strerror(errno));
    if (file >= 0) close(file);
    return failed;
  }
  std::string text;
  char bytes[4096];
  ssize_t count = 0;
  while (text.size() <= kMostBytes && (count = read(file, bytes, sizeof bytes)) > 0)
    text.append(bytes, static_cast<size_t>(count));
  const int error = errno;
  close(file);
  if (count < 0) return Status(Code::kIo, path + ": " + strerror(error));
  auto profile = parse_profile(text, path);
  if (!profile.ok() || profile->hints.empty()) return profile;
  if (!profile->hints.starts_with('/')) profile->hints.insert(0, path.substr(0, path.rfind('/') + 1));
  if (access(profile->hints.c_str(), R_OK) != 0)
    return Status(Code::kIo, path + ": [system] romio_hints: " + profile->hints + ": " + strerror(errno));
  return profile;
}

std::vector<std::string> profile_names(const std::string& directory) {
  std::vector<std::string> names;
  DIR* stream = opendir(directory.c_str());
  while (const dirent* entry = stream != nullptr ? readdir(stream) : nullptr) {
    const std::string name = entry->d_name;
    if (name.ends_with(kSuffix) && name[0] != '.') names.push_back(name.substr(0, name.size() - strlen(kSuffix)));
  }
  if (stream != nullptr) closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

Result<Profile> find_profile(const std::string& word, const std::string& installed) {
  if (word.find('/') != std::string::npos || word.ends_with(kSuffix)) return read_profile(word);
  const std::string path = installed + "/" + word + kSuffix;
  if (!word.empty() && access(path.c_str(), F_OK) == 0) return read_profile(path);
  if (const auto delay = parse_value(word, Unit::kTime); delay.ok()) {
    Profile profile;
    profile.title = word + " before each read and write";
    profile.constants.read = profile.constants.write = *delay;
    return profile;
  }
  std::string list;
  for (const std::string& name : profile_names(installed)) list += (list.empty() ? "" : ", ") + name;
  return Status(Code::kInvalid,
                "'" + word +
                    "' is no time up to 60s, such as 200us or 5ms, no file NAME.toml, and no profile; there are " +
                    (list.empty() ? "none in " + installed : list));
}

}  // namespace headrace::workload::emulation
