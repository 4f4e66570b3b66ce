#include "programs/headrace/job_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <vector>

#include "base/clock.h"
#include "capture/harvest/job_facts.h"
#include "capture/harvest/small_file.h"
#include "capture/harvest/spool_directory.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;

constexpr size_t kLongestPath = 130;                 // the recorder keeps paths of spools in fixed buffers
constexpr char kRegistry[] = "ranks.";               // where ranks register, before the identity of their launch
constexpr uint64_t kRoomWanted = uint64_t{4} << 20;  // bytes; less than this holds no real program's spool

constexpr int kLockAttempts = 10;

/// File systems where a mapped page may be lost, stall or raise SIGBUS when a server goes away.
const char* remote_type(uint32_t magic) {
  static constexpr struct {
    uint32_t magic;
    const char* name;
  } kRemote[] = {{0x6969, "NFS"},         {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"}, {0x65735546, "FUSE"},
                 {0x01021997, "9p"},      {0xff534d42, "CIFS"},   {0xfe534d42, "SMB"},  {0x517b, "SMB"},
                 {0x00c36400, "Ceph"},    {0x19830326, "BeeGFS"}, {0x5346414f, "AFS"},  {0x73757245, "Coda"},
                 {0x20030528, "OrangeFS"}};
  for (const auto& each : kRemote) {
    if (each.magic == magic) return each.name;
  }
  return nullptr;
}

Status system_error(const std::string& what) {
  return {errno == ENOSPC ? Code::kNoSpace : Code::kIo, what + ": " + strerror(errno)};
}

/// Who looks whether a job runs (headrace snapshot) has the lock for a moment: that is waited for.
bool lock(int directory) {
  const timespec moment = {0, 1'000'000};
  for (int attempt = 0; flock(directory, LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (errno != EWOULDBLOCK || attempt == kLockAttempts) return false;
    nanosleep(&moment, nullptr);
  }
  return true;
}

std::string clock_name() {
  const std::string source =
      capture::read_small_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", 64);
  const char* wanted = getenv("HEADRACE_CLOCK");
  if (wanted != nullptr && std::string_view(wanted) == "monotonic") return "monotonic";
  return source.starts_with("tsc\n") || source.starts_with("arch_sys_counter") ? "tsc" : "monotonic";
}

std::string trace_configuration(const RunSettings& settings) {
  std::string text = "trace_memory=" + std::to_string(settings.trace_memory) + "\ntrace_flush=" + settings.trace_flush +
                     "\ntrace_flushes=" + std::to_string(settings.trace_flushes) +
                     "\ntrace_size=" + std::to_string(settings.trace_size) + "\nflusher=" + own_directory() +
                     "/headrace\n";
  text += "trace_clocks=" + settings.trace_clocks + "\n";
  for (const auto& [key, value] : settings.trace_choice) text += key + "=" + value + "\n";
  return text;
}

std::string configuration(const RunSettings& settings, const std::string& registry) {
  std::string text = "memory=" + std::to_string(settings.memory) + "\nclock=" + clock_name() + "\n";
  // Ranks would write names as they are.
  text += "reduce=" + (settings.anonymize ? "never" : settings.reduce) + "\n";
  text += "reduce_patience=" + std::to_string(settings.reduce_patience) + "\n";
  if (!registry.empty()) text += "registry=" + registry + "\n";
  if (settings.trace) text += trace_configuration(settings);
  if (settings.cluster) text += "cluster=1\n";
  if (settings.file_sizes) text += "file_sizes=1\n";
  if (settings.phases_only) text += "capture=phases\n";
  for (const Rule& rule : settings.rules) text += (rule.exclude ? "exclude=" : "include=") + rule.prefix + "\n";
  for (const std::string& pattern : settings.never_capture) text += "never_capture=" + pattern + "\n";
  return text;
}

}  // namespace

Status check_local(const std::string& directory) {
  struct statfs system;
  if (statfs(directory.c_str(), &system) != 0) return system_error(directory);
  if (const char* name = remote_type(static_cast<uint32_t>(system.f_type)); name != nullptr) {
    return {Code::kUnsupported, directory + ": on " + name + ", where spools cannot be kept safely"};
  }
  if (static_cast<uint64_t>(system.f_bavail) * static_cast<uint64_t>(system.f_bsize) < kRoomWanted &&
      system.f_blocks != 0) {
    return {Code::kNoSpace, directory + ": less than 4 MiB are free"};
  }
  return {};
}

JobDirectory& JobDirectory::operator=(JobDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(refused_, other.refused_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

JobDirectory::~JobDirectory() {
  if (descriptor_ >= 0) close(descriptor_);
}

base::Result<JobDirectory> JobDirectory::create(const RunSettings& settings, const std::string& launch) {
  JobDirectory made;
  for (const std::string& place : spool_places(settings.spool)) {
    const Status status = made.make_below(place, settings, launch);
    if (status.ok()) return made;
    if (!made.refused_.empty()) made.refused_ += "; ";
    made.refused_ += status.message();
  }
  return Status(Code::kIo, "no directory can hold the records of running processes: " + made.refused_);
}

Status JobDirectory::check_spool(const RunSettings& settings) {
  JobDirectory made;
  HEADRACE_TRY(made.make_below(settings.spool, settings, ""));
  made.remove();
  return {};
}

Status JobDirectory::make_below(const std::string& base, const RunSettings& settings, const std::string& launch) {
  HEADRACE_TRY(check_local(base));
  const std::string begin = base + "/headrace-" + std::to_string(geteuid()) + "-";
  std::string name = begin + "XXXXXX";
  if (name.size() > kLongestPath) return {Code::kLimit, base + ": the name of this directory is too long"};
  if (mkdtemp(name.data()) == nullptr) return system_error(base);
  path_ = name;
  descriptor_ = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const bool locked = descriptor_ >= 0 && lock(descriptor_);
  Status status = locked
                      ? write_file("config", configuration(settings, launch.empty() ? "" : begin + kRegistry + launch))
                      : system_error(name);
  if (status.ok()) return {};
  remove();
  return status;
}

base::Result<JobDirectory> JobDirectory::open(const std::string& path) {
  JobDirectory opened;
  opened.path_ = path;
  opened.descriptor_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened.descriptor_ < 0)
    return Status(errno == ENOENT ? Code::kNotFound : Code::kIo, path + ": " + strerror(errno));
  struct stat info;
  if (fstat(opened.descriptor_, &info) != 0) return system_error(path);
  if (info.st_uid != geteuid() && geteuid() != 0) {
    return Status(Code::kInvalid, path + ": belongs to somebody else; only its owner can collect it");
  }
  if (!lock(opened.descriptor_)) {
    return Status(Code::kLimit, path + ": a running headrace collects it already; it will finish by itself");
  }
  return opened;
}

std::map<std::string, std::string> JobDirectory::facts() const { return capture::read_job_facts(descriptor_); }

Status JobDirectory::keep_facts(const std::map<std::string, std::string>& facts) {
  return capture::keep_job_facts(descriptor_, facts);
}

Status JobDirectory::write_file(const char* name, const std::string& text) {
  const int fd = openat(descriptor_, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written && fd >= 0 && errno == 0) errno = ENOSPC;
  Status status = written ? Status() : system_error(path_ + "/" + name);
  if (fd >= 0) close(fd);
  return status;
}

base::Result<std::string> JobDirectory::link_libraries(const std::string& directory) {
  const std::string link = path_ + "/lib";
  if (!can_be_preloaded(link)) return Status(Code::kUnsupported, cannot_preload(path_));
  if (symlinkat(directory.c_str(), descriptor_, "lib") != 0) return system_error(link);
  return link;
}

void JobDirectory::leave_note(uint32_t process_id, const std::string& reason, const std::string& program) {
  char name[128];
  snprintf(name, sizeof name, "%u.%llx.%s.note", process_id,
           static_cast<unsigned long long>(base::clock_ns(CLOCK_BOOTTIME)), reason.c_str());
  (void)write_file(name, program);
}

bool JobDirectory::is_gone() const {
  struct stat info;
  return fstat(descriptor_, &info) == 0 && info.st_nlink == 0;
}

void JobDirectory::remove_if_empty(const std::map<std::string, std::string>& facts) {
  if (!capture::list_spools(descriptor_).empty()) return;
  remove_files(kRegistry);  // of a program that ended without MPI_Finalize
  unlinkat(descriptor_, capture::kJobFactsFile, 0);
  if (rmdir(path_.c_str()) != 0) (void)keep_facts(facts);
}

std::vector<std::string> JobDirectory::files(const std::string& prefix) const {
  const int copy = openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : fdopendir(copy);
  std::vector<std::string> names;
  while (const dirent* entry = stream != nullptr ? readdir(stream) : nullptr) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && name.starts_with(prefix)) names.push_back(name);
  }
  if (stream != nullptr) closedir(stream);
  return names;
}

void JobDirectory::remove_files(const std::string& prefix) {
  for (const std::string& name : files(prefix)) unlinkat(descriptor_, name.c_str(), 0);
}

/// Ranks that ended without MPI_Finalize leave a mark here under the name that their registry has beside this
/// directory.
void JobDirectory::remove_registries() const {
  struct stat info;
  if (fstat(descriptor_, &info) != 0) return;
  for (const std::string& mark : files(kRegistry)) {
    const std::string name = "../headrace-" + std::to_string(info.st_uid) + "-" + mark;
    unlinkat(descriptor_, name.c_str(), 0);
  }
}

void JobDirectory::remove() {
  if (descriptor_ < 0) return;
  remove_registries();
  for (const std::string& name : files(""))
    if (name != capture::kJobFactsFile) unlinkat(descriptor_, name.c_str(), 0);
  unlinkat(descriptor_, capture::kJobFactsFile, 0);  // last: by it `headrace collect` knows what this directory is
  rmdir(path_.c_str());
  close(descriptor_);
  descriptor_ = -1;
}

}  // namespace headrace::programs
