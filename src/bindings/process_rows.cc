#include "bindings/process_rows.h"

#include <unordered_map>
#include <vector>

namespace headrace::bindings {
void keep_one_row_a_process(format::Table& processes) {
  const format::Column* ids = processes.find("process");
  const format::Column* ended = processes.find("ended");
  if (ids == nullptr || ids->type != format::Type::kU64) return;
  const auto is_running = [&](uint64_t row) {
    return ended != nullptr && ended->type == format::Type::kText && ended->text(row) == "running";
  };
  std::unordered_map<uint64_t, uint64_t> chosen;
  for (uint64_t row = 0; row < processes.rows; ++row) {
    const auto [place, first] = chosen.try_emplace(ids->u64(row), row);
    if (!first && (is_running(place->second) || !is_running(row))) place->second = row;
  }
  if (chosen.size() == processes.rows) return;
  std::vector<uint64_t> rows;
  for (uint64_t row = 0; row < processes.rows; ++row) {
    if (chosen.at(ids->u64(row)) == row) rows.push_back(row);
  }
  format::keep_rows(processes, rows);
}

}  // namespace headrace::bindings
