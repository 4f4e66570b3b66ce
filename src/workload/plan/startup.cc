#include "workload/plan/startup.h"

#include <algorithm>

#include "workload/plan/limits.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Status;

class Startup : public Pattern {
 public:
  explicit Startup(const StartupSettings& settings) : s_(settings) {}

  const char* name() const override { return "startup"; }
  std::string summary() const override {
    return std::to_string(s_.files) + " files of " + std::to_string(s_.size) + " bytes for every rank, " +
           (s_.scheme == StartupScheme::kEveryone ? "read by everyone" : std::string("by ") + name_of(s_.scheme));
  }
  std::string settings_json() const override {
    return "{\"scheme\": \"" + std::string(name_of(s_.scheme)) + "\", \"files\": " + std::to_string(s_.files) +
           ", \"size\": " + std::to_string(s_.size) + ", \"transfer\": " + std::to_string(s_.transfer) + "}";
  }
  std::vector<Phase> phases() const override { return {{"prepare", Verb::kWrite}, {"startup", Verb::kRead}}; }
  uint32_t files() const override { return static_cast<uint32_t>(s_.files); }
  PlannedFile file(uint32_t number) const override {
    PlannedFile file;
    file.name = "startup." + std::to_string(number);
    file.bytes = s_.size;
    return file;
  }
  uint64_t largest_transfer() const override { return std::min(s_.transfer, s_.size); }
  uint64_t footprint() const override { return s_.files * s_.size; }
  uint64_t operations(const Phase& phase, int rank) const override {
    if (phase.direction == Verb::kWrite && rank > 0) return 0;
    uint64_t of_transfer = 0;
    const auto count = [&](const Operation&) { return ++of_transfer, Status(); };
    if (phase.direction == Verb::kWrite) {
      of_transfer = 1;
    } else {
      (void)bring({phase.direction, 0}, rank, count);
    }
    return s_.files * (((s_.size - 1) / s_.transfer + 1) * of_transfer + (opens(phase, rank) ? 2 : 0));
  }
  Status plan(const Phase& phase, int rank, const Take& take) const override;

 private:
  Status bring(Operation operation, int rank, const Take& take) const;
  /// To those below a rank, the one with the most others below it first.
  Status pass_on(Operation operation, int rank, const Take& take) const;
  bool opens(const Phase& phase, int rank) const {
    return rank == 0 || (phase.direction == Verb::kRead && s_.scheme == StartupScheme::kEveryone);
  }

  const StartupSettings s_;
};

Status Startup::pass_on(Operation operation, int rank, const Take& take) const {
  operation.verb = Verb::kSend;
  operation.received = true;
  if (s_.scheme == StartupScheme::kLeader) {
    for (operation.peer = 1; rank == 0 && operation.peer < s_.ranks; ++operation.peer) HEADRACE_TRY(take(operation));
    return {};
  }
  int64_t step = 1;  // the lowest bit of a rank says how many are below it
  while (rank == 0 ? step < s_.ranks : (rank & step) == 0) step *= 2;
  for (step /= 2; step > 0; step /= 2) {
    if (rank + step >= s_.ranks) continue;
    operation.peer = static_cast<int>(rank + step);
    HEADRACE_TRY(take(operation));
  }
  return {};
}

Status Startup::bring(Operation operation, int rank, const Take& take) const {
  if (rank > 0 && s_.scheme != StartupScheme::kEveryone) {
    operation.verb = Verb::kReceive;
    operation.peer = s_.scheme == StartupScheme::kLeader ? 0 : rank & (rank - 1);
  }
  HEADRACE_TRY(take(operation));
  return s_.scheme == StartupScheme::kEveryone ? Status() : pass_on(operation, rank, take);
}

Status Startup::plan(const Phase& phase, int rank, const Take& take) const {
  const bool writes = phase.direction == Verb::kWrite;
  if (writes && rank > 0) return {};
  for (uint32_t file = 0; file < s_.files; ++file) {
    if (opens(phase, rank)) HEADRACE_TRY(take({writes ? Verb::kCreate : Verb::kOpen, file}));
    for (uint64_t at = 0; at < s_.size; at += s_.transfer) {
      const Operation operation{phase.direction, file, at, std::min(s_.transfer, s_.size - at)};
      HEADRACE_TRY(writes ? take(operation) : bring(operation, rank, take));
    }
    if (opens(phase, rank)) HEADRACE_TRY(take({Verb::kClose, file}));
  }
  return {};
}

}  // namespace

const char* name_of(StartupScheme scheme) {
  constexpr const char* kNames[] = {"everyone", "leader", "tree"};
  return kNames[static_cast<int>(scheme)];
}

base::Result<std::unique_ptr<Pattern>> make_startup(const StartupSettings& s) {
  if (s.files == 0 || s.files > UINT32_MAX)
    return base::invalid("--files is 1 or more, and no more than can be counted");
  if (s.size == 0 || s.transfer == 0) return base::invalid("--size and --transfer are 1 or more");
  if (beyond(kLargestFile, {s.files, s.size}))
    return base::invalid("--files of --size are more than a file system holds");
  return std::unique_ptr<Pattern>(std::make_unique<Startup>(s));
}

}  // namespace headrace::workload
