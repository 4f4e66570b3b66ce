#include "collect/devices/left_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "format/contents.h"
#include "format/decode.h"
#include "format/table_filter.h"
#include "format/writer.h"

namespace headrace::collect {
namespace {

using base::Code;
using base::Result;
using base::Status;
using format::ChunkInfo;
using format::Reader;

constexpr uint64_t kMemory = uint64_t{1} << 30;  // of one chunk's values

/// The last chunk of a table; ticks and times grow from chunk to chunk. kNotFound.
Result<format::Table> last_chunk(const Reader& reader, const std::string& table) {
  const ChunkInfo* last = nullptr;
  for (const ChunkInfo& chunk : reader.chunks()) {
    if (chunk.header.name() == table) last = &chunk;
  }
  if (last == nullptr) return Status(Code::kNotFound, "no rows");
  HEADRACE_ASSIGN(const std::vector<uint8_t> payload, reader.copy(*last));
  format::TableAssembler assembler(table, last->header.rows, kMemory);
  HEADRACE_TRY(assembler.add(payload, last->header.rows));
  return assembler.finish();
}

/// 0: there are no rows.
Result<uint64_t> greatest(const Reader& reader, const std::string& table, const char* column) {
  const auto rows = last_chunk(reader, table);
  if (!rows.ok() && rows.code() == Code::kNotFound) return uint64_t{0};
  if (!rows.ok()) return rows.status();
  const format::Column* values = rows->find(column);
  uint64_t most = 0;
  for (uint64_t row = 0; values != nullptr && row < rows->rows; ++row) most = std::max(most, values->u64(row));
  return most;
}

/// `file`: null when it has no chunk yet.
Status add_tail(Reader& tail, const Reader* file, format::Writer& writer) {
  for (const std::string& name : tail.tables()) {
    uint64_t last = 0;
    if (file != nullptr) {
      HEADRACE_ASSIGN(last, greatest(*file, name, "tick"));
    }
    HEADRACE_ASSIGN(format::Table table, tail.table(name));
    const format::Column* tick = table.find("tick");
    std::vector<uint64_t> fresh;
    for (uint64_t row = 0; tick != nullptr && row < table.rows; ++row) {
      if (tick->u64(row) > last) fresh.push_back(row);
    }
    if (fresh.empty()) continue;
    keep_rows(table, fresh);
    format::TableCopy copy(table);
    HEADRACE_TRY(writer.add(copy.builder()));
  }
  return {};
}

/// A chunk that was cut is cut off, lest it be told for ever: its rows are in the tail.
Status cut_torn(const Reader& file, const std::string& path) {
  uint64_t end = 0;
  for (const ChunkInfo& chunk : file.chunks()) end = std::max(end, chunk.offset + format::chunk_size(chunk.header));
  if (file.closed() || end >= file.size() || truncate(path.c_str(), static_cast<off_t>(end)) == 0) return {};
  return {Code::kIo, path + ": cannot be cut where a chunk was being written: " + strerror(errno)};
}

bool is_nothing(const Status& status) { return status.code() == Code::kNotFound || status.code() == Code::kTruncated; }

std::vector<std::string> names_with(const std::string& directory, const std::string& end) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), last; !error && at != last; at.increment(error)) {
    const std::string path = at->path().string();
    if (path.ends_with(end)) found.push_back(path.substr(0, path.size() - end.size()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Status synchronize(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && fdatasync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  // Some file systems have no such call, and store when they do.
  if (done || error == EINVAL || error == ENOTSUP) return {};
  return {error == ENOSPC || error == EDQUOT ? Code::kNoSpace : Code::kIo,
          path + ": cannot be stored: " + strerror(error)};
}

Status finish_left_file(const std::string& base) {
  const std::string path = base + ".open.hr", tail_path = base + ".tail.hr";
  auto file = Reader::open(path);
  auto tail = Reader::open(tail_path);
  if (!file.ok() && !is_nothing(file.status())) return file.status();
  if (!tail.ok() && !is_nothing(tail.status())) return tail.status();
  if (!file.ok() && !tail.ok()) {
    unlink(tail_path.c_str());
    unlink(path.c_str());
    return {};
  }
  if (file.ok()) {
    HEADRACE_TRY(cut_torn(*file, path));
  }
  if (!file.ok() || !file->closed() || tail.ok()) {
    HEADRACE_ASSIGN(format::Writer writer, format::Writer::append(path, {.planes = true}));
    if (tail.ok()) HEADRACE_TRY(add_tail(*tail, file.ok() ? &*file : nullptr, writer));
    HEADRACE_TRY(writer.close());
  }
  HEADRACE_TRY(synchronize(path));
  if (rename(path.c_str(), (base + ".hr").c_str()) != 0)
    return {Code::kIo, path + ": cannot be renamed: " + strerror(errno)};
  unlink(tail_path.c_str());
  return {};
}

std::vector<std::string> left_files(const std::string& directory) { return names_with(directory, ".open.hr"); }

std::optional<EarlierRun> last_sample(const std::string& directory) {
  std::vector<std::string> all = names_with(directory, ".hr");
  std::erase_if(all, [](const std::string& path) { return path.ends_with(".open") || path.ends_with(".tail"); });
  for (auto path = all.rbegin(); path != all.rend(); ++path) {
    auto reader = Reader::open(*path + ".hr");
    if (!reader.ok()) continue;
    for (const auto& [table, column] : {std::pair{"samples", "end_us"}, std::pair{"monitor", "started_us"}}) {
      const auto rows = last_chunk(*reader, table);
      if (!rows.ok() || rows->rows == 0) continue;
      const format::Column *boot = rows->find("boot"), *end = rows->find(column);
      if (boot == nullptr || end == nullptr || boot->type != format::Type::kText) continue;
      EarlierRun run{std::string(boot->text(rows->rows - 1)), end->i64(0)};
      for (uint64_t row = 0; row < rows->rows; ++row) run.end_us = std::max(run.end_us, end->i64(row));
      return run;
    }
  }
  return {};
}

}  // namespace headrace::collect
