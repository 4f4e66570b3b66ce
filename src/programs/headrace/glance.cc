#include "programs/headrace/glance.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "base/schedulers.h"
#include "capture/harvest/spool_directory.h"
#include "capture/spool_layout.h"

namespace headrace::programs {
namespace {

constexpr size_t kLongestName = 4096;

struct First {
  capture::Header header{};
  std::string executable, job;
};

/// A name in the spool behind `fd`, which a dying program may have scribbled over; "" when it makes no sense.
std::string name_at(int fd, uint32_t offset, size_t longest) {
  capture::Name name{};
  if (offset == 0 || pread(fd, &name, sizeof name, offset) != static_cast<ssize_t>(sizeof name)) return "";
  if (name.length > longest) return "";
  std::string text(name.length, '\0');
  const ssize_t length = pread(fd, text.data(), text.size(), offset + static_cast<off_t>(sizeof name));
  return length == static_cast<ssize_t>(text.size()) && text.find('\0') == std::string::npos ? text : "";
}

std::optional<First> read_first(const JobDirectory& directory, const std::string& file) {
  First first;
  const int fd = openat(directory.descriptor(), file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return {};
  const bool whole = pread(fd, &first.header, sizeof first.header, 0) == static_cast<ssize_t>(sizeof first.header) &&
                     first.header.magic == capture::kSpoolMagic && first.header.version == capture::kSpoolVersion;
  if (whole) {
    first.executable = name_at(fd, first.header.executable, kLongestName);
    first.job = name_at(fd, first.header.scheduler_job, base::kLongestSchedulerJob);
  }
  close(fd);
  if (!whole) return {};
  return first;
}

bool is_shell(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const char* shell : {"sh", "bash", "dash", "ksh", "zsh", "csh", "tcsh"}) {
    if (name == shell) return true;
  }
  return name.empty();
}

/// Jobs call tools of the system around the program that they are about.
bool is_of_system(std::string_view path) {
  return path.starts_with("/usr/") || path.starts_with("/bin/") || path.starts_with("/sbin/");
}

SchedulerJob joined(const std::set<std::string>& jobs) {
  SchedulerJob all;
  for (const std::string& text : jobs) {
    const SchedulerJob job = parse_scheduler_job(text);
    all.scheduler = job.scheduler;
    all.id += (all.id.empty() ? "" : ",") + job.id;
  }
  return all;
}

}  // namespace

Glance glance_at(const JobDirectory& directory) {
  Glance glance;
  std::set<std::string> jobs;
  std::tuple<bool, bool, uint64_t> most{};  // parallel; no tool of the system; bytes of records
  for (const capture::SpoolName& name : capture::list_spools(directory.descriptor())) {
    const auto first = read_first(directory, name.file);
    if (!first.has_value()) continue;
    const capture::Header& header = first->header;
    if (!first->job.empty()) jobs.insert(first->job);
    const std::tuple weight{header.ranks > 0, !is_of_system(first->executable), uint64_t{header.used}};
    if (!is_shell(first->executable) && weight > most) {
      most = weight;
      glance.program = first->executable;
    }
  }
  if (glance.program.empty()) glance.program = "collect";
  glance.job = joined(jobs);
  return glance;
}

}  // namespace headrace::programs
