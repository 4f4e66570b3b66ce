#include "workload/emulation/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/clock.h"
#include "workload/emulation/together.h"

namespace headrace::workload::emulation {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kSmall = 1024, kLarge = 1 << 20;
constexpr int kSyncs = 20;
constexpr uint64_t kLongest = 500'000'000;

int opened(const std::string& path, int flags) { return open(path.c_str(), flags | O_CLOEXEC, 0600); }
bool open_and_close(const std::string& path, int flags) {
  const int file = opened(path, flags);
  return file >= 0 && close(file) == 0;
}

/// How often `call` was made, `most` times or for half a second: far away each may take long. -1: errno says why.
int64_t repeat(int64_t most, const std::function<bool(int64_t)>& call) {
  const uint64_t end = base::clock_ns(CLOCK_MONOTONIC) + kLongest;
  for (int64_t i = 0; i < most; ++i) {
    if (!call(i)) return -1;
    if (base::clock_ns(CLOCK_MONOTONIC) >= end) return i + 1;
  }
  return most;
}

class Measurement {
 public:
  explicit Measurement(const MeasureSettings& settings) : settings_(settings) {}
  Result<Measured> run();

 private:
  Status step(const std::string& what) const;
  Status latencies();
  void note_system();
  Status names(int processes);
  Status bandwidth(int processes);
  Status locks();
  Result<double> write_two(uint64_t apart);
  void derive();
  std::string name(int who, const std::string& what) const {
    return settings_.directory + "/" + std::to_string(who) + what;
  }
  double best(const std::string& call, bool alone) const;

  const MeasureSettings& settings_;
  Measured measured_;
  uint64_t block_ = kLeastBlock;
};

Status Measurement::step(const std::string& what) const {
  if (settings_.stopped && settings_.stopped()) return {Code::kIo, "stopped by a signal"};
  if (settings_.progress) settings_.progress(what);
  return {};
}

/// Median of the times of one call; -1: errno says why.
template <typename Call>
int64_t median(int repetitions, Call call) {
  std::vector<int64_t> times;
  const int64_t made = repeat(repetitions, [&](int64_t i) {
    const uint64_t begin = base::clock_ns(CLOCK_MONOTONIC);
    if (!call(i)) return false;
    times.push_back(static_cast<int64_t>(base::clock_ns(CLOCK_MONOTONIC) - begin));
    return true;
  });
  if (made < 0) return -1;
  const auto middle = times.begin() + made / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

Status Measurement::latencies() {
  HEADRACE_TRY(step("reading and writing 1 KiB"));
  const std::string path = name(0, "-small");
  const int file = opened(path, O_RDWR | O_CREAT | O_EXCL);
  if (file < 0) return {Code::kIo, path + ": " + strerror(errno)};
  char bytes[kSmall] = {};
  const auto place = [](int64_t i) { return static_cast<off_t>(i) * static_cast<off_t>(kSmall); };
  const int64_t write =
      median(settings_.repetitions, [&](int64_t i) { return pwrite(file, bytes, kSmall, place(i)) > 0; });
  const int64_t sync =
      median(kSyncs, [&](int64_t i) { return pwrite(file, bytes, kSmall, place(i)) > 0 && fsync(file) == 0; });
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  struct stat info = {};
  const bool known = fstat(file, &info) == 0 && info.st_size > 0;
  const int64_t read = !known ? -1 : median(settings_.repetitions, [&](int64_t i) {
    return pread(file, bytes, kSmall, place(i) % info.st_size) > 0;
  });
  const Status failed(Code::kIo, path + ": " + strerror(errno));
  close(file);
  unlink(path.c_str());
  if (write < 0 || sync < 0 || read < 0 || !known) return failed;
  measured_.constants.write = static_cast<uint64_t>(write);
  measured_.constants.read = static_cast<uint64_t>(read);
  measured_.constants.sync = static_cast<uint64_t>(std::max<int64_t>(0, sync - write));
  block_ = std::max(kLeastBlock, static_cast<uint64_t>(info.st_blksize));
  return {};
}

void Measurement::note_system() {
  struct statfs info;
  const uint64_t type = statfs(settings_.directory.c_str(), &info) == 0 ? static_cast<uint32_t>(info.f_type) : 0;
  const bool named = type == kLustre || type == kGpfs;
  if (named) measured_.constants.file_system = type;
  measured_.origin(&Constants::file_system) = named ? Origin::kStated : Origin::kUnknown;
}

/// All in one directory. What was not reached in time is left for who made the directory.
Status Measurement::names(int processes) {
  struct stat info;
  struct Call {
    const char* name;
    std::function<bool(const std::string&)> call;
  };
  const Call calls[] = {
      {"create", [](const std::string& path) { return open_and_close(path, O_WRONLY | O_CREAT | O_EXCL); }},
      {"open", [](const std::string& path) { return open_and_close(path, O_RDONLY); }},
      {"stat", [&](const std::string& path) { return stat(path.c_str(), &info) == 0; }},
      {"rename", [](const std::string& path) { return rename(path.c_str(), (path + "r").c_str()) == 0; }},
      {"unlink", [](const std::string& path) { return unlink((path + "r").c_str()) == 0; }},
      {"mkdir", [](const std::string& path) { return mkdir((path + "d").c_str(), 0700) == 0; }},
      {"rmdir", [](const std::string& path) { return rmdir((path + "d").c_str()) == 0; }},
  };
  std::vector<int64_t> there;
  for (const Call& each : calls) {
    HEADRACE_TRY(step(std::string(each.name) + " by " + std::to_string(processes)));
    const bool makes = each.name == std::string_view("create") || each.name == std::string_view("mkdir");
    if (makes) there.assign(static_cast<size_t>(processes), settings_.repetitions);
    auto found = together(processes, [&](int who) {
      const std::string start = "-" + std::to_string(processes) + "-";
      return repeat(there[static_cast<size_t>(who)],
                    [&](int64_t i) { return each.call(name(who, start + std::to_string(i))); });
    });
    if (!found.ok()) return {Code::kIo, std::string(each.name) + " in " + settings_.directory + ": " + found.message()};
    measured_.rates.push_back({each.name, processes, found->count() / found->seconds});
    if (makes || each.name == std::string_view("rename")) there = std::move(found->counts);
  }
  return {};
}

/// Stored, and read again without what the node's memory has of it.
Status Measurement::bandwidth(int processes) {
  const auto share = static_cast<int64_t>(settings_.bytes / kLarge / static_cast<uint64_t>(processes));
  std::vector<int64_t> there(static_cast<size_t>(processes), std::max<int64_t>(1, share));
  const std::vector<char> pattern(kLarge, 'x');
  for (const bool writes : {true, false}) {
    HEADRACE_TRY(step(std::string(writes ? "writing" : "reading") + " by " + std::to_string(processes)));
    auto found = together(processes, [&](int who) -> int64_t {
      std::vector<char> bytes = pattern;
      const int file = opened(name(who, "-data"), writes ? O_WRONLY | O_CREAT : O_RDONLY);
      if (file < 0) return -1;
      const int64_t moved = repeat(there[static_cast<size_t>(who)], [&](int64_t i) {
        const off_t offset = static_cast<off_t>(i) * static_cast<off_t>(kLarge);
        errno = ENOSPC;  // of a write that was not whole
        return (writes ? pwrite(file, bytes.data(), kLarge, offset) : pread(file, bytes.data(), kLarge, offset)) ==
               static_cast<ssize_t>(kLarge);
      });
      if (moved < 0 || (writes && fdatasync(file) != 0)) return -1;
      if (writes) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
      return close(file) == 0 ? moved : -1;
    });
    if (!found.ok()) return {Code::kIo, "bandwidth in " + settings_.directory + ": " + found.message()};
    measured_.rates.push_back({writes ? "write_bytes" : "read_bytes", processes,
                               static_cast<double>(kLarge) * found->count() / found->seconds});
    there = std::move(found->counts);
  }
  for (int who = 0; who < processes; ++who) unlink(name(who, "-data").c_str());
  return {};
}

/// Seconds for a write of two that write `apart` bytes from each other.
Result<double> Measurement::write_two(uint64_t apart) {
  const std::string path = name(0, "-shared");
  if (!open_and_close(path, O_WRONLY | O_CREAT)) return Status(Code::kIo, path + ": " + strerror(errno));
  const auto found = together(2, [&](int who) -> int64_t {
    const char bytes[kSmall] = {};
    const int file = opened(path, O_WRONLY);
    const auto place = static_cast<off_t>(static_cast<uint64_t>(who) * apart);
    const int64_t made =
        repeat(4 * settings_.repetitions, [&](int64_t) { return pwrite(file, bytes, kSmall, place) > 0; });
    return made >= 0 && close(file) == 0 ? made : -1;
  });
  unlink(path.c_str());
  if (!found.ok()) return found.status();
  return 2 * found->seconds / found->count();
}

Status Measurement::locks() {
  if (settings_.processes < 2) return {};
  HEADRACE_TRY(step("two that write into one block"));
  measured_.origin(&Constants::lock_conflict) = Origin::kMeasured;
  constexpr uint64_t kFar = 64 << 20;
  HEADRACE_ASSIGN(const double same, write_two(kSmall));
  HEADRACE_ASSIGN(const double apart, write_two(kFar));
  // What is within the noise of a local file system is no lock. Each of the two waits for the other's turn as well.
  if (same < 2 * apart || same - apart < 5e-6) return {};
  measured_.constants.lock_block = block_;
  measured_.origin(&Constants::lock_block) = Origin::kStated;
  measured_.constants.lock_conflict = static_cast<uint64_t>((same - apart) / 2 * 1e9);
  return {};
}

double Measurement::best(const std::string& call, bool alone) const {
  double most = 0;
  for (const Rate& each : measured_.rates)
    if (each.call == call && (!alone || each.processes == 1)) most = std::max(most, each.rate);
  return most;
}

/// The service is as quick as all together had it; what one alone took longer is the way to it.
void Measurement::derive() {
  Constants& c = measured_.constants;
  const std::pair<const char*, uint64_t Constants::*> kNames[] = {
      {"create", &Constants::create}, {"open", &Constants::open},     {"stat", &Constants::stat},
      {"rename", &Constants::rename}, {"unlink", &Constants::unlink}, {"mkdir", &Constants::mkdir},
      {"rmdir", &Constants::rmdir}};
  double latency = 1e9;
  for (const auto& [call, place] : kNames) {
    c.*place = static_cast<uint64_t>(1e9 / best(call, false));
    latency = std::min(latency, 1e9 / best(call, true) - 1e9 / best(call, false));
  }
  c.metadata_latency = static_cast<uint64_t>(std::max(0.0, latency));
  c.write_bandwidth = static_cast<uint64_t>(best("write_bytes", false));
  c.read_bandwidth = static_cast<uint64_t>(best("read_bytes", false));
  c.process_write_bandwidth = static_cast<uint64_t>(best("write_bytes", true));
  c.process_read_bandwidth = static_cast<uint64_t>(best("read_bytes", true));
}

Result<Measured> Measurement::run() {
  // Creating and opening are measured with the close that follows, so close has no figure of its own.
  for (const auto place :
       {&Constants::close, &Constants::queue_per_directory, &Constants::lock_block, &Constants::lock_conflict})
    measured_.origin(place) = Origin::kUnknown;
  HEADRACE_TRY(latencies());
  note_system();
  for (int processes = 1; processes <= settings_.processes; processes *= 2) {
    HEADRACE_TRY(names(processes));
    HEADRACE_TRY(bandwidth(processes));
  }
  HEADRACE_TRY(locks());
  derive();
  return std::move(measured_);
}

}  // namespace

Result<Measured> measure(const MeasureSettings& settings) { return Measurement(settings).run(); }

}  // namespace headrace::workload::emulation
