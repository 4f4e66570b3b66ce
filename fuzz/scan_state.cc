// The state of a scan that was interrupted, a whole chunk file; the first byte says whether checksums are recomputed.
// Reading ends in a state or an error. No path of it leads out of its root, what it counts can go on growing, and it is
// the same when it is written and read again.

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "check_table.h"
#include "collect/scan/state.h"
#include "format/reader.h"
#include "heal.h"

using namespace headrace;
using namespace headrace::collect;
using namespace headrace::fuzz;

namespace {

/// For files of the states, gone at the end.
struct Directory {
  Directory() { require(mkdtemp(path.data()) != nullptr); }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string path = (std::filesystem::temp_directory_path() / "headrace-fuzz-XXXXXX").string();
};

void check_path(const std::string& path) {
  require(!path.starts_with('/') && !path.ends_with('/'));
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string name = path.substr(at, end - at);
    require(!name.empty() && name != "." && name != ".." && name.find('\0') == name.npos);
    at = end + 1;
  }
}

/// Checks all that waits, and says it as one text.
std::string check_waiting(const ScanState& state, const Pending& pending) {
  std::string all;
  const base::Status listed = pending.each([&](const PendingGroup& group) {
    require(group.root < state.settings.roots.size() && !group.names.empty() && group.names.back() == '\0');
    check_path(group.parent);
    for (size_t at = 0, end = 0; at < group.names.size(); at = end + 1) {
      end = group.names.find('\0', at);
      const std::string name = group.names.substr(at, end - at);
      require(!name.empty() || group.parent.empty());
      require(name.find('/') == name.npos);
      check_path(name);
      all += std::to_string(group.root) + ":" + group.parent + "/" + name + '\0';
    }
    return base::Status();
  });
  require(listed.ok());
  return all;
}

void check(const ScanState& state) {
  for (const std::string& root : state.settings.roots) require(root.starts_with('/'));
  for (const OpenDirectory& one : state.open) {
    require(one.root < state.settings.roots.size() && one.files <= one.entries && one.unseen <= one.entries);
    require(one.entries >= 0 && one.entries < INT64_MAX / 2 && one.files >= 0 && one.unseen >= 0);
    check_path(one.path);
  }
  for (const auto& [key, bin] : state.sums.bins) {
    require(key.place < kAllBins && key.owner.place <= state.settings.rules.size());
    require(bin.files >= 0 && bin.bytes >= 0);
  }
  require(state.sums.totals.entries() >= 0 && state.problems.size() <= kListedProblems);
  require(!state.complete().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Directory directory;
  static const std::string place = directory.path, again_path = place + "/again";
  if (size == 0) return 0;
  std::vector<uint8_t> file(data + 1, data + size);
  if (data[0] % 2 == 1) heal_checksums(file);
  const format::ReadLimits limits{.table_bytes = 32u << 20, .chunks = 10'000};
  auto reader = format::Reader::open_memory(file, "input", limits);
  if (!reader.ok()) return 0;
  Pending pending(place, 4096);
  auto state = read_state("input", std::move(*reader), pending);
  if (!state.ok()) {
    require(!state.message().empty());
    return 0;
  }
  check(*state);
  const std::string waiting = check_waiting(*state, pending);
  if (data[0] % 16 != 1) return 0;  // writing takes longer than reading
  require(write_state(again_path, *state, &pending).ok());
  Pending other(place);
  const auto again = read_state(again_path, other);
  require(again.ok() && again->open.size() == state->open.size() && again->sums.bins.size() == state->sums.bins.size());
  require(check_waiting(*again, other) == waiting && again->problems.size() == state->problems.size());
  return 0;
}
