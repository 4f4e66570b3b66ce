#include "forward/program/places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include <deque>
#include <utility>
#include <vector>

#include "base/working_directory.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

std::deque<Servers>& all() {
  static std::deque<Servers>& servers = *new std::deque<Servers>;
  return servers;
}

/// Of a directory that is not forwarded, or of the working directory; "" when it has no path.
std::string path_of_directory(int directory) {
  std::vector<char> text(PATH_MAX);
  if (directory == AT_FDCWD) {
    if (getcwd(text.data(), text.size()) != nullptr) return text.data();
    return {text.data(), base::carried_directory(text.data(), text.size())};
  }
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  const ssize_t size = readlink(link, text.data(), text.size());
  return size > 0 && text[0] == '/' ? std::string(text.data(), static_cast<size_t>(size)) : "";
}

std::string base_of(int directory) {
  if (const Held held(directory); held) return std::string(held->path());
  return path_of_directory(directory);
}

}  // namespace

void prepare_places(const Setup& setup) {
  for (const Spec& spec : setup.specs) all().emplace_back(spec, setup);
}

Servers& servers_of(uint32_t prefix) { return all()[prefix]; }
size_t prefixes() { return all().size(); }

std::optional<uint32_t> prefix_of_servers(uint64_t identity) {
  for (uint32_t i = 0; i < all().size(); ++i)
    if (all()[i].identity() == identity) return i;
  return std::nullopt;
}

std::string forwarded_base(int directory) {
  if (directory != AT_FDCWD) {
    const Held held(directory);
    return held ? std::string(held->path()) : "";
  }
  std::string text(PATH_MAX, '\0');
  text.resize(base::carried_directory(text.data(), text.size()));
  return text;
}

std::string path_behind_link(std::string_view path, bool follow) {
  if (!path.starts_with("/dev/") && !path.starts_with("/proc/")) return "";
  std::string whole(path);
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"/dev/stdin", "/proc/self/fd/0"},
                                                                      {"/dev/stdout", "/proc/self/fd/1"},
                                                                      {"/dev/stderr", "/proc/self/fd/2"},
                                                                      {"/dev/fd", "/proc/self/fd"}};
  for (const auto& [name, link] : kNames)
    if (path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '/'))
      whole = std::string(link) + std::string(path.substr(name.size()));
  const size_t numbers = whole.find("/fd/");
  if (!whole.starts_with("/proc/") || numbers == whole.npos) return "";
  const size_t end = std::min(whole.find('/', numbers + 4), whole.size());
  if (end == whole.size() && !follow) return "";
  const int saved = errno, fd = open(whole.substr(0, end).c_str(), O_PATH | O_CLOEXEC);
  std::string found;
  if (Description* behind = fd < 0 ? nullptr : Description::attach(fd); behind != nullptr) {
    behind->use();
    found = std::string(behind->path()) + whole.substr(end);
    behind->leave();
  }
  if (fd >= 0) close(fd);
  errno = saved;
  return found;
}

bool leads_out_of_prefix(std::string_view path) {
  for (const Servers& each : all())
    if (path.starts_with(each.prefix() + "/"))
      return path.find("/..") != path.npos && !place_of(AT_FDCWD, std::string(path).c_str(), false).has_value();
  return false;
}

std::optional<Place> place_of(int directory, const char* path, bool follow) {
  if (path == nullptr || *path == '\0') return std::nullopt;
  const int saved = errno;
  std::string whole = path;
  if (*path != '/') {
    const std::string base = base_of(directory);
    errno = saved;
    if (base.empty()) return std::nullopt;
    whole = base + "/" + path;
  }
  whole = plain_path(whole);
  if (std::string behind = path_behind_link(whole, follow); !behind.empty()) whole = std::move(behind);
  std::optional<Place> best;
  for (uint32_t i = 0; i < all().size(); ++i) {
    const std::string& prefix = all()[i].prefix();
    const bool below = whole.starts_with(prefix) && (whole.size() == prefix.size() || whole[prefix.size()] == '/');
    if (!below || (best.has_value() && best->servers->prefix().size() > prefix.size())) continue;
    best = Place{i, &all()[i], whole, whole.size() <= prefix.size() + 1 ? "" : whole.substr(prefix.size() + 1)};
  }
  // The directory of a prefix need not be there, but listings look at their ".." as well.
  for (uint32_t i = 0; !best.has_value() && i < all().size(); ++i)
    if (all()[i].prefix() + "/.." == path && access(whole.c_str(), F_OK) != 0)
      best = Place{i, &all()[i], all()[i].prefix(), ""};
  if (best.has_value() && best->path.ends_with('/')) best->path.pop_back();
  return best;
}

}  // namespace headrace::forward::program
