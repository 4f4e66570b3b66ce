#include "collect/devices/earlier_run.h"

#include <algorithm>
#include <utility>

#include "collect/chunk_rows.h"
#include "collect/devices/host_files.h"

namespace headrace::collect {
namespace {

using format::Reader;

constexpr size_t kRecent = 64;  // files that are looked at

/// The end of a file's last sample, or when it was begun.
std::optional<EarlierRun> last_of(const Reader& file) {
  for (const auto& [name, column] : {std::pair{"samples", "end_us"}, std::pair{"monitor", "started_us"}}) {
    const std::vector<const format::ChunkInfo*> chunks = chunks_of(file, name);
    if (chunks.empty()) continue;
    const auto rows = rows_of(file, *chunks.back());
    if (!rows.ok() || rows->rows == 0) continue;
    const format::Column *boot = rows->find("boot"), *end = integers(*rows, column), *tick = integers(*rows, "tick");
    if (boot == nullptr || end == nullptr || boot->type != format::Type::kText) continue;
    uint64_t last = 0;  // rows are by device, and the clock may have been put back: the tick says which is the last
    for (uint64_t row = 1; tick != nullptr && row < rows->rows; ++row) {
      if (tick->u64(row) >= tick->u64(last)) last = row;
    }
    return EarlierRun{std::string(boot->text(last)), end->i64(last)};
  }
  return {};
}

}  // namespace

std::optional<EarlierRun> last_sample(const std::string& directory, int64_t now_us) {
  std::vector<std::pair<int64_t, std::string>> all = finished_files(directory);
  std::reverse(all.begin(), all.end());
  if (all.size() > kRecent) all.resize(kRecent);
  std::optional<EarlierRun> found;
  for (const auto& [changed, path] : all) {
    const auto reader = Reader::open(path);
    if (!reader.ok()) continue;
    const auto last = last_of(*reader);
    if (!last) continue;
    const bool may_be = last->end_us <= now_us;
    if (!found || (may_be && (found->end_us > now_us || last->end_us > found->end_us))) found = last;
  }
  return found;
}

}  // namespace headrace::collect
