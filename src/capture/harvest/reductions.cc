#include "capture/harvest/reductions.h"

#include "capture/harvest/shared_log.h"
#include "capture/spool_layout.h"
#include "format/reader.h"

namespace headrace::capture {
namespace {

constexpr int kSectionAttempts =
    8;  // of half a minute each: rank 0 holds the lock no longer than others may let it wait

}  // namespace

bool has_reduction(const std::string& path, uint64_t id) {
  const auto log = SharedLog::join(path);
  if (!log.ok()) return false;
  for (int attempt = 0; attempt < kSectionAttempts; ++attempt) {
    const auto section = log->enter_by_name();
    if (!section.ok() && attempt + 1 < kSectionAttempts) continue;
    auto reader = format::Reader::open(path);
    const auto table = reader.ok() ? reader->table("job", log->job()) : base::Result<format::Table>(reader.status());
    const format::Column* key = table.ok() ? table->find("key") : nullptr;
    const std::string wanted = kReductionFact + identity_text(id);
    for (uint64_t row = 0; key != nullptr && row < table->rows; ++row) {
      if (key->type == format::Type::kText && key->text(row) == wanted) return true;
    }
    return false;
  }
  return false;
}

}  // namespace headrace::capture
